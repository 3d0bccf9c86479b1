/** Tokens of every kind of user, for a service that is opened on the same data directory afterwards. */
import { join } from 'node:path'

import type { MintedApiKey } from '@flow-service/protocol'
import { vi } from 'vitest'

import { createApiKeys } from '../../src/auth/keys/api-keys.ts'
import { createSessions } from '../../src/auth/sessions.ts'
import { openUsers } from '../../src/auth/users.ts'
import { openDatabase } from '../../src/db/database.ts'
import type { UserPrincipal } from '../../src/http/principal.ts'

/** Give it to the service as `sessionKey`. */
export const callersKey = 'a session key that callers and service share'
const DAYS = 8
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Session tokens, and keys of the scope `admin`, by who holds them. */
export interface CallerTokens {
  readonly superuser: string
  readonly user: string
  /** Of a superuser, from longer ago than a session lasts. */
  readonly expired: string
  /** Of a superuser who is not active any more. */
  readonly deactivated: string
  /** Of an ordinary user. */
  readonly userKey: string
  readonly superuserKey: string
  /** Of superusers. */
  readonly revokedKey: string
  readonly expiredKey: string
  /** Of a user who signs in by OpenID Connect, and has no password. */
  readonly elsewhere: string
  /** Of a superuser who is not active any more. */
  readonly deactivatedKey: string
}

/** Makes the users in the embedded database of `dataDir` and signs them in; everybody has the same `password`. */
export async function createCallers(dataDir: string, password: string): Promise<CallerTokens> {
  const database = await openDatabase({ dataDir: join(dataDir), log })
  try {
    const users = openUsers(database)
    const sessions = createSessions({ key: Buffer.from(callersKey), days: DAYS, users })
    const keys = createApiKeys({ database, news: { changed: async () => undefined } })
    const keyOf = async (by: UserPrincipal, name: string): Promise<MintedApiKey> =>
      keys.create({ name, scopes: ['admin'], expires_in_days: 1 }, by, async () => undefined)
    const signUp = (name: string, superuser: boolean): Promise<UserPrincipal> =>
      users.create({ email: `${name}@example.org`, password, superuser })
    const tokenOf = async (principal: UserPrincipal): Promise<string> =>
      (await sessions.issue({ principal, tokenVersion: 0 })).access_token
    const [root, ann, left, elsewhere] = [
      await signUp('superuser', true),
      await signUp('user', false),
      await signUp('deactivated', true),
      await signUp('elsewhere', false),
    ]
    await database.sql`update account set password_hash = null where id = ${elsewhere.id}`
    await database.sql`
      insert into identity (issuer, subject, account) values ('https://id.example.org', 'elsewhere', ${elsewhere.id})`
    const [superuserKey, userKey, deactivatedKey] = [
      await keyOf(root, 'all'),
      await keyOf(ann, 'all'),
      await keyOf(left, 'all'),
    ]
    const [revokedKey, expiredKey] = [await keyOf(root, 'revoked'), await keyOf(root, 'expired')]
    await keys.revoke(revokedKey.id, root, async () => undefined)
    await database.sql`update api_key set expires_at = now() where id = ${expiredKey.id}`
    const sessionsOf = { superuser: await tokenOf(root), user: await tokenOf(ann), deactivated: await tokenOf(left) }
    const elsewhereSession = await tokenOf(elsewhere)
    await database.sql`update account set is_active = false where email = 'deactivated@example.org'`
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - (DAYS + 1) * 86_400_000 })
    const expired = await tokenOf(await signUp('expired', true)).finally(() => vi.useRealTimers())
    return {
      ...sessionsOf,
      elsewhere: elsewhereSession,
      expired,
      superuserKey: superuserKey.key,
      userKey: userKey.key,
      deactivatedKey: deactivatedKey.key,
      revokedKey: revokedKey.key,
      expiredKey: expiredKey.key,
    }
  } finally {
    await database.close()
  }
}
