/**
 * Timers on the host's clock: long delays, steady repetition, cron patterns.
 * @module
 */
import type { Cancel } from '@flow-service/connector-sdk'
import { cronFault, takesBothDays } from '@flow-service/protocol'
import { Cron } from 'croner'

import type { Clock } from './host.ts'

/** The longest delay that a timer of the platform keeps; a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1

/** Runs once after any number of milliseconds. */
export function startTimer(clock: Clock, delayMs: number, run: () => void): Cancel {
  const dueMs = clock.now() + delayMs
  let cancel: Cancel
  const wait = (leftMs: number): void => {
    cancel =
      leftMs > LONGEST_MS ? clock.setTimer(LONGEST_MS, () => wait(dueMs - clock.now())) : clock.setTimer(leftMs, run)
  }
  wait(Math.max(0, delayMs))
  return () => cancel()
}

/** A repeated timer. */
export interface Repetition {
  /** When it runs next, also after its end; null for never. */
  readonly dueMs: number | null
  readonly end: Cancel
}

/**
 * Runs at whole multiples of an interval from now, without drift; ticks that were missed are not made up. `firstMs` is the
 * first one where the repetition goes on with another one's, and may have passed.
 */
export function startInterval(clock: Clock, intervalMs: number, run: () => void, firstMs?: number): Repetition {
  const startMs = (firstMs ?? clock.now() + intervalMs) - intervalMs
  let tick = 0
  const next = (nowMs: number): number => {
    tick = Math.max(tick, Math.floor((nowMs - startMs) / intervalMs)) + 1
    return startMs + tick * intervalMs
  }
  return repeat(clock, next, run, { firstMs, longestMs: intervalMs })
}

/**
 * Runs at the times of a cron pattern of five fields, in a time zone (IANA name). A day matches by day of month or by
 * weekday when both are restricted, and by both when one begins with `*` (Vixie cron); `firstMs` as in
 * {@link startInterval}. Throws a RangeError that names what is wrong with the pattern.
 */
export function startCron(
  { clock, timeZone }: { readonly clock: Clock; readonly timeZone: string },
  pattern: string,
  run: () => void,
  firstMs?: number,
): Repetition {
  const cron = parseCron(pattern, timeZone)
  return repeat(clock, (nowMs) => cron.nextRun(new Date(nowMs))?.getTime() ?? null, run, { firstMs })
}

/** Croner takes more than five plain fields: its letters and signs are refused first. */
function parseCron(pattern: string, timezone: string): Cron {
  const fault = cronFault(pattern)
  if (fault !== null) throw new RangeError(fault)
  return new Cron(pattern.trim(), { mode: '5-part', timezone, paused: true, domAndDow: takesBothDays(pattern) })
}

/**
 * `next` gives the first due time after a time, null for never. No wait is longer than `longestMs`: a clock that was set
 * back would else make one so much longer.
 */
function repeat(
  clock: Clock,
  next: (nowMs: number) => number | null,
  run: () => void,
  { firstMs, longestMs = Infinity }: { readonly firstMs: number | undefined; readonly longestMs?: number },
): Repetition {
  let cancel: Cancel = () => {}
  let dueMs: number | null = null
  const plan = (due: number | null): void => {
    dueMs = due
    if (due === null) return
    cancel = startTimer(clock, Math.min(due - clock.now(), longestMs), () => {
      // Planned before the run, so that a run which ends the repetition ends it; a timer may fire a little early.
      plan(next(Math.max(due, clock.now())))
      run()
    })
  }
  plan(firstMs ?? next(clock.now()))
  return {
    get dueMs() {
      return dueMs
    },
    end: () => cancel(),
  }
}
