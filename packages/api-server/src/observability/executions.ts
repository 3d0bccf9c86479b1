/**
 * How often nodes executed, how often in vain, and how long (wire decision G52): by the minute for a week in the
 * database, and since the start of the engine for `/metrics`.
 */
import type { FlowRollup, TimeBucket } from '@flow-service/protocol'

import { quantile } from './durations.ts'
import { type Executions, Minutes, weightOf } from './minutes.ts'
import type { MinuteSpan, MinuteSum, ObservabilityStore } from './store.ts'

/** Upper bounds of durations that are told one by one, in seconds. */
export const DURATION_BOUNDS_S: readonly number[] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 600]

/** What a flow has executed since the engine has started. */
export interface FlowTotal {
  executions: number
  errors: number
  /** Of `executions`; how many did not exceed each of {@link DURATION_BOUNDS_S}, and all. */
  readonly within: number[]
  durationS: number
}

/** Executions on their way to the database, and their sums. */
export class ExecutionCounts {
  readonly minutes = new Minutes()
  readonly #totals = new Map<string, FlowTotal>()

  /** Sums by flow. */
  get totals(): ReadonlyMap<string, FlowTotal> {
    return this.#totals
  }

  /** Counts executions of live flows. */
  add(executions: Executions, atMs: number): void {
    this.minutes.add(executions, atMs)
    this.total(executions)
  }

  /** Counts executions that are in the database already. */
  total(counted: Executions): void {
    const total = this.#totalOf(counted.flow)
    total.executions += counted.executions
    total.errors += counted.errors
    const weight = weightOf(counted)
    for (const durationMs of counted.durationsMs) {
      total.durationS += (durationMs / 1000) * weight
      const place = DURATION_BOUNDS_S.findIndex((bound) => durationMs <= bound * 1000)
      for (let at = place < 0 ? DURATION_BOUNDS_S.length : place; at < total.within.length; at++) {
        total.within[at] = (total.within[at] ?? 0) + weight
      }
    }
  }

  #totalOf(flow: string): FlowTotal {
    const known = this.#totals.get(flow)
    if (known) return known
    const total = {
      executions: 0,
      errors: 0,
      within: Array<number>(DURATION_BOUNDS_S.length + 1).fill(0),
      durationS: 0,
    }
    this.#totals.set(flow, total)
    return total
  }
}

/** Sums by bucket of `bucketS` seconds, oldest first; a bucket without executions is left out. */
export async function timeseries(
  store: Pick<ObservabilityStore, 'timeseries'>,
  span: MinuteSpan,
  bucketS: number,
): Promise<TimeBucket[]> {
  const rows = await store.timeseries(span, bucketS)
  return rows.map(({ ts, ...sum }) => ({ ts, ...countedOf(sum) }))
}

/** Sums by flow, for every flow. */
export async function rollups(store: Pick<ObservabilityStore, 'rollups'>, since: string): Promise<FlowRollup[]> {
  const rows = await store.rollups(since)
  return rows.map(({ flow, last_at, ...sum }) => ({ flow, ...countedOf(sum), last_at }))
}

function countedOf({ executions, errors, timed, duration_ms, steps, counts }: Omit<MinuteSum, 'last_at'>) {
  const histogram = new Map(steps.map((step, index) => [step, counts[index] ?? 0]))
  return {
    executions,
    errors,
    duration_ms_avg: timed > 0 ? duration_ms / timed : null,
    duration_ms_p95: quantile(histogram, 0.95),
  }
}
