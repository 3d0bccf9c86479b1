/**
 * SQL of the artifacts that a backup takes along.
 * @module
 */
import type { Sql } from '../../db/database.ts'

/** Statements on the rows of artifacts. */
export const createBlobStore = (sql: Sql) => ({
  /** Those that something refers to, and those that were stored so lately that a reference may be on its way. */
  all: (): Promise<{ digest: string; size: number }[]> => sql<{ digest: string; size: number }[]>`
    select digest, size from blob
    where exists (select from blob_ref where blob_ref.digest = blob.digest) or touched_at > now() - interval '1 hour'
    order by digest`,
})
