/**
 * `inject`: emits a value on request, on a timer or when the flow starts (wire decision G73).
 * @module
 */
import {
  type Cancel,
  cronFault,
  defineNode,
  type NodeContext,
  type NodeFinding,
  type NodePort,
  type Values,
} from '@flow-service/connector-sdk'
import { accepts, describeValue } from '@flow-service/protocol'
import * as z from 'zod'

import { published } from '../../secret.ts'
import { timeAs } from '../../time-value.ts'

const settings = z.strictObject({
  payload: z
    .json()
    .default(null)
    .describe('Value to emit. Left empty: the current time, as text or as seconds since 1970 by the type of the port.')
    .meta(published),
  payloads: z
    .record(z.string(), z.json())
    .default({})
    .describe('Value by output port, in place of the payload.')
    .meta(published),
  interval: z.number().min(0).max(1e9).default(0).describe('Seconds between two emissions; 0 emits none by itself.'),
  cron: z.string().nullable().default(null).describe('Five fields: minute hour day month weekday.'),
  at_start: z.boolean().default(false).describe('Emit once after the flow has started.'),
  start_delay: z.number().min(0).max(1e9).default(1).describe('Seconds from the start to that emission.'),
})
type Settings = z.infer<typeof settings>

/** Emits a payload, or the current time. */
export const injectNode = defineNode({
  type: 'inject',
  title: 'Inject',
  description: 'Emits a value on request, at an interval, by a cron pattern or when the flow starts.',
  category: 'logic',
  settings,
  ports: { inputs: 'none', outputs: 'any' },
  arrival: 'each',
  check: ({ settings: given, outputs }) => [...cronFindings(given), ...payloadFindings(given, outputs)],

  start(ctx) {
    const { interval, cron, at_start, start_delay } = ctx.settings
    const values = (): Values => payloadsOf(ctx.settings, ctx.outputs, ctx.now())
    const emit = (): void => ctx.emit(values())
    const ticks = createTicks(ctx)
    const timers: Cancel[] = []
    if (ctx.mode === 'live') {
      if (cron) timers.push(ctx.cron(cron, emit))
      if (interval >= LASTING) ticks.begin()
      else if (interval > 0) timers.push(ctx.every(interval, emit))
      if (at_start) timers.push(ctx.after(start_delay, emit))
    }
    return {
      onTrigger: (given) => (Object.keys(given).length > 0 ? given : values()),
      onTimer: (key, _data, dueMs) => (ticks.go(key, dueMs) ? values() : undefined),
      stop: () => timers.splice(0).forEach((cancel) => cancel()),
    }
  },
})

/** Seconds: shorter intervals begin anew when the engine does, which nobody could tell. */
const LASTING = 1

/** A lasting timer that keeps to its grid over restarts; ticks that were missed are not made up. */
function createTicks(ctx: NodeContext<Settings>) {
  const intervalMs = ctx.settings.interval * 1000
  // another interval has another grid
  const key = `every ${ctx.settings.interval} s`
  const next = (dueMs: number): number => {
    const nowMs = ctx.now()
    // further away only when the clock was set back: then the grid begins anew
    if (dueMs > nowMs) return Math.min(dueMs, nowMs + intervalMs)
    return dueMs + (Math.floor((nowMs - dueMs) / intervalMs) + 1) * intervalMs
  }
  return {
    begin(): void {
      ctx.setTimer(key, next(ctx.timerDue(key) ?? ctx.now()), null)
    },
    /** Whether the tick is one of this interval; then the next one is set. */
    go(due: string, dueMs: number): boolean {
      if (due === key) ctx.setTimer(key, next(dueMs), null)
      return due === key
    },
  }
}

const payloadsOf = ({ payload, payloads }: Settings, outputs: readonly NodePort[], nowMs: number): Values =>
  Object.fromEntries(
    outputs.map(({ port, dtype }) => [
      port,
      Object.hasOwn(payloads, port) ? payloads[port] : (payload ?? timeAs(dtype, nowMs)),
    ]),
  )

function cronFindings({ cron }: Settings): NodeFinding[] {
  const fault = cron ? cronFault(cron) : null
  return fault === null ? [] : [{ code: 'bad_setting', path: '/settings/cron', message: fault }]
}

function payloadFindings(given: Settings, outputs: readonly NodePort[]): NodeFinding[] {
  const known = new Set(outputs.map(({ port }) => port))
  const strangers = Object.keys(given.payloads).filter((port) => !known.has(port))
  const values = payloadsOf(given, outputs, 0)
  const unfit = outputs.filter(({ port, dtype }) => !accepts(dtype, values[port]))
  return [
    ...strangers.map((port): NodeFinding => ({
      code: 'unknown_output',
      path: '/settings/payloads',
      message: `payloads names "${port}", but the node has no such output; add the port or remove the value`,
    })),
    ...unfit.map(({ port, dtype }): NodeFinding => ({
      code: 'dtype_mismatch',
      path: '/settings/payload',
      message: `output "${port}" is ${dtype}, but would emit ${describeValue(values[port])}; set a payload of that type`,
    })),
  ]
}
