/**
 * `delay`: holds messages back, limits their rate, or emits on a schedule (wire decisions G16, G73).
 *
 * A value passes two gates: it is held for `delay` seconds, then it is forwarded at once, or, while the output's
 * `interval` runs, kept as the latest one and forwarded at its end. What is held are lasting timers.
 */
import {
  cronFault,
  defineNode,
  type NodeContext,
  type NodeFinding,
  type NodePort,
  type NodeShape,
} from '@flow-service/connector-sdk'
import { compatible } from '@flow-service/protocol'
import * as z from 'zod'

import { timeAs } from '../../time-value.ts'

const settings = z.strictObject({
  delay: z.number().min(0).max(1e9).default(0).describe('Seconds to hold each message.'),
  interval: z.number().min(0).max(1e9).default(0).describe('Least seconds between two messages of an output.'),
  mapping: z
    .record(z.string(), z.string())
    .default({})
    .describe('Output port by input port; left empty, they pair in their order.'),
  cron: z.string().nullable().default(null).describe('Five fields: minute hour day month weekday.'),
})
type Settings = z.infer<typeof settings>
type Shape = NodeShape<Settings>
/** A message that is held, with the input where it came in. */
type Delayed = { readonly port: string; readonly value: unknown }
/** The latest message of a window. */
type Kept = { readonly value: unknown }

/** Keys of timers begin with one of these. */
const DELAYED = 'delayed '
const WINDOW = 'window '

/** Holds, thins or schedules messages. */
export const delayNode = defineNode({
  type: 'delay',
  title: 'Delay',
  description: 'Holds messages back, limits their rate, or emits the latest one by a cron pattern.',
  category: 'logic',
  settings,
  arrival: 'each',
  check: (shape) => [...pairFindings(shape), ...cronFindings(shape), ...batchFindings(shape)],
  holds(key, data) {
    if (key.startsWith(DELAYED)) return [(data as Delayed).port, (data as Delayed).value]
    return key.startsWith(WINDOW) ? [key.slice(WINDOW.length), (data as Kept).value] : null
  },

  start(ctx) {
    const { delay, cron } = ctx.settings
    const outputOf = pairsOf(ctx)
    if (ctx.mode === 'batch') {
      return {
        onValue: async (port, value) => {
          await new Promise<void>((resolve) => void ctx.after(delay, resolve))
          return { [outputOf.get(port) ?? '']: value }
        },
      }
    }
    if (cron) return scheduled(ctx, cron, outputOf)
    let order = 0
    const gate = createGate(ctx)
    return {
      onValue(port, value) {
        const output = outputOf.get(port) ?? ''
        if (delay === 0) return gate.offer(output, value)
        // an earlier life of the engine may have left some
        while (ctx.timerDue(`${DELAYED}${order}`) !== null) order++
        ctx.setTimer(`${DELAYED}${order++}`, ctx.now() + delay * 1000, { port, value })
        return undefined
      },
      onTimer(key, data) {
        if (!key.startsWith(DELAYED)) return gate.ended(key, data)
        const { port, value } = data as Delayed
        return gate.offer(outputOf.get(port) ?? '', value)
      },
    }
  },
})

/** Lets a value of an output pass, or keeps it for the end of the window that runs. */
function createGate(ctx: NodeContext<Settings>) {
  const windowMs = ctx.settings.interval * 1000
  const keyOf = (output: string): string => `${WINDOW}${output}`
  const forward = (output: string, value: unknown) => {
    if (windowMs > 0) ctx.setTimer(keyOf(output), ctx.now() + windowMs, null)
    return { [output]: value }
  }
  return {
    offer(output: string, value: unknown) {
      const endMs = ctx.timerDue(keyOf(output))
      if (endMs === null) return forward(output, value)
      // further away only when the clock was set back
      ctx.setTimer(keyOf(output), Math.min(endMs, ctx.now() + windowMs), { value })
      return undefined
    },
    /** A window is over: what it has kept passes, and begins the next. */
    ended(key: string, kept: unknown) {
      const output = key.slice(WINDOW.length)
      const isKnown = ctx.outputs.some(({ port }) => port === output)
      return kept === null || !isKnown ? undefined : forward(output, (kept as Kept).value)
    },
  }
}

/** By the clock: the latest value of each pair, or without inputs the time. */
function scheduled(ctx: NodeContext<Settings>, cron: string, outputOf: ReadonlyMap<string, string>) {
  const latest = new Map<string, unknown>()
  const stop = ctx.cron(cron, () => {
    const values =
      ctx.inputs.length > 0
        ? [...latest]
        : ctx.outputs.map(({ port, dtype }): [string, unknown] => [port, timeAs(dtype, ctx.now())])
    ctx.emit(Object.fromEntries(values))
  })
  return {
    onValue(port: string, value: unknown): undefined {
      latest.set(outputOf.get(port) ?? '', value)
    },
    stop,
  }
}

interface Ports {
  readonly settings: Settings
  readonly inputs: readonly NodePort[]
  readonly outputs: readonly NodePort[]
}

const pairsOf = ({ settings: { mapping }, inputs, outputs }: Ports): Map<string, string> =>
  new Map(
    Object.keys(mapping).length > 0
      ? Object.entries(mapping)
      : inputs.map(({ port }, index) => [port, outputs[index]?.port ?? '']),
  )

function pairFindings(shape: Shape): NodeFinding[] {
  const {
    settings: { mapping, cron },
    inputs,
    outputs,
  } = shape
  if (inputs.length === 0 && cron) return []
  if (Object.keys(mapping).length === 0 && (inputs.length === 0 || inputs.length !== outputs.length)) {
    const message = `inputs pair with outputs in their order; give the node one output for each input, not ${outputs.length} for ${inputs.length}, or a mapping`
    return [{ code: 'unsupported_ports', message }]
  }
  const pairs = pairsOf(shape)
  return inputs.flatMap(({ port, dtype }): NodeFinding[] => {
    const output = outputs.find((candidate) => candidate.port === pairs.get(port))
    if (!output) {
      const message = `input "${port}" has no output to go to; name an output of the node for it in mapping`
      return [{ code: 'unknown_output', path: '/settings/mapping', message }]
    }
    if (compatible(dtype, output.dtype)) return []
    const message = `input "${port}" is ${dtype}, but its output "${output.port}" is ${output.dtype}; give both one type`
    return [{ code: 'dtype_mismatch', message }]
  })
}

function cronFindings({ settings: { cron } }: Shape): NodeFinding[] {
  const fault = cron ? cronFault(cron) : null
  return fault === null ? [] : [{ code: 'bad_setting', path: '/settings/cron', message: fault }]
}

function batchFindings({ mode, settings: { cron, interval }, outputs }: Shape): NodeFinding[] {
  if (mode !== 'batch') return []
  const findings: NodeFinding[] = []
  if (cron)
    findings.push({
      code: 'live_only_node',
      path: '/settings/cron',
      message: 'a run has no schedule; leave cron empty or make the flow live',
    })
  if (interval > 0 && outputs.some(({ stream }) => !stream))
    findings.push({
      code: 'interval_on_batch_port',
      path: '/settings/interval',
      message: 'each output of a run has one value, so that its rate cannot be limited; set interval to 0',
    })
  return findings
}
