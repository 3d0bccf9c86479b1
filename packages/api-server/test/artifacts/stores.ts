/** Engines' artifacts over one database and one directory: on a server each has connections of its own. */
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type Artifacts, createArtifacts, type DeviceBytes } from '../../src/artifacts/artifacts.ts'
import { type FolderStore, openFolderStore } from '../../src/artifacts/folder-store.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { databaseAt } from '../backend.ts'

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** No device asks here. */
export const ofDevices: DeviceBytes = { assertStores() {}, assertReads() {} }

/** One engine's view. */
export interface Store {
  readonly database: Database
  readonly content: FolderStore
  readonly artifacts: Artifacts
}

/** Two engines that share everything they can. */
export interface Stores extends AsyncDisposable {
  readonly directory: string
  readonly stores: readonly [Store, Store]
}

export async function openStores(): Promise<Stores> {
  const directory = await mkdtemp(join(tmpdir(), 'stores-'))
  const place = { ...(await databaseAt(directory)), log: quiet }
  const database = await openDatabase(place)
  const second = database.backend === 'server' ? await openDatabase(place) : database
  const open = async (own: Database): Promise<Store> => {
    const content = await openFolderStore(join(directory, 'artifacts'), { shared: true })
    return {
      database: own,
      content,
      artifacts: createArtifacts({ database: own, content, onCorrupt: () => undefined }),
    }
  }
  return {
    directory,
    stores: [await open(database), await open(second)],
    async [Symbol.asyncDispose]() {
      if (second !== database) await second.close()
      await database.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export const named = { name: '', mediaType: 'application/octet-stream', volatile: false } as const

export const digestOf = (data: Uint8Array): string => `sha256:${createHash('sha256').update(data).digest('hex')}`

/** The file of a digest. */
export const fileOf = ({ directory }: Stores, digest: string): string =>
  join(directory, 'artifacts', 'sha256', digest.slice(7, 9), digest.slice(7))

/** What the file of a digest holds, null without one. */
export const fileOrNull = (stores: Stores, digest: string): Promise<Buffer | null> =>
  readFile(fileOf(stores, digest)).catch(() => null)

/** Stores bytes as if that had been two hours ago. */
export async function storeLongAgo({ database, artifacts }: Store, list: readonly Uint8Array[]): Promise<string[]> {
  const puts = await Promise.all(list.map((data) => artifacts.put(data, named)))
  const digests = puts.map(({ ref }) => ref.digest)
  await database.sql`update blob set touched_at = now() - interval '2 hours' where digest = any(${digests}::text[])`
  return digests
}

/** Which of the digests something refers to. */
export async function referred({ database }: Store, digests: readonly string[]): Promise<Set<string>> {
  const rows = await database.sql<{ digest: string }[]>`
    select distinct digest from blob_ref where digest = any(${digests as string[]}::text[])`
  return new Set(rows.map(({ digest }) => digest))
}
