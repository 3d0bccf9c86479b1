/**
 * `mlp`: one layer of weights and biases, drawn from a seed (wire decision G74).
 * @module
 */
import { defineNode, type NodeFinding, type NodeShape, type Values } from '@flow-service/connector-sdk'
import { compatible, describeValue, specialFloats } from '@flow-service/protocol'
import * as z from 'zod'

const settings = z.strictObject({
  seed: z
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .default(0)
    .describe('Draws the weights and biases: the same seed and number of ports give the same layer.'),
})

/** Emits all outputs once each input has a number, and again on each arrival. */
export const mlpNode = defineNode({
  type: 'mlp',
  title: 'Layer',
  description: 'Outputs are weighted sums of the numeric inputs plus a bias; the weights are drawn from a seed.',
  category: 'function',
  settings,
  arrival: 'combine',
  check: portFindings,

  start({ settings: { seed }, inputs, outputs }) {
    const layer = layerOf(seed, inputs.length, outputs.length)
    return {
      onInput(values) {
        if (inputs.some(({ port }) => values[port] === null)) return undefined
        const x = inputs.map(({ port }) => numberOf(port, values[port]))
        return Object.fromEntries(outputs.map(({ port }, row) => [port, layer(row, x)])) as Values
      },
    }
  },
})

/** The weights row by row, then the biases, each uniform within 1/√inputs of zero. */
function layerOf(seed: number, inputs: number, outputs: number): (row: number, x: readonly number[]) => number {
  const random = mulberry32(seed)
  const draw = (): number => (2 * random() - 1) / Math.sqrt(inputs)
  const weights = Array.from({ length: outputs }, () => Array.from({ length: inputs }, draw))
  const biases = Array.from({ length: outputs }, draw)
  return (row, x) => x.reduce((sum, value, at) => sum + (weights[row]?.[at] ?? 0) * value, biases[row] ?? 0)
}

/** Numbers in [0, 1) by Tommy Ettinger's mulberry32. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function numberOf(port: string, value: unknown): number {
  if (typeof value === 'number') return value
  if (specialFloats.has(value)) return Number(value)
  throw new TypeError(`input "${port}" takes numbers, which ${describeValue(value)} is not`)
}

function portFindings({ inputs, outputs }: NodeShape): NodeFinding[] {
  if (inputs.length === 0 || outputs.length === 0) {
    const message = 'a layer takes one numeric input or more, and gives one output or more; add the port'
    return [{ code: 'unsupported_ports', message }]
  }
  const unfit = (direction: 'input' | 'output', fits: (dtype: (typeof inputs)[number]['dtype']) => boolean) =>
    (direction === 'input' ? inputs : outputs).flatMap(({ port, dtype }, at): NodeFinding[] => {
      const message = `${direction} "${port}" is ${dtype}, but a layer has numbers; make it a float`
      return fits(dtype) ? [] : [{ code: 'dtype_mismatch', message, path: `/${direction}s/${at}/dtype` }]
    })
  return [
    ...unfit('input', (dtype) => compatible(dtype, 'float')),
    ...unfit('output', (dtype) => compatible('float', dtype)),
  ]
}
