/**
 * Last values of messages: in memory for everyone who reads them, behind it in the database with their history.
 *
 * A message is *clean*, or *dirty* while values of it wait to be written.
 * - last-values.L1 a value is readable as soon as `record` returns.
 * - last-values.L2 a dirty message is written within {@link LAG_MS}, or at once when somebody waits for its commit; on
 *   a saturated database writing behind takes at most half of its time, and a fifth of it while somebody `waits` for
 *   the database.
 * - last-values.L3 at most `MAX_HISTORY` values of a message wait: more would not be kept anyway.
 * - last-values.L4 times of one message strictly grow, so that a page of history can go on after the time of its last
 *   row.
 * - last-values.L5 what could not be written waits again.
 * - last-values.L6 a value that is published again after a crash counts only when it is newer than the one that is
 *   kept: it, or a later one, has been recorded before.
 * - last-values.L7 what an earlier life may not have written is recovered before anything else is recorded: a value
 *   counts unless the database holds one of its time or a later one. Values of a message are written in the order of
 *   their times.
 * - last-values.L8 who must know that values are written, but is in no hurry, waits until writing behind has come to
 *   them.
 * @module
 */
import type { CascadeId, ValueSource } from '@flow-service/core'
import { flowPart, messagePart, timestampOf } from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Database, Sql } from '../db/database.ts'
import { createGroupWriter, type GroupWriter } from '../db/group-writer.ts'
import type { Fence } from '../engines/fence.ts'
import type { Log } from '../process/log.ts'
import { RecentValues } from './recent-values.ts'
import type { Batch } from './sent-values.ts'
import { createMessageStore, type HistoryPage, type HistoryRow, type MessageStore } from './store.ts'
import { createValueWriter, digestsIn, type ValueWriter } from './value-writer.ts'

/** How far the database may lag behind values that nobody waits for, in milliseconds. */
const LAG_MS = 100
/** How long to wait after a write that failed, in milliseconds. */
const RETRY_MS = 1_000
/** Values that one round of writing behind takes, and while somebody waits for the database. */
const ROUND_VALUES = 10_000
const SHORT_ROUND_VALUES = 1_000
/** How much longer than a round the next one waits while somebody waits for the database. */
const YIELD = 4
const EXPIRE_MS = 3_600_000

/** A message with its last value; ports that publish it know theirs ({@link ValueSource.memo}). */
class Entry {
  readonly message: string
  value: unknown = null
  /** Time of the value in microseconds since the Unix epoch. */
  us = 0
  /** The same of the last one that this engine has to write. */
  ownUs = 0
  readonly waiting = new RecentValues()
  isDirty = false
  /** The latest write of it that is not over; writes of one message end in order. */
  writing: Promise<void> | null = null
  /** Who waits until the value of a time is written (last-values.L8). */
  awaited: { readonly us: number; readonly written: () => void }[] = []
  /** Time of the value that the database held when it was read. */
  loadedUs = 0
  /** The flow was deleted, or is called otherwise now: a value that comes has another entry. */
  isForgotten = false

  constructor(message: string) {
    this.message = message
  }
}

/** What last values are made of. */
export interface LastValuesDeps {
  readonly database: Database
  readonly artifacts: Pick<Artifacts, 'addRefs' | 'dropRefs' | 'moveRefs'>
  /** What keeps this engine from writing for flows that others have; without it there is no other engine. */
  readonly fence?: Pick<Fence, 'refused' | 'refusedOf'>
  readonly log: Pick<Log, 'error'>
  /** Whether others wait for a commit, which goes before what nobody waits for. */
  readonly waits?: () => boolean
}

/** A last value with its time in engine spelling. */
export interface LastValue {
  readonly message: string
  readonly value: unknown
  readonly ts: string
}

/** Hears of a value that was published now; `us` is its time in microseconds since the Unix epoch. Must not block, nor throw. */
export type ValueListener = (message: string, value: unknown, us: number) => void

/** Reads the last values that the database holds and goes on from them. */
export async function openLastValues(deps: LastValuesDeps): Promise<LastValues> {
  const values = new LastValues(deps)
  await values.load()
  return values
}

/** Last values of all messages; made by {@link openLastValues}. */
export class LastValues {
  readonly #deps: LastValuesDeps
  readonly #store: MessageStore
  readonly #values: ValueWriter
  readonly #writer: GroupWriter<Batch>
  readonly #entries = new Map<string, Entry>()
  readonly #expiry: NodeJS.Timeout
  #listeners: readonly ValueListener[] = []
  #dirty: Entry[] = []
  #timer: NodeJS.Timeout | null = null

  constructor(deps: LastValuesDeps) {
    this.#deps = deps
    this.#store = createMessageStore(deps.database.sql)
    const values = createValueWriter(this.#store, deps.artifacts, deps.fence)
    this.#values = values
    this.#writer = createGroupWriter<Batch>(deps.database, (tx, batches) => values.write(tx, batches))
    this.#expiry = setInterval(() => void this.#expire(), EXPIRE_MS).unref()
  }

  /** Reads what the database holds; called before anything is recorded. */
  async load(): Promise<void> {
    for (const { message, value, us } of await this.#store.readAll()) {
      const entry = this.#begin(message)
      entry.value = JSON.parse(value) as unknown
      entry.us = us
      entry.loadedUs = us
      if (digestsIn(entry.value).length > 0) this.#values.holdsRefs(message)
    }
  }

  /**
   * Takes over what other engines have written of the messages of these flows; what this one has recorded itself and is
   * newer stays. What is written by then is not recovered once more (last-values.L7).
   */
  async reread(flows: readonly string[]): Promise<void> {
    await this.flush()
    for (const { message, value, us } of await this.#store.readOf(flows)) {
      const entry = this.#entries.get(message) ?? this.#begin(message)
      entry.loadedUs = Math.max(us, entry.loadedUs)
      if (us <= entry.us) continue
      entry.value = JSON.parse(value) as unknown
      entry.us = us
      if (digestsIn(entry.value).length > 0) this.#values.holdsRefs(message)
    }
  }

  /** Reads what is written of the messages of flows that other engines run; what this one was told and is newer stays. */
  async look(flows: readonly string[]): Promise<void> {
    for (const { message, value, us } of await this.#store.readOf(flows)) this.learn(message, JSON.parse(value), us)
  }

  /** Keeps a value as the last one of its message and as history (last-values.L6), with the cascade that it came about in. */
  record(source: ValueSource, value: unknown, atMs: number, cascade: CascadeId | null = null): void {
    const entry = this.#entryOf(source)
    const us = Math.round(atMs * 1000)
    if (source.again && us <= entry.us) return
    entry.us = Math.max(us, entry.us + 1)
    this.#put(entry, source, value, cascade)
    for (const listener of this.#listeners) listener(entry.message, value, entry.us)
  }

  /** Tells every value from now on, in order, as it is recorded; the result ends that. */
  subscribe(listener: ValueListener): () => void {
    const own: ValueListener = (...value) => listener(...value)
    this.#listeners = [...this.#listeners, own]
    return () => void (this.#listeners = this.#listeners.filter((other) => other !== own))
  }

  /** Records a value of an earlier life, which may be written already (last-values.L7). */
  recover(source: ValueSource, value: unknown, atMs: number): void {
    const entry = this.#entries.get(source.message) ?? this.#begin(source.message)
    const us = Math.round(atMs * 1000)
    if (us <= entry.loadedUs) return
    entry.us = Math.max(us, entry.us + 1)
    this.#put(entry, source, value, null)
  }

  /**
   * A value that another engine has recorded: readable here, and written there; `us` is its time in microseconds. An older one
   * than is known changes nothing.
   */
  hear(message: string, value: unknown, us: number): void {
    // somebody may have been shown it already
    if (us < (this.#entries.get(message)?.us ?? 0)) return
    this.learn(message, value, us)
    for (const listener of this.#listeners) listener(message, value, us)
  }

  /** As `hear`, but tells nobody: it was read, or is shown otherwise. */
  learn(message: string, value: unknown, us: number): void {
    const entry = this.#entries.get(message) ?? this.#begin(message)
    if (us <= entry.us) return
    entry.us = us
    entry.value = value
  }

  /** The last value of a message with its time in microseconds; null until there is one. */
  newestOf(message: string): { readonly message: string; readonly value: unknown; readonly us: number } | null {
    const entry = this.#entries.get(message)
    return entry ? { message, value: entry.value, us: entry.us } : null
  }

  /** The last value of a message; undefined until there is one. */
  get(message: string): LastValue | undefined {
    const entry = this.#entries.get(message)
    return entry && lastValueOf(entry)
  }

  /** When each flow has published last, by its name. */
  newest(): ReadonlyMap<string, string> {
    const newest = new Map<string, number>()
    for (const { message, us } of this.#entries.values()) {
      const flow = flowPart(message)
      newest.set(flow, Math.max(us, newest.get(flow) ?? us))
    }
    return new Map([...newest].map(([flow, us]) => [flow, timestampOf(us)]))
  }

  /** All last values. */
  all(): LastValue[] {
    return [...this.#entries.values()].map(lastValueOf)
  }

  /** Resolves when all values of a message that were recorded before are committed; rejects when they could not be. */
  async commit(message: string): Promise<void> {
    const entry = this.#entries.get(message)
    if (entry) await (entry.isDirty ? this.#send(entry) : entry.writing)
  }

  /** As `commit`, for all messages of a flow. */
  async commitOf(flow: string): Promise<void> {
    const messages = [...this.#entries.keys()].filter((message) => flowPart(message) === flow)
    await Promise.all(messages.map((message) => this.commit(message)))
  }

  /** Resolves when all values that were recorded before are committed, at the pace of writing behind; never rejects. */
  async written(): Promise<void> {
    const owed = [...this.#entries.values()].filter(({ isDirty, writing }) => isDirty || writing !== null)
    await Promise.all(
      owed.map((entry) => new Promise<void>((written) => entry.awaited.push({ us: entry.ownUs, written }))),
    )
  }

  /** A page of the history of a message, newest first; it holds all that was recorded before. */
  async history(message: string, page: HistoryPage): Promise<HistoryRow[]> {
    await this.commit(message)
    return this.#store.history(message, page)
  }

  /** Writes everything that waits; what could not be written is told to the log and waits again. */
  async flush(): Promise<void> {
    let isWritten = true
    while (isWritten && this.#dirty.length > 0) {
      isWritten = await this.#sendBehind(this.#dirty.splice(0))
    }
    await Promise.allSettled([...this.#entries.values()].flatMap(({ writing }) => writing ?? []))
  }

  /** Removes what the database holds of the messages of a flow; {@link LastValues.forget} belongs after the commit. */
  remove(tx: Sql, flow: string): Promise<void> {
    return this.#values.remove(tx, flow)
  }

  /** Drops what memory holds of the messages of a flow, written or not. */
  forget(flow: string): void {
    for (const [message, entry] of this.#entries) {
      if (flowPart(message) !== flow) continue
      this.#entries.delete(message)
      entry.isForgotten = true
      entry.isDirty = false
      entry.waiting.take()
      tellAwaiting(entry, Infinity)
    }
  }

  /** Gives the messages of a flow their new names in the database; {@link LastValues.follow} belongs after the commit. */
  rename(tx: Sql, names: { readonly from: string; readonly to: string }): Promise<void> {
    return this.#values.rename(tx, names)
  }

  /** Gives the messages of a flow their new names in memory, with the values that wait to be written. */
  follow({ from, to }: { readonly from: string; readonly to: string }): void {
    this.forget(to)
    for (const old of [...this.#entries.values()].filter(({ message }) => flowPart(message) === from)) {
      const { value, us, ownUs } = old
      const entry = this.#begin(`${to}.${messagePart(old.message)}`)
      entry.value = value
      entry.us = us
      entry.ownUs = ownUs
      entry.waiting.putBack(old.waiting.take())
      if (entry.waiting.size === 0) continue
      // what is written already, or about to be, is so under the old name
      entry.awaited = old.awaited.splice(0)
      this.#soil(entry)
    }
    this.forget(from)
  }

  /** Writes everything and stops. Nothing may be recorded afterwards. */
  async close(): Promise<void> {
    clearInterval(this.#expiry)
    await this.flush()
    if (this.#timer) clearTimeout(this.#timer)
  }

  /** That of the message of a port; looked up once. */
  #entryOf(source: ValueSource): Entry {
    const { memo } = source
    if (memo instanceof Entry && !memo.isForgotten) return memo
    const entry = this.#entries.get(source.message) ?? this.#begin(source.message)
    source.memo = entry
    return entry
  }

  #begin(message: string): Entry {
    const entry = new Entry(message)
    this.#entries.set(message, entry)
    return entry
  }

  /** Puts a value at the time that its entry has now (last-values.L4). */
  #put(entry: Entry, source: ValueSource, value: unknown, cascade: CascadeId | null): void {
    entry.value = value
    entry.ownUs = entry.us
    entry.waiting.push(entry.us, source, value, cascade)
    if (!entry.isDirty) this.#soil(entry)
  }

  #soil(entry: Entry): void {
    entry.isDirty = true
    this.#dirty.push(entry)
    this.#timer ??= this.#roundIn(LAG_MS)
  }

  #roundIn(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => void this.#round(), delayMs).unref()
  }

  /** One round of writing behind (last-values.L2). */
  async #round(): Promise<void> {
    const startedAt = performance.now()
    const yields = this.#deps.waits?.() === true
    const most = yields ? SHORT_ROUND_VALUES : ROUND_VALUES
    let values = 0
    const last = this.#dirty.findIndex((entry) => (values += entry.waiting.size) >= most)
    const isWritten = await this.#sendBehind(this.#dirty.splice(0, last < 0 ? this.#dirty.length : last + 1))
    const tookMs = performance.now() - startedAt
    const delayMs = isWritten ? Math.max(LAG_MS, yields ? YIELD * tookMs : tookMs) : RETRY_MS
    this.#timer = this.#dirty.length > 0 ? this.#roundIn(delayMs) : null
  }

  async #sendBehind(entries: readonly Entry[]): Promise<boolean> {
    // one that was committed since it became dirty is clean again, or listed once more
    const sent = entries.flatMap((entry) => (entry.isDirty ? [this.#send(entry)] : []))
    const failed = (await Promise.allSettled(sent)).filter((result) => result.status === 'rejected')
    if (failed.length === 0) return true
    this.#deps.log.error({ err: failed[0]?.reason, messages: failed.length }, 'values could not be written; they wait')
    return false
  }

  /** Hands the waiting values of a message to the writer, which writes them after those it was handed before. */
  async #send(entry: Entry): Promise<void> {
    const values = entry.waiting.take()
    entry.isDirty = false
    const writing = this.#write({ message: entry.message, values })
    entry.writing = writing
    try {
      await writing
      tellAwaiting(entry, values.at(-1)?.us ?? 0)
    } catch (error) {
      entry.waiting.putBack(values)
      if (!entry.isDirty && entry.waiting.size > 0) this.#soil(entry)
      throw error
    } finally {
      if (entry.writing === writing) entry.writing = null
    }
  }

  /** Rejects also when the writer throws, as it does inside of somebody's transaction. */
  async #write(batch: Batch): Promise<void> {
    await this.#writer.write(batch)
  }

  async #expire(): Promise<void> {
    try {
      await this.#deps.database.transaction((tx) => this.#values.expire(tx))
    } catch (error) {
      this.#deps.log.error({ err: error }, 'old message history could not be dropped')
    }
  }
}

function tellAwaiting(entry: Entry, writtenUs: number): void {
  const told = entry.awaited.filter(({ us }) => us <= writtenUs)
  if (told.length === 0) return
  entry.awaited = entry.awaited.filter(({ us }) => us > writtenUs)
  for (const { written } of told) written()
}

const lastValueOf = ({ message, value, us }: Entry): LastValue => ({ message, value, ts: timestampOf(us) })
