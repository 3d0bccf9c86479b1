/** Tokens of every kind of user, for a service that is opened on the same data directory afterwards. */
import { join } from 'node:path'

import { vi } from 'vitest'

import { createSessions } from '../../src/auth/sessions.ts'
import { openUsers } from '../../src/auth/users.ts'
import { openDatabase } from '../../src/db/database.ts'

/** Give it to the service as `sessionKey`. */
export const callersKey = 'a session key that callers and service share'
const DAYS = 8
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Session tokens by who holds them. */
export interface CallerTokens {
  readonly superuser: string
  readonly user: string
  /** Of a superuser, from longer ago than a session lasts. */
  readonly expired: string
  /** Of a superuser who is not active any more. */
  readonly deactivated: string
}

/** Makes the users in the embedded database of `dataDir` and signs them in; everybody has the same `password`. */
export async function createCallers(dataDir: string, password: string): Promise<CallerTokens> {
  const database = await openDatabase({ dataDir: join(dataDir), log })
  try {
    const users = openUsers(database)
    const sessions = createSessions({ key: Buffer.from(callersKey), days: DAYS, users })
    const tokenOf = async (name: string, superuser: boolean): Promise<string> => {
      const principal = await users.create({ email: `${name}@example.org`, password, superuser })
      return (await sessions.issue({ principal, tokenVersion: 0 })).access_token
    }
    const superuser = await tokenOf('superuser', true)
    const user = await tokenOf('user', false)
    const deactivated = await tokenOf('deactivated', true)
    await database.sql`update account set is_active = false where email = 'deactivated@example.org'`
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - (DAYS + 1) * 86_400_000 })
    const expired = await tokenOf('expired', true).finally(() => vi.useRealTimers())
    return { superuser, user, deactivated, expired }
  } finally {
    await database.close()
  }
}
