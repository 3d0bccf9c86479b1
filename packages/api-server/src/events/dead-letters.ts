/**
 * Deliveries that ended without being done (wire decisions G15, G52), kept for 30 days. They come in floods (a full
 * mailbox drops thousands a second), so they are written behind, many in one commit, and a flood beyond that is counted.
 * @module
 */
import type { CascadeId, DeadLetter } from '@flow-service/core'
import { type DeadLetterReason, type DeadLetterRecord, MAX_STORED_VALUE_BYTES } from '@flow-service/protocol'

import type { Database, Sql } from '../db/database.ts'
import { createTimestamps } from '../db/timestamps.ts'
import { createWriteBehind } from '../db/write-behind.ts'
import type { Log } from '../process/log.ts'
import { newId } from '../process/new-id.ts'
import { boundedJson } from './bounded-json.ts'
import { ReplayedLetters } from './replayed-letters.ts'
import { createEventStore, type DeadLetterFilter, type DeadLetterRow } from './store.ts'

export type { DeadLetterFilter } from './store.ts'

/** A dead letter as it is kept: `value` is JSON text, null when it was too long. */
export type KeptLetter = DeadLetterRow

/** Keeps dead letters. */
export interface DeadLetters {
  /** Keeps an entry soon; a value over 256 KiB of JSON is kept as null. Never throws, never blocks. */
  record(entry: DeadLetter, atMs: number): void
  /**
   * Resolves, when all that was recorded is committed or given up, to how much of it was waiting. Rejects while the database
   * is away: until it is back what was recorded waits.
   */
  flush(): Promise<number>
  /** As `flush`, however long the database is away. */
  written(): Promise<void>
  /** As `flush`, and gives up what the database does not take now. */
  close(): Promise<void>
  /** Newest first. */
  list(filter: DeadLetterFilter, limit: number): Promise<DeadLetterRecord[]>
  /** An entry, null when there is none. */
  find(id: string): Promise<KeptLetter | null>
  /** Takes an entry away in the caller's transaction; of several callers one gets it, the others null. */
  take(tx: Sql, id: string): Promise<KeptLetter | null>
  /** Takes the oldest entries that can be delivered again, in order. */
  takeOldest(tx: Sql, filter: DeadLetterFilter, limit: number): Promise<KeptLetter[]>
  /** Keeps entries again that were taken. */
  putBack(tx: Sql, letters: readonly KeptLetter[]): Promise<void>
  /** An entry is about to be delivered again in that cascade. If it fails once more it keeps its id. */
  redelivered(letter: KeptLetter, cascade: string): void
  /** A cascade is over: what comes of it later is none of its entries. */
  cascadeEnded(cascade: CascadeId): void
  /** How many there were since the engine has started. */
  counts(): ReadonlyMap<DeadLetterReason, number>
}

/** Dead letters on a database. */
export function createDeadLetters(deps: {
  readonly database: Database
  readonly log: Pick<Log, 'error'>
}): DeadLetters {
  const { database, log } = deps
  const store = createEventStore(database.sql)
  const replayed = new ReplayedLetters()
  const counts = new Map<DeadLetterReason, number>()
  const rowOf = createRows(replayed)
  const writer = createWriteBehind<DeadLetterRow>({
    database,
    insert: (tx, rows) => store.addDeadLetters(tx, rows),
    sizeOf: ({ value }) => value?.length ?? 0,
    onFailed(error, { flow, node, reason }) {
      log.error({ err: error, flow, node, reason }, 'a dead letter is lost')
    },
    onLost(lost) {
      log.error({ lost }, 'dead letters are lost: they came faster than the database takes them')
    },
  })

  const record = (entry: DeadLetter, atMs: number): void => {
    counts.set(entry.reason, (counts.get(entry.reason) ?? 0) + 1)
    writer.add(() => rowOf(entry, atMs))
  }

  return {
    record,
    flush: () => writer.flush(),
    written: () => writer.written(),
    close: () => writer.close(),
    async list(filter, limit) {
      await writer.flush()
      return (await store.deadLetters(filter, limit)).map(shown)
    },
    async find(id) {
      await writer.flush()
      return store.deadLetter(id)
    },
    take: (tx, id) => store.takeDeadLetter(tx, id),
    takeOldest: (tx, filter, limit) => store.takeDeadLetters(tx, filter, limit),
    putBack: (tx, letters) => store.addDeadLetters(tx, letters),
    redelivered: (letter, cascade) => replayed.remember(letter, cascade),
    cascadeEnded: (cascade) => replayed.forget(cascade),
    counts: () => counts,
  }
}

/** Makes rows; their times increase, so that lists can be paged by them. */
function createRows(replayed: ReplayedLetters) {
  let nowMs = 0
  const timestamps = createTimestamps(() => nowMs)
  return (entry: DeadLetter, atMs: number): DeadLetterRow => {
    nowMs = atMs
    const { flow, node, message, value, reason, cascade, run = null } = entry
    const before = replayed.take(entry)
    return {
      id: before?.id ?? newId(),
      ts: timestamps.next(),
      flow,
      node,
      message,
      value: boundedJson(value, MAX_STORED_VALUE_BYTES),
      reason,
      attempts: (before?.attempts ?? 0) + 1,
      cascade,
      run,
    }
  }
}

const shown = ({ node, value, ...row }: DeadLetterRow): DeadLetterRecord => ({
  ...row,
  node: node === '' ? null : node,
  value: value === null ? null : (JSON.parse(value) as DeadLetterRecord['value']),
})
