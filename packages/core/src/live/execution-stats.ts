/**
 * Counts executions of a live flow, and times enough of them (execution-stats.E1).
 * @module
 */

/** What a flow has executed since the last time that it was asked. */
export interface FlowStats {
  readonly flow: string
  readonly executions: number
  /** Executions that failed. */
  readonly errors: number
  /**
   * In milliseconds: of every execution while there are few, of a sample when there are many. One that goes on when the
   * flow is asked is counted then, and timed the time after.
   */
  readonly durationsMs: readonly number[]
}

/** So many executions are timed one by one; then only each {@link STRIDE}th that ends in its own turn. */
const ALL = 200
const STRIDE = 512
const MAX_DURATIONS = 10_000

/** One object a flow. Reading the clock costs as much as a short execution: a busy flow reads it seldom. */
export class ExecutionStats {
  executions = 0
  errors = 0
  #durationsMs: number[] = []
  #untimed = 0

  /** Counts an execution; true when it should be timed. */
  count(): boolean {
    this.executions++
    if (this.#untimed > 0) {
      this.#untimed--
      return false
    }
    if (this.#durationsMs.length >= ALL) this.#untimed = STRIDE - 1
    return true
  }

  took(durationMs: number): void {
    if (this.#durationsMs.length < MAX_DURATIONS) this.#durationsMs.push(durationMs)
  }

  /** What was counted since the last call; null when nothing. */
  take(flow: string): FlowStats | null {
    const { executions, errors } = this
    const durationsMs = this.#durationsMs
    if (executions === 0 && errors === 0 && durationsMs.length === 0) return null
    this.executions = 0
    this.errors = 0
    this.#untimed = 0
    this.#durationsMs = []
    return { flow, executions, errors, durationsMs }
  }
}
