/**
 * SQL of the table `agent_grant`.
 * @module
 */
import type { AgentToken, Scope } from '@flow-service/protocol'

import type { Sql } from '../../db/database.ts'

/** A row to be. */
export interface NewAgentGrant extends Pick<AgentToken, 'id' | 'client' | 'origin' | 'scopes'> {
  readonly account: string
  /** The program of a consent; null where a token is minted. */
  readonly clientId: string | null
  /** Fingerprint of the key that signs its tokens. */
  readonly signedBy: string
  readonly lifetimeS: number
}

/** A row that counts, with its owner as of now. */
export interface LiveAgentGrant {
  readonly id: string
  readonly client: string
  readonly clientId: string | null
  readonly scopes: readonly Scope[]
  /** Seconds since the Unix epoch. */
  readonly createdAt: number
  readonly expiresAt: number
  readonly account: string
  readonly email: string
  readonly fullName: string | null
  readonly superuser: boolean
  /** Whether its use is to be noted anew. */
  readonly isUnnoted: boolean
}

const columns = (sql: Sql) => sql`
  agent_grant.id, client, origin, scopes, json_build_object('id', account.id, 'email', email) as owner,
  agent_grant.created_at, expires_at, last_used_at, revoked_at`

const isLive = (sql: Sql) => sql`revoked_at is null and expires_at > now() and is_active`

/** Statements on agents that users have let in. */
export type AgentGrantStore = ReturnType<typeof createAgentGrantStore>

/** Statements on agents that users have let in, on the database or in a transaction. */
export const createAgentGrantStore = (sql: Sql) => ({
  async add(grant: NewAgentGrant): Promise<AgentToken> {
    const { id, account, client, clientId, origin, scopes, signedBy, lifetimeS } = grant
    const [row] = await sql<AgentToken[]>`
      with agent_grant as (
        insert into agent_grant (id, account, client, client_id, origin, scopes, signed_by, expires_at)
        values (
          ${id}, ${account}, ${client}, ${clientId}, ${origin}, ${[...scopes]}::text[], ${signedBy},
          now() + make_interval(secs => ${lifetimeS})
        )
        returning *
      )
      select ${columns(sql)} from agent_grant join account on account.id = account`
    // an insert without a conflict clause returns its row or throws
    return row as AgentToken
  },

  /** Those of an owner, of all where that is null; the newest first. */
  list: (owner: string | null): Promise<AgentToken[]> =>
    sql<AgentToken[]>`
      select ${columns(sql)} from agent_grant join account on account.id = account
      where ${owner}::uuid is null or account = ${owner}::uuid order by agent_grant.id desc`,

  /** The one of an id, if it counts. */
  async live(id: string): Promise<LiveAgentGrant | null> {
    const [row] = await sql<LiveAgentGrant[]>`
      select agent_grant.id, client, client_id as "clientId", scopes, account, email, full_name as "fullName",
        is_superuser as "superuser", extract(epoch from agent_grant.created_at)::int as "createdAt",
        extract(epoch from expires_at)::int as "expiresAt",
        last_used_at is null or last_used_at < now() - interval '1 minute' as "isUnnoted"
      from agent_grant join account on account.id = account where agent_grant.id = ${id} and ${isLive(sql)}`
    return row ?? null
  },

  /** Those that count. */
  async liveOf(ids: readonly string[]): Promise<Set<string>> {
    const rows = await sql<{ id: string }[]>`
      select agent_grant.id from agent_grant join account on account.id = account
      where agent_grant.id = any(${[...ids]}::uuid[]) and ${isLive(sql)}`
    return new Set(rows.map(({ id }) => id))
  },

  /** Lasts this long from now on, or as long as before if that is longer. */
  async extend(id: string, lifetimeS: number): Promise<void> {
    await sql`
      update agent_grant set expires_at = greatest(expires_at, now() + make_interval(secs => ${lifetimeS}))
      where id = ${id}`
  },

  /** As it is then, revoked now or before; null when the owner, anybody where that is null, has none of this id. */
  async revoke(id: string, owner: string | null): Promise<AgentToken | null> {
    const [row] = await sql<AgentToken[]>`
      with agent_grant as (
        update agent_grant set revoked_at = coalesce(revoked_at, now())
        where id = ${id} and (${owner}::uuid is null or account = ${owner}::uuid) returning *
      )
      select ${columns(sql)} from agent_grant join account on account.id = account`
    return row ?? null
  },

  /** The ids of those that were revoked by it. */
  async revokeOfClient(clientId: string): Promise<string[]> {
    const rows = await sql<{ id: string }[]>`
      update agent_grant set revoked_at = now() where client_id = ${clientId} and revoked_at is null returning id`
    return rows.map(({ id }) => id)
  },

  /** Revokes what another key has signed: nobody can show a token of it any more. */
  async revokeOfOtherKeys(signedBy: string): Promise<void> {
    await sql`update agent_grant set revoked_at = now() where signed_by <> ${signedBy} and revoked_at is null`
  },

  /** Notes that it is used now. A minute later at the earliest, it is noted again. */
  async used(id: string): Promise<void> {
    await sql`
      update agent_grant set last_used_at = now()
      where id = ${id} and (last_used_at is null or last_used_at < now() - interval '1 minute')`
  },
})
