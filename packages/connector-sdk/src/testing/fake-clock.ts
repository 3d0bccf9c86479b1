/**
 * Time that passes when a test tells it to: the clock of a fake context.
 * @module
 */
import type { Cancel } from '../context.ts'

interface Timer {
  readonly dueMs: number
  readonly run: () => void
}

/** One object a context, or one for several that share their time. */
export class FakeClock {
  #nowMs: number
  /** In the order in which they were set. */
  readonly #timers = new Set<Timer>()

  /** Milliseconds since the Unix epoch; 2026-01-01T00:00Z unless given. */
  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size
  }

  now(): number {
    return this.#nowMs
  }

  setTimer(delayMs: number, run: () => void): Cancel {
    const timer = { dueMs: this.#nowMs + Math.max(0, delayMs), run }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /** Lets time pass: every timer that comes due runs at its time, and what follows from it before the next. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms
    await settled()
    for (let next = this.#next(endMs); next !== undefined; next = this.#next(endMs)) {
      this.#timers.delete(next)
      this.#nowMs = Math.max(this.#nowMs, next.dueMs)
      next.run()
      await settled()
    }
    this.#nowMs = endMs
  }

  #next(endMs: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.dueMs <= endMs && (first === undefined || timer.dueMs < first.dueMs)) first = timer
    }
    return first
  }
}

/** What a turn of the event loop may begin takes some more of them: streams pass on what they got in the next one. */
const TURNS = 4

/** Lets everything that is ready go on. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve))
}
