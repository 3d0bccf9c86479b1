/**
 * Deliveries that ended without being done (wire decisions G15, G52). They come in floods (a full mailbox drops
 * thousands a second), so they are written behind, many in one commit, and a flood beyond that is counted.
 * @module
 */
import type { DeadLetter } from '@flow-service/core'
import { MAX_STORED_VALUE_BYTES, timestampOfMs } from '@flow-service/protocol'
import { v7 } from 'uuid'

import type { Database } from '../db/database.ts'
import { createGroupWriter } from '../db/group-writer.ts'
import { boundedJson } from './bounded-json.ts'
import { createEventStore, type DeadLetterRow } from './store.ts'

/** Dead letters that may wait to be written. */
const MAX_WAITING = 10_000

/** Keeps dead letters. */
export interface DeadLetters {
  /** Keeps an entry soon; a value over 256 KiB of JSON is kept as null. Never throws, never blocks. */
  record(entry: DeadLetter, atMs: number): void
  /** Resolves when all that was recorded is committed or given up. */
  flush(): Promise<void>
}

/** Dead letters on a database. */
export function createDeadLetters(deps: {
  readonly database: Database
  readonly log: { error(fields: object, message: string): void }
}): DeadLetters {
  const store = createEventStore(deps.database)
  const writer = createGroupWriter<DeadLetterRow>(deps.database, (tx, rows) => store.addDeadLetters(tx, rows))
  const waiting = new Set<Promise<void>>()
  let lost = 0

  const write = async (row: DeadLetterRow): Promise<void> => {
    try {
      await writer.write(row)
    } catch (error) {
      deps.log.error({ err: error, flow: row.flow, node: row.node, reason: row.reason }, 'a dead letter is lost')
    }
  }
  const reportLost = (): void => {
    if (lost === 0) return
    deps.log.error({ lost }, 'dead letters are lost: they came faster than the database takes them')
    lost = 0
  }

  return {
    record(entry, atMs) {
      if (waiting.size >= MAX_WAITING) {
        lost += 1
        return
      }
      const writing = write(rowOf(entry, atMs))
      waiting.add(writing)
      void writing.then(() => {
        waiting.delete(writing)
        if (waiting.size === 0) reportLost()
      })
    },
    async flush() {
      await Promise.all(waiting)
    },
  }
}

function rowOf({ flow, node, message, value, reason, cascade }: DeadLetter, atMs: number): DeadLetterRow {
  const text = boundedJson(value, MAX_STORED_VALUE_BYTES)
  return { id: v7(), ts: timestampOfMs(atMs), flow, node, message, value: text, reason, cascade }
}
