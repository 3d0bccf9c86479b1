/**
 * A copy of the embedded database of a running engine, as of one moment, to be read at leisure: the one session that the
 * engine has would have to wait for whoever reads all tables at once.
 *
 * It is made as PostgreSQL makes base backups (its manual, chapter 26.3): the files are copied while they are written to, and
 * what the log has meanwhile makes them consistent when the copy opens. The engine waits for one checkpoint.
 *
 * - embedded-copy.C1 what was acknowledged before the copy began is in it: the log is copied after the files, to its end.
 * - embedded-copy.C2 a slot keeps the log from being removed meanwhile; it goes with the session.
 * - embedded-copy.C3 a copy lies beside the database, for there is room for it or nowhere, and goes when it was read; those
 *   that a crash has left go when the next engine opens.
 * @module
 */
import { randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { copyFile, mkdir, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Database } from '../../db/database.ts'
import { DATABASE_FOLDER } from '../../db/opening.ts'
import { ProblemError } from '../../http/errors.ts'
import { missingAsNull } from '../../process/system-error.ts'
import { createCopyStore } from './copy-store.ts'

const PREFIX = 'backup-'
/** Names of copies, and of nothing that somebody else has put there. */
const NAME = /^backup-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Beside the copy, for what the engine writes meanwhile and what it keeps back for its log. */
const SPARED_BYTES = 512 * 2 ** 20
const LOG_FOLDER = 'pg_wal'
/** What is empty in a copy: the log comes later, and the rest is of the running database alone. */
const LEFT_EMPTY = new Set([LOG_FOLDER, 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots'])
const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts'])

/** A copy; its folder is the data directory of nobody. */
export interface EmbeddedCopy {
  readonly dataDir: string
  remove(): Promise<void>
}

/** Copies the database of a data directory that this engine has open. One copy is made at a time. */
export async function copyEmbedded(database: Pick<Database, 'sql'>, dataDir: string): Promise<EmbeddedCopy> {
  const copy = join(dataDir, `${PREFIX}${randomUUID()}`)
  const [from, to] = [join(dataDir, DATABASE_FOLDER), join(copy, DATABASE_FOLDER)]
  const remove = (): Promise<void> => rm(copy, { recursive: true, force: true })
  const store = createCopyStore(database.sql)
  await assertRoom(dataDir, from)
  try {
    await store.keepLog()
    const { label, first, last } = await store.during(() => copyFolder(from, to, (name) => LEFT_EMPTY.has(name)))
    await copyLog(join(from, LOG_FOLDER), join(to, LOG_FOLDER), { first, last })
    await writeFile(join(to, 'backup_label'), label, { mode: 0o600 })
  } catch (error) {
    await remove()
    throw error
  } finally {
    await store.dropLog()
  }
  return { dataDir: copy, remove }
}

/** Removes copies that a crash has left in a data directory (embedded-copy.C3). */
export async function removeLeftCopies(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir))
    if (NAME.test(name)) await rm(join(dataDir, name), { recursive: true, force: true })
}

/** Throws when the copy could take the room that the engine needs itself. */
async function assertRoom(dataDir: string, folder: string): Promise<void> {
  const needed = (await sizeOf(folder)) + SPARED_BYTES
  const { bavail, bsize } = await statfs(dataDir)
  if (bavail * bsize >= needed) return
  const [mb, free] = [needed, bavail * bsize].map((bytes) => Math.ceil(bytes / 2 ** 20))
  throw new ProblemError(
    'unavailable',
    `a backup needs ${mb} MiB of room for a copy of the database, and ${free} MiB are free: free some, or stop the engine and use "service backup --data"`,
  )
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) bytes += (await statIfThere(join(entry.parentPath, entry.name)))?.size ?? 0
  return bytes
}

const statIfThere = (path: string): Promise<Stats | null> => stat(path).catch(missingAsNull)

async function copyFolder(from: string, to: string, isEmpty: (name: string) => boolean): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (isEmpty(entry.name)) await mkdir(target, { mode: 0o700 })
    else if (entry.isDirectory()) await copyFolder(source, target, () => false)
    else if (!LEFT_OUT.has(entry.name)) await copyIfThere(source, target)
  }
}

/** A table may be dropped while it is copied: then the log says so, too. */
async function copyIfThere(source: string, target: string): Promise<void> {
  await copyFile(source, target).catch(missingAsNull)
}

/** The files of the log from the beginning of the copy to its end, which are named in their order. */
async function copyLog(from: string, to: string, { first, last }: { first: string; last: string }): Promise<void> {
  const names = (await readdir(from)).filter((name) => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last)
  if (!names.includes(first) || !names.includes(last))
    throw new Error(`the log of the database (${first} to ${last}) is not complete: make the backup again`)
  for (const name of names) await copyFile(join(from, name), join(to, name))
  await mkdir(join(to, 'archive_status'), { mode: 0o700, recursive: true })
}
