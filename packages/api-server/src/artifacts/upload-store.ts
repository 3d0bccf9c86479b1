/**
 * SQL of the table `artifact_upload`: what clients send to the store of an engine directly.
 * @module
 */
import type { Sql } from '../db/database.ts'
import type { Blob } from './store.ts'

/** Statements on uploads. */
export const createUploadStore = (sql: Sql) => ({
  async add(id: string, { digest, size, name, mediaType }: Blob): Promise<void> {
    await sql`
      insert into artifact_upload (id, digest, size, name, media_type)
      values (${id}, ${digest}, ${size}, ${name}, ${mediaType})`
  },

  async find(id: string): Promise<Blob | undefined> {
    const [row] = await sql<Blob[]>`
      select digest, size, name, media_type as "mediaType" from artifact_upload where id = ${id}`
    return row
  },

  async remove(id: string): Promise<void> {
    await sql`delete from artifact_upload where id = ${id}`
  },

  /** Forgets uploads that nobody has completed for a day. */
  async expire(): Promise<void> {
    await sql`delete from artifact_upload where created_at < now() - interval '1 day'`
  },
})
