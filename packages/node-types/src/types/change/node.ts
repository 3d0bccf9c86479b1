/**
 * `change`: scales numbers and replaces values (wire decision G74).
 * @module
 */
import { defineNode } from '@flow-service/connector-sdk'
import { type Dtype, specialFloats } from '@flow-service/protocol'
import * as z from 'zod'

import { pairFindings, pairsOf } from '../../paired-ports.ts'
import { published } from '../../secret.ts'

const settings = z.strictObject({
  scale: z.number().default(1).describe('Numbers are multiplied by this.'),
  offset: z.number().default(0).describe('Then this is added.'),
  round_to: z
    .int()
    .min(0)
    .max(15)
    .nullable()
    .default(null)
    .describe('Then they are rounded to this many decimal places, halves away from zero.'),
  mapping: z
    .record(z.string(), z.json())
    .default({})
    .describe('Value by the text of the value it replaces.')
    .meta(published),
  default: z
    .json()
    .default(null)
    .describe('In place of a value that the mapping lacks; empty lets the value through.')
    .meta(published),
})
type Settings = z.infer<typeof settings>

/** Changes each value; several inputs pair with the outputs in their order. */
export const changeNode = defineNode({
  type: 'change',
  title: 'Change',
  description: 'Scales, shifts and rounds numbers, then replaces values by a table.',
  category: 'logic',
  settings,
  arrival: 'each',
  check: pairFindings,

  start(ctx) {
    const [output] = ctx.outputs
    const [input, ...more] = ctx.inputs
    if (ctx.mode === 'live' && output !== undefined && input !== undefined && more.length === 0) {
      // the way of most nodes, without an object on the way
      const change = changeOf(ctx.settings, input.dtype)
      const { port } = output
      return { onValue: (_port, value) => ctx.send(port, change(value)) }
    }
    const outputOf = pairsOf(ctx)
    const changes = new Map(ctx.inputs.map(({ port, dtype }) => [port, changeOf(ctx.settings, dtype)]))
    return { onValue: (port, value) => ({ [outputOf.get(port) ?? '']: changes.get(port)?.(value) }) }
  },
})

/** What the settings come to for values of a dtype, with nothing that they leave as it is. */
function changeOf(given: Settings, dtype: Dtype): (value: unknown) => unknown {
  const { scale, offset, round_to, mapping } = given
  const calculates = scale !== 1 || offset !== 0 || round_to !== null
  const replaces = Object.keys(mapping).length > 0
  const isFloat = dtype === 'float'
  if (calculates && replaces) return (value) => replaced(given, calculated(given, value, isFloat))
  if (calculates) return (value) => calculated(given, value, isFloat)
  return replaces ? (value) => replaced(given, value) : same
}

/** One function for all nodes that change nothing. */
const same = (value: unknown): unknown => value

/** Infinities and what is no number come in and go out by their names. */
function calculated({ scale, offset, round_to }: Settings, value: unknown, isFloat: boolean): unknown {
  const number = isFloat && specialFloats.has(value) ? Number(value) : value
  if (typeof number !== 'number') return value
  const result = number * scale + offset
  if (!Number.isFinite(result)) return result === value ? value : String(result)
  return round_to === null ? result : rounded(result, round_to)
}

/** Shifts the decimal point in the text, so that 1.005 counts as the half it is written as. */
function rounded(value: number, places: number): number {
  const shifted = Math.round(shift(Math.abs(value), places))
  // so large that it has no decimal places
  if (!Number.isFinite(shifted)) return value
  return (Math.sign(value) || 1) * shift(shifted, -places) || 0
}

function shift(value: number, places: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e')
  return Number(`${digits}e${Number(exponent) + places}`)
}

function replaced({ mapping, default: otherwise }: Settings, value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (Object.hasOwn(mapping, text)) return mapping[text]
  return otherwise === null || otherwise === '' ? value : otherwise
}
