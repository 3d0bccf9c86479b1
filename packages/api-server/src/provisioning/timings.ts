/**
 * How long provisioners wait for what. Tests with a real cluster divide it all by one number: a job begins in a second there,
 * and its engine looks for it half a minute later.
 * @module
 */

/** Milliseconds. */
export interface Timings {
  /** Between two looks while there is something to look after. */
  readonly lookMs: number
  /** Between two questions about the same job. */
  readonly listMs: number
  /** After the end of a worker, the scheduler knows that its task has ended. */
  readonly endedMs: number
  /** A job may turn up so long after it was asked for, by an engine that has ended or a command whose answer was lost. */
  readonly lostMs: number
  /** A job that no call waits for is cancelled then: the next stage of a run may want it yet. */
  readonly unwantedMs: number
  /** Before the second job after one that came to nothing; twice that before the third, and so on. */
  readonly firstRetryMs: number
  readonly lastRetryMs: number
  /** Between two looks of a test at the queue and at the attached workers. */
  readonly trialMs: number
}

/** Those of a service. */
export const usual: Timings = {
  lookMs: 2000,
  listMs: 30_000,
  endedMs: 5000,
  lostMs: 60_000,
  unwantedMs: 30_000,
  firstRetryMs: 30_000,
  lastRetryMs: 15 * 60_000,
  trialMs: 5000,
}

/** So many times as fast as usual. */
export const timingsAt = (pace: number): Timings => ({
  lookMs: usual.lookMs / pace,
  listMs: usual.listMs / pace,
  endedMs: usual.endedMs / pace,
  lostMs: usual.lostMs / pace,
  unwantedMs: usual.unwantedMs / pace,
  firstRetryMs: usual.firstRetryMs / pace,
  lastRetryMs: usual.lastRetryMs / pace,
  trialMs: usual.trialMs / pace,
})
