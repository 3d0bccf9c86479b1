/**
 * `python`: runs the author's Python function (wire decision G60).
 * @module
 */
import { defineNode } from '@flow-service/connector-sdk'
import * as z from 'zod'

import { checkSettingNames, startCode } from '../../code-node.ts'

/** A Python function; its source is part of the node, its settings are free. */
export const pythonNode = defineNode({
  type: 'python',
  title: 'Function (Python)',
  description: 'Calls a Python function with its inputs and settings; the dict it returns feeds the outputs.',
  category: 'function',
  settings: z.looseObject({}),
  arrival: 'combine',
  code: 'python',
  superuser: true,
  check: checkSettingNames,
  start: startCode,
})
