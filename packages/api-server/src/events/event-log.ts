/**
 * What happened in the engine, kept for operators (wire decision G52): the audit trail, and news of its parts.
 * @module
 */
import { v7 } from 'uuid'

import type { Database, Sql } from '../db/database.ts'
import { createEventStore, type EventRow } from './store.ts'

/** Somebody changed something: `action` is a word like `flow.publish`. */
type AuditEntry = Pick<EventRow, 'action' | 'actor'> & Partial<Pick<EventRow, 'flow' | 'node' | 'detail'>>

/** Something happened that nobody asked for. */
type NewsEntry = Pick<EventRow, 'kind' | 'level' | 'action'> & Partial<Pick<EventRow, 'flow' | 'node' | 'detail'>>

/** Keeps events. */
export interface EventLog {
  /** Writes an entry in the caller's transaction: a change and its entry are committed together or not at all. */
  audit(tx: Sql, entry: AuditEntry): Promise<void>
  /** Writes an entry on its own, soon; a failure goes to the log. */
  report(entry: NewsEntry): void
}

/** An event log on a database. */
export function createEventLog(deps: {
  readonly database: Database
  readonly log: { error(fields: object, message: string): void }
}): EventLog {
  const store = createEventStore(deps.database)
  return {
    audit: (tx, entry) => store.addEvent(tx, { ...blank(), ...entry, kind: 'audit', level: 'info' }),
    report(entry) {
      store.addEvent(deps.database.sql, { ...blank(), ...entry, actor: null }).catch((error: unknown) => {
        deps.log.error({ err: error, entry }, 'an event of the engine could not be kept')
      })
    },
  }
}

const blank = () => ({ id: v7(), flow: null, node: null, detail: {} })
