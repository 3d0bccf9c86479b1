/**
 * What a test waits for that no virtual clock moves: code, stand-ins and answers of `fetch` that have not come yet.
 * @module
 */

/** How long one may take while an execution may as well wait for a timer, in milliseconds of the machine's time. */
const PATIENCE_MS = 1000

/** Promises that go on outside of the virtual clock. */
export class Outside {
  readonly #going = new Set<Promise<unknown>>()

  get isEmpty(): boolean {
    return this.#going.size === 0
  }

  /** A function of which every promise is waited for. */
  watched<A extends unknown[], R>(fn: (...args: A) => R): (...args: A) => R {
    return (...args) => {
      const result = fn(...args)
      if (result instanceof Promise) this.#add(result)
      return result
    }
  }

  /** Resolves when one of them, or `other`, has come: true; false when that takes too long. */
  async next(other: Promise<unknown>): Promise<boolean> {
    const late = Promise.withResolvers<false>()
    const timer = setTimeout(() => late.resolve(false), PATIENCE_MS)
    try {
      return await Promise.race([late.promise, ...[other, ...this.#going].map((going) => going.then(() => true))])
    } finally {
      clearTimeout(timer)
    }
  }

  #add(result: Promise<unknown>): void {
    const going = result.then(
      () => {},
      () => {},
    )
    this.#going.add(going)
    void going.then(() => this.#going.delete(going))
  }
}
