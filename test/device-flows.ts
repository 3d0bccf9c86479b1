/** Documents of live flows with a node that stands for a device, for tests of whole services. */

/** A port of a node, named as its message. */
const port = (direction: 'input' | 'output', name: string, dtype: string, more: object): object => ({
  direction,
  name,
  port: name.split('.').at(-1),
  dtype,
  ...more,
})
export const input = (name: string, dtype = 'any', more: object = {}): object => port('input', name, dtype, more)
export const output = (name: string, dtype = 'any', more: object = {}): object => port('output', name, dtype, more)

/** A live flow whose node `panel` stands for a device. */
export const deviceFlow = (
  device: string,
  ports: readonly object[],
  { nodes = [], config = {} }: { nodes?: readonly object[]; config?: object } = {},
): object => ({
  mode: 'live',
  nodes: [{ id: 'panel', type: 'device', settings: { device, config }, ports }, ...nodes],
})
