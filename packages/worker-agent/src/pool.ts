/**
 * Processes started ahead: one spare waits, and is replaced when it is taken, so that a call seldom waits for a start.
 * @module
 */
import type { Process } from './process.ts'

/** Starting a process blocks the loop for some milliseconds: the call that took the spare gets them first. */
const REFILL_MS = 10

/** Hands out processes that have run nothing. */
export class Pool {
  readonly #start: () => Promise<Process>
  #spare: Promise<Process> | null = null
  #closed = false
  #refill: NodeJS.Timeout | undefined

  constructor(start: () => Promise<Process>) {
    this.#start = start
  }

  /** The spare, or a new process. Rejects when none can be started. */
  async take(): Promise<Process> {
    const spare = this.#spare ?? this.#start()
    this.#spare = null
    this.#refill ??= setTimeout(() => this.#refillNow(), REFILL_MS)
    const taken = await spare
    return taken.usable ? taken : await this.#start()
  }

  /** Starts the spare if there is none; a failure shows when a process is taken. */
  warm(): void {
    if (this.#spare !== null || this.#closed) return
    const spare = this.#start()
    this.#spare = spare
    const forget = (): void => {
      if (this.#spare === spare) this.#spare = null
    }
    spare.then((process) => process.ended.then(forget), forget)
  }

  #refillNow(): void {
    this.#refill = undefined
    this.warm()
  }

  /** Ends the spare; takes no more. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#refill)
    const spare = this.#spare
    this.#spare = null
    const process = await spare?.catch(() => null)
    process?.kill()
    await process?.cleared
  }
}
