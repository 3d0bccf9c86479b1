/**
 * Programs that may ask users to let them in: made known by a superuser or, where that is allowed, by themselves.
 * @module
 */
import type { OAuthClient, OAuthClientRequest } from '@flow-service/protocol'

import type { Database, Sql } from '../../db/database.ts'
import { invalid, ProblemError } from '../../http/errors.ts'
import { newId } from '../../process/new-id.ts'
import type { AccountNews } from '../account-news.ts'
import { createOAuthClientStore } from './client-store.ts'
import { createAgentGrantStore } from './grant-store.ts'
import { redirectFault } from './redirect-uri.ts'

/** Writes the entry of the audit trail in the transaction of the change. */
type Audit = (tx: Sql, client: OAuthClient) => Promise<void>

/** What they are made of. */
export interface OAuthClientsDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly news: Pick<AccountNews, 'changed'>
}

/** The programs of a database. */
export type OAuthClients = ReturnType<typeof createOAuthClients>

/** The programs of a database. */
export const createOAuthClients = ({ database, news }: OAuthClientsDeps) => ({
  /** Makes one known; `registered` by itself. Refuses with `validation_failed`. */
  add({ name, redirect_uris: uris }: OAuthClientRequest, registered: boolean, audit: Audit): Promise<OAuthClient> {
    const faults = uris.flatMap((uri, at) => {
      const fault = redirectFault(uri)
      return fault === null ? [] : [{ path: `/redirect_uris/${at}`, code: 'redirect_uri', message: fault }]
    })
    if (faults.length > 0) throw invalid(faults)
    return database.transaction(async (tx) => {
      const store = createOAuthClientStore(tx)
      await store.expire()
      const client = await store.add({ id: newId(), name, redirect_uris: [...new Set(uris)], registered })
      await audit(tx, client)
      return client
    })
  },

  list: (): Promise<OAuthClient[]> => createOAuthClientStore(database.sql).list(),

  find: (id: string): Promise<OAuthClient | null> => createOAuthClientStore(database.sql).find(id),

  /** Forgets one, and revokes what users have let it do. Refuses with `not_found`. */
  async remove(id: string, audit: Audit): Promise<void> {
    const revoked = await database.transaction(async (tx) => {
      const ended = await createAgentGrantStore(tx).revokeOfClient(id)
      const client = await createOAuthClientStore(tx).remove(id)
      if (!client) throw new ProblemError('not_found', `there is no program "${id}": list them to see their ids`)
      await audit(tx, client)
      return ended
    })
    for (const grant of revoked) await news.changed(grant)
  },
})
