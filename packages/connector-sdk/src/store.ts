/**
 * What nodes of a package keep for later: texts by key.
 * @module
 */

/** Texts that outlive the engine. All nodes of one package have one store, whatever their flow. */
export interface ConnectorStore {
  /** Null when there is none. */
  get(key: string): Promise<string | null>
  /** Resolves once it is committed. Rejects with a {@link StoreLimitError} for what may not be kept. */
  set(key: string, value: string): Promise<void>
  /** Whether there was one. */
  delete(key: string): Promise<boolean>
}

/** A key, a value or their number is beyond a limit of the store. */
export class StoreLimitError extends RangeError {
  override readonly name = 'StoreLimitError'
}
