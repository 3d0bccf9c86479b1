/**
 * When somebody has tried something lately, in memory: what brakes on guessing count.
 * @module
 */

/** Keys that are remembered; beyond, the stalest are forgotten. */
const MAX_REMEMBERED = 10_000

/** Times of attempts in milliseconds, by what they have in common. */
export class Attempts {
  readonly #windowMs: number
  readonly #times = new Map<string, number[]>()

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** Those of the window that ends now, the oldest first. */
  recent(key: string, now: number): number[] {
    return (this.#times.get(key) ?? []).filter((time) => time > now - this.#windowMs)
  }

  add(key: string, now: number): void {
    const recent = this.recent(key, now)
    recent.push(now)
    // set anew, so that the map is ordered by the last attempt
    this.#times.delete(key)
    this.#times.set(key, recent)
    const [stalest] = this.#times.keys()
    if (this.#times.size > MAX_REMEMBERED && stalest !== undefined) this.#times.delete(stalest)
  }

  takeBack(key: string, at: number): void {
    const recent = this.#times.get(key) ?? []
    const index = recent.indexOf(at)
    if (index >= 0) recent.splice(index, 1)
    if (recent.length === 0) this.#times.delete(key)
  }
}
