/**
 * Keys by which programs are signed in as a user: made, listed, revoked (wire decision U5).
 * @module
 */
import type { ApiKey, ApiKeyRequest, MintedApiKey } from '@flow-service/protocol'

import type { Database, Sql } from '../../db/database.ts'
import { ProblemError } from '../../http/errors.ts'
import { assertScope, type UserPrincipal } from '../../http/principal.ts'
import { newId } from '../../process/new-id.ts'
import type { AccountNews } from '../account-news.ts'
import { createKeyStore } from './key-store.ts'
import { newKeyText, prefixOf, proofOf } from './key-text.ts'

/** Live keys that a user has at most: whoever makes one for each job of a machine revokes them as well. */
const MAX_LIVE = 1_000

/** Writes the entry of the audit trail in the transaction of the change. */
type Audit = (tx: Sql, key: ApiKey) => Promise<void>

/** What keys are made on. */
export interface ApiKeysDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly news: Pick<AccountNews, 'changed'>
}

/** The keys of a database. */
export interface ApiKeys {
  /**
   * A key of whoever asks. Refuses with `already_exists` a name that a live key of theirs has, with `forbidden` a scope that
   * they lack themselves and an agent, with `validation_failed` one too many.
   */
  create(request: ApiKeyRequest, by: UserPrincipal, audit: Audit): Promise<MintedApiKey>
  /** The keys of whoever asks, or of everybody, which refuses with `forbidden` who is no superuser. */
  list(by: UserPrincipal, all: boolean): Promise<ApiKey[]>
  /**
   * Voids a key of whoever asks, and for superusers of anybody: no engine takes it any more, and its sockets close. One that
   * is void stays as it was. Refuses with `not_found`.
   */
  revoke(id: string, by: UserPrincipal, audit: Audit): Promise<ApiKey>
  /** Version 0 of those ids that are keys which sign somebody in. */
  versionsOf(ids: readonly string[]): Promise<Map<string, number>>
}

/** Keys on a database; what ends one is told to `news`. */
export function createApiKeys({ database, news }: ApiKeysDeps): ApiKeys {
  const store = createKeyStore(database.sql)
  return {
    async create({ name, scopes, expires_in_days: days }, by, audit) {
      if (by.grant.via === 'mcp')
        throw new ProblemError('forbidden', 'an agent makes no keys: sign in, and make one with "service keys create"')
      for (const scope of scopes) assertScope(by, scope)
      const key = newKeyText()
      const prefix = prefixOf(key) ?? ''
      const added = await database.transaction(async (tx) => {
        const keys = createKeyStore(tx)
        if (!(await keys.lockForAdding(tx, by.id)))
          throw new ProblemError('unauthenticated', `the user "${by.email}" was deleted: sign in as another one`)
        assertRoom(await keys.liveNames(by.id), name)
        const row = await keys.add({ id: newId(), owner: by.id, name, prefix, proof: proofOf(key), scopes, days })
        await audit(tx, row)
        return row
      })
      return { ...added, key }
    },

    async list(by, all) {
      if (all && !by.superuser)
        throw new ProblemError('forbidden', 'only a superuser may list the keys of others: leave out "all"')
      return store.list(all ? null : by.id)
    },

    async revoke(id, by, audit) {
      const owner = by.superuser ? null : by.id
      const revoked = await database.transaction(async (tx) => {
        const row = await createKeyStore(tx).revoke(id, owner)
        if (row) await audit(tx, row)
        return row
      })
      if (revoked) await news.changed(id)
      const key = revoked ?? (await store.get(id, owner))
      if (!key) throw new ProblemError('not_found', `there is no key "${id}": list them to see their ids`)
      return key
    },

    async versionsOf(ids) {
      return new Map([...(await store.liveOf(ids))].map((id) => [id, 0]))
    },
  }
}

function assertRoom(names: ReadonlySet<string>, name: string): void {
  if (names.has(name)) {
    throw new ProblemError(
      'already_exists',
      `a live key of yours has the name "${name}": revoke that one first, or choose another name`,
    )
  }
  if (names.size >= MAX_LIVE)
    throw new ProblemError('validation_failed', `you have ${MAX_LIVE} live keys: revoke some first`, { errors: [] })
}
