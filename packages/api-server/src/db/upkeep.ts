/**
 * What a PostgreSQL server does in background processes and the embedded one, which has none, never does: checkpoints
 * (else `pg_wal` grows without end) and vacuum.
 * @module
 */
import type { Log } from '../process/log.ts'
import type { Sql } from './values.ts'

/** Running upkeep. */
export interface Upkeep {
  /** Does it a last time and ends. */
  stop(): Promise<void>
}

const INTERVAL_MS = 60_000
const CHECKPOINT_AFTER_BYTES = 64 * 2 ** 20
const VACUUM_AFTER_ROWS = 10_000
/** A large table waits for more changes: this share of its rows, as PostgreSQL's own autovacuum does. */
const VACUUM_AFTER_SHARE = 0.1

/** What upkeep takes. */
export interface UpkeepDeps {
  readonly sql: Sql
  readonly log: Pick<Log, 'warn'>
  /** Resolves when there is no database any more to keep up. */
  readonly failed: Promise<unknown>
}

/** Looks every 60 s. A statement runs at a time when no transaction is open, and makes others wait for it. */
export function startUpkeep({ sql, log, failed }: UpkeepDeps): Upkeep {
  let running = Promise.resolve()
  let isOver = false
  const tick = (): Promise<void> => {
    running = running
      .then(() => (isOver ? undefined : maintain(sql)))
      .catch((error: unknown) => log.warn({ err: error }, 'upkeep of the embedded database failed; it is tried again'))
    return running
  }
  const timer = setInterval(() => void tick(), INTERVAL_MS).unref()
  void failed.then(() => (isOver = true))
  return {
    stop() {
      clearInterval(timer)
      return tick()
    },
  }
}

/** Vacuums the table with the most changes, if they are many, and checkpoints when much was written. */
export async function maintain(sql: Sql): Promise<void> {
  const [table] = await sql<{ name: string }[]>`
    select relid::regclass::text as name from pg_stat_user_tables
    where greatest(n_dead_tup, n_mod_since_analyze) > ${VACUUM_AFTER_ROWS}::int8 + ${VACUUM_AFTER_SHARE}::float8 * n_live_tup
    order by greatest(n_dead_tup, n_mod_since_analyze) desc limit 1`
  if (table) await sql.unsafe(`vacuum (analyze) ${table.name}`)
  const [wal] = await sql<{ bytes: number }[]>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::int8 as bytes from pg_control_checkpoint()`
  if (wal && wal.bytes > CHECKPOINT_AFTER_BYTES) await sql.unsafe('checkpoint')
}
