/**
 * SQL of the audit trail, the engine's news, dead letters and tickets of the event socket.
 * @module
 */
import { affected } from '../db/affected.ts'
import type { Database, Sql } from '../db/database.ts'

/** A row of `engine_event`. */
export interface EventRow {
  readonly id: string
  readonly kind: 'audit' | 'health' | 'alert' | 'worker' | 'device' | 'engine'
  readonly level: 'info' | 'warning' | 'error'
  readonly flow: string | null
  readonly node: string | null
  readonly action: string
  readonly actor: { readonly id: string; readonly email: string } | null
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
  readonly reason: string
  readonly cascade: string | null
}

/** Statements over `engine_event`, `dead_letter` and `socket_ticket`. */
export const createEventStore = (database: Pick<Database, 'sql'>) => ({
  async addEvent(sql: Sql, row: EventRow): Promise<void> {
    await sql`
      insert into engine_event (id, kind, level, flow, node, action, actor, detail)
      values (${row.id}, ${row.kind}, ${row.level}, ${row.flow}, ${row.node}, ${row.action},
        ${row.actor && JSON.stringify(row.actor)}, ${JSON.stringify(row.detail)})`
  },

  async addDeadLetters(tx: Sql, rows: readonly DeadLetterRow[]): Promise<void> {
    const written = await tx`
      insert into dead_letter (id, ts, flow, node, message, value, reason, cascade)
      select id, ts, flow, node, message, value, reason, cascade
      from json_to_recordset(${JSON.stringify(rows)}::json) as t (
        id uuid, ts timestamptz, flow text, node text, message text, value text, reason text, cascade uuid)`
    affected(written, rows.length)
  },

  /** Keeps a ticket for `seconds` and forgets those that nobody used; the time it ends. */
  async addTicket(proof: Buffer, userId: string, seconds: number): Promise<string> {
    const [row] = await database.sql<{ expires_at: string }[]>`
      with expired as (delete from socket_ticket where expires_at <= now())
      insert into socket_ticket (proof, user_id, expires_at)
      values (${proof}, ${userId}, now() + make_interval(secs => ${seconds}))
      returning expires_at`
    if (!row) throw new Error('a ticket wrote no row')
    return row.expires_at
  },

  /** Takes a ticket away; of several callers one gets it. */
  async takeTicket(proof: Buffer): Promise<string | undefined> {
    const [row] = await database.sql<{ user_id: string }[]>`
      delete from socket_ticket where proof = ${proof} and expires_at > now() returning user_id`
    return row?.user_id
  },
})
