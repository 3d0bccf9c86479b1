/**
 * The database on a PostgreSQL server.
 * @module
 */
import postgres from 'postgres'

import type { Database, DatabaseOptions } from './backend.ts'
import { ConnectionWatch } from './connection-watch.ts'
import { restrict } from './handle.ts'
import { upToDate } from './migrate.ts'
import { serverNotifier } from './notify.ts'
import { once } from './once.ts'
import { openPools, planning, type Pools, told } from './pool.ts'
import type { Lane } from './transaction.ts'
import { valueTypes } from './values.ts'

const OLDEST_VERSION = 14
/** Connections of one engine; notifications take two more. */
const STATEMENTS = 5
const TRANSACTIONS = 5
/** Seconds. The driver waits without end for a statement whose connection broke. */
const END_TIMEOUT = 2

/** How long a connection may be silent before it is looked into; it is closed within 30 s. */
const PATIENCE_MS = 20_000

/** Opens a database on a server; see `openDatabase`. `patienceMs` is how long a connection may be silent. */
export async function openServer(
  { databaseUrl, urlFrom = 'SERVICE_DATABASE_URL', log, prepare = upToDate }: DatabaseOptions & { databaseUrl: string },
  patienceMs = PATIENCE_MS,
): Promise<Database> {
  const open = async (settings: object): Promise<{ watch: ConnectionWatch; pools: Pools }> => {
    const watch = new ConnectionWatch(databaseUrl, patienceMs, settings)
    const driver = (lane?: Lane): object => watch.forStatements(lane ?? null)
    try {
      const options = { url: databaseUrl, statements: STATEMENTS, transactions: TRANSACTIONS, driver, log }
      return { watch, pools: await openPools(options) }
    } catch (error) {
      watch.close()
      throw error
    }
  }
  const { watch, pools } = await reach(databaseUrl, urlFrom, () =>
    // a pooler in between may let no settings through
    open(planning).catch((error: unknown) => (isRefusedSetting(error) ? open({}) : Promise.reject(error))),
  )
  const signals = postgres(databaseUrl, {
    ...watch.forSignals(),
    types: valueTypes,
    max: 1,
    fetch_types: false,
    onnotice: told(log),
  })
  const close = once(async () => {
    watch.close()
    await Promise.all([pools.end(END_TIMEOUT), signals.end({ timeout: END_TIMEOUT })])
  })
  const { sql, transactions } = pools
  pools.teach(signals)
  try {
    await assertVersion(pools, databaseUrl)
    await prepare({ sql, transaction: transactions.run })
    await watch.pulse(signals)
  } catch (error) {
    await close()
    throw error
  }
  return {
    backend: 'server',
    sql,
    prompt: restrict(signals, transactions.assertOutside),
    transaction: transactions.run,
    assertOutsideTransaction: transactions.assertOutside,
    ...serverNotifier(signals),
    // The driver connects again for as long as it takes: there is no moment at which a server is lost for good.
    failed: new Promise(() => {}),
    close,
  }
}

/** Whether a connection was refused because of {@link planning}. */
const isRefusedSetting = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && Object.keys(planning).some((name) => error.message.includes(name))

async function assertVersion({ sql }: Pools, url: string): Promise<void> {
  const [row] = await sql<{ version: number }[]>`select current_setting('server_version_num')::int / 10000 as version`
  if (row && row.version >= OLDEST_VERSION) return
  throw new Error(
    `the database server ${placeOf(url)} is PostgreSQL ${row?.version}: ${OLDEST_VERSION} or newer is needed`,
  )
}

async function reach<T>(url: string, urlFrom: string, connect: () => Promise<T>): Promise<T> {
  try {
    return await connect()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `cannot use the database server ${placeOf(url)}: ${reason}; check ${urlFrom}`
    throw new Error(message, { cause: error })
  }
}

/** Host, port and name, without the password. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return host + pathname
}
