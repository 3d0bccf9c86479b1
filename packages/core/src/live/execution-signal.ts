/**
 * How one execution of a live node is told to end. Made when somebody asks: most executions end in their own turn.
 * @module
 */
import { CodeError } from '../host.ts'

/** One object a node, for one execution after the other. */
export class ExecutionSignal {
  #controller: AbortController | null = null
  #isCancelled = false

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  /** Ends the execution without a failure marker; false when it was cancelled already. */
  cancel(): boolean {
    if (this.#isCancelled) return false
    this.#isCancelled = true
    this.#controller ??= new AbortController()
    this.#controller.abort(new CodeError('cancelled', 'the execution was cancelled', null))
    return true
  }

  /** The node stops. */
  stop(): void {
    this.#controller?.abort(new CodeError('cancelled', 'the node stops', null))
  }

  /** The execution is over. */
  reset(): void {
    if (this.#controller !== null) this.#controller = null
    this.#isCancelled = false
  }
}
