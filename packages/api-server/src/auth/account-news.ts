/**
 * News that an account has changed, to all engines of the database: what is open for its user is looked at again.
 * @module
 */
import type { Database } from '../db/database.ts'

const CHANNEL = 'account_changed'

/** Tells and hears of changed accounts. */
export interface AccountNews {
  /** To be called once the change is committed. */
  changed(userId: string): Promise<void>
  /** Hears the ids of users, null when some may have been missed; the result ends that. */
  listen(onChange: (userId: string | null) => void): Promise<() => Promise<void>>
}

/** News over a database. */
export const createAccountNews = (database: Pick<Database, 'listen' | 'notify'>): AccountNews => ({
  changed: (userId) => database.notify(CHANNEL, userId),
  listen: (onChange) => database.listen(CHANNEL, onChange, () => onChange(null)),
})
