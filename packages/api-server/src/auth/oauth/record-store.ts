/**
 * SQL of the table `oauth_record`: what the authorization server remembers, found by the digest of its id.
 * @module
 */
import { hash } from 'node:crypto'

import type { Sql } from '../../db/database.ts'

/** Something that the authorization server remembers. */
export interface OAuthRecord {
  readonly payload: object
  readonly isConsumed: boolean
}

/** A record to be kept. */
export interface NewOAuthRecord {
  readonly kind: string
  /** Whoever knows it may use the record. */
  readonly id: string
  readonly payload: object
  /** The consent that it belongs to; it goes with that. */
  readonly grant: string | null
  readonly lifetimeS: number
}

const digestOf = (id: string): Buffer => hash('sha256', id, 'buffer')

/** Statements on records of the authorization server, on the database or in a transaction. */
export const createOAuthRecordStore = (sql: Sql) => ({
  /** In place of the one of its id. What has expired is dropped. */
  async save({ kind, id, payload, grant, lifetimeS }: NewOAuthRecord): Promise<void> {
    const digest = digestOf(id)
    await sql`
      with expired as (delete from oauth_record where expires_at <= now() and (kind, digest) <> (${kind}, ${digest}))
      insert into oauth_record (kind, digest, agent_grant, payload, expires_at)
      values (
        ${kind}, ${digest}, ${grant}::uuid, ${JSON.stringify(payload)}::json, now() + make_interval(secs => ${lifetimeS})
      )
      on conflict (kind, digest) do update set
        agent_grant = excluded.agent_grant, payload = excluded.payload, expires_at = excluded.expires_at`
  },

  async find(kind: string, id: string): Promise<OAuthRecord | null> {
    const [row] = await sql<OAuthRecord[]>`
      select payload, consumed_at is not null as "isConsumed" from oauth_record
      where kind = ${kind} and digest = ${digestOf(id)} and expires_at > now()`
    return row ?? null
  },

  /** Of concurrent callers, on whichever engines, one gets true. */
  async consume(kind: string, id: string): Promise<boolean> {
    const { count } = await sql`
      update oauth_record set consumed_at = now()
      where kind = ${kind} and digest = ${digestOf(id)} and consumed_at is null and expires_at > now()`
    return count === 1
  },

  async remove(kind: string, id: string): Promise<void> {
    await sql`delete from oauth_record where kind = ${kind} and digest = ${digestOf(id)}`
  },

  async removeOfGrant(grant: string): Promise<void> {
    await sql`delete from oauth_record where agent_grant = ${grant}`
  },
})
