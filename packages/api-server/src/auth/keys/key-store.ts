/**
 * SQL of the table `api_key`.
 * @module
 */
import type { ApiKey, Scope } from '@flow-service/protocol'

import type { Sql } from '../../db/database.ts'

/** A row to be. */
export interface NewKey {
  readonly id: string
  readonly owner: string
  readonly name: string
  readonly prefix: string
  /** SHA-256 of the key. */
  readonly proof: Buffer
  readonly scopes: readonly Scope[]
  /** Null is never. */
  readonly days: number | null
}

/** A key as its check needs it, with its owner as they are now. */
export interface KeyRow {
  readonly id: string
  readonly name: string
  readonly proof: Uint8Array
  readonly scopes: readonly Scope[]
  readonly expiresAt: string | null
  readonly revoked: boolean
  /** Whether it is not yet noted that the key is used in this minute. */
  readonly unnoted: boolean
  readonly owner: string
  readonly email: string
  readonly fullName: string | null
  readonly active: boolean
  readonly superuser: boolean
}

const columns = (sql: Sql) => sql`
  k.id, k.name, k.prefix, k.scopes, json_build_object('id', a.id, 'email', a.email) as owner, k.created_at, k.expires_at,
  k.last_used_at, k.revoked_at`

const isLive = (sql: Sql) => sql`(k.revoked_at is null and (k.expires_at is null or k.expires_at > now()))`

/** Statements on keys, on the database or in a transaction. */
export type KeyStore = ReturnType<typeof createKeyStore>

/** Statements on keys, on the database or in a transaction. */
export const createKeyStore = (sql: Sql) => ({
  /** Lets no other transaction add keys of an owner before this one has ended; false when the owner is gone. */
  async lockForAdding(tx: Sql, owner: string): Promise<boolean> {
    const rows = await tx`select from account where id = ${owner} for no key update`
    return rows.length === 1
  },

  /** The names of the live keys of an owner. */
  async liveNames(owner: string): Promise<Set<string>> {
    const rows = await sql<{ name: string }[]>`
      select k.name from api_key as k where k.owner_id = ${owner} and ${isLive(sql)}`
    return new Set(rows.map(({ name }) => name))
  },

  async add({ id, owner, name, prefix, proof, scopes, days }: NewKey): Promise<ApiKey> {
    const [row] = await sql<ApiKey[]>`
      with k as (
        insert into api_key (id, owner_id, name, prefix, proof, scopes, expires_at)
        values (${id}, ${owner}, ${name}, ${prefix}, ${proof}, ${[...scopes]}::text[],
          now() + make_interval(days => ${days}::int))
        returning *)
      select ${columns(sql)} from k join account as a on a.id = k.owner_id`
    if (!row) throw new Error('a key wrote no row')
    return row
  },

  /** Those of an owner, or of everybody, by owner and name, the newest of a name first. */
  list: (owner: string | null): Promise<ApiKey[]> =>
    sql<ApiKey[]>`
      select ${columns(sql)} from api_key as k join account as a on a.id = k.owner_id
      ${owner === null ? sql`` : sql`where k.owner_id = ${owner}`}
      order by a.email collate "C", k.name collate "C", k.created_at desc, k.id`,

  /** Revokes a key, of this owner unless null; null when there is none, or it was revoked before. */
  async revoke(id: string, owner: string | null): Promise<ApiKey | null> {
    const [row] = await sql<ApiKey[]>`
      with k as (
        update api_key set revoked_at = now()
        where id = ${id} and revoked_at is null ${owner === null ? sql`` : sql`and owner_id = ${owner}`}
        returning *)
      select ${columns(sql)} from k join account as a on a.id = k.owner_id`
    return row ?? null
  },

  /** A key of this owner, or of anybody where that is null. */
  async get(id: string, owner: string | null): Promise<ApiKey | null> {
    const [row] = await sql<ApiKey[]>`
      select ${columns(sql)} from api_key as k join account as a on a.id = k.owner_id
      where k.id = ${id} ${owner === null ? sql`` : sql`and k.owner_id = ${owner}`}`
    return row ?? null
  },

  /** The key of a prefix, whatever has become of it. */
  async find(prefix: string): Promise<KeyRow | null> {
    const [row] = await sql<KeyRow[]>`
      select k.id, k.name, k.proof, k.scopes, k.expires_at as "expiresAt", k.revoked_at is not null as "revoked",
        k.last_used_at is null or k.last_used_at < date_trunc('minute', now()) as "unnoted", a.id as "owner", a.email,
        a.full_name as "fullName", a.is_active as "active", a.is_superuser as "superuser"
      from api_key as k join account as a on a.id = k.owner_id where k.prefix = ${prefix}`
    return row ?? null
  },

  /** Those of the keys that sign somebody in. */
  async liveOf(ids: readonly string[]): Promise<Set<string>> {
    const rows = await sql<{ id: string }[]>`
      select k.id from api_key as k join account as a on a.id = k.owner_id
      where k.id = any(${[...ids]}::uuid[]) and ${isLive(sql)} and a.is_active`
    return new Set(rows.map(({ id }) => id))
  },

  /** Notes that a key is used in this minute, which changes a row once. */
  async used(id: string): Promise<void> {
    await sql`
      update api_key set last_used_at = date_trunc('minute', now())
      where id = ${id} and (last_used_at is null or last_used_at < date_trunc('minute', now()))`
  },
})
