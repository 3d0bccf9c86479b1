/**
 * Codes by which the console is signed in when `service dev` opens it (wire decision V30): each counts once, within a minute,
 * for the first superuser. Only who has started the engine gets one, and only from its machine it is taken.
 */
import { hash, randomBytes } from 'node:crypto'

import type { Clock } from '@flow-service/core'

const LIFE_MS = 60_000
/** Codes that nobody has used are few: a start gives one. */
const MAX_CODES = 100

/** Codes of this engine. */
export class ConsoleCodes {
  readonly #clock: Pick<Clock, 'now'>
  /** Until when each counts, by its hash. */
  readonly #codes = new Map<string, number>()

  constructor({ clock }: { readonly clock: Pick<Clock, 'now'> }) {
    this.#clock = clock
  }

  mint(): string {
    const code = randomBytes(24).toString('base64url')
    const [oldest] = this.#codes.keys()
    if (oldest !== undefined && this.#codes.size >= MAX_CODES) this.#codes.delete(oldest)
    this.#codes.set(hash('sha256', code), this.#clock.now() + LIFE_MS)
    return code
  }

  /** Whether the code counts, which it does not any more then. */
  take(code: string): boolean {
    const key = hash('sha256', code)
    const until = this.#codes.get(key)
    this.#codes.delete(key)
    return until !== undefined && this.#clock.now() < until
  }
}
