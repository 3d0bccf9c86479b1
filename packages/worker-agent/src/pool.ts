/**
 * Processes started ahead: one spare waits, and is replaced when it is taken, so that a call seldom waits for a start. One
 * that nobody takes for long ends: an engine that executes no code should not pay for it.
 * @module
 */
import type { Process } from './process.ts'

/** How a pool gets its processes. */
export interface PoolDeps {
  readonly start: () => Promise<Process>
  /**
   * How long after a spare was taken the next one is started, in milliseconds: the call that took it gets the time that a
   * start keeps our loop busy.
   */
  readonly refillMs: number
  /** How long after the last call, or the last wish for a spare, the spare ends, in milliseconds. */
  readonly idleMs: number
  /** Hears that the spare has ended for that. */
  readonly onRest: () => void
}

/** Hands out processes that have run nothing. */
export class Pool {
  readonly #deps: PoolDeps
  #spare: Promise<Process> | null = null
  #closed = false
  #refill: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(deps: PoolDeps) {
    this.#deps = deps
  }

  /** The spare, or a new process. Rejects when none can be started. */
  async take(): Promise<Process> {
    this.#isUsed()
    const spare = this.#spare
    this.#spare = null
    this.#refill ??= setTimeout(() => this.#refillNow(), this.#deps.refillMs)
    // A spare that could not be started may have failed for what is over by now.
    const taken = await spare?.catch(() => null)
    return taken?.usable ? taken : await this.#deps.start()
  }

  /** Starts the spare if there is none. Settles when it is ready, or has failed, which shows when a process is taken. */
  async warm(): Promise<void> {
    if (this.#closed) return
    this.#isUsed()
    this.#spare ??= this.#started()
    await this.#spare.catch(() => undefined)
  }

  #started(): Promise<Process> {
    const spare = this.#deps.start()
    const forget = (): void => {
      if (this.#spare === spare) this.#spare = null
    }
    spare.then((process) => process.ended.then(forget), forget)
    return spare
  }

  #refillNow(): void {
    this.#refill = undefined
    if (this.#closed) return
    this.#spare ??= this.#started()
    // a call that took long may have had its rest already
    this.#isUsed()
  }

  #isUsed(): void {
    if (this.#closed) return
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.#rest(), this.#deps.idleMs).unref()
  }

  async #rest(): Promise<void> {
    await this.#endSpare()
    this.#deps.onRest()
  }

  /** Ends the spare; takes no more. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#refill)
    clearTimeout(this.#idle)
    await this.#endSpare()
  }

  async #endSpare(): Promise<void> {
    const spare = this.#spare
    this.#spare = null
    const process = await spare?.catch(() => null)
    process?.kill()
    await process?.cleared
  }
}
