/**
 * The signal of one execution of a live node: it is cancelled, or its node stops. Made when somebody asks, as most
 * executions end in their own turn.
 * @module
 */
import { CodeError } from '../host.ts'

/** One object an execution. */
export class ExecutionSignal {
  readonly #controller = new AbortController()
  #isCancelled = false

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  /** Ends the execution without a failure marker; false when it was cancelled already. */
  cancel(): boolean {
    if (this.#isCancelled) return false
    this.#isCancelled = true
    this.#controller.abort(new CodeError('cancelled', 'the execution was cancelled', null))
    return true
  }

  /** The node stops. */
  stop(): void {
    this.#controller.abort(new CodeError('cancelled', 'the node stops', null))
  }
}
