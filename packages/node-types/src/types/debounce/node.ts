/**
 * `debounce`: one value now, another when the input has gone quiet (wire decision G73).
 *
 * A burst begins with an arrival and ends when its timer does. The first arrival sends `first`; further ones only
 * prolong the burst (`extend`); its end sends `then`. There is one timer for the node, which outlives the engine.
 * @module
 */
import { defineNode, type NodeFinding, type NodeShape, type Values } from '@flow-service/connector-sdk'
import { accepts, compatible, describeValue } from '@flow-service/protocol'
import * as z from 'zod'

import { published } from '../../secret.ts'

const settings = z.strictObject({
  first: z.json().default(true).describe('Sent as soon as a value arrives.').meta(published),
  then: z.json().default(false).describe('Sent when the wait is over; empty sends nothing.').meta(published),
  wait: z.number().max(1e9).default(60).describe('Seconds of quiet before the second value.'),
  extend: z.boolean().default(true).describe('A value that arrives during the wait starts it again.'),
  passthrough: z.boolean().default(false).describe('Send the incoming value instead of the first one.'),
  wait_port: z
    .string()
    .nullable()
    .default(null)
    .describe('Input that carries the wait in seconds where it differs; zero or less takes back the second value.'),
})
type Settings = z.infer<typeof settings>

/** Sends one value when a burst begins and another when it ends. */
export const debounceNode = defineNode({
  type: 'debounce',
  title: 'Debounce',
  description: 'Sends one value at once and another when the input has been quiet for a while.',
  category: 'logic',
  settings,
  modes: ['live'],
  arrival: 'each',
  passive: ({ wait_port }) => (typeof wait_port === 'string' ? [wait_port] : []),
  check: (shape) => [...portFindings(shape), ...valueFindings(shape), ...passedFindings(shape)],

  start(ctx) {
    const { first, then, extend, passthrough, wait_port } = ctx.settings
    const everywhere = (value: unknown): Values => Object.fromEntries(ctx.outputs.map(({ port }) => [port, value]))
    return {
      onValue(_port, value) {
        const wait = waitOf(ctx.settings, wait_port ? ctx.latest(wait_port) : null)
        const opens = ctx.timerDue(BURST) === null
        if (wait <= 0) ctx.clearTimer(BURST)
        else if (opens || extend) ctx.setTimer(BURST, ctx.now() + wait * 1000, null)
        return opens ? everywhere(passthrough ? value : first) : undefined
      },
      onTimer: () => (isEmpty(then) ? undefined : everywhere(then)),
    }
  },
})

const BURST = 'burst'

const isEmpty = (value: unknown): boolean => value === null || value === ''

function waitOf({ wait, wait_port }: Settings, latest: unknown): number {
  const given = latest ?? wait
  if (typeof given === 'number') return given
  throw new TypeError(`input "${wait_port}" carries ${describeValue(given)}; it has to carry the wait in seconds`)
}

function portFindings({ settings: { wait_port }, inputs }: NodeShape<Settings>): NodeFinding[] {
  const findings: NodeFinding[] = []
  const at = inputs.findIndex(({ port }) => port === wait_port)
  const waits = inputs[at]
  if (!inputs.some(({ port, trigger }) => trigger && port !== wait_port))
    findings.push({
      code: 'unsupported_ports',
      message: 'a debounce takes a triggering input beside its wait port; add one',
    })
  if (wait_port && !waits)
    findings.push({
      code: 'bad_setting',
      path: '/settings/wait_port',
      message: `the node has no input "${wait_port}"; add the port or leave wait_port empty`,
    })
  if (waits?.trigger)
    findings.push({
      code: 'unsupported_ports',
      path: `/inputs/${at}/trigger`,
      message: `input "${waits.port}" carries the wait and may not run the node; set its trigger to false`,
    })
  if (waits && !compatible(waits.dtype, 'float'))
    findings.push({
      code: 'dtype_mismatch',
      path: `/inputs/${at}/dtype`,
      message: `input "${waits.port}" is ${waits.dtype}, but the wait is a float; change its dtype`,
    })
  return findings
}

function valueFindings({ settings: given, outputs }: NodeShape<Settings>): NodeFinding[] {
  const sent = [
    ...(given.passthrough ? [] : [{ name: 'first', value: given.first }]),
    ...(isEmpty(given.then) ? [] : [{ name: 'then', value: given.then }]),
  ]
  return sent.flatMap(({ name, value }) =>
    outputs
      .filter(({ dtype }) => !accepts(dtype, value))
      .map(({ port, dtype }) => ({
        code: 'dtype_mismatch' as const,
        path: `/settings/${name}`,
        message: `output "${port}" is ${dtype}, but "${name}" is ${describeValue(value)}; set a value of that type`,
      })),
  )
}

/** With passthrough any value that runs the node leaves as it is. */
function passedFindings({ settings: { passthrough, wait_port }, inputs, outputs }: NodeShape<Settings>): NodeFinding[] {
  if (!passthrough) return []
  return inputs
    .filter(({ port, trigger }) => trigger && port !== wait_port)
    .flatMap((input) =>
      outputs.flatMap(({ port, dtype }, at): NodeFinding[] => {
        if (compatible(input.dtype, dtype)) return []
        const message = `input "${input.port}" is ${input.dtype}, but output "${port}" is ${dtype}; give both one type`
        return [{ code: 'dtype_mismatch', message, path: `/outputs/${at}/dtype` }]
      }),
    )
}
