// Written by `npm run generate` from src/types/*/node.ts.
import type { AnyNodeDefinition } from '@flow-service/connector-sdk'

import { changeNode } from '../types/change/node.ts'
import { codeNode } from '../types/code/node.ts'
import { commandsLmNode } from '../types/commands_lm/node.ts'
import { debounceNode } from '../types/debounce/node.ts'
import { delayNode } from '../types/delay/node.ts'
import { deviceNode } from '../types/device/node.ts'
import { execNode } from '../types/exec/node.ts'
import { fileNode } from '../types/file/node.ts'
import { httpNode } from '../types/http/node.ts'
import { injectNode } from '../types/inject/node.ts'
import { joinNode } from '../types/join/node.ts'
import { mlpNode } from '../types/mlp/node.ts'
import { mqttNode } from '../types/mqtt/node.ts'
import { pushNode } from '../types/push/node.ts'
import { pythonNode } from '../types/python/node.ts'
import { rbeNode } from '../types/rbe/node.ts'
import { switchNode } from '../types/switch/node.ts'
import { tsdbNode } from '../types/tsdb/node.ts'
import { websocketNode } from '../types/websocket/node.ts'

export {
  changeNode,
  codeNode,
  commandsLmNode,
  debounceNode,
  delayNode,
  deviceNode,
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

/** Every built-in node type, by name. */
export const nodeTypes: readonly AnyNodeDefinition[] = [
  changeNode,
  codeNode,
  commandsLmNode,
  debounceNode,
  delayNode,
  deviceNode,
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
]
