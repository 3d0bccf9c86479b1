/**
 * SQL of taking stored bytes away. Statements of transactions.
 * @module
 */
import { affected } from '../db/affected.ts'
import type { Sql } from '../db/database.ts'

/** Who keeps bytes from being deleted: a run, a message, a flow and a dashboard by its name, registered code by its digest. */
export interface Holder {
  readonly kind: 'run' | 'message' | 'flow_input' | 'dashboard' | 'code'
  readonly id: string
}

/** Bytes are spared for this long after their upload, in seconds: the reference to them may be on its way. */
const GRACE_S = 3600
const MAX_HOLDERS = 100

/** Statements of one transaction on the tables of the artifacts. */
export const createRemovalStore = (sql: Sql) => ({
  /**
   * Deletes the rows of bytes that nothing refers to and nobody has uploaded within the hour, in the order of their
   * digests: those that were looked at, and those that are gone. Rows that others have in hand are passed over.
   */
  async expire({ after, limit }: { after: string; limit: number }) {
    const rows = await sql<{ digest: string }[]>`
      select digest from blob
      where digest > ${after} and touched_at < now() - make_interval(secs => ${GRACE_S})
        and not exists (select from blob_ref where blob_ref.digest = blob.digest)
      order by digest limit ${limit} for update skip locked`
    const looked = rows.map(({ digest }) => digest)
    // asked again under the locks: a reference may have been committed before they were taken
    const gone = await sql<{ digest: string }[]>`
      delete from blob
      where digest = any(${looked}::text[]) and not exists (select from blob_ref where blob_ref.digest = blob.digest)
      returning digest`
    return { looked, deleted: gone.map(({ digest }) => digest) }
  },

  /**
   * Makes a row for each digest that has none, which is nobody's to see: uploads of the same bytes wait for the end of
   * the transaction. Gives the digests that had none.
   */
  async reserve(digests: readonly string[]): Promise<string[]> {
    const rows = await sql<{ digest: string }[]>`
      insert into blob (digest, size, name, media_type)
      select digest, 0, '', '' from unnest(${digests as string[]}::text[]) as missing(digest) order by digest
      on conflict do nothing
      returning digest`
    return rows.map(({ digest }) => digest)
  },

  /** Takes the rows away that {@link reserve} has made. */
  async unreserve(digests: readonly string[]): Promise<void> {
    affected(await sql`delete from blob where digest = any(${digests as string[]}::text[])`, digests.length)
  },

  /** Holds the row of stored bytes until the transaction ends; false when there is none. */
  lock: async (digest: string): Promise<boolean> =>
    (await sql`select from blob where digest = ${digest} for update`).length > 0,

  /** Who keeps the bytes from being deleted, at most 100. */
  async holders(digest: string): Promise<Holder[]> {
    return sql<Holder[]>`
      select kind, coalesce(flow.name, dashboard.name, owner) as id
      from blob_ref left join flow on kind = 'flow_input' and flow.id::text = owner
      left join dashboard on kind = 'dashboard' and dashboard.id::text = owner
      where digest = ${digest} and kind in ('run', 'message', 'flow_input', 'dashboard', 'code')
      order by kind, id limit ${MAX_HOLDERS}`
  },

  /** Deletes the row of stored bytes, and the references that do not keep it. */
  async remove(digest: string): Promise<void> {
    await sql`delete from blob_ref where digest = ${digest}`
    affected(await sql`delete from blob where digest = ${digest}`, 1)
  },
})
