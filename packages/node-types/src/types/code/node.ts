/**
 * `code`: runs a stage or function node written in TypeScript (wire decision G64).
 * @module
 */
import { defineNode } from '@flow-service/connector-sdk'
import * as z from 'zod'

import { checkSettingNames, startCode } from '../../code-node.ts'

/** A TypeScript function of a flow in code; the schema of its settings belongs to the definition. */
export const codeNode = defineNode({
  type: 'code',
  title: 'Function (TypeScript)',
  description: 'Calls a function of a flow written in TypeScript. Such nodes come from code, not from the editor.',
  category: 'function',
  settings: z.looseObject({}),
  arrival: 'combine',
  code: 'typescript',
  superuser: true,
  check: checkSettingNames,
  start: startCode,
})
