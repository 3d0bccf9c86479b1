/**
 * Processes started ahead: one spare waits, and is replaced when it is taken, so that a call seldom waits for a start.
 * @module
 */
import type { Process } from './process.ts'

/** Hands out processes that have run nothing. */
export class Pool {
  readonly #start: () => Promise<Process>
  readonly #refillMs: number
  #spare: Promise<Process> | null = null
  #closed = false
  #refill: NodeJS.Timeout | undefined

  /**
   * `refillMs` is how long after a spare was taken the next one is started: the call that took it gets the time that a
   * start keeps our loop busy.
   */
  constructor(start: () => Promise<Process>, refillMs: number) {
    this.#start = start
    this.#refillMs = refillMs
  }

  /** The spare, or a new process. Rejects when none can be started. */
  async take(): Promise<Process> {
    const spare = this.#spare
    this.#spare = null
    this.#refill ??= setTimeout(() => this.#refillNow(), this.#refillMs)
    // A spare that could not be started may have failed for what is over by now.
    const taken = await spare?.catch(() => null)
    return taken?.usable ? taken : await this.#start()
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
