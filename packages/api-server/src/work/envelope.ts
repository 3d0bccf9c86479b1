/**
 * Bodies of kept work on their way to the database and back: what holds the value of a secret is sealed there.
 * @module
 */
import type { Log } from '../process/log.ts'
import type { WorkCommit } from './store.ts'

/** Texts as they are stored. `place` is where, and no text opens in another one. */
export interface WorkSeals {
  /** The same text when it may be stored as it is. */
  seal(place: string, text: string): string
  /** Null for what was sealed elsewhere, or has been changed. */
  unseal(place: string, stored: string): string | null
}

/** A row whose body may be sealed. */
interface Stored {
  readonly id: string
  readonly flow: string
  readonly body: string
}

type Table = 'live_work' | 'published_value'

/** Seals and opens; without seals everything is stored as it is. */
export class WorkEnvelope {
  readonly #seals: WorkSeals | null
  readonly #log: Pick<Log, 'error'>

  constructor(seals: WorkSeals | null, log: Pick<Log, 'error'>) {
    this.#seals = seals
    this.#log = log
  }

  seal<T extends Stored>(table: Table, row: T): T {
    return this.#seals === null ? row : { ...row, body: this.#seals.seal(`${table}/${row.id}`, row.body) }
  }

  sealCommit(commit: WorkCommit): WorkCommit {
    const { added, published } = commit
    return {
      ...commit,
      added: added.map((row) => this.seal('live_work', row)),
      published: published.map((row) => this.seal('published_value', row)),
    }
  }

  /** A row with its body as it was; none when that does not open, which the log is told. */
  opened<T extends Stored & { readonly node?: string }>(table: Table, row: T): T[] {
    if (this.#seals === null) return [row]
    const body = this.#seals.unseal(`${table}/${row.id}`, row.body)
    if (body !== null) return [{ ...row, body }]
    const { id, flow, node } = row
    this.#log.error(
      { flow, ...(node === undefined ? {} : { node }), work: id },
      'kept work cannot be read: it was sealed under another key, or its bytes were changed; it is left where it is',
    )
    return []
  }
}
