/**
 * The built-in node types.
 * @module
 */
import type { AnyNodeDefinition } from '@flow-service/connector-sdk'

import { changeNode } from './change.ts'
import { codeNode } from './code.ts'
import { debounceNode } from './debounce.ts'
import { delayNode } from './delay.ts'
import { execNode } from './exec.ts'
import { fileNode } from './file.ts'
import { httpNode } from './http.ts'
import { injectNode } from './inject.ts'
import { joinNode } from './join.ts'
import { mlpNode } from './mlp.ts'
import { mqttNode } from './mqtt.ts'
import { pushNode } from './push.ts'
import { pythonNode } from './python.ts'
import { rbeNode } from './rbe.ts'
import { switchNode } from './switch.ts'
import { tsdbNode } from './tsdb.ts'
import { websocketNode } from './websocket.ts'

export {
  changeNode,
  codeNode,
  debounceNode,
  delayNode,
  execNode,
  fileNode,
  httpNode,
  injectNode,
  joinNode,
  mlpNode,
  mqttNode,
  pushNode,
  pythonNode,
  rbeNode,
  switchNode,
  tsdbNode,
  websocketNode,
}

/** Every built-in node type, in the order of the catalogue. */
export const nodeTypes: readonly AnyNodeDefinition[] = [
  pythonNode,
  codeNode,
  mqttNode,
  httpNode,
  websocketNode,
  tsdbNode,
  pushNode,
  injectNode,
  delayNode,
  debounceNode,
  switchNode,
  changeNode,
  rbeNode,
  joinNode,
  execNode,
  fileNode,
  mlpNode,
]
