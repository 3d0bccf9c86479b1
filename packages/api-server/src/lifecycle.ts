/**
 * What a service has opened, to be closed in reverse order: an Effect scope behind two promises.
 * @module
 */
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Scope from 'effect/Scope'

/** Opens resources and closes them together. */
export class Lifecycle {
  readonly #scope = Scope.makeUnsafe()

  /** Opens a resource; it is closed after everything that was opened later. */
  open<T>(open: () => Promise<T>, close: (resource: T) => unknown): Promise<T> {
    const resource = Effect.acquireRelease(
      Effect.promise(open),
      // one that fails to close must not keep the others open
      (opened) => Effect.promise(async () => close(opened)).pipe(Effect.ignoreCause),
    )
    return Effect.runPromise(Scope.provide(resource, this.#scope))
  }

  /** Closes whatever is open. */
  close(): Promise<void> {
    return Effect.runPromise(Scope.close(this.#scope, Exit.void))
  }
}
