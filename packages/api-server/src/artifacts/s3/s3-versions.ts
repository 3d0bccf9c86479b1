/**
 * What an engine knows of the objects of its store: in which version it has hashed them, for versions (`ETag`) tell bytes
 * apart, and which it has found changed. For ten minutes, as of files.
 * @module
 */

const KNOWN_MS = 600_000
const MAX_KNOWN = 10_000

/** Versions by digest. */
export class Versions {
  readonly #known = new Map<string, { readonly version: string | null; readonly atMs: number }>()

  /** The version whose bytes are those of the digest; null when none is known. */
  of(hex: string): string | null {
    return this.#fresh(hex)?.version ?? null
  }

  /** Whether the bytes were changed when they were hashed last. */
  isSpoiled(hex: string): boolean {
    return this.#fresh(hex)?.version === null
  }

  trust(hex: string, version: string): void {
    // a store that tells no versions cannot be trusted to have kept one
    if (version === '') this.#known.delete(hex)
    else this.#set(hex, version)
  }

  spoil(hex: string): void {
    this.#set(hex, null)
  }

  forget(hex: string): void {
    this.#known.delete(hex)
  }

  #fresh(hex: string): { readonly version: string | null } | undefined {
    const known = this.#known.get(hex)
    return known && Date.now() - known.atMs < KNOWN_MS ? known : undefined
  }

  #set(hex: string, version: string | null): void {
    this.#known.delete(hex)
    this.#known.set(hex, { version, atMs: Date.now() })
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest)
  }
}
