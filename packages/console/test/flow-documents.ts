/** Contents of flows for the tests of the editor. */
import type { Node, Port } from '@flow-service/client-sdk'

import type { Doc } from '../src/flow/document.ts'

export const node = (id: string, ports: readonly Port[] = [], type = 'inject'): Node => ({
  id,
  type,
  title: '',
  settings: {},
  ports: [...ports],
  source: null,
  library: null,
  entry: null,
  worker: null,
  worker_policy: 'require',
  cache: true,
  timeout: null,
  retry: null,
})

export const docWith = (nodes: readonly Node[]): Doc => ({
  title: '',
  description: '',
  mode: 'live',
  inputs: [],
  outputs: [],
  nodes,
  resources: { env: {}, flavor: null, cpus: null, gpus: null, memory: null },
  concurrency: null,
  layout: { nodes: {} },
})
