/**
 * SQL of the table `provision_request`. States of a row and what moves it are drawn in DESIGN.md.
 * @module
 */
import type { Sql } from '../db/database.ts'

/** Those that are not over. */
export type LiveState = 'submitting' | 'pending' | 'attached' | 'cancelling'

/** A job that was asked for. */
export interface RequestRow {
  readonly id: string
  readonly provisioner: string
  /** Of the scheduler that was asked. */
  readonly place: string
  readonly profile: string
  readonly number: number
  readonly tasks: number
  readonly jti: string
  readonly job: string | null
  readonly state: LiveState | 'ended' | 'failed'
  readonly engine: string | null
  readonly requested_at: string
  /** The same in milliseconds since the Unix epoch. */
  readonly requestedMs: number
  readonly wantedMs: number
  readonly error: string | null
  readonly failures: number
  readonly retryMs: number | null
}

/** A row to be. */
export type NewRequest = Pick<
  RequestRow,
  'id' | 'provisioner' | 'place' | 'profile' | 'number' | 'tasks' | 'jti' | 'engine' | 'failures'
>

/** A provisioner at one cluster: what is known of jobs there says nothing of another one. */
export type RequestOwner = Pick<RequestRow, 'provisioner' | 'place'>

/** Why a request is over before its time; no error is a wish of ours, which counts for nothing. */
export interface Verdict {
  readonly error: string | null
  readonly failures: number
  readonly retryMs: number | null
}

const instant = (sql: Sql, ms: number | null) => sql`to_timestamp(${ms}::double precision / 1000)`
const isOf = (sql: Sql, { provisioner, place }: RequestOwner) => sql`provisioner = ${provisioner} and place = ${place}`
const columns = (sql: Sql) => sql`
  id, provisioner, place, profile, number, tasks, jti, job, state, engine, requested_at, error, failures,
  (extract(epoch from requested_at) * 1000)::double precision as "requestedMs",
  (extract(epoch from wanted_at) * 1000)::double precision as "wantedMs",
  (extract(epoch from retry_at) * 1000)::double precision as "retryMs"`

/** Statements on requests. */
export type RequestStore = ReturnType<typeof createRequestStore>

/** Statements on requests, on the database or in a transaction. */
export const createRequestStore = (sql: Sql) => ({
  /** Those of a provisioner, the newest first. */
  of: (owner: RequestOwner): Promise<RequestRow[]> =>
    sql<RequestRow[]>`
      select ${columns(sql)} from provision_request where ${isOf(sql, owner)}
      order by requested_at desc, number desc`,

  /**
   * Those that are not over and that nobody may have settings for: on a database of one engine all, else those that an engine
   * out of contact made before an instant.
   */
  async left(engine: string | null, beforeMs: number): Promise<RequestRow[]> {
    const isLeft =
      engine === null
        ? sql`engine is null`
        : sql`not engine_in_contact(engine) and requested_at < ${instant(sql, beforeMs)}`
    return await sql<RequestRow[]>`
      select ${columns(sql)} from provision_request
      where state in ('submitting', 'pending', 'attached', 'cancelling') and ${isLeft}`
  },

  /** Takes over those that nobody in contact looks after. */
  async adopt(owner: RequestOwner, engine: string | null, nowMs: number): Promise<void> {
    await sql`
      update provision_request set engine = ${engine}::uuid, wanted_at = ${instant(sql, nowMs)}
      where ${isOf(sql, owner)} and state in ('submitting', 'pending', 'attached', 'cancelling')
        and engine is distinct from ${engine}::uuid and (engine is null or not engine_in_contact(engine))`
  },

  /** Those of the life before, on a database of one engine: their time to be wanted begins again. */
  async revive(owner: RequestOwner, nowMs: number): Promise<void> {
    await sql`
      update provision_request set wanted_at = ${instant(sql, nowMs)}
      where ${isOf(sql, owner)} and engine is null and state in ('submitting', 'pending', 'attached', 'cancelling')`
  },

  /** Of a profile, in place of those that are over. False when one of it is outstanding, at whichever engine. */
  async add(request: NewRequest, nowMs: number): Promise<boolean> {
    const { id, provisioner, place, profile, number, tasks, jti, engine, failures } = request
    await sql`
      delete from provision_request
      where ${isOf(sql, request)} and profile = ${profile} and state in ('ended', 'failed')`
    const rows = await sql`
      insert into provision_request
        (id, provisioner, place, profile, number, tasks, jti, state, engine, requested_at, wanted_at, failures)
      values (${id}, ${provisioner}, ${place}, ${profile}, ${number}, ${tasks}, ${jti}, 'submitting',
        ${engine}::uuid, ${instant(sql, nowMs)}, ${instant(sql, nowMs)}, ${failures})
      on conflict do nothing returning id`
    return rows.length > 0
  },

  /** The scheduler has named the job. The state then; null when the row is over. */
  async submitted(id: string, job: string): Promise<LiveState | null> {
    const [row] = await sql<{ state: LiveState }[]>`
      update provision_request
      set job = ${job}, state = case state when 'submitting' then 'pending' else state end
      where id = ${id} and state in ('submitting', 'attached', 'cancelling') returning state`
    return row?.state ?? null
  },

  /** A worker with this token has attached; the request, if the token is of one. */
  async attached(jti: string): Promise<RequestRow | null> {
    await sql`
      update provision_request set state = 'attached', error = null, failures = 0, retry_at = null
      where jti = ${jti} and state in ('submitting', 'pending')`
    const [row] = await sql<RequestRow[]>`select ${columns(sql)} from provision_request where jti = ${jti}`
    return row ?? null
  },

  /** A call waits for a job of the profile. Noted again once what was noted is so old. */
  async wanted(owner: RequestOwner, profile: string, nowMs: number, oldMs: number): Promise<void> {
    await sql`
      update provision_request set wanted_at = ${instant(sql, nowMs)}
      where ${isOf(sql, owner)} and profile = ${profile} and state in ('submitting', 'pending', 'attached')
        and wanted_at <= ${instant(sql, nowMs - oldMs)}`
  },

  async resize(id: string, tasks: number): Promise<void> {
    await sql`update provision_request set tasks = ${tasks} where id = ${id} and state = 'attached'`
  },

  /** Its job is to be cancelled. False when a worker of it has attached meanwhile, or it is over. */
  async giveUp(id: string, { error, failures, retryMs }: Verdict): Promise<boolean> {
    const { count } = await sql`
      update provision_request
      set state = 'cancelling', error = ${error}, failures = ${failures}, retry_at = ${instant(sql, retryMs)}
      where id = ${id} and state in ('submitting', 'pending')`
    return count > 0
  },

  /** It is over, and is as it was given up. */
  async finish(id: string, from: LiveState): Promise<boolean> {
    const { count } = await sql`
      update provision_request set state = case when error is null then 'ended' else 'failed' end
      where id = ${id} and state = ${from}`
    return count > 0
  },

  /** The profile may be tried at once: somebody has changed something about it. */
  async forgive(owner: RequestOwner): Promise<void> {
    await sql`
      update provision_request set retry_at = null, failures = 0
      where ${isOf(sql, owner)} and state in ('failed', 'cancelling')`
  },
})
