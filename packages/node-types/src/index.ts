/**
 * The built-in node types.
 * @module
 */
import type { AnyNodeDefinition } from '@flow-service/connector-sdk'

import { changeNode } from './change.ts'
import { codeNode } from './code.ts'
import { debounceNode } from './debounce.ts'
import { delayNode } from './delay.ts'
import { httpNode } from './http.ts'
import { injectNode } from './inject.ts'
import { joinNode } from './join.ts'
import { pythonNode } from './python.ts'
import { switchNode } from './switch.ts'

export { changeNode, codeNode, debounceNode, delayNode, httpNode, injectNode, joinNode, pythonNode, switchNode }

/** Every built-in node type, in the order of the catalogue. */
export const nodeTypes: readonly AnyNodeDefinition[] = [
  pythonNode,
  codeNode,
  httpNode,
  injectNode,
  delayNode,
  debounceNode,
  switchNode,
  changeNode,
  joinNode,
]
