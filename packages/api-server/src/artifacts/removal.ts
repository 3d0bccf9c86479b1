/**
 * Takes stored bytes away: those that nothing needs any more, and those that a superuser deletes. DESIGN.md beside this
 * file says in which order, and why (removal.A1-A5).
 * @module
 */
import type { Database, Sql } from '../db/database.ts'
import { ProblemError } from '../http/errors.ts'
import type { ContentStore, Kept, Removed } from './content-store.ts'
import { createRemovalStore, type Holder } from './removal-store.ts'

/** What one sweep took away. */
export interface Swept {
  /** Digests that nothing referred to. */
  readonly artifacts: number
  /** Bytes that no row knew, left behind by a crash. */
  readonly orphans: number
  /** Uploads that nobody has continued for a day. */
  readonly uploads: number
  /** Room that artifacts and orphans took, in bytes. */
  readonly bytes: number
}

/** What removing works on. */
export interface RemovalDeps {
  readonly database: Pick<Database, 'transaction'>
  /** Those of the digests that have a row. */
  readonly known: (digests: readonly string[]) => Promise<ReadonlySet<string>>
  readonly content: ContentStore
}

/** Rows or files that are handled together. */
const BATCH = 200

/** Takes bytes away. */
export interface Removal {
  /** One pass over all rows and files; stops between two batches when told so. */
  sweep(signal: AbortSignal): Promise<Swept>
  /**
   * Deletes the bytes of a digest; whether they were stored. `note` runs in the same transaction. Refuses with `in_use`
   * while a run, a last value, a flow, a dashboard or registered code refers to them.
   */
  remove(digest: string, note: (tx: Sql) => Promise<void>): Promise<boolean>
}

/** Removal from a database and a content store. */
export function createRemoval({ database, known, content }: RemovalDeps): Removal {
  /** Removes the bytes of digests without a row (removal.A3). */
  const removeFiles = (digests: readonly string[]): Promise<readonly Removed[]> =>
    content.remove((reserved) =>
      database.transaction(async (tx) => {
        const store = createRemovalStore(tx)
        const free = await store.reserve(digests)
        await reserved(tx, free.map(hexOf))
        await store.unreserve(free)
      }),
    )

  const sweepRows = async (signal: AbortSignal): Promise<{ count: number; bytes: number }> => {
    let [count, bytes, after] = [0, 0, '']
    while (!signal.aborted) {
      const from = after
      // oxlint-disable-next-line no-await-in-loop -- batch after batch
      const { looked, deleted } = await database.transaction((tx) =>
        createRemovalStore(tx).expire({ after: from, limit: BATCH }),
      )
      // oxlint-disable-next-line no-await-in-loop -- as above
      const files = deleted.length > 0 ? await removeFiles(deleted) : []
      count += deleted.length
      bytes += sizeOf(files)
      const last = looked.at(-1)
      if (last === undefined || looked.length < BATCH) break
      after = last
    }
    return { count, bytes }
  }

  const sweepOrphans = async (signal: AbortSignal): Promise<{ count: number; bytes: number }> => {
    let [count, bytes] = [0, 0]
    for await (const kept of content.all()) {
      for (let at = 0; at < kept.length && !signal.aborted; at += BATCH) {
        // oxlint-disable-next-line no-await-in-loop -- batch after batch
        const files = await removeOrphans(kept.slice(at, at + BATCH))
        count += files.length
        bytes += sizeOf(files)
      }
      if (signal.aborted) break
    }
    return { count, bytes }
  }

  const removeOrphans = async (kept: readonly Kept[]): Promise<readonly Removed[]> => {
    const stored = await known(kept.map(digestOf))
    const unknown = kept.filter((each) => !stored.has(digestOf(each)))
    const old = await Promise.all(unknown.map((each) => each.isOld()))
    const orphans = unknown.filter((_, at) => old[at])
    return orphans.length > 0 ? removeFiles(orphans.map(digestOf)) : []
  }

  return {
    async sweep(signal) {
      const rows = await sweepRows(signal)
      const orphans = await sweepOrphans(signal)
      const uploads = await content.dropDeadUploads()
      return { artifacts: rows.count, orphans: orphans.count, uploads, bytes: rows.bytes + orphans.bytes }
    },

    async remove(digest, note) {
      const isStored = await database.transaction(async (tx) => {
        const store = createRemovalStore(tx)
        if (!(await store.lock(digest))) return false
        const holders = await store.holders(digest)
        if (holders.length > 0) throw inUse(digest, holders)
        await note(tx)
        await store.remove(digest)
        return true
      })
      if (isStored) await removeFiles([digest])
      return isStored
    },
  }
}

function inUse(digest: string, holders: readonly Holder[]): ProblemError {
  const [first] = holders
  const detail = `${digest} is needed, by ${first?.kind} ${first?.id} for one`
  return new ProblemError('in_use', detail, { used_by: holders })
}

const hexOf = (digest: string): string => digest.slice('sha256:'.length)
const digestOf = ({ hex }: Kept): string => `sha256:${hex}`
const sizeOf = (files: readonly Removed[]): number => files.reduce((sum, { size }) => sum + size, 0)
