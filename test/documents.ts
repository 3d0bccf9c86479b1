/** Flow documents that whole-service tests use. */
import type { Client } from '@flow-service/client-sdk'

/** Saves a document and publishes it. */
export async function publishFlow(client: Client, name: string, document: object): Promise<void> {
  const { version } = await client.http.flows.save({ name, flowDocument: document as never })
  await client.http.flows.publish({ name, version })
}

/** A Python node from an input `n` to an output `out`. */
export const pythonNode = (id: string, source: string, more: object = {}) => ({
  id,
  type: 'python',
  source,
  ports: [
    { direction: 'input', name: 'n', dtype: 'int' },
    { direction: 'output', name: 'out', dtype: 'any' },
  ],
  ...more,
})

/** A batch flow of one Python node. */
export const pythonFlow = (source: string, more: object = {}) => ({
  mode: 'batch',
  inputs: [{ name: 'n', dtype: 'int', initial: 3 }],
  outputs: [{ name: 'out' }],
  nodes: [pythonNode('work', source, more)],
})

/** A batch flow of one built-in node, which executes no code. */
export const scaleFlow = {
  mode: 'batch',
  inputs: [{ name: 'n', dtype: 'float', initial: 2 }],
  outputs: [{ name: 'scaled' }],
  nodes: [
    {
      id: 'scale',
      type: 'change',
      settings: { scale: 10 },
      ports: [
        { direction: 'input', name: 'n', dtype: 'float' },
        { direction: 'output', name: 'scaled', dtype: 'float' },
      ],
    },
  ],
}

/** A live flow: webhook `temp` -> switch -> message `hot`. */
export const alarmFlow = {
  mode: 'live',
  nodes: [
    {
      id: 'hook',
      type: 'http',
      settings: { url: 'temp' },
      ports: [{ direction: 'output', name: 'temp', dtype: 'float' }],
    },
    {
      id: 'route',
      type: 'switch',
      settings: { rules: [{ operator: 'gt', value: 28, output: 'hot' }] },
      ports: [
        { direction: 'input', name: 'temp', dtype: 'float' },
        { direction: 'output', name: 'hot', dtype: 'float' },
      ],
    },
  ],
}

/** A switch whose values of `temp` above 28 go on as `hot`. */
export const limitNode = {
  id: 'limit',
  type: 'switch',
  settings: { rules: [{ operator: 'gt', value: 28, output: 'hot' }] },
  ports: [
    { direction: 'input', name: 'temp', dtype: 'float' },
    { direction: 'output', name: 'hot', dtype: 'float' },
  ],
}
