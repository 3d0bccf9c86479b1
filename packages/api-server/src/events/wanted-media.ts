/**
 * The messages whose media somebody has asked for. Devices are told by it which pictures are wanted.
 * @module
 */

/** Hears the names after a change of them; must not block. */
export type WantedListener = (names: ReadonlySet<string>) => void

/** Names with how many ask for each. */
export class WantedMedia {
  readonly #askers = new Map<string, number>()
  readonly #listeners = new Set<WantedListener>()
  readonly #onError: (error: unknown) => void

  /** A listener that throws is reported, and keeps no other one from hearing. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  has(name: string): boolean {
    return this.#askers.has(name)
  }

  /** As they are now. */
  names(): ReadonlySet<string> {
    return new Set(this.#askers.keys())
  }

  /** Somebody asks for `after` in place of `before`. */
  replace(before: ReadonlySet<string>, after: ReadonlySet<string>): void {
    let isChanged = false
    for (const name of after) {
      const count = this.#askers.get(name) ?? 0
      this.#askers.set(name, count + 1)
      isChanged ||= count === 0
    }
    for (const name of before) {
      const count = this.#askers.get(name) ?? 0
      if (count > 1) this.#askers.set(name, count - 1)
      else isChanged = this.#askers.delete(name) || isChanged
    }
    if (isChanged) this.#tell()
  }

  /** Tells of each change of the names; the result ends that. */
  onChange(listener: WantedListener): () => void {
    // a fresh function each time, so that one listener may be added twice
    const entry: WantedListener = (names) => listener(names)
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  #tell(): void {
    const names = this.names()
    for (const listener of this.#listeners) {
      try {
        listener(names)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}
