/**
 * Thins what is shown of a port (G80): the first value of a window at once, the latest one at its end.
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

  offer(item: T): void {
    if (this.#state.is === 'shut') this.#state.latest = { item }
    else this.#open(item)
  }

  /** Passes what waits, and ends the window. */
  close(): void {
    const state = this.#state
    if (state.is === 'open') return
    state.end()
    this.#state = { is: 'open' }
    if (state.latest !== null) this.#pass(state.latest.item)
  }

  #open(item: T): void {
    this.#state = { is: 'shut', end: startTimer(this.#clock, this.#intervalMs, this.#ended), latest: null }
    this.#pass(item)
  }

  readonly #ended = (): void => {
    const latest = this.#state.is === 'shut' ? this.#state.latest : null
    this.#state = { is: 'open' }
    if (latest !== null) this.#open(latest.item)
  }
}
