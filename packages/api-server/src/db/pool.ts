/**
 * The driver's pools with the settings that both backends share.
 * @module
 */
import postgres from 'postgres'

import type { Log } from '../process/log.ts'
import { restrict } from './handle.ts'
import { createTransactions, Lane, type Transactions } from './transaction.ts'
import { type Sql, valueTypes } from './values.ts'

/**
 * What sessions are told of the machine: by its default the planner takes a row found by an index for four times as dear as one
 * that is read in order, as on a turning disk, and reads tables whole of which it knows nothing yet. A new database has no
 * statistics for its first minute, in which claims would read every run.
 */
export const planning = { random_page_cost: 1.1 }

/** How to reach the database. */
export interface PoolOptions {
  url: string
  /** Connections for single statements. */
  statements: number
  /** Connections for transactions. */
  transactions: number
  /** Further options of the driver; for a connection of transactions it is told of which. */
  driver: (lane?: Lane) => object
  log: Log
}

/** Connections for statements and for transactions: a pool of one each for the latter (transaction.T4). */
export interface Pools {
  sql: Sql
  transactions: Transactions
  /** Has connections of another pool know the array types of the server. */
  teach(other: postgres.Sql): void
  /** Waits for what is running, at most `timeout` seconds for single statements. */
  end(timeout?: number): Promise<void>
}

/** What a server tells beside its answers goes to the log; the driver would print it. */
export const told =
  (log: Pick<Log, 'info'>) =>
  (notice: postgres.Notice): void =>
    log.info({ notice }, 'notice of the database')

/** Opens the pools; rejects when the database cannot be reached. */
export async function openPools({ url, statements, transactions, driver, log }: PoolOptions): Promise<Pools> {
  const shared = { types: valueTypes, onnotice: told(log) }
  // Without pipelining: a statement never waits behind a slow one while another connection is free.
  const unpipelined = { ...driver(), ...shared, max_pipeline: 0 }
  const forStatements = postgres(url, { ...unpipelined, max: statements })
  const lanes = Array.from(
    { length: transactions },
    () => new Lane((lane) => postgres(url, { ...driver(lane), ...shared, max: 1 })),
  )
  const pools = [forStatements, ...lanes.map(({ pool }) => pool)]
  const end = async (timeout?: number): Promise<void> => {
    const within = timeout === undefined ? {} : { timeout }
    await Promise.all(pools.map((pool) => pool.end(within)))
  }
  try {
    await learnTypes(
      forStatements,
      lanes.map(({ pool }) => pool),
    )
  } catch (error) {
    await end(0)
    throw error
  }
  const transacting = createTransactions(lanes, log)
  return {
    sql: restrict(forStatements, transacting.assertOutside),
    transactions: transacting,
    teach: (other) => copyTypes(forStatements, other),
    async end(timeout) {
      await transacting.end()
      await end(timeout)
    },
  }
}

/** What the driver has learnt of a server's types. */
interface Learnt {
  readonly parsers: object
  readonly serializers: object
  readonly shared: { readonly typeArrayMap: object }
  fetch_types: boolean
}

/**
 * The driver reads the array types at each new connection, and when that connection breaks meanwhile, it throws outside
 * any promise. The first one is enough, for all pools.
 */
async function learnTypes(first: postgres.Sql, others: readonly postgres.Sql[]): Promise<void> {
  await first`select 1`
  const learnt = first.options as unknown as Learnt
  learnt.fetch_types = false
  for (const other of others) copyTypes(first, other)
}

function copyTypes(first: postgres.Sql, other: postgres.Sql): void {
  const learnt = first.options as unknown as Learnt
  const own = other.options as unknown as Learnt
  Object.assign(own.parsers, learnt.parsers)
  Object.assign(own.serializers, learnt.serializers)
  Object.assign(own.shared.typeArrayMap, learnt.shared.typeArrayMap)
  own.fetch_types = false
}
