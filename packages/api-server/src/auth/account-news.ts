/**
 * News that an account or a key of one has changed, to all engines of the database: what is remembered of callers is
 * forgotten, and what is open for them is looked at again.
 * @module
 */
import type { Database } from '../db/database.ts'

const CHANNEL = 'account_changed'

/** Tells and hears of changed accounts and keys. */
export interface AccountNews {
  /** To be called once the change is committed, with the id of the account or key: this engine has heard it then. */
  changed(id: string): Promise<void>
  /** Hears of each change, and when some may have been missed; the result ends that. */
  listen(onChange: () => void): Promise<() => Promise<void>>
}

/** News over a database. */
export function createAccountNews(database: Pick<Database, 'listen' | 'notify'>): AccountNews {
  const listeners = new Set<() => void>()
  return {
    async changed(id) {
      // the next request may come before the database has told this engine
      for (const listener of listeners) listener()
      await database.notify(CHANNEL, id)
    },
    async listen(onChange) {
      listeners.add(onChange)
      const stop = await database.listen(CHANNEL, onChange, onChange)
      return async () => {
        listeners.delete(onChange)
        await stop()
      }
    },
  }
}
