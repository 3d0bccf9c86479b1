/**
 * What a backend of the database offers: the embedded one and the server are alike to the service.
 * @module
 */
import type { Log } from '../process/log.ts'
import type { Sql } from './values.ts'

/** How to open the database. */
export interface DatabaseOptions {
  /** Directory of the service's data; the embedded database lives in `db` below it. Made when missing. */
  dataDir: string
  /** `postgres://user:password@host:port/name` of a server; without it the embedded database is used. */
  databaseUrl?: string
  /** What has named the URL, for messages; `SERVICE_DATABASE_URL` unless given. */
  urlFrom?: string
  log: Log
  /** What becomes of the tables before the database is given away: they are brought up to date, unless told otherwise. */
  prepare?: (database: Pick<Database, 'sql' | 'transaction'>) => Promise<void>
}

/** An open database. */
export interface Database {
  readonly backend: 'embedded' | 'server'
  /** Runs single statements. Throws inside an open {@link transaction}: use its handle there. */
  readonly sql: Sql
  /**
   * As {@link sql}, for short statements that must not wait behind others of this engine: on a server they have a connection
   * of their own, shared with notifications.
   */
  readonly prompt: Sql
  /**
   * Runs `fn` in one transaction (read committed) and resolves after the commit; rolls back when `fn` throws. After a
   * serialization failure or a deadlock `fn` runs again, at most 3 times. On the embedded database all others wait:
   * nothing slow may be awaited inside.
   */
  transaction: <T>(fn: (tx: Sql) => Promise<T>) => Promise<T>
  /** Throws when called inside an open transaction of this database. */
  assertOutsideTransaction: () => void
  /**
   * Receives the payloads of a channel from every engine of this database. `onReconnect`: payloads may have been
   * missed, read the state again. Resolves, when listening, to the function that ends it.
   */
  listen(channel: string, onPayload: (payload: string) => void, onReconnect?: () => void): Promise<() => Promise<void>>
  /** Sends at most 7,999 bytes to all listeners, this engine's too. No part of a transaction: call it after commit. */
  notify(channel: string, payload: string): Promise<void>
  /** Resolves when the database is lost for good; the engine cannot go on then. */
  readonly failed: Promise<Error>
  /** Waits for running statements, then closes. */
  close(): Promise<void>
}
