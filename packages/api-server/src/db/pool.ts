/**
 * The driver's pools with the settings that both backends share.
 * @module
 */
import postgres from 'postgres'

import type { DatabaseLog } from './backend.ts'
import { restrict } from './handle.ts'
import { createTransactions, type Transactions } from './transaction.ts'
import { type Sql, valueTypes } from './values.ts'

/** How to reach the database. */
export interface PoolOptions {
  url: string
  /** Connections for single statements. */
  statements: number
  /** Connections for transactions. */
  transactions: number
  /** Further options of the driver. */
  driver: object
  log: DatabaseLog
}

/** Two pools: see T4 in transaction.ts. */
export interface Pools {
  sql: Sql
  transactions: Transactions
  /** Waits for what is running, at most `timeout` seconds for single statements. */
  end(timeout?: number): Promise<void>
}

/** Opens the pools; rejects when the database cannot be reached. */
export async function openPools({ url, statements, transactions, driver, log }: PoolOptions): Promise<Pools> {
  const onnotice = (notice: postgres.Notice): void => log.info({ notice }, 'notice of the database')
  const shared = { ...driver, types: valueTypes, onnotice }
  // Without pipelining: a statement never waits behind a slow one while another connection is free.
  const unpipelined = { ...shared, max_pipeline: 0 }
  const forStatements = postgres(url, { ...unpipelined, max: statements })
  const forTransactions = postgres(url, { ...shared, max: transactions })
  const end = async (timeout?: number): Promise<void> => {
    const within = timeout === undefined ? {} : { timeout }
    await Promise.all([forStatements.end(within), forTransactions.end(within)])
  }
  try {
    await Promise.all([forStatements, forTransactions].map(learnTypes))
  } catch (error) {
    await end(0)
    throw error
  }
  const transacting = createTransactions(forTransactions, transactions, log)
  return {
    sql: restrict(forStatements, transacting.assertOutside),
    transactions: transacting,
    async end(timeout) {
      await transacting.end()
      await end(timeout)
    },
  }
}

/**
 * The driver reads the array types at each new connection, and when that connection breaks meanwhile, it throws outside
 * any promise. The first one is enough.
 */
async function learnTypes(pool: postgres.Sql): Promise<void> {
  await pool`select 1`
  pool.options.fetch_types = false
}
