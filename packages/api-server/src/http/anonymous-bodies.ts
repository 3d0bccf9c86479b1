/**
 * Bodies of requests without sign-in: whoever reaches the port can send them, so an engine waits for a bounded number of them
 * at once, each for a bounded time. When there are more, the one that has taken longest makes way: clients that trickle would
 * otherwise keep out everybody whose body is there in a moment.
 * @module
 */
import type { BodyPatience } from './body.ts'
import { ProblemError } from './errors.ts'

/** Bodies that an engine waits for or checks. Each takes at most as much memory as its route accepts. */
const MAX_BODIES = 64
/** How long a body may take to arrive. */
const WITHIN_MS = 30_000

type SetTimer = (delayMs: number, run: () => void) => () => void

/** The bodies without sign-in that an engine reads. */
export class AnonymousBodies {
  readonly #setTimer: SetTimer
  /** What refuses each of them, those that came first at the beginning. */
  readonly #waiting = new Set<(error: ProblemError) => void>()
  /** How many have come and are being checked. */
  #checking = 0

  constructor(setTimer: SetTimer = timer) {
    this.#setTimer = setTimer
  }

  /** Waits for a body, which is refused with `request_timeout` when it is late, and with `unavailable` when it makes way. */
  readonly wait: BodyPatience = (refuse) => {
    const end = (error: ProblemError): void => {
      done()
      refuse(error)
    }
    const cancel = this.#setTimer(WITHIN_MS, () => end(bodyIsLate()))
    const done = (): void => {
      cancel()
      this.#waiting.delete(end)
    }
    this.#waiting.add(end)
    if (this.#waiting.size + this.#checking > MAX_BODIES) {
      const [longest = end] = this.#waiting
      this.#waiting.delete(longest)
      // it may be this one, which nobody can end before it has begun
      queueMicrotask(() => longest(overtaken()))
    }
    return done
  }

  /** Checks a body that has come, which counts until then. */
  async check(run: () => Promise<void>): Promise<void> {
    this.#checking += 1
    try {
      await run()
    } finally {
      this.#checking -= 1
    }
  }
}

/** A body has taken too long to arrive. */
export const bodyIsLate = (): ProblemError =>
  new ProblemError('request_timeout', `the body did not arrive within ${WITHIN_MS / 1000} s: send it again`)

const overtaken = (): ProblemError =>
  new ProblemError(
    'unavailable',
    `more than ${MAX_BODIES} requests without a token are sending a body, and this one has taken longest: send it again`,
    { retry_after_s: 1 },
  )

const timer: SetTimer = (delayMs, run) => {
  const handle = setTimeout(run, delayMs).unref()
  return () => clearTimeout(handle)
}
