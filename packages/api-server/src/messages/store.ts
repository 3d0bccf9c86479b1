/**
 * SQL of last values and message history.
 * @module
 */
import { MAX_HISTORY } from '@flow-service/protocol'

import { affected } from '../db/affected.ts'
import type { Sql } from '../db/database.ts'

/** How long history is kept, whatever its length. */
const HISTORY_DAYS = 7

/** The newest value of a message and how many it got since it was last written. */
export interface LastValueRow {
  readonly message: string
  /** JSON text. */
  readonly value: string
  readonly at: string
  readonly count: number
}

/** Where a value comes from. */
interface Source {
  readonly message: string
  readonly flow: string | null
  readonly node: string | null
  readonly port: string | null
  readonly run: string | null
}

/** What the history has of each value. */
interface Kept extends Source {
  /** JSON text, null when too long to keep. */
  readonly value: string | null
  /** The one that it came about in; null where that is not known. */
  readonly cascade: string | null
  readonly has_refs: boolean
}

/** A value for the history; `us` are microseconds since the Unix epoch. */
export interface PastValueRow extends Kept {
  readonly us: number
  /** How many newer values of the message are written with it. */
  readonly newer: number
}

/** What tells a value that waits to be written: times of one message strictly grow. */
export type PastValueKey = Pick<PastValueRow, 'message' | 'us'>

/** A row of the history; `seq` counts the values that the message ever had. */
export interface HistoryRow extends Kept {
  readonly seq: number
  readonly at: string
}

/** What tells a row of history. */
export type HistoryKey = Pick<HistoryRow, 'message' | 'seq'>

/** A page of history: `since` ≤ at < `before`. */
export interface HistoryPage {
  readonly since?: string | undefined
  readonly before?: string | undefined
  readonly limit: number
}

/** Statements over `message_value` and `message_history`. */
export type MessageStore = ReturnType<typeof createMessageStore>

/** Statements over `message_value` and `message_history`. */
export const createMessageStore = (sql: Sql) => ({
  ...changes,

  /** All last values; `us` are microseconds since the Unix epoch. */
  async readAll(): Promise<{ message: string; value: string; us: number }[]> {
    return sql<{ message: string; value: string; us: number }[]>`
      select message, value, (extract(epoch from at) * 1000000)::int8 as us from message_value`
  },

  /** Last values of the messages of these flows; see `readAll`. */
  async readOf(flows: readonly string[]): Promise<{ message: string; value: string; us: number }[]> {
    return sql<{ message: string; value: string; us: number }[]>`
      select message, value, (extract(epoch from at) * 1000000)::int8 as us from message_value
      where split_part(message, '.', 1) in (select unnest(${[...flows]}::text[]))`
  },

  /** A page of history, newest first. */
  async history(message: string, page: HistoryPage): Promise<HistoryRow[]> {
    return sql<HistoryRow[]>`
      select * from message_history
      where message = ${message}
        and seq > (select seq from message_value where message = ${message}) - ${MAX_HISTORY}
        and at >= greatest(now() - make_interval(days => ${HISTORY_DAYS}), ${page.since ?? '-infinity'}::timestamptz)
        and at < ${page.before ?? 'infinity'}::timestamptz
      order by at desc, seq desc
      limit ${page.limit}`
  },
})

/** Statements of transactions. */
const changes = {
  /**
   * Writes newest values with their history; the number in the history of each, by message. A value that is newer by
   * its time stays the last one.
   */
  async add(tx: Sql, last: readonly LastValueRow[], past: readonly PastValueRow[]): Promise<Map<string, number>> {
    const { sources, source, newer, us, value, cascade, refs } = columnsOf(past)
    const written = await tx<{ message: string; seq: number; past: number }[]>`
      with newest as (
        insert into message_value as v (message, value, at, seq)
        select message, value, at, count from json_to_recordset(${JSON.stringify(last)}::json)
          as t (message text, value text, at timestamptz, count int8)
        on conflict (message) do update set
          seq = v.seq + excluded.seq,
          value = case when excluded.at >= v.at then excluded.value else v.value end,
          at = greatest(v.at, excluded.at)
        returning message, seq
      ), added as (
        insert into message_history (message, seq, at, value, flow, node, port, run, cascade, has_refs)
        select message, newest.seq - newer, timestamptz 'epoch' + us * interval '1 microsecond', t.value,
          flow, node, port, run, cascade, has_refs
        from unnest(${source}::text::int[], ${newer}::text::int[], ${us}::text::int8[],
          string_to_array(${value}::text, ${VALUE_END}::text, ''), ${cascade}::text::uuid[], ${refs}::text::bool[])
          as t (source, newer, us, value, cascade, has_refs)
        join json_to_recordset(${sources}::json) as s (source int, message text, flow text, node text, port text, run uuid)
          using (source)
        join newest using (message)
        returning message
      ) select message, seq, (select count(*)::int from added) as past from newest`
    affected(written, last.length)
    if (written.some((row) => row.past !== past.length)) throw new Error('not all values of the history were written')
    return new Map(written.map(({ message, seq }) => [message, seq]))
  },

  /** Drops what is no longer among the newest; the dropped rows that refer to artifacts. */
  async trim(tx: Sql, newest: readonly (readonly [message: string, seq: number])[]): Promise<HistoryKey[]> {
    const bounds = newest.map(([message, seq]) => ({ message, bound: seq - MAX_HISTORY }))
    return tx<HistoryKey[]>`
      with dropped as (
        delete from message_history h
        using json_to_recordset(${JSON.stringify(bounds)}::json) as t (message text, bound int8)
        where h.message = t.message and h.seq <= t.bound
        returning h.message, h.seq, h.has_refs
      ) select message, seq from dropped where has_refs`
  },

  /** Drops what is older than a week; the dropped rows that refer to artifacts. */
  async expire(tx: Sql): Promise<HistoryKey[]> {
    return tx<HistoryKey[]>`
      with dropped as (
        delete from message_history where at < now() - make_interval(days => ${HISTORY_DAYS})
        returning message, seq, has_refs
      ) select message, seq from dropped where has_refs`
  },

  /** Removes the values of all messages of a flow; its messages, and the rows of history that referred to artifacts. */
  async remove(tx: Sql, flow: string): Promise<{ messages: string[]; withRefs: HistoryKey[] }> {
    const removed = await tx<{ message: string }[]>`
      delete from message_value where split_part(message, '.', 1) = ${flow} returning message`
    const messages = removed.map(({ message }) => message)
    const withRefs = await tx<HistoryKey[]>`
      with dropped as (
        delete from message_history where message = any(${messages}::text[]) returning message, seq, has_refs
      ) select message, seq from dropped where has_refs`
    return { messages, withRefs }
  },

  /** Gives all messages of a flow another flow's name, of which none may exist, and their sources too. */
  async rename(tx: Sql, { from, to }: { from: string; to: string }): Promise<void> {
    const tail = from.length + 1
    await tx`
      update message_history set message = ${to} || substr(message, ${tail}),
        flow = case when flow = ${from} then ${to} else flow end
      where message in (select message from message_value where split_part(message, '.', 1) = ${from})`
    await tx`
      update message_value set message = ${to} || substr(message, ${tail}) where split_part(message, '.', 1) = ${from}`
  },

  /** Which of these values are in the history. A transaction that is about to store some of them is waited for. */
  async stored(tx: Sql, values: readonly PastValueKey[]): Promise<PastValueKey[]> {
    const messages = [...new Set(values.map(({ message }) => message))].toSorted()
    // a message that has no value gets one in this transaction, since nothing of it is stored
    await tx`
      insert into message_value as v (message, value, at, seq)
      select message, 'null', timestamptz 'epoch', 0 from unnest(${messages}::text[]) as t (message)
      on conflict (message) do update set seq = v.seq`
    return tx<PastValueKey[]>`
      select t.message, t.us from json_to_recordset(${JSON.stringify(values)}::json) as t (message text, us int8)
      join message_history h on h.message = t.message and h.at = timestamptz 'epoch' + t.us * interval '1 microsecond'`
  },
}

/** Between two values of a column: JSON text has no control characters. */
const VALUE_END = '\u0001'

/** Values column by column, as texts: to read a busy message's thousand rows as JSON takes the database half as long again. */
function columnsOf(past: readonly PastValueRow[]) {
  const sources: (Source & { readonly source: number })[] = []
  const source = past.map(({ message, flow, node, port, run }) => {
    const before = sources.at(-1)
    const isSame =
      before?.message === message &&
      before.flow === flow &&
      before.node === node &&
      before.port === port &&
      before.run === run
    if (!isSame) sources.push({ source: sources.length, message, flow, node, port, run })
    return sources.length - 1
  })
  return {
    sources: JSON.stringify(sources),
    source: arrayOf(source),
    newer: arrayOf(past.map((row) => row.newer)),
    us: arrayOf(past.map((row) => row.us)),
    value: past.map((row) => row.value ?? '').join(VALUE_END),
    cascade: arrayOf(past.map((row) => row.cascade ?? 'null')),
    refs: arrayOf(past.map((row) => row.has_refs)),
  }
}

const arrayOf = (column: readonly (number | boolean | string)[]): string => `{${column.join(',')}}`
