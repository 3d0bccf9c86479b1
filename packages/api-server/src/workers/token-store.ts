/**
 * SQL of the table `worker_token`.
 * @module
 */
import type { WorkerToken } from '@flow-service/protocol'

import type { Sql } from '../db/database.ts'

/** A row to be. */
export interface NewWorkerToken {
  readonly jti: string
  readonly name: string
  readonly labels: readonly string[]
  /** Seconds since the Unix epoch. */
  readonly issuedAt: number
  readonly expiresAt: number
  /** Made by the engine for workers that it starts itself. */
  readonly provisioned: boolean
}

const columns = (sql: Sql) => sql`jti, name, labels, created_at, expires_at, revoked_at, last_used_at, provisioned`

const isLive = (sql: Sql) => sql`revoked_at is null and expires_at > now()`

/** Statements on tokens of workers. */
export type WorkerTokenStore = ReturnType<typeof createWorkerTokenStore>

/** Statements on tokens of workers, on the database or in a transaction. */
export const createWorkerTokenStore = (sql: Sql) => ({
  /** Lets no other transaction add tokens before this one has ended. */
  async lockForAdding(): Promise<void> {
    await sql`lock table worker_token in share row exclusive mode`
  },

  async isTaken(name: string): Promise<boolean> {
    const rows = await sql`select from worker_token where name = ${name} and ${isLive(sql)} limit 1`
    return rows.length > 0
  },

  async add({ jti, name, labels, issuedAt, expiresAt, provisioned }: NewWorkerToken): Promise<WorkerToken> {
    const [row] = await sql<WorkerToken[]>`
      insert into worker_token (jti, name, labels, created_at, expires_at, provisioned)
      values (${jti}, ${name}, ${[...labels]}::text[], to_timestamp(${issuedAt}), to_timestamp(${expiresAt}),
        ${provisioned})
      returning ${columns(sql)}`
    // an insert without a conflict clause returns its row or throws
    return row as WorkerToken
  },

  /** By name, the newest of a name first. */
  list: (): Promise<WorkerToken[]> =>
    sql<WorkerToken[]>`select ${columns(sql)} from worker_token order by name collate "C", created_at desc`,

  /** The token as it is then, revoked now or before; null when there is none. */
  async revoke(jti: string): Promise<WorkerToken | null> {
    const [row] = await sql<WorkerToken[]>`
      update worker_token set revoked_at = coalesce(revoked_at, now()) where jti = ${jti} returning ${columns(sql)}`
    return row ?? null
  },

  /** Those of the tokens that count. */
  async liveOf(jtis: readonly string[]): Promise<Set<string>> {
    const rows = await sql<{ jti: string }[]>`
      select jti from worker_token where jti = any(${[...jtis]}::uuid[]) and ${isLive(sql)}`
    return new Set(rows.map(({ jti }) => jti))
  },

  /** Notes that the token is used now. A minute later at the earliest, it is noted again. */
  async used(jti: string): Promise<void> {
    await sql`
      update worker_token set last_used_at = now()
      where jti = ${jti} and (last_used_at is null or last_used_at < now() - interval '1 minute')`
  },
})
