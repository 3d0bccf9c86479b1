/**
 * What comes, in its order, for a test that asks for it.
 * @module
 */

/** Things that have come, and whoever waits for one. */
export class Queue<T> {
  readonly #come: T[] = []
  readonly #asked: ((thing: T) => void)[] = []

  /** What nobody has asked for. */
  get left(): readonly T[] {
    return this.#come
  }

  push(thing: T): void {
    const asked = this.#asked.shift()
    if (asked) asked(thing)
    else this.#come.push(thing)
  }

  next(): Promise<T> {
    if (this.#come.length > 0) return Promise.resolve(this.#come.shift() as T)
    return new Promise((resolve) => this.#asked.push(resolve))
  }
}
