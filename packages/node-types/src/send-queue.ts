/**
 * Payloads that wait for a connection: first in, first out, and of too many the oldest gives way.
 * @module
 */

/** One object a connection. */
export class SendQueue<T> {
  readonly limit: number
  #items: T[] = []

  constructor(limit: number) {
    this.limit = limit
  }

  get length(): number {
    return this.#items.length
  }

  /** Adds one at the end; answers the one that gave way. */
  push(item: T): T | undefined {
    this.#items.push(item)
    return this.#items.length > this.limit ? this.#items.shift() : undefined
  }

  /** Puts some back in front of all others; answers those that gave way. */
  putBack(items: readonly T[]): readonly T[] {
    this.#items.unshift(...items)
    return this.#items.splice(0, Math.max(0, this.#items.length - this.limit))
  }

  shift(): T | undefined {
    return this.#items.shift()
  }

  takeAll(): readonly T[] {
    return this.#items.splice(0)
  }
}
