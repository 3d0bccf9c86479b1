/**
 * Thins what is shown or published of a port (G80): the first value of a window at once, the latest one at its end.
 * @module
 */
import type { Cancel } from '@flow-service/connector-sdk'

import type { Clock } from '../host.ts'
import { startTimer } from '../timers.ts'

/** `open`: the next item passes. `shut`: a window runs, and `latest` (when there is one) passes at its end. */
type State<T> = { is: 'open' } | { is: 'shut'; end: Cancel; latest: { item: T } | null }

/** Lets at most one item pass in each window of `intervalMs`, and the last item always. */
export class IntervalGate<T> {
  readonly #clock: Clock
  readonly #intervalMs: number
  readonly #pass: (item: T) => void
  #state: State<T> = { is: 'open' }

  constructor(clock: Clock, intervalMs: number, pass: (item: T) => void) {
    this.#clock = clock
    this.#intervalMs = intervalMs
    this.#pass = pass
  }

  /** Passes the item now or, unless a later one comes, at the end of the window. */
  offer(item: T): void {
    if (this.admits(item)) this.#pass(item)
  }

  /** Whether the caller may pass the item now; otherwise it is passed as `offer` does. */
  admits(item: T): boolean {
    if (this.#state.is === 'shut') {
      this.#state.latest = { item }
      return false
    }
    this.#shut()
    return true
  }

  /** Passes what waits, and ends the window. */
  close(): void {
    const state = this.#state
    if (state.is === 'open') return
    state.end()
    this.#state = { is: 'open' }
    if (state.latest !== null) this.#pass(state.latest.item)
  }

  #shut(): void {
    this.#state = { is: 'shut', end: startTimer(this.#clock, this.#intervalMs, this.#ended), latest: null }
  }

  readonly #ended = (): void => {
    const latest = this.#state.is === 'shut' ? this.#state.latest : null
    this.#state = { is: 'open' }
    if (latest === null) return
    this.#shut()
    this.#pass(latest.item)
  }
}
