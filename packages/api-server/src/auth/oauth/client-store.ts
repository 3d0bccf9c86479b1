/**
 * SQL of the table `oauth_client`.
 * @module
 */
import type { OAuthClient } from '@flow-service/protocol'

import type { Sql } from '../../db/database.ts'

const columns = (sql: Sql) => sql`id, name, redirect_uris, registered, created_at`

/** Statements on programs that may ask users to let them in, on the database or in a transaction. */
export const createOAuthClientStore = (sql: Sql) => ({
  async add({ id, name, redirect_uris: uris, registered }: Omit<OAuthClient, 'created_at'>): Promise<OAuthClient> {
    const [row] = await sql<OAuthClient[]>`
      insert into oauth_client (id, name, redirect_uris, registered)
      values (${id}, ${name}, ${[...uris]}::text[], ${registered}) returning ${columns(sql)}`
    // an insert without a conflict clause returns its row or throws
    return row as OAuthClient
  },

  /** Drops those that made themselves known a day ago or longer, and whom nobody lets in. */
  async expire(): Promise<void> {
    await sql`
      delete from oauth_client where registered and created_at < now() - interval '1 day' and not exists (
        select from agent_grant where client_id = oauth_client.id and revoked_at is null and expires_at > now()
      )`
  },

  /** By name, the newest of a name first. */
  list: (): Promise<OAuthClient[]> =>
    sql<OAuthClient[]>`select ${columns(sql)} from oauth_client order by name collate "C", created_at desc`,

  async find(id: string): Promise<OAuthClient | null> {
    const [row] = await sql<OAuthClient[]>`select ${columns(sql)} from oauth_client where id = ${id}`
    return row ?? null
  },

  /** The one that was there. */
  async remove(id: string): Promise<OAuthClient | null> {
    const [row] = await sql<OAuthClient[]>`delete from oauth_client where id = ${id} returning ${columns(sql)}`
    return row ?? null
  },
})
