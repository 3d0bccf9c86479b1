/**
 * Brakes on pairing, in the memory of an engine (wire decision G43): on starts and on polls by address, and on codes that a
 * user tries.
 * @module
 */
import { Attempts } from '../../http/attempts.ts'
import { ProblemError } from '../../http/errors.ts'

/** The limits of pairing; each counts from its begin, so that parallel attempts do not slip through. */
export interface PairingLimits {
  /** Refuses with `rate_limited` the sixth start of a minute. */
  start(address: string): void
  /** Refuses with `rate_limited` after 300 polls of a minute that were in vain; the result takes one back that was not. */
  poll(address: string): () => void
  /** Refuses with `rate_limited` after 10 wrong codes in 5 minutes; the result takes one back that was right. */
  guess(user: string): () => void
}

const MINUTE_MS = 60_000

/** Limits without history; `now` is a clock in milliseconds. */
export function createPairingLimits(now: () => number = Date.now): PairingLimits {
  const start = brake(5, MINUTE_MS, 'pairing was started too often from this address')
  const poll = brake(300, MINUTE_MS, 'too many polls from this address had no pairing behind them')
  const guess = brake(10, 5 * MINUTE_MS, 'you have tried too many codes that no device waits on')
  return {
    start: (address) => void start(address, now()),
    poll: (address) => poll(address, now()),
    guess: (user) => guess(user, now()),
  }
}

/** Counts attempts of a key; beyond the limit of a window it refuses. */
function brake(limit: number, windowMs: number, what: string) {
  const attempts = new Attempts(windowMs)
  return (key: string, at: number): (() => void) => {
    const recent = attempts.recent(key, at)
    const [oldest] = recent
    if (oldest !== undefined && recent.length >= limit) {
      const seconds = Math.ceil((oldest + windowMs - at) / 1000)
      throw new ProblemError('rate_limited', `${what}: wait ${seconds} s`, { retry_after_s: seconds })
    }
    attempts.add(key, at)
    return () => attempts.takeBack(key, at)
  }
}
