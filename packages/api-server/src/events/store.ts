/**
 * SQL of the audit trail, the engine's news, dead letters and tickets of the event socket.
 * @module
 */
import type { Actor, DeadLetterReason, EventKind, ObservabilityEvent } from '@flow-service/protocol'
import { validate } from 'uuid'

import type { Sql } from '../db/database.ts'
import type { Guest } from '../http/socket-guests.ts'

/** A row of `engine_event`. */
export interface EventRow {
  readonly id: string
  readonly ts: string
  readonly kind: EventKind
  readonly level: 'info' | 'warning' | 'error'
  readonly flow: string | null
  readonly node: string | null
  readonly action: string
  readonly actor: Actor | null
  readonly detail: Readonly<Record<string, unknown>>
}

/** A row of `dead_letter`; `value` is JSON text. */
export interface DeadLetterRow {
  readonly id: string
  readonly ts: string
  readonly flow: string
  readonly node: string
  readonly message: string | null
  readonly value: string | null
  readonly reason: DeadLetterReason
  readonly attempts: number
  readonly cascade: string | null
  readonly run: string | null
}

/** Rows of a list. Times are engine timestamps or ISO 8601 with an offset; `since` ≤ ts < `before`. */
interface Span {
  readonly flows?: readonly string[] | undefined
  readonly nodes?: readonly string[] | undefined
  readonly since?: string | undefined
  readonly before?: string | undefined
}

/** Which events a list shows. */
export interface EventFilter extends Span {
  readonly kinds?: readonly EventKind[] | undefined
  /** What actions begin with. */
  readonly action?: string | undefined
  /** The id or the e-mail of the user who did it. */
  readonly actor?: string | undefined
  /** As `before`, for whoever reads page after page of a span. */
  readonly until?: string | undefined
}

/** Which dead letters a list shows. */
export interface DeadLetterFilter extends Span {
  readonly reasons?: readonly DeadLetterReason[] | undefined
}

/** The greatest integer of PostgreSQL. */
const MAX_VERSION = 2 ** 31 - 1
/** Days that events and dead letters are kept. */
const KEPT_DAYS = 30
/** Dead letters that a flow keeps: one whose mailbox overflows writes thousands a second. */
const MAX_LETTERS_OF_FLOW = 20_000

const letterColumns = (sql: Sql) => sql`id, ts, flow, node, message, value, reason, attempts, cascade, run`

/** The condition of a list. */
const inSpan = (sql: Sql, { flows, nodes, since, before }: Span) => sql`
  ts >= ${since ?? '-infinity'}::timestamptz and ts < ${before ?? 'infinity'}::timestamptz
  ${flows ? sql`and flow = any(${flows as string[]}::text[])` : sql``}
  ${nodes ? sql`and node = any(${nodes as string[]}::text[])` : sql``}`

/** As a range, which the index knows. */
const beginningWith = (sql: Sql, prefix: string) => sql`
  and action collate "C" >= ${prefix} and action collate "C" <= ${`${prefix}\u{10FFFF}`}`

const doneBy = (sql: Sql, actor: string) =>
  validate(actor)
    ? sql`and actor is not null and actor ->> 'id' = ${actor.toLowerCase()}`
    : sql`and actor is not null and actor ->> 'email' = ${actor}`

/** Statements over `engine_event`, `dead_letter` and `socket_ticket`. */
export const createEventStore = (sql: Sql) => ({
  /** Those that there are already were written by an attempt whose answer was lost. */
  async addEvents(tx: Sql, rows: readonly EventRow[]): Promise<void> {
    // as JSON text within JSON: what a message of somebody else holds need not be text for PostgreSQL
    const texts = rows.map((row) => ({
      ...row,
      actor: row.actor && JSON.stringify(row.actor),
      detail: JSON.stringify(row.detail),
    }))
    await tx`
      insert into engine_event (id, ts, kind, level, flow, node, action, actor, detail)
      select id, ts, kind, level, flow, node, action, actor::json, detail::json
      from json_to_recordset(${JSON.stringify(texts)}::json) as t (id uuid, ts timestamptz, kind text, level text,
        flow text, node text, action text, actor text, detail text)
      on conflict do nothing`
  },

  /** Newest first. */
  async events(filter: EventFilter, limit: number): Promise<ObservabilityEvent[]> {
    return sql<ObservabilityEvent[]>`
      select id, ts, kind, level, flow, node, action, actor, detail from engine_event where ${inSpan(sql, filter)}
      ${filter.kinds ? sql`and kind = any(${filter.kinds as string[]}::text[])` : sql``}
      ${filter.until === undefined ? sql`` : sql`and ts < ${filter.until}::timestamptz`}
      ${filter.action === undefined ? sql`` : beginningWith(sql, filter.action)}
      ${filter.actor === undefined ? sql`` : doneBy(sql, filter.actor)}
      order by ts desc, id desc limit ${limit}`
  },

  /** Drops what is older than 30 days, and the oldest dead letters of flows that have very many. */
  async expire(): Promise<void> {
    await sql`delete from engine_event where ts < now() - make_interval(days => ${KEPT_DAYS})`
    await sql`delete from dead_letter where ts < now() - make_interval(days => ${KEPT_DAYS})`
    await sql`
      delete from dead_letter where id in (
        select id from (select id, row_number() over (partition by flow order by ts desc, id desc) as place from dead_letter) as l
        where place > ${MAX_LETTERS_OF_FLOW})`
  },

  /** As `addEvents`. */
  async addDeadLetters(tx: Sql, rows: readonly DeadLetterRow[]): Promise<void> {
    await tx`
      insert into dead_letter (${letterColumns(tx)})
      select ${letterColumns(tx)}
      from json_to_recordset(${JSON.stringify(rows)}::json) as t (id uuid, ts timestamptz, flow text, node text,
        message text, value text, reason text, attempts int, cascade uuid, run uuid)
      on conflict do nothing`
  },

  /** Newest first. */
  async deadLetters(filter: DeadLetterFilter, limit: number): Promise<DeadLetterRow[]> {
    return sql<DeadLetterRow[]>`
      select ${letterColumns(sql)} from dead_letter where ${inSpan(sql, filter)}
      ${filter.reasons ? sql`and reason = any(${filter.reasons as string[]}::text[])` : sql``}
      order by ts desc, id desc limit ${limit}`
  },

  async deadLetter(id: string): Promise<DeadLetterRow | null> {
    const [row] = await sql<DeadLetterRow[]>`select ${letterColumns(sql)} from dead_letter where id = ${id}`
    return row ?? null
  },

  /** Takes a dead letter away; of several callers one gets it. */
  async takeDeadLetter(tx: Sql, id: string): Promise<DeadLetterRow | null> {
    const [row] = await tx<DeadLetterRow[]>`delete from dead_letter where id = ${id} returning ${letterColumns(tx)}`
    return row ?? null
  },

  /** Takes the oldest of those whose value is kept, in order; what another caller takes at the moment is left out. */
  async takeDeadLetters(tx: Sql, filter: DeadLetterFilter, limit: number): Promise<DeadLetterRow[]> {
    const rows = await tx<DeadLetterRow[]>`
      delete from dead_letter where id in (
        select id from dead_letter where ${inSpan(tx, filter)} and value is not null and run is null
        ${filter.reasons ? tx`and reason = any(${filter.reasons as string[]}::text[])` : tx``}
        order by ts, id limit ${limit} for update skip locked
      ) returning ${letterColumns(tx)}`
    return rows.toSorted((a, b) => (a.ts + a.id < b.ts + b.id ? -1 : 1))
  },

  /** Keeps a ticket for `seconds` and forgets those that nobody used; the time it ends. */
  async addTicket(proof: Buffer, { id, version, endsAtMs = null }: Guest, seconds: number): Promise<string> {
    const [row] = await sql<{ expires_at: string }[]>`
      with expired as (delete from socket_ticket where expires_at <= now())
      insert into socket_ticket (proof, user_id, version, ends_at_ms, expires_at)
      values (${proof}, ${id}, ${version}, ${endsAtMs}, now() + make_interval(secs => ${seconds}))
      returning expires_at`
    if (!row) throw new Error('a ticket wrote no row')
    return row.expires_at
  },

  /** Takes a ticket away; of several callers one gets it. */
  async takeTicket(proof: Buffer): Promise<Guest | undefined> {
    const [row] = await sql<Guest[]>`
      delete from socket_ticket where proof = ${proof} and expires_at > now()
      returning user_id as id, coalesce(version, ${MAX_VERSION}) as version, ends_at_ms as "endsAtMs"`
    return row
  },
})
