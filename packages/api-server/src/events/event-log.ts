/**
 * What happened in the engine, kept for operators for 30 days (wire decision G52): the audit trail, and news of its
 * parts. News are written behind, many in one commit; a flood of them is counted in the log.
 * @module
 */
import { type Actor, type ObservabilityEvent, timestampOfMs } from '@flow-service/protocol'

import type { Database, Sql } from '../db/database.ts'
import { createTimestamps } from '../db/timestamps.ts'
import { createWriteBehind } from '../db/write-behind.ts'
import type { UserPrincipal } from '../http/principal.ts'
import type { Log } from '../process/log.ts'
import { newId } from '../process/new-id.ts'
import { createEventStore, type EventFilter, type EventRow } from './store.ts'

/** Somebody changed something: `action` is a word like `flow.publish`. */
type AuditEntry = Pick<EventRow, 'action' | 'actor'> & Partial<Pick<EventRow, 'flow' | 'node' | 'detail'>>

/** Something happened that nobody asked for. */
export type NewsEntry = Pick<EventRow, 'kind' | 'level' | 'action'> &
  Partial<Pick<EventRow, 'flow' | 'node' | 'detail'>>

/** A user as the audit trail names them. */
export const actorOf = ({ id, email, grant }: Pick<UserPrincipal, 'id' | 'email' | 'grant'>): Actor => ({
  id,
  email,
  via: grant.via,
  name: grant.name,
})

/** Keeps events. */
export interface EventLog {
  /** Writes an entry in the caller's transaction: a change and its entry are committed together or not at all. */
  audit(tx: Sql, entry: AuditEntry): Promise<void>
  /** Writes an entry about a change that is made already, soon: where it is none of one transaction. */
  note(entry: AuditEntry): void
  /** Writes an entry on its own, soon; a failure goes to the log. `atMs` is now unless given. */
  report(entry: NewsEntry, atMs?: number): void
  /**
   * Resolves, when all that was reported is committed or given up, to how much of it was waiting. Rejects while the database
   * is away: until it is back what was reported waits.
   */
  flush(): Promise<number>
  /** As `flush`, and gives up what the database does not take now. */
  close(): Promise<void>
  /** Newest first. */
  list(filter: EventFilter, limit: number): Promise<ObservabilityEvent[]>
  /** Drops events and dead letters that are too old to be kept. */
  expire(): Promise<void>
}

/** An event log on a database. */
export function createEventLog(deps: { readonly database: Database; readonly log: Pick<Log, 'error'> }): EventLog {
  const { database, log } = deps
  const store = createEventStore(database.sql)
  const timestamps = createTimestamps(() => Date.now())
  const blank = () => ({ id: newId(), ts: timestamps.next(), flow: null, node: null, actor: null, detail: {} })
  const writer = createWriteBehind<EventRow>({
    database,
    insert: (tx, rows) => store.addEvents(tx, rows),
    sizeOf: () => 0,
    onFailed(error, row) {
      log.error({ err: error, entry: row }, 'an event of the engine could not be kept')
    },
    onLost(lost) {
      log.error({ lost }, 'events of the engine are lost: they came faster than the database takes them')
    },
  })

  return {
    audit: (tx, entry) => store.addEvents(tx, [{ ...blank(), ...entry, kind: 'audit', level: 'info' }]),
    note(entry) {
      writer.add(() => ({ ...blank(), ...entry, kind: 'audit', level: 'info' }))
    },
    report(entry, atMs) {
      const at = atMs === undefined ? {} : { ts: timestampOfMs(atMs) }
      writer.add(() => ({ ...blank(), ...at, ...entry }))
    },
    flush: () => writer.flush(),
    close: () => writer.close(),
    async list(filter, limit) {
      await writer.flush()
      return store.events(filter, limit)
    },
    expire: () => store.expire(),
  }
}
