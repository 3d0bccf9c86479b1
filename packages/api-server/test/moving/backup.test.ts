/** Backups of the embedded database, and what becomes of them. */
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'

import { afterAll, expect, test } from 'vitest'

import { createArtifacts } from '../../src/artifacts/artifacts.ts'
import { openFolderStore } from '../../src/artifacts/folder-store.ts'
import { openArtifactFolder } from '../../src/artifacts/offline.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { applyMissing, readMigrations, recordMigrations } from '../../src/db/migrate.ts'
import { bytesOf } from '../../src/moving/backup/artifact-bytes.ts'
import { checkBackupFile, filePieces, writeBackupFile } from '../../src/moving/backup/backup-file.ts'
import { backupBytes } from '../../src/moving/backup/backup.ts'
import { openBackups } from '../../src/moving/backup/backups.ts'
import { inspectBackup, restoreBackup, type RestoreOptions } from '../../src/moving/backup/restore.ts'
import { openPlace } from '../../src/moving/places.ts'
import { quiet } from '../use-database.ts'
import { digestsOf, fill, Folders, withDatabase } from './filled.ts'

const folders = new Folders()
afterAll(() => folders[Symbol.asyncDispose]())

/** What somebody keeps in a data directory. */
const OWN = 'backup-of-mine'
const noAudit = async (): Promise<void> => {}

const isCopy = (name: string): boolean => name.startsWith('backup-') && name !== OWN

/** An engine's database with artifacts, as far as backups need one. */
async function opened(values: number) {
  const dataDir = await folders.fresh()
  await mkdir(join(dataDir, OWN))
  // goes when the engine opens
  await mkdir(join(dataDir, 'backup-01a2b3c4-0000-4000-8000-000000000000'))
  const database = await openDatabase({ dataDir, log: quiet })
  await fill(database.sql, values)
  const content = await openFolderStore(join(dataDir, 'artifacts'))
  const artifacts = createArtifacts({ database, content, onCorrupt() {} })
  const backups = await openBackups({ config: { artifactsUrl: null, databaseUrl: null, dataDir }, database, artifacts })
  const file = join(await folders.fresh(), 'engine.backup')
  return { dataDir, database, artifacts, backups, file, [Symbol.asyncDispose]: () => database.close() }
}

/** Stores bytes that something refers to. */
async function stored(
  { artifacts, database }: { artifacts: ReturnType<typeof createArtifacts>; database: Database },
  bytes: Uint8Array,
): Promise<string> {
  const { ref } = await artifacts.put(bytes, { name: 'a.bin', mediaType: 'application/octet-stream', volatile: false })
  await database.transaction((tx) => artifacts.addRefs(tx, 'run', 'one', [ref.digest]))
  return ref.digest
}

/** A backup of a filled database, which is closed. */
async function made(values = 500) {
  const engine = await opened(values)
  const digest = await stored(engine, Buffer.alloc(100_000, 'artifact'))
  await writeBackupFile(engine.file, engine.backups.make({ artifacts: undefined }, noAudit))
  const digests = await digestsOf(engine.database.sql)
  await engine.database.close()
  return { file: engine.file, digest, digests }
}

async function restoring(
  file: string,
  more: Partial<RestoreOptions> = {},
): Promise<RestoreOptions & { dataDir: string }> {
  const dataDir = await folders.fresh()
  return {
    file,
    to: { kind: 'embedded', dataDir },
    dataDir,
    openArtifacts: () => openArtifactFolder({ artifactsDir: null, dataDir }),
    ...more,
  }
}

test('a backup has all rows and artifacts, and is restored into an empty directory', async () => {
  const { file, digest, digests } = await made()
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(join(file, '..'))).toEqual(['engine.backup'])
  const options = await restoring(file)
  const restored = await restoreBackup(options)
  expect(restored.end.artifacts).toMatchObject({ count: 1, bytes: 100_000, missing: [] })
  await withDatabase(options, async (database) => {
    expect(await digestsOf(database.sql)).toEqual(digests)
    const [next] = await database.sql<
      { id: number }[]
    >`insert into run_shape (digest, fields) values ('next', '[]') returning id`
    expect(next?.id).toBe(6)
    const content = await openFolderStore(join(options.dataDir, 'artifacts'))
    const bytes = await createArtifacts({ database, content, onCorrupt() {} }).read(digest)
    expect(Buffer.from(bytes).equals(Buffer.alloc(100_000, 'artifact'))).toBe(true)
  })
})

test('what was acknowledged before a backup began is in it, and the engine writes on meanwhile (embedded-copy.C1)', async () => {
  await using engine = await opened(20_000)
  const { sql } = engine.database
  let acknowledged = 0
  let isOver = false
  const writing = (async () => {
    while (!isOver) {
      const n = acknowledged + 1
      await engine.database.transaction(async (tx) => {
        await tx`insert into device (id, name, named) values (${`w${n}`}, 'writer', false)`
        await tx`insert into device_credential (id, device, slot) values (gen_random_uuid(), ${`w${n}`}, 'direct')`
      })
      acknowledged = n
    }
  })()
  await expect.poll(() => acknowledged).toBeGreaterThan(10)
  const before = acknowledged
  await writeBackupFile(engine.file, engine.backups.make({ artifacts: false }, noAudit))
  const during = acknowledged
  isOver = true
  await writing
  expect(during).toBeGreaterThan(before)
  expect((await readdir(engine.dataDir)).filter(isCopy)).toEqual([])
  expect(await readdir(engine.dataDir)).toContain(OWN)
  const slots = await sql`select slot_name from pg_replication_slots`
  expect(slots).toHaveLength(0)
  const options = await restoring(engine.file)
  const { head } = await restoreBackup(options)
  expect(head.artifacts).toEqual({ kind: 'elsewhere', place: 'the folder of artifacts' })
  await withDatabase(options, async ({ sql: restored }) => {
    const [found] = await restored<{ devices: number; credentials: number; last: number }[]>`
      select count(*) as devices, count(slot) as credentials, max(substr(device.id, 2)::int) as last
      from device left join device_credential on device = device.id where device.id like 'w%'`
    // one moment: no device is there without what was committed with it, and none before the last one is missing
    expect(found).toEqual({ devices: found?.last, credentials: found?.last, last: found?.last })
    expect(found?.last).toBeGreaterThanOrEqual(before)
  })
})

test('a second backup at the same time is refused, and one that nobody reads to its end leaves nothing (backups.B1)', async () => {
  await using engine = await opened(2_000)
  const first = engine.backups.make({ artifacts: undefined }, noAudit)
  await first.next()
  await expect(engine.backups.make({ artifacts: undefined }, noAudit).next()).rejects.toMatchObject({ code: 'in_use' })
  expect((await readdir(engine.dataDir)).filter(isCopy)).toHaveLength(1)
  await first.return(undefined)
  expect((await readdir(engine.dataDir)).filter(isCopy)).toEqual([])
  await writeBackupFile(engine.file, engine.backups.make({ artifacts: undefined }, noAudit))
})

test('a copy that fails leaves nothing, and the next backup is made; one for which there is no room is refused', async () => {
  await using engine = await opened(10)
  const socket = createServer().listen(join(engine.dataDir, 'db', 'in-the-way'))
  await once(socket, 'listening')
  const make = () => writeBackupFile(engine.file, engine.backups.make({ artifacts: undefined }, noAudit))
  await expect(make()).rejects.toThrow('in-the-way')
  socket.close()
  await once(socket, 'close')
  const large = join(engine.dataDir, 'db', 'base', 'large')
  await writeFile(large, '')
  // a hole: it takes no room itself
  await truncate(large, 2 ** 43)
  await expect(make()).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/needs \d+ MiB of room/),
  })
  await rm(large)
  expect((await readdir(engine.dataDir)).filter(isCopy)).toEqual([])
  expect(await readdir(join(engine.file, '..'))).toEqual([])
  expect((await make()).rows).toBeGreaterThan(0)
})

test('any byte that is another one, and any end that comes too early, is found with its place before anything is made (frames.F1, restore.R1)', async () => {
  const { file } = await made(200)
  const whole = await readFile(file)
  const ends: number[] = []
  for await (const { at } of framesAt(file)) ends.push(at)
  const places = new Set([
    0,
    5,
    21,
    22,
    23,
    whole.length - 1,
    ...ends.slice(0, 40).flatMap((at) => [at, at + 3, at + 14]),
  ])
  for (let n = 1; n <= 120; n++) places.add(Math.floor((n * 7919 * whole.length) / 997) % whole.length)
  const broken = `${file}.broken`
  const options = await restoring(broken)
  for (const place of places) {
    const changed = Buffer.from(whole)
    changed.writeUInt8(changed.readUInt8(place) ^ (1 << (place % 8)), place)
    await writeFile(broken, changed)
    await expect(restoreBackup(options), `byte ${place}`).rejects.toThrow(
      place < 22 ? /is no backup|of the format/ : /is (damaged|cut off).* at byte \d+/,
    )
    await writeFile(broken, whole.subarray(0, place))
    await expect(checkBackupFile(broken), `${place} bytes`).rejects.toThrow(
      place < 22 ? 'is no backup of flow-service' : /is cut off/,
    )
  }
  await writeFile(broken, Buffer.concat([whole, whole.subarray(ends.at(-1))]))
  await expect(restoreBackup(options)).rejects.toThrow('something follows its end')
  await writeFile(broken, Buffer.concat([whole.subarray(0, ends[1]), whole.subarray(ends[2])]))
  await expect(restoreBackup(options)).rejects.toThrow(/the rows of \w+ are not those that were written/)
  await writeFile(broken, 'flow-service-backup 2\nwhatever comes then and is long enough')
  await expect(inspectBackup(broken)).rejects.toThrow('of the format 2, and this version reads 1')
  expect(await readdir(options.dataDir)).toEqual([])
})

/** Where the frames of a file begin. */
async function* framesAt(file: string) {
  const { framesIn } = await import('../../src/moving/backup/frames.ts')
  const { createReadStream } = await import('node:fs')
  yield* framesIn(createReadStream(file), file)
}

test('a restore that is broken off is opened by no engine, and the same command begins it anew (restore.R2)', async () => {
  const { file, digests } = await made()
  const options = await restoring(file)
  let rows = 0
  const onStep: RestoreOptions['onStep'] = (step) => {
    if (step.step === 'copy') rows += step.rows
    if (rows > 400) throw new Error('broken off')
  }
  await expect(restoreBackup({ ...options, onStep })).rejects.toThrow('broken off')
  await expect(withDatabase(options, async () => {})).rejects.toThrow(
    `is being filled from the backup ${file}; run "service restore" as before`,
  )
  const other = await made(10)
  await expect(restoreBackup({ ...options, file: other.file })).rejects.toThrow('is being filled from')
  await restoreBackup(options)
  await withDatabase(options, async ({ sql }) => expect(await digestsOf(sql)).toEqual(digests))
  await expect(restoreBackup(options)).rejects.toThrow('is not empty')
})

test('keys are in a backup only when they are asked for, and never take the place of others', async () => {
  const engine = await opened(10)
  const keys = [{ name: 'secret.key', text: 'a key for secrets of at least 32 bytes\n' }]
  const { end } = await writeBackupFile(engine.file, engine.backups.make({ artifacts: undefined }, noAudit), { keys })
  await engine.database.close()
  expect(end.keys).toEqual(['secret.key'])
  const options = await restoring(engine.file)
  await writeFile(join(options.dataDir, 'secret.key'), 'another one')
  await expect(restoreBackup(options)).rejects.toThrow('is another key than that of the backup')
  expect(await readdir(options.dataDir)).toEqual(['secret.key'])
  const fresh = await restoring(engine.file)
  await restoreBackup(fresh)
  expect(await readFile(join(fresh.dataDir, 'secret.key'), 'utf8')).toBe(keys[0]?.text)
  expect((await stat(join(fresh.dataDir, 'secret.key'))).mode & 0o777).toBe(0o600)
  const outside = [{ name: '../secret.key', text: 'x' }]
  await using second = await opened(10)
  await writeBackupFile(second.file, second.backups.make({ artifacts: undefined }, noAudit), { keys: outside })
  await expect(restoreBackup(await restoring(second.file))).rejects.toThrow('is no key of flow-service')
})

test('artifacts whose bytes are gone, or others, are told, and no reason to make no backup', async () => {
  await using engine = await opened(10)
  const large = await stored(engine, Buffer.alloc(9 * 2 ** 20, 'large'))
  const small = await stored(engine, Buffer.from('small'))
  const whole = await stored(engine, new Uint8Array())
  const pathOf = (digest: string): string =>
    join(engine.dataDir, 'artifacts', 'sha256', digest.slice(7, 9), digest.slice(7))
  // an engine that has just stored them trusts them
  const content = await openFolderStore(join(engine.dataDir, 'artifacts'))
  const open = bytesOf(createArtifacts({ database: engine.database, content, onCorrupt() {} }))
  await writeFile(pathOf(large), Buffer.alloc(9 * 2 ** 20, 'other'))
  await writeFile(pathOf(small), 'other')
  const bytes = backupBytes({ from: 'here', snapshot: engine.database, artifacts: { open } })
  const { end } = await writeBackupFile(engine.file, bytes)
  expect(end.artifacts).toEqual({ count: 1, bytes: 0, missing: [large, small].toSorted() })
  const found: string[] = []
  for await (const piece of filePieces(engine.file)) if (piece.kind === 'artifact') found.push(piece.digest)
  expect(found).toEqual([whole])
})

test('a backup of an older version is restored as it is, and the next engine brings it up to date', async () => {
  const all = readMigrations()
  const dataDir = await folders.fresh()
  const database = await openPlace({ kind: 'embedded', dataDir })
  await database.sql.unsafe('drop schema public cascade; create schema public')
  await database.transaction(recordMigrations)
  await applyMissing(database, all.slice(0, -3))
  await database.sql`insert into secret_key (id) values ('k')`
  await database.sql`insert into library (name, code, version) values ('shared', 'export const one = 1', 1)`
  const file = join(dataDir, 'older.backup')
  await writeBackupFile(file, backupBytes({ from: 'here', snapshot: database, artifacts: { place: 'elsewhere' } }))
  await database.close()
  const options = await restoring(file)
  await restoreBackup(options)
  await withDatabase(options, async ({ sql }) => {
    expect(await sql`select count(*)::int as n from migration`).toMatchObject([{ n: all.length }])
    expect(await sql`select name from library`).toMatchObject([{ name: 'shared' }])
  })
})
