/**
 * Executions by flow and minute, gathered in memory until they are added to what the database has of that minute.
 * @module
 */
import { timestampOfMs } from '@flow-service/protocol'

import { add, type Histogram, stepOf } from './durations.ts'
import type { MinuteRow } from './store.ts'

/** Executions to be counted. */
export interface Executions {
  readonly flow: string
  readonly executions: number
  readonly errors: number
  /** In milliseconds; of all of them, or a sample that stands for all. */
  readonly durationsMs: readonly number[]
}

interface Minute {
  executions: number
  errors: number
  timed: number
  durationMs: number
  readonly histogram: Histogram
  lastMs: number
}

const MINUTE_MS = 60_000
/** Minutes of flows that may wait for the database; more than that is dropped. */
const MAX_MINUTES = 10_000

/** Adds up executions. */
export class Minutes {
  readonly #minutes = new Map<string, { readonly flow: string; readonly minuteMs: number; readonly sum: Minute }>()

  get size(): number {
    return this.#minutes.size
  }

  /** Counts executions in the minute of `atMs`. */
  add({ flow, executions, errors, durationsMs }: Executions, atMs: number): void {
    const sum = this.#minute(flow, Math.floor(atMs / MINUTE_MS) * MINUTE_MS)
    if (sum === null) return
    sum.executions += executions
    sum.errors += errors
    sum.lastMs = Math.max(sum.lastMs, atMs)
    const weight = weightOf({ executions, durationsMs })
    for (const durationMs of durationsMs) {
      sum.timed += weight
      sum.durationMs += durationMs * weight
      add(sum.histogram, stepOf(durationMs), weight)
    }
  }

  /** Takes all that has gathered. */
  take(): MinuteRow[] {
    const rows = [...this.#minutes.values()].map(({ flow, minuteMs, sum }) => rowOf(flow, minuteMs, sum))
    this.#minutes.clear()
    return rows
  }

  /** Keeps rows again that could not be written. */
  putBack(rows: readonly MinuteRow[]): void {
    for (const row of rows) {
      const sum = this.#minute(row.flow, Date.parse(row.minute))
      if (sum === null) return
      sum.executions += row.executions
      sum.errors += row.errors
      sum.timed += row.timed
      sum.durationMs += row.duration_ms
      sum.lastMs = Math.max(sum.lastMs, Date.parse(row.last_at))
      for (const [index, step] of row.steps.entries()) add(sum.histogram, step, row.counts[index] ?? 0)
    }
  }

  #minute(flow: string, minuteMs: number): Minute | null {
    const key = `${minuteMs}/${flow}`
    const known = this.#minutes.get(key)
    if (known) return known.sum
    if (this.#minutes.size >= MAX_MINUTES) return null
    const sum = { executions: 0, errors: 0, timed: 0, durationMs: 0, histogram: new Map(), lastMs: minuteMs }
    this.#minutes.set(key, { flow, minuteMs, sum })
    return sum
  }
}

/** How many executions each measured duration stands for. */
export const weightOf = ({ executions, durationsMs }: Pick<Executions, 'executions' | 'durationsMs'>): number =>
  Math.max(1, executions / Math.max(1, durationsMs.length))

const rowOf = (flow: string, minuteMs: number, sum: Minute): MinuteRow => ({
  flow,
  minute: timestampOfMs(minuteMs),
  executions: sum.executions,
  errors: sum.errors,
  timed: sum.timed,
  duration_ms: sum.durationMs,
  steps: [...sum.histogram.keys()],
  counts: [...sum.histogram.values()],
  last_at: timestampOfMs(sum.lastMs),
})
