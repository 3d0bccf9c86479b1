/** Engines' artifacts over one database and one store of bytes, of each kind: on a server each has connections of its own. */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { S3mini } from 's3mini'

import { bucket, credentials, type S3Server, s3Servers, urlOf } from '../../../../test/components/s3-servers.ts'
import { type Artifacts, type ArtifactsDeps, createArtifacts, type DeviceBytes } from '../../src/artifacts/artifacts.ts'
import type { ContentStore } from '../../src/artifacts/content-store.ts'
import { openFolderStore } from '../../src/artifacts/folder-store.ts'
import { S3Objects } from '../../src/artifacts/s3/s3-objects.ts'
import { placeOf } from '../../src/artifacts/s3/s3-place.ts'
import { S3Store } from '../../src/artifacts/s3/s3-store.ts'
import { openTransport } from '../../src/artifacts/s3/s3-transport.ts'
import { Staging } from '../../src/artifacts/staging.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import type { Log } from '../../src/process/log.ts'
import { databaseAt } from '../backend.ts'
import { quiet } from '../use-database.ts'

const PREFIX = 'of/tests'

/** No device asks here. */
export const ofDevices: DeviceBytes = { assertStores() {}, assertReads() {} }

/** Where bytes are, beside the engine. */
interface Place {
  /** A store as a further engine opens it, which knows nothing of what was stored before; or as the only one. */
  open(database: Database, isOnly: boolean): Promise<ContentStore>
  read(key: string): Promise<Buffer | null>
  write(key: string, data: Uint8Array<ArrayBuffer>): Promise<void>
  remove(key: string): Promise<void>
  /** Null where objects have no age that can be changed. */
  readonly age: ((key: string, ms: number) => Promise<void>) | null
  /** Ends all stores that were opened. */
  end(): Promise<void>
}

/** A kind of store. */
export interface StoreKind {
  readonly name: string
  place(directory: string): Promise<Place>
}

export const folderKind: StoreKind = { name: 'a folder', place: async (directory) => folderPlace(directory) }

/** All kinds that this machine has. */
export const storeKinds: readonly StoreKind[] = [
  folderKind,
  ...s3Servers.map(({ name, start }) => ({ name, place: (directory: string) => s3Place(directory, start) })),
]

function folderPlace(directory: string): Place {
  const pathOf = (key: string): string => join(directory, 'artifacts', key)
  return {
    open: (_database, isOnly) => openFolderStore(join(directory, 'artifacts'), { shared: !isOnly }),
    read: (key) => readFile(pathOf(key)).catch(() => null),
    async write(key, data) {
      await mkdir(dirname(pathOf(key)), { recursive: true })
      await writeFile(pathOf(key), data)
    },
    remove: (key) => rm(pathOf(key)),
    age: (key, ms) => utimes(pathOf(key), 0, (Date.now() - ms) / 1000),
    end: async () => undefined,
  }
}

async function s3Place(directory: string, start: () => Promise<S3Server>): Promise<Place> {
  const server = await start()
  const opened: ContentStore[] = []
  const { awsAccessKeyId: accessKeyId, awsSecretAccessKey: secretAccessKey } = credentials
  const endpoint = `http://127.0.0.1:${server.port}/${bucket}`
  const client = new S3mini({ endpoint, region: 'eu-central-1', accessKeyId, secretAccessKey })
  const { age } = server
  return {
    async open(database) {
      const store = await openS3(urlOf(server.port, PREFIX), directory, database)
      opened.push(store)
      return store
    },
    async read(key) {
      const data = await client.getObjectArrayBuffer(`${PREFIX}/${key}`)
      return data === null ? null : Buffer.from(data as ArrayBuffer)
    },
    write: async (key, data) => void (await client.putObject(`${PREFIX}/${key}`, data)),
    remove: async (key) => void (await client.deleteObject(`${PREFIX}/${key}`)),
    age: age && ((key, ms) => age(`${PREFIX}/${key}`, ms)),
    async end() {
      await Promise.all(opened.map((store) => store.close()))
      await server[Symbol.asyncDispose]()
    },
  }
}

/** What a store in a bucket is opened with beside its address. */
interface S3Options {
  readonly log?: Log
  readonly silenceMs?: number
  readonly patienceMs?: number
  readonly keys?: { readonly awsAccessKeyId: string; readonly awsSecretAccessKey: string }
}

/** A store in a bucket, as an engine has it, without its `store-id`. */
export async function openS3(
  artifactsUrl: string,
  directory: string,
  database: Pick<Database, 'sql'>,
  { log = quiet, keys = credentials, silenceMs, patienceMs }: S3Options = {},
): Promise<S3Store> {
  const place = placeOf({ artifactsUrl, ...keys, awsSessionToken: null, awsRegion: null })
  const transport = openTransport(silenceMs === undefined ? {} : { silenceMs })
  const objects = new S3Objects({ place, transport, log })
  const staging = await Staging.open(join(directory, 'artifacts', 'tmp'), true)
  const waiting = patienceMs === undefined ? {} : { patienceMs }
  return new S3Store({ objects, staging, database, ...waiting, close: () => transport.close() })
}

/** One engine's view. */
export interface Store {
  readonly database: Database
  readonly content: ContentStore
  readonly artifacts: Artifacts
}

/** Two engines that share everything they can. */
export interface Stores extends AsyncDisposable {
  readonly directory: string
  readonly place: Place
  readonly stores: readonly [Store, Store]
  /** Artifacts of an engine that has just started, without others: it has hashed nothing yet. */
  fresh(options?: Partial<ArtifactsDeps>): Promise<Artifacts>
  /** Uploads on their way. */
  staged(): Promise<string[]>
}

export async function openStores(kind: StoreKind = folderKind): Promise<Stores> {
  const directory = await mkdtemp(join(tmpdir(), 'stores-'))
  const at = { ...(await databaseAt(directory)), log: quiet }
  const database = await openDatabase(at)
  const second = database.backend === 'server' ? await openDatabase(at) : database
  const place = await kind.place(directory)
  const open = async (own: Database, options?: Partial<ArtifactsDeps>): Promise<Store> => {
    const content = await place.open(own, options !== undefined)
    const deps = { database: own, content, onCorrupt: () => undefined, ...options }
    return { database: own, content, artifacts: createArtifacts(deps) }
  }
  return {
    directory,
    place,
    stores: [await open(database), await open(second)],
    fresh: async (options = {}) => (await open(database, options)).artifacts,
    staged: () => readdir(join(directory, 'artifacts', 'tmp')),
    async [Symbol.asyncDispose]() {
      await place.end()
      if (second !== database) await second.close()
      await database.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export const named = { name: '', mediaType: 'application/octet-stream', volatile: false } as const

export const digestOf = (data: Uint8Array): string => `sha256:${createHash('sha256').update(data).digest('hex')}`

/** The key of a digest, which is its path in a folder. */
export const keyOf = (digest: string): string => `sha256/${digest.slice(7, 9)}/${digest.slice(7)}`

/** What is stored under a digest, null without anything. */
export const bytesOf = ({ place }: Stores, digest: string): Promise<Buffer | null> => place.read(keyOf(digest))

/** Changes a bit of what is stored. */
export async function flipBit(stores: Stores, digest: string, at: number): Promise<void> {
  const data = Buffer.from((await bytesOf(stores, digest)) ?? [])
  data[at] = (data[at] ?? 0) ^ 16
  await stores.place.write(keyOf(digest), data)
}

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
