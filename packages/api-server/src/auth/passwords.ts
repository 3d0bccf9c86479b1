/**
 * Passwords and their hashes: argon2id in the PHC string format (RFC 9106). A hash takes a thread of the pool that reads
 * files too, and much memory, so an engine computes few at once and lets few wait: a flood of sign-ins is refused, and all
 * else goes on.
 * @module
 */
import { hash, parseOptions, verify } from '@node-rs/argon2'

import { ProblemError } from '../http/errors.ts'

/** With the parameters that OWASP recommends: memory in KiB, passes and lanes. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Made of random bytes that nobody kept: verified for unknown users, so that they take as long as known ones. */
const nobody = '$argon2id$v=19$m=19456,t=2,p=1$HaYMyr9GohMHRj7fszQuXg$FbwQaWk5e113Wj8Sw2TvEcp76AtPEIvAuCToCDTBDdc'

/** Hashes that are computed at once: half of the threads that Node has for this. */
const MAX_COMPUTED = 2
/** Hashes that wait: they are computed within a second or two. */
const MAX_WAITING = 50

/** The hashes of an engine. */
export class Passwords {
  #computed = 0
  readonly #waiting: (() => void)[] = []

  /** A hash of `password` with a salt of its own. Refuses with `unavailable` when too many are asked for. */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(password, cost))
  }

  /**
   * Whether `password` fits; `stored` is null for an unknown user, which takes the same time. Refuses with `unavailable` when
   * too many are asked for.
   */
  async fits(stored: string | null, password: string): Promise<boolean> {
    const fits = await this.#inTurn(() => verify(stored ?? nobody, password))
    return fits && stored !== null
  }

  /** Whether a hash was made with other parameters than those in force. */
  isOutdated(stored: string): boolean {
    const used = parseOptions(stored)
    return (
      used.memoryCost !== cost.memoryCost || used.timeCost !== cost.timeCost || used.parallelism !== cost.parallelism
    )
  }

  async #inTurn<T>(compute: () => Promise<T>): Promise<T> {
    if (this.#computed < MAX_COMPUTED) this.#computed += 1
    else {
      if (this.#waiting.length >= MAX_WAITING)
        throw new ProblemError('unavailable', 'too many people sign in at this moment: try again in a few seconds', {
          retry_after_s: 2,
        })
      // whoever is done leaves its place to the first that waits
      await new Promise<void>((resolve) => void this.#waiting.push(resolve))
    }
    try {
      return await compute()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#computed -= 1
    }
  }
}

/** Refuses with `validation_failed` what is no password. */
export function checkPassword(password: string): void {
  if (password.length < 8 || password.length > 128)
    throw new ProblemError('validation_failed', 'a password has 8 to 128 characters')
}
