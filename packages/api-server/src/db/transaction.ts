/**
 * Transactions, and the guard around the root handle.
 *
 * - transaction.T1 while a transaction is open, the root handle throws in its callback: on the embedded database, which
 *   has one session, the statement would wait for a session that waits for the statement.
 * - transaction.T2 a handle is dead when its transaction has ended or its connection is lost. The driver would run a
 *   later statement outside any transaction, on whatever connection is there by then.
 * - transaction.T3 nothing is sent on a lost connection, not even ROLLBACK: the driver would throw outside any promise
 *   and so end the process (porsager/postgres issues 1066, 1154).
 * - transaction.T4 a transaction begins on a connection that has no other work: on a busy one the driver can fail to
 *   take it over. So transactions have connections of their own, each in a pool of one: it is known which one a
 *   transaction has.
 * @module
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'

import type postgres from 'postgres'

import type { Log } from '../process/log.ts'
import type { Database } from './backend.ts'
import { restrict } from './handle.ts'
import type { Sql } from './values.ts'

/** A connection for transactions, one at a time. */
export class Lane {
  /** Of this connection alone. */
  readonly pool: postgres.Sql
  /** The transaction whose callback runs now. */
  scope: Scope | null = null

  constructor(open: (lane: Lane) => postgres.Sql) {
    this.pool = open(this)
  }

  /** Whether a transaction is open that waits for no answer: it does something else meanwhile. */
  get isPaused(): boolean {
    return this.scope !== null && ![...this.scope.unanswered].some(isSent)
  }
}

/** Runs transactions on lanes. */
export interface Transactions {
  /** See `Database.transaction`. */
  run: Database['transaction']
  /** Throws when called inside an open transaction (transaction.T1). */
  assertOutside: () => void
  /** Waits for the open transactions; later ones are refused. */
  end(): Promise<void>
}

/** One attempt of a transaction. */
export interface Scope {
  state: 'open' | 'ended' | 'lost'
  /** Statements that have not ended, and parts of statements. */
  readonly unanswered: Set<object>
}

/** The driver notes on a statement that it has been asked for. */
const isSent = (statement: { readonly executed?: boolean }): boolean => statement.executed === true

const RETRIES = 3
const WARN_AFTER_MS = 5_000
/** serialization_failure and deadlock_detected (PostgreSQL manual, appendix A). */
const RETRYABLE = new Set(['40001', '40P01'])

/** Transactions on lanes that nothing else uses (transaction.T4). */
export function createTransactions(lanes: readonly Lane[], log: Pick<Log, 'warn'>): Transactions {
  const current = new AsyncLocalStorage<Scope>()
  const running = new Set<Promise<unknown>>()
  const lent = createLending(lanes)
  let ended = false

  const attempt = async <T>(lane: Lane, fn: (tx: Sql) => Promise<T>, startedAt: Error): Promise<T> => {
    const scope: Scope = { state: 'open', unanswered: new Set() }
    const slow = warnWhenSlow(log, startedAt)
    try {
      const result = await lane.pool.begin(async (connection) => {
        lane.scope = scope
        const value = current.run(scope, runInScope<T>, connection, scope, fn)
        return { value: await value.finally(() => (lane.scope = null)) }
      })
      return result.value as T
    } catch (error) {
      if (scope.state === 'open') scope.state = 'lost'
      throw error
    } finally {
      lane.scope = null
      clearTimeout(slow)
    }
  }

  const attempts = async <T>(fn: (tx: Sql) => Promise<T>, startedAt: Error): Promise<T> => {
    for (let retry = 0; ; retry++) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- the next attempt follows the failure of this one
        return await lent((lane) => attempt(lane, fn, startedAt))
      } catch (error) {
        if (retry === RETRIES || !RETRYABLE.has(sqlState(error))) throw error
      }
    }
  }

  const assertOutside = (): void => {
    if (current.getStore()?.state !== 'open') return
    throw new Error('use the transaction handle: the root handle was used inside database.transaction')
  }

  return {
    assertOutside,
    async run(fn) {
      assertOutside()
      if (ended) throw new Error('the database is closed')
      const result = attempts(fn, new Error('a transaction was started here'))
      running.add(result)
      return result.finally(() => running.delete(result))
    },
    async end() {
      ended = true
      await Promise.allSettled(running)
    },
  }
}

/** The SQLSTATE of a database error (PostgreSQL manual, appendix A); empty for any other. */
export function sqlState(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/**
 * Whether the database has refused a statement, of which nothing is there then: data exceptions, violated constraints,
 * exceeded program limits.
 */
export const isRefused = (error: unknown): boolean => /^(?:22|23|54)/.test(sqlState(error))

/** Whether a unique index, or this one, has refused a row. */
export const isUniqueViolation = (error: unknown, index?: string): boolean =>
  sqlState(error) === '23505' &&
  (index === undefined || (error as { constraint_name?: string }).constraint_name === index)

/** Settles only while the connection is there (transaction.T3): the driver then commits or rolls back on it. */
async function runInScope<T>(
  connection: postgres.TransactionSql,
  scope: Scope,
  fn: (tx: Sql) => Promise<T>,
): Promise<T> {
  const tx = restrict(connection, () => assertUsable(scope), {
    made: (statement) => scope.unanswered.add(statement),
    ended(statement, error) {
      scope.unanswered.delete(statement)
      noteLoss(scope, error)
    },
  })
  try {
    const result = await fn(tx)
    await endScope(scope)
    return result
  } catch (error) {
    // The driver tells a break to the statements first, and to `begin` some microtasks later.
    await setImmediate()
    await endScope(scope)
    throw error
  }
}

/** Never resolves when the connection is lost. */
async function endScope(scope: Scope): Promise<void> {
  if (scope.state === 'lost') await new Promise(() => {})
  scope.state = 'ended'
}

function noteLoss(scope: Scope, error: unknown): void {
  const broken = error instanceof Error && ('syscall' in error || sqlState(error).startsWith('CONNECT'))
  if (broken && scope.state === 'open') scope.state = 'lost'
}

function assertUsable(scope: Scope): void {
  if (scope.state === 'open') return
  throw new Error(
    scope.state === 'lost'
      ? 'the connection of the transaction is lost: nothing of it was saved'
      : 'the transaction has ended: await every statement inside the callback of database.transaction',
  )
}

function warnWhenSlow(log: Pick<Log, 'warn'>, startedAt: Error): NodeJS.Timeout {
  const warn = (): void => {
    log.warn(
      { stack: startedAt.stack },
      `a transaction has been open for ${WARN_AFTER_MS / 1000} s: on the embedded database everybody else waits for it`,
    )
  }
  return setTimeout(warn, WARN_AFTER_MS).unref()
}

/** Lends each item to one task at a time, in order of arrival. */
function createLending<I>(items: readonly I[]): <T>(task: (item: I) => Promise<T>) => Promise<T> {
  const waiting: ((item: I) => void)[] = []
  const free = [...items]
  return async (task) => {
    const item = free.pop() ?? (await new Promise<I>((resolve) => void waiting.push(resolve)))
    try {
      return await task(item)
    } finally {
      const next = waiting.shift()
      if (next) next(item)
      else free.push(item)
    }
  }
}
