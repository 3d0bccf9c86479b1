/**
 * `switch`: routes a value to an output by rule (wire decision G67).
 * @module
 */
import { defineNode, type NodeFinding, type NodePort, type Values } from '@flow-service/connector-sdk'
import { compatible, specialFloats } from '@flow-service/protocol'
import * as z from 'zod'

import { matches, ruleSchema } from './rule.ts'

const settings = z.strictObject({
  rules: z.array(ruleSchema).max(1000).default([]).describe('Checked in order; each names the output it routes to.'),
  stop_at_first: z.boolean().default(true).describe('Leave through the first matching rule only.'),
  otherwise: z.string().nullable().default(null).describe('Output of values that match no rule; empty drops them.'),
})
type Settings = z.infer<typeof settings>

/** Routes a value to the outputs whose rules it matches. */
export const switchNode = defineNode({
  type: 'switch',
  title: 'Switch',
  description: 'Routes a value to an output by rules. Values of another type than the rule do not match.',
  category: 'logic',
  settings,
  arrival: 'each',
  check: ({ settings: given, inputs, outputs }) => [
    ...portFindings(inputs),
    ...outputFindings(given, outputs),
    ...dtypeFindings(inputs, outputs),
  ],

  start({ settings: given, inputs }) {
    const isFloat = inputs[0]?.dtype === 'float'
    return {
      onValue(_port, value) {
        const compared = isFloat && specialFloats.has(value) ? Number(value) : value
        const ports = portsFor(given, compared)
        return ports.length === 0 ? undefined : (Object.fromEntries(ports.map((port) => [port, value])) as Values)
      },
    }
  },
})

function portsFor({ rules, stop_at_first, otherwise }: Settings, value: unknown): readonly string[] {
  const first = stop_at_first ? rules.find((rule) => matches(rule, value)) : undefined
  if (first) return [first.output]
  const ports = stop_at_first ? [] : rules.filter((rule) => matches(rule, value)).map(({ output }) => output)
  return ports.length === 0 && otherwise ? [otherwise] : ports
}

const portFindings = (inputs: readonly NodePort[]): NodeFinding[] =>
  inputs.length === 1
    ? []
    : [{ code: 'unsupported_ports', message: `a switch takes one input, not ${inputs.length}; join the values first` }]

function outputFindings({ rules, otherwise }: Settings, outputs: readonly NodePort[]): NodeFinding[] {
  const known = new Set(outputs.map(({ port }) => port))
  const named = rules.map(({ output }, index) => ({ output, path: `/settings/rules/${index}/output` }))
  if (otherwise) named.push({ output: otherwise, path: '/settings/otherwise' })
  return named
    .filter(({ output }) => !known.has(output))
    .map(({ output, path }) => ({
      code: 'unknown_output',
      path,
      message: `the switch has no output "${output}"; add the port or name one of: ${[...known].join(', ')}`,
    }))
}

/** The whole value leaves, through any of them. */
function dtypeFindings([input]: readonly NodePort[], outputs: readonly NodePort[]): NodeFinding[] {
  if (input === undefined) return []
  return outputs.flatMap(({ port, dtype }, at): NodeFinding[] => {
    if (compatible(input.dtype, dtype)) return []
    const message = `input "${input.port}" is ${input.dtype}, but output "${port}" is ${dtype}; give both one type`
    return [{ code: 'dtype_mismatch', message, path: `/outputs/${at}/dtype` }]
  })
}
