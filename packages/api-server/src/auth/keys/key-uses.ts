/**
 * When keys were used last, to the minute: noted beside the request, which waits for nothing.
 * @module
 */
import type { Log } from '../../process/log.ts'
import type { KeyStore } from './key-store.ts'

/** Notes uses of keys. */
export interface KeyUses {
  /** Notes that a key is used now. Never throws. */
  note(id: string): void
  /** Resolves when all that was noted is written, or has failed. */
  flush(): Promise<void>
}

/** Uses written to a store; of each key one at a time. */
export function createKeyUses(deps: {
  readonly store: Pick<KeyStore, 'used'>
  readonly log: Pick<Log, 'error'>
}): KeyUses {
  const { store, log } = deps
  const writing = new Map<string, Promise<void>>()
  return {
    note(id) {
      if (writing.has(id)) return
      const written = store
        .used(id)
        .catch((error: unknown) => log.error({ err: error }, 'when a key was used could not be noted'))
        .finally(() => writing.delete(id))
      writing.set(id, written)
    },
    async flush() {
      await Promise.all(writing.values())
    },
  }
}
