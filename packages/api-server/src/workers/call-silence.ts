/**
 * The engine's own clock of a call's `timeout`. The worker has one too, and ends the call by it (wire decision G62); this
 * one is for a worker that is there and says nothing of the call any more.
 *
 * - call-silence.S1 after the seconds without an emission the worker has three rounds of 4 s, longer than it takes to
 *   kill a process, to tell the end itself. They are rounds, and not one timer, because an engine that slept has to
 *   hear first what came meanwhile.
 */
import type { Cancel } from '@flow-service/connector-sdk'
import type { Clock } from '@flow-service/core'

const ROUNDS = 3
const ROUND_MS = 4000
/** Clocks take no longer timers. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** What a silence is about. */
export interface CallSilenceDeps {
  readonly clock: Clock
  /** The node's `timeout`; null for a call that may be silent for ever. */
  readonly seconds: number | null
  /** Whether frames that have come are not dealt with yet: that is no silence. */
  readonly isBehind: () => boolean
  /** Once. */
  readonly onExpired: (seconds: number) => void
}

/** Watches one call. */
export class CallSilence {
  readonly #deps: CallSilenceDeps
  #touchedMs: number
  #cancel: Cancel | null = null

  constructor(deps: CallSilenceDeps) {
    this.#deps = deps
    this.#touchedMs = deps.clock.now()
    if (deps.seconds !== null) this.#wait(deps.seconds * 1000, deps.seconds, 0)
  }

  /** The call has begun, or emitted. Cheap: the timer is left alone and looks at the time when it fires. */
  touch(): void {
    this.#touchedMs = this.#deps.clock.now()
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = null
  }

  #wait(ms: number, seconds: number, round: number): void {
    this.#cancel = this.#deps.clock.setTimer(Math.min(ms, MAX_TIMER_MS), () => this.#check(seconds, round))
  }

  #check(seconds: number, round: number): void {
    const { clock, isBehind, onExpired } = this.#deps
    if (isBehind()) this.touch()
    const leftMs = this.#touchedMs + seconds * 1000 - clock.now()
    if (leftMs > 0) this.#wait(leftMs, seconds, 0)
    else if (round < ROUNDS) this.#wait(ROUND_MS, seconds, round + 1)
    else onExpired(seconds)
  }
}
