/**
 * Processes of one language and interpreter: whoever takes one takes it here, so that what they come from is closed when
 * the last of them is gone, and not before.
 * @module
 */
import { Pool } from './pool.ts'
import type { Process } from './process.ts'

/** How processes of a language are made. */
export interface LanguageDeps {
  readonly start: () => Promise<Process>
  /** How long after a spare was taken the next one is started, in milliseconds. */
  readonly refillMs: number
  /** How long a spare waits for a call, in milliseconds. */
  readonly idleMs: number
  /** Ends what processes come from while there is none. */
  readonly rest?: () => Promise<void>
  /** Closes what processes come from, once none is left. */
  readonly end?: () => Promise<void>
}

/** Where processes of one language come from. */
export class Language {
  readonly #deps: LanguageDeps
  readonly #pool: Pool
  /** One for each process that was asked for, until it is cleared. */
  readonly #taken = new Set<Promise<void>>()
  #closing = false

  constructor(deps: LanguageDeps) {
    this.#deps = deps
    this.#pool = new Pool({ ...deps, onRest: () => void deps.rest?.() })
  }

  /** Whether it is on its way out: what still gets a process of it is its last. */
  get closing(): boolean {
    return this.#closing
  }

  /** A process that has run nothing. Rejects when none can be started. */
  take(): Promise<Process> {
    const process = this.#pool.take()
    const cleared = process.then(
      (started) => started.cleared,
      () => undefined,
    )
    this.#taken.add(cleared)
    void cleared.then(() => this.#taken.delete(cleared))
    return process
  }

  /** Starts the spare if there is none; settles when it is ready, or cannot be had. */
  warm(): Promise<void> {
    return this.#pool.warm()
  }

  /** Starts no spare any more; settles when all processes that were taken are gone, and what they come from. */
  async close(): Promise<void> {
    this.#closing = true
    await this.#pool.close()
    // oxlint-disable-next-line no-await-in-loop -- a call may have asked for one meanwhile
    while (this.#taken.size > 0) await Promise.all(this.#taken)
    await this.#deps.end?.()
  }
}
