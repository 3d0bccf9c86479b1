/**
 * Watches the event loop: how late timers are, and whether something has blocked it.
 * @module
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'

/** Milliseconds between two measurements: 200 in a window, of which the 99th percentile leaves out single stalls. */
const RESOLUTION_MS = 50
const WINDOW_MS = 10_000
const TICK_MS = 500
/** Blocked for so long, the loop is worth an event. */
const BLOCKED_MS = 1_000

/** The delay of the loop, in seconds. */
export interface LoopDelay {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** Begins to watch when it is made. */
export class LoopWatch {
  readonly #onBlocked: (blockedMs: number) => void
  readonly #timer: NodeJS.Timeout
  #present = started()
  #past: LoopDelay | null = null
  #windowMs = performance.now()
  #tickMs = performance.now()

  /** `onBlocked` hears of every time that the loop was blocked for a second or more. */
  constructor(onBlocked: (blockedMs: number) => void) {
    this.#onBlocked = onBlocked
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref()
  }

  /** Over the last 10 to 20 seconds. */
  delay(): LoopDelay {
    const present = delayOf(this.#present)
    const past = this.#past ?? present
    return {
      p50: Math.max(past.p50, present.p50),
      p99: Math.max(past.p99, present.p99),
      max: Math.max(past.max, present.max),
    }
  }

  close(): void {
    clearInterval(this.#timer)
    this.#present.disable()
  }

  #tick(): void {
    const nowMs = performance.now()
    const lateMs = nowMs - this.#tickMs - TICK_MS
    this.#tickMs = nowMs
    if (lateMs >= BLOCKED_MS) this.#onBlocked(lateMs)
    if (nowMs - this.#windowMs < WINDOW_MS) return
    this.#past = delayOf(this.#present)
    this.#present.disable()
    this.#present = started()
    this.#windowMs = nowMs
  }
}

function started(): IntervalHistogram {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  return histogram
}

function delayOf(histogram: IntervalHistogram): LoopDelay {
  // an empty one has a maximum of 0; a measurement has the interval in it
  const seconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000)
  return {
    p50: seconds(histogram.percentile(50)),
    p99: seconds(histogram.percentile(99)),
    max: seconds(histogram.max),
  }
}
