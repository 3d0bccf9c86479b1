/**
 * The clock of an engine. A service gives it to everything that waits; tests give a virtual one instead.
 * @module
 */
import type { Clock } from '@flow-service/core'

/** Milliseconds by which the fine clock may be off before it is set again. */
const MAX_SKEW_MS = 20

/**
 * The machine's clock with fractions of a millisecond; follows when the machine's time is corrected. It stands still
 * until the microtask in which it was read is over: reading it for each value would cost more than delivering one.
 */
export function createClock(): Clock {
  let origin = performance.timeOrigin
  let held: number | null = null
  const forget = (): void => {
    held = null
  }
  const read = (): number => {
    const fine = origin + performance.now()
    const coarse = Date.now()
    if (Math.abs(fine - coarse) <= MAX_SKEW_MS) return fine
    origin += coarse - fine
    return coarse
  }
  return {
    now() {
      if (held === null) {
        held = read()
        queueMicrotask(forget)
      }
      return held
    },
    setTimer(delayMs, run) {
      const timer = setTimeout(run, delayMs)
      return () => clearTimeout(timer)
    },
  }
}
