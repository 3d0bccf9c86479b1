/**
 * Memory of what was used last, within bounds: documents that runs execute (`runs/claimed-documents.ts`), flows that they are
 * submitted to (`flows/runnable-flows.ts`), and steps of curves as text (`runs/reports/columns-text.ts`).
 * @module
 */

/** What a {@link Recent} holds at most. */
export interface RecentOptions<V> {
  readonly count: number
  /** Of all values together; one alone may weigh more. */
  readonly weight: number
  readonly weightOf: (value: V) => number
}

/** Values by key; those that were not used for longest go. */
export class Recent<K, V> {
  readonly #options: RecentOptions<V>
  readonly #values = new Map<K, V>()
  #weight = 0

  constructor(options: RecentOptions<V>) {
    this.#options = options
  }

  /** A value, which is used by this. */
  get(key: K): V | undefined {
    const value = this.#values.get(key)
    if (value !== undefined) {
      this.#values.delete(key)
      this.#values.set(key, value)
    }
    return value
  }

  /** Keeps a value, which is used by this, and lets go of what there is no room for beside it. */
  set(key: K, value: V): void {
    const { count, weight, weightOf } = this.#options
    this.delete(key)
    for (const oldest of this.#values.keys()) {
      if (this.#values.size < count && this.#weight <= weight - weightOf(value)) break
      this.delete(oldest)
    }
    this.#values.set(key, value)
    this.#weight += weightOf(value)
  }

  /** Lets go of a value, if it is there. */
  delete(key: K): void {
    const value = this.#values.get(key)
    if (value === undefined) return
    this.#values.delete(key)
    this.#weight -= this.#options.weightOf(value)
  }

  /** As it is now; the one used last stands at the end. */
  all(): Map<K, V> {
    return new Map(this.#values)
  }
}
