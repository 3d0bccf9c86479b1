/**
 * `rbe`: passes a value only when it differs from the last one that passed (wire decision G74).
 * @module
 */
import { defineNode, type NodeFinding, type NodeShape } from '@flow-service/connector-sdk'
import { canonicalJson, compatible } from '@flow-service/protocol'
import * as z from 'zod'

import { pairFindings, pairsOf } from '../../paired-ports.ts'

const settings = z.strictObject({
  deadband: z
    .number()
    .min(0)
    .default(0)
    .describe('Numbers that differ by less than this from the last one that passed are held back.'),
  deadband_percent: z
    .boolean()
    .default(false)
    .describe('Read the deadband as a percentage of the last number that passed.'),
})
type Settings = z.infer<typeof settings>

/** Passes changes; several inputs pair with the outputs in their order, and each has its own last value. */
export const rbeNode = defineNode({
  type: 'rbe',
  title: 'Filter unchanged',
  description: 'Passes a value only when it has changed, numbers only by a deadband or more.',
  category: 'logic',
  settings,
  arrival: 'each',
  check: (shape) => [...pairFindings(shape), ...dtypeFindings(shape)],

  start(ctx) {
    const outputOf = pairsOf(ctx)
    const passed = new Map<string, unknown>()
    return {
      onValue(port, value) {
        if (passed.has(port) && !differs(ctx.settings, value, passed.get(port))) return undefined
        passed.set(port, value)
        return { [outputOf.get(port) ?? '']: value }
      },
    }
  },
})

function differs({ deadband, deadband_percent }: Settings, value: unknown, last: unknown): boolean {
  if (value === last) return false
  if (typeof value === 'number' && typeof last === 'number') {
    if (!deadband_percent) return Math.abs(value - last) >= deadband
    const percent = Math.abs(last) * deadband
    // the product of large numbers is beyond a float where its hundredth is none
    return Math.abs(value - last) >= (Number.isFinite(percent) ? percent / 100 : Math.abs(last) * (deadband / 100))
  }
  return typeof value !== 'object' || typeof last !== 'object' || canonicalJson(value) !== canonicalJson(last)
}

/** What comes in goes out as it is. */
function dtypeFindings({ inputs, outputs }: NodeShape): NodeFinding[] {
  return inputs.flatMap(({ port, dtype }, index): NodeFinding[] => {
    const output = outputs[index]
    if (output === undefined || compatible(dtype, output.dtype)) return []
    const message = `input "${port}" is ${dtype}, but its output "${output.port}" is ${output.dtype}; give both one type`
    return [{ code: 'dtype_mismatch', message, path: `/outputs/${index}/dtype` }]
  })
}
