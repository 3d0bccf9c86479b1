/**
 * `join`: gathers several inputs into one value (wire decision G74).
 * @module
 */
import { defineNode, type NodeFinding, type NodeShape } from '@flow-service/connector-sdk'
import { compatible } from '@flow-service/protocol'
import * as z from 'zod'

const settings = z.strictObject({
  mode: z.enum(['object', 'array']).default('object').describe('An object keyed by port, or an array in port order.'),
})

/** Emits the latest values of all inputs once each has one, and again on each arrival. */
export const joinNode = defineNode({
  type: 'join',
  title: 'Join',
  description: 'Gathers the latest values of its inputs into one object or array.',
  category: 'logic',
  settings,
  arrival: 'combine',
  check: portFindings,

  start({ settings: { mode }, inputs, outputs }) {
    const ports = inputs.map(({ port }) => port)
    const output = outputs[0]?.port ?? ''
    return {
      onInput: (values) => ({
        [output]:
          mode === 'array'
            ? ports.map((port) => values[port])
            : Object.fromEntries(ports.map((port) => [port, values[port]])),
      }),
    }
  },
})

function portFindings({ settings: { mode }, inputs, outputs }: NodeShape<z.infer<typeof settings>>): NodeFinding[] {
  const [output] = outputs
  if (inputs.length === 0 || outputs.length !== 1 || !output)
    return [
      { code: 'unsupported_ports', message: 'a join takes one input or more, and one output; add or remove ports' },
    ]
  if (compatible(mode, output.dtype)) return []
  const message = `output "${output.port}" is ${output.dtype}, but this join gives an ${mode}; change the type of the port`
  return [{ code: 'dtype_mismatch', message }]
}
