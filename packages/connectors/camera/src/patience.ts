/**
 * A bound in time for requests, on the clock of the engine: a signal that is aborted when nothing has happened for a while.
 * @module
 */
import type { Cancel, NodeContext } from '@flow-service/connector-sdk'

/** Runs from the moment it is made until `end`. */
export class Patience {
  /** Aborted, with the reason, when it is over or the node stops. */
  readonly signal: AbortSignal
  readonly #ctx: Pick<NodeContext, 'after' | 'signal'>
  readonly #seconds: number
  readonly #controller = new AbortController()
  #cancel: Cancel = () => {}

  constructor(ctx: Pick<NodeContext, 'after' | 'signal'>, seconds: number, reason: string) {
    this.#ctx = ctx
    this.#seconds = seconds
    this.signal = AbortSignal.any([ctx.signal, this.#controller.signal])
    this.wait(reason)
  }

  /** Begins anew: something has happened. */
  wait(reason: string): void {
    this.#cancel()
    this.#cancel = this.#ctx.after(this.#seconds, () => this.#controller.abort(new Error(reason)))
  }

  /** Whoever still waits does so no longer. */
  end(): void {
    this.#cancel()
    this.#controller.abort(new Error('it is no longer wanted'))
  }
}
