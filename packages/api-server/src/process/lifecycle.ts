/**
 * What a service has opened, to be closed in reverse order: an Effect scope behind two promises.
 * @module
 */
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Scope from 'effect/Scope'

import { resource } from './layer.ts'

/** Opens resources and closes them together. */
export class Lifecycle {
  readonly #scope = Scope.makeUnsafe()
  readonly #opening = new Set<Promise<unknown>>()
  #closing = false

  /** Opens a resource; it is closed after everything that was opened later. Rejects once `close` was called. */
  open<T>(open: () => Promise<T>, close: (resource: T) => unknown): Promise<T> {
    return this.openAll(resource(open, close))
  }

  /** Opens the resources of an effect in the same way, one after the other. */
  async openAll<T>(resources: Effect.Effect<T, never, Scope.Scope>): Promise<T> {
    if (this.#closing) throw new Error('this service is closed; make another one')
    const opening = Effect.runPromise(Scope.provide(resources, this.#scope))
    this.#opening.add(opening)
    try {
      return await opening
    } finally {
      this.#opening.delete(opening)
    }
  }

  /** Closes whatever is open, and what is being opened meanwhile: a start that fails leaves nothing behind. */
  async close(): Promise<void> {
    this.#closing = true
    await Promise.allSettled(this.#opening)
    await Effect.runPromise(Scope.close(this.#scope, Exit.void))
  }
}
