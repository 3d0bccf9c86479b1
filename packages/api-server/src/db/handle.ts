/**
 * The handles that the service gets: the driver's, without the methods that take connections.
 * @module
 */
import type postgres from 'postgres'

import { JSONB, type Sql } from './values.ts'

/** Hears of statements, and of parts of statements, which are never sent: they do not end. */
export interface StatementListener {
  made(statement: object): void
  /** Before its caller hears of its end; `error` when it failed. */
  ended(statement: object, error?: unknown): void
}

/** Calls `check`, which may throw, before each statement. */
export function restrict(handle: postgres.ISql, check: () => void, listener?: StatementListener): Sql {
  const watch = <T extends Promise<unknown>>(query: T): T => {
    if (!listener) return query
    listener.made(query)
    const ended = (): void => listener.ended(query)
    const failed = (error: unknown): void => listener.ended(query, error)
    // The driver's own `then` would start a statement that is only a part of another one.
    void Promise.prototype.then.call(query, ended, failed)
    return query
  }
  const run = (first: TemplateStringsArray, ...rest: never[]): unknown => {
    if (!('raw' in first)) return handle(first, ...rest)
    check()
    return watch(handle(first, ...rest))
  }
  const members: Partial<Sql> = {
    array: (...value) => handle.array(...value),
    typed: handle.typed,
    types: handle.types,
    // The driver sends a string for a json column as it is, which suits JSON text; a value is always encoded here.
    json: (value) => handle.typed(JSON.stringify(value), JSONB),
    unsafe(...statement) {
      check()
      return watch(handle.unsafe(...statement))
    },
  }
  return Object.assign(run, members) as unknown as Sql
}
