/**
 * SQL of the artifacts: which bytes there are and who needs them.
 * @module
 */
import type { ArtifactRef } from '@flow-service/protocol'

import type { Database, Sql } from '../db/database.ts'
import type { WithRow } from './content-store.ts'

/** What others may refer to bytes for; `owner` is the id of the thing: a run, a message, a flow, a dashboard. */
export type RefKind = 'run' | 'message' | 'history' | 'flow_input' | 'flow_version' | 'dashboard' | 'cache' | 'code'

/** An owner of references and what it refers to. */
export interface OwnedDigests {
  readonly owner: string
  readonly digests: readonly string[]
}

/** Facts about stored bytes. */
export interface Blob {
  readonly digest: string
  /** In bytes. */
  readonly size: number
  readonly name: string
  readonly mediaType: string
}

/** The reference to bytes. */
export const refOf = (blob: Blob, volatile: boolean): ArtifactRef => ({
  digest: blob.digest,
  name: blob.name,
  media_type: blob.mediaType,
  size: blob.size,
  volatile,
})

/** Makes the row of bytes in a transaction, or names them anew. */
export const rowOf =
  (database: Pick<Database, 'transaction'>, blob: Blob): WithRow =>
  (locked) =>
    database.transaction(async (tx) => {
      const isNew = await createArtifactStore(tx).upload(tx, blob)
      await locked(tx)
      return isNew
    })

/** Statements over `blob` and `blob_ref`. */
export const createArtifactStore = (sql: Sql) => ({
  /**
   * Makes the row of uploaded bytes, or names them anew, and holds its lock until the transaction ends; whether the
   * bytes are new. A sweep that is deleting them is waited for.
   */
  async upload(tx: Sql, blob: Blob): Promise<boolean> {
    const [row] = await tx<{ created: boolean }[]>`
      insert into blob (digest, size, name, media_type)
      values (${blob.digest}, ${blob.size}, ${blob.name}, ${blob.mediaType})
      on conflict (digest) do update
        set touched_at = now(), name = excluded.name, media_type = excluded.media_type
      returning xmax = 0 as created`
    if (!row) throw new Error(`the upload of ${blob.digest} wrote no row`)
    return row.created
  },

  async find(digest: string): Promise<Blob | undefined> {
    const [row] = await sql<Blob[]>`
      select digest, size, name, media_type as "mediaType" from blob where digest = ${digest}`
    return row
  },

  /** Digits of the digests that were uploaded last. */
  async newest(): Promise<string[]> {
    const rows = await sql<{ digest: string }[]>`select digest from blob order by touched_at desc limit 5`
    return rows.map(({ digest }) => digest.slice('sha256:'.length))
  },

  /** Those of the digests that are stored. */
  async known(digests: readonly string[]): Promise<Set<string>> {
    const rows = await sql<{ digest: string }[]>`
      select digest from blob where digest = any(${digests as string[]}::text[])`
    return new Set(rows.map(({ digest }) => digest))
  },

  /** Those of the digests that are not stored; with a transaction the others stay until it ends. */
  async missing(digests: readonly string[], tx?: Sql): Promise<string[]> {
    if (digests.length === 0) return []
    const handle = tx ?? sql
    const rows = await handle<{ digest: string }[]>`
      select digest from blob where digest = any(${digests as string[]}::text[])
      order by digest ${tx ? handle`for key share` : handle``}`
    const stored = new Set(rows.map(({ digest }) => digest))
    return digests.filter((digest) => !stored.has(digest))
  },

  /** Refers to those of the bytes that are stored; a sweep that is deleting them is waited for. */
  async addRefs(tx: Sql, kind: RefKind, owner: string, digests: readonly string[]): Promise<void> {
    await tx`
      insert into blob_ref (digest, kind, owner)
      select digest, ${kind}, ${owner} from blob where digest = any(${digests as string[]}::text[])
      for key share
      on conflict do nothing`
  },

  /** The same for many owners; the rows are locked in one order. */
  async addRefsOf(tx: Sql, kind: RefKind, owners: readonly OwnedDigests[]): Promise<void> {
    if (owners.length === 0) return
    const items = owners.flatMap(({ owner, digests }) => digests.map((digest) => ({ owner, digest })))
    await tx`
      with locked as materialized (
        select digest from blob
        where digest = any(${[...new Set(items.map(({ digest }) => digest))]}::text[])
        order by digest for key share
      )
      insert into blob_ref (digest, kind, owner)
      select item.digest, ${kind}, item.owner
      from json_to_recordset(${JSON.stringify(items)}::json) as item(owner text, digest text)
      join locked on locked.digest = item.digest
      on conflict do nothing`
  },

  /** Hands the references of owners whose id begins with `from` to those whose ids begin with `to` instead. */
  async moveRefs(tx: Sql, kind: RefKind, { from, to }: { from: string; to: string }): Promise<void> {
    await tx`
      update blob_ref set owner = ${to} || substr(owner, ${from.length + 1})
      where kind = ${kind} and starts_with(owner, ${from})`
  },

  async dropRefs(tx: Sql, kind: RefKind, owners: readonly string[]): Promise<void> {
    await tx`delete from blob_ref where kind = ${kind} and owner = any(${owners as string[]}::text[])`
  },
})
