/**
 * The clock of `--max-idle`: seconds without a call while a worker is attached.
 * @module
 */
import { Silence } from '../silence.ts'

/** Calls `onIdle` once when no call has run for so many seconds of an attachment; never when `seconds` is 0. */
export class Idle {
  readonly #seconds: number | null
  readonly #onIdle: () => void
  #calls = 0
  #isAttached = false
  #clock: Silence | null = null

  constructor(seconds: number, onIdle: () => void) {
    this.#seconds = seconds > 0 ? seconds : null
    this.#onIdle = onIdle
  }

  /** So many calls run now. */
  running(calls: number): void {
    this.#calls = calls
    this.#begin()
  }

  /** The engine has welcomed the worker; a call may have come before this is heard. */
  attached(): void {
    this.#isAttached = true
    this.#begin()
  }

  /** The link is gone. */
  stop(): void {
    this.#isAttached = false
    this.#begin()
  }

  #begin(): void {
    this.#clock?.stop()
    this.#clock = this.#isAttached && this.#calls === 0 ? new Silence(this.#seconds, this.#onIdle) : null
  }
}
