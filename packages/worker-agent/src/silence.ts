/**
 * The clock of a node's `timeout`: seconds without an emission (wire decision G62).
 * @module
 */

/** Node fires longer timers at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Calls `onExpired` once when nothing has touched it for so many seconds; never when `seconds` is null. */
export class Silence {
  readonly #limitMs: number
  readonly #onExpired: () => void
  #touchedMs = performance.now()
  #holds = 0
  #timer: NodeJS.Timeout | undefined

  constructor(seconds: number | null, onExpired: () => void) {
    this.#limitMs = seconds === null ? Number.POSITIVE_INFINITY : seconds * 1000
    this.#onExpired = onExpired
    this.#wait(this.#limitMs)
  }

  /** Starts the seconds anew. Cheap: the timer is left alone and looks at the time when it fires. */
  touch(): void {
    this.#touchedMs = performance.now()
  }

  /** The engine is behind and the code waits for it: that is not the code's silence. */
  hold(behind: Promise<void>): void {
    this.#holds += 1
    const release = (): void => {
      this.#holds -= 1
      this.touch()
    }
    behind.then(release, release)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #wait(ms: number): void {
    if (ms === Number.POSITIVE_INFINITY) return
    this.#timer = setTimeout(() => this.#check(), Math.min(ms, MAX_TIMER_MS))
  }

  #check(): void {
    const leftMs = this.#touchedMs + this.#limitMs - performance.now()
    if (leftMs > 0) this.#wait(leftMs)
    else if (this.#holds > 0) this.#wait(this.#limitMs)
    else this.#onExpired()
  }
}
