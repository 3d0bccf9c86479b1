/**
 * SQL of a base backup of the embedded database. Its statements are of one session, which the embedded database has.
 * @module
 */
import type { Sql } from '../../db/database.ts'

const SLOT = 'flow_service_backup'

/** What belongs to the files of a base backup. */
export interface BaseBackup {
  /** Content of the file `backup_label`. */
  readonly label: string
  /** First and last file of the log that the copy needs. */
  readonly first: string
  readonly last: string
}

/** Statements of a base backup. */
export const createCopyStore = (sql: Sql) => ({
  /** Has the log kept from here on, until {@link dropLog} or the end of the session. */
  async keepLog(): Promise<void> {
    await sql`select pg_create_physical_replication_slot(${SLOT}, true, true)`
  },

  async dropLog(): Promise<void> {
    await sql`select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = ${SLOT}`
  },

  /** Has files be copied; with a checkpoint before, for which everybody waits. The session makes one at a time. */
  async during(copy: () => Promise<void>): Promise<BaseBackup> {
    const end = (): Promise<{ label: string; last: string }[]> => sql`
      select labelfile as label, pg_walfile_name(lsn) as last from pg_backup_stop(false)`
    await sql`select pg_backup_start('flow-service', true)::text`
    await copy().catch(async (error: unknown) => {
      await end()
      throw error
    })
    const [row] = await end()
    const first = /\(file ([0-9A-F]{24})\)/.exec(row?.label ?? '')?.[1]
    if (!row || first === undefined) throw new Error('the database does not tell where its copy begins')
    return { ...row, first }
  },
})
