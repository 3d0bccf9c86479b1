/**
 * Time as the SDK uses it. Tests give a clock of their own.
 * @module
 */

/** A clock whose time never jumps, as that of a board does when it first hears the time. */
export interface Clock {
  /** Milliseconds since any moment. */
  now(): number
  /** Calls once after `delayMs`; the result ends that. */
  setTimer(delayMs: number, run: () => void): () => void
}

/** The clock of the platform. */
export const systemClock: Clock = {
  now: () => performance.now(),
  setTimer(delayMs, run) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}

/** Lets `delayMs` pass. Rejects with the reason of `signal` when it aborts. */
export const pause = (clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      cancel()
      signal?.removeEventListener('abort', abort)
    }
    const abort = () => {
      end()
      reject(signal?.reason as Error)
    }
    const cancel = clock.setTimer(delayMs, () => {
      end()
      resolve()
    })
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) abort()
  })
