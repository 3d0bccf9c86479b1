/**
 * SQL of the table `module_manifest`, which has one row at most.
 * @module
 */
import type { Sql } from '../db/database.ts'

/** The manifest that engines of the database have, or are to have. */
export interface ManifestRow {
  readonly requirements: string
  readonly applied_at: string
}

/** Statements on the manifest, on the database or in a transaction. */
export const createManifestStore = (sql: Sql) => ({
  /** Null while nothing was ever applied. */
  async read(): Promise<ManifestRow | null> {
    const [row] = await sql<ManifestRow[]>`select requirements, applied_at from module_manifest`
    return row ?? null
  },

  /** In place of the one before. */
  async put({ requirements, applied_at: at }: ManifestRow, by: string): Promise<void> {
    await sql`
      insert into module_manifest (requirements, applied_at, applied_by)
      values (${requirements}, ${at}::timestamptz, ${by})
      on conflict (one) do update set requirements = excluded.requirements, applied_at = excluded.applied_at,
        applied_by = excluded.applied_by`
  },
})
