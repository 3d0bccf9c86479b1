/**
 * Functions of the user that are told of something. One that throws keeps no other from being told.
 * @module
 */

/** Those that are told of values of `T`. */
export class Listeners<T> {
  readonly #listeners = new Set<(value: T) => void>()
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** Adds one, which is told `first` at once; the result takes it away. */
  add(listener: (value: T) => void, first: readonly T[] = []): () => void {
    // a function that is added twice is told twice
    const entry = (value: T): void => this.#call(listener, value)
    this.#listeners.add(entry)
    for (const value of first) entry(value)
    return () => void this.#listeners.delete(entry)
  }

  tell(value: T): void {
    for (const listener of this.#listeners) listener(value)
  }

  #call(listener: (value: T) => void, value: T): void {
    try {
      listener(value)
    } catch (error) {
      this.#onError(error)
    }
  }
}
