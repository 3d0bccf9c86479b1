/**
 * SQL of the tables `alert_config`, which has one row at most, and `alert_subject`.
 * @module
 */
import type { AlertConfig } from '@flow-service/protocol'

import type { Sql } from '../db/database.ts'
import type { Alert } from './alert.ts'

/** What this engine has noticed, to be told or counted. */
export interface Raised {
  readonly alert: Alert
  /** How often. */
  readonly count: number
  /** Which engine has noticed it. */
  readonly engine: string
  /** Known by nobody else: who finds it in the row has the message to send. */
  readonly token: string
  /** In the engine's spelling. */
  readonly at: string
  readonly intervalS: number
}

/** What became of it: to be sent with this count, or counted since the last message. */
interface Verdict {
  readonly sends: boolean
  readonly told: number
  readonly sent_at: string
}

/** A message about what has happened again since the last one. */
export interface Digest {
  readonly latest: Alert
  readonly count: number
}

/** Statements on alerts. */
export type AlertStore = ReturnType<typeof createAlertStore>

/** Seconds within which two engines that both notice something have noticed the same. */
const ECHO_S = 30
/** Days after which a subject is forgotten that was quiet since. */
const QUIET_DAYS = 8

/** Statements on alerts, on the database or in a transaction. */
export const createAlertStore = (sql: Sql) => ({
  /** Null while nothing was ever configured. */
  async config(): Promise<AlertConfig | null> {
    const [row] = await sql<{ config: AlertConfig }[]>`select config from alert_config`
    return row?.config ?? null
  },

  /** In place of the one before. */
  async putConfig(config: AlertConfig, by: string): Promise<void> {
    await sql`
      insert into alert_config (config, changed_by) values (${JSON.stringify(config)}::json, ${by})
      on conflict (one) do update set config = excluded.config, changed_at = now(), changed_by = excluded.changed_by`
  },

  /** Forgets what alerts were about, but for these events. */
  async keep(events: readonly string[]): Promise<void> {
    await sql`delete from alert_subject where not (event = any(${events as string[]}::text[]))`
  },

  /** One statement decides for all engines who sends (alerts.A1). */
  async raise({ alert, count, engine, token, at, intervalS }: Raised): Promise<Verdict> {
    const { event, subject, everywhere } = alert
    const isEcho = sql`(${everywhere}::boolean and known.raised_by <> excluded.raised_by
      and known.raised_at > excluded.raised_at - make_interval(secs => ${ECHO_S}))`
    const sends = sql`(not ${isEcho} and known.sent_at + make_interval(secs => ${intervalS}) <= excluded.sent_at)`
    const [row] = await sql<Verdict[]>`
      insert into alert_subject as known
        (event, subject, sent_at, sent_by, told, repeats, raised_at, raised_by, latest)
      values (${event}, ${subject}, ${at}::timestamptz, ${token}::uuid, ${count}, 0, ${at}::timestamptz, ${engine},
        ${JSON.stringify(alert)}::json)
      on conflict (event, subject) do update set
        sent_at = case when ${sends} then excluded.sent_at else known.sent_at end,
        sent_by = case when ${sends} then excluded.sent_by else known.sent_by end,
        told = case when ${sends} then known.repeats + excluded.told else known.told end,
        repeats = case when ${sends} then 0 when ${isEcho} then known.repeats else known.repeats + excluded.told end,
        raised_at = case when ${isEcho} then known.raised_at else excluded.raised_at end,
        raised_by = case when ${isEcho} then known.raised_by else excluded.raised_by end,
        latest = excluded.latest
      returning sent_by = ${token}::uuid as sends, told, sent_at`
    if (!row) throw new Error('an alert wrote no row')
    return row
  },

  /** What has happened again in intervals that are over, each for one engine alone. */
  async digests(at: string, intervalS: number, token: string): Promise<Digest[]> {
    return sql<Digest[]>`
      with due as (
        select event, subject from alert_subject
        where repeats > 0 and sent_at + make_interval(secs => ${intervalS}) <= ${at}::timestamptz
        order by sent_at limit 100 for update skip locked
      )
      update alert_subject as known
      set sent_at = ${at}::timestamptz, sent_by = ${token}::uuid, told = known.repeats, repeats = 0
      from due where known.event = due.event and known.subject = due.subject
      returning known.latest, known.told as count`
  },

  /** When the oldest message was sent about something that has happened again since; null for none. */
  async oldest(): Promise<string | null> {
    const [row] = await sql<{ sent_at: string | null }[]>`
      select min(sent_at) as sent_at from alert_subject where repeats > 0`
    return row?.sent_at ?? null
  },

  /** Forgets what was quiet for long. */
  async expire(at: string): Promise<void> {
    await sql`
      delete from alert_subject
      where repeats = 0 and sent_at < ${at}::timestamptz - make_interval(days => ${QUIET_DAYS})`
  },
})
