/**
 * First start of an embedded database: unpacks one that has its tables, and nothing in them. Making it with initdb takes
 * 2 to 4 s, unpacking the kept copy 0.3 s, so that a copy stays in the package's `node_modules/.cache/flow-service/`.
 * @module
 */
import { createHash, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import zlib from 'node:zlib'

import { MemoryFS, PGlite } from '@electric-sql/pglite'

import { syncPath } from './durable-fs.ts'
import { digestOf, migrate, type Migration, readMigrations } from './migrate.ts'
import type { Sql } from './values.ts'

/**
 * Makes a database in `directory` when there is none. It appears by one rename after all its bytes are on disk: a crash
 * leaves at most `<directory>.new`, which the next start removes. `copy` is the file of the kept template.
 */
export async function createDataDirectory(
  directory: string,
  migrations = readMigrations(),
  copy = copyOf(migrations),
): Promise<void> {
  if (fs.existsSync(path.join(directory, 'PG_VERSION'))) return
  const unfinished = `${directory}.new`
  fs.rmSync(unfinished, { recursive: true, force: true })
  await unpack((await readTemplate(copy)) ?? (await makeTemplate(migrations, copy)), unfinished)
  fs.renameSync(unfinished, directory)
  syncPath(path.dirname(directory))
}

/** Other tables, or another PGlite, are another copy. */
function copyOf(migrations: readonly Migration[]): string {
  const digest = createHash('sha256').update(migrations.map((each) => `${each.id} ${digestOf(each)}`).join('\n'))
  const here = packageDirectory(fileURLToPath(import.meta.url))
  const name = `template-${pgliteVersion()}-${digest.digest('hex').slice(0, 16)}.tar.zst`
  return path.join(here, 'node_modules/.cache/flow-service', name)
}

async function readTemplate(copy: string): Promise<Buffer | undefined> {
  try {
    return zlib.zstdDecompressSync(await fs.promises.readFile(copy))
  } catch {
    // No copy, or a damaged one (it carries a checksum): it is made again.
    return undefined
  }
}

async function makeTemplate(migrations: Migration[], copy: string): Promise<Buffer> {
  const files = new TemplateFs()
  const database = await PGlite.create({ fs: files })
  // Two thirds of the files are databases that only CREATE DATABASE needs.
  await database.exec('update pg_database set datistemplate = false')
  await database.exec('drop database template0')
  await database.exec('drop database template1')
  await migrate(asDatabase(database), migrations)
  await database.close()
  await keepTemplate(files.tar, copy)
  return files.tar
}

/** What migrations need of a database: its one session, which nobody else uses. */
function asDatabase(pglite: PGlite): Parameters<typeof migrate>[0] {
  const run = async (...statement: Parameters<PGlite['sql']>): Promise<unknown> => (await pglite.sql(...statement)).rows
  const sql = Object.assign(run, { unsafe: (text: string) => pglite.exec(text) }) as unknown as Sql
  return {
    sql,
    async transaction(fn) {
      await pglite.exec('begin')
      const result = await fn(sql)
      await pglite.exec('commit')
      return result
    },
  }
}

/**
 * Packs its files when the database has been shut down. A copy of a running one would begin with a crash recovery,
 * which syncs each file twice.
 */
class TemplateFs extends MemoryFS {
  tar = Buffer.alloc(0)

  override async closeFs(): Promise<void> {
    const dump = await this.dumpTar('template', 'none')
    this.tar = Buffer.from(await dump.arrayBuffer())
    await super.closeFs()
  }
}

async function keepTemplate(tar: Buffer, copy: string): Promise<void> {
  const temporary = `${copy}.${randomUUID()}`
  try {
    const packed = zlib.zstdCompressSync(tar, { params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } })
    await fs.promises.mkdir(path.dirname(copy), { recursive: true })
    await fs.promises.writeFile(temporary, packed)
    await fs.promises.rename(temporary, copy)
  } catch {
    // An installation that cannot be written to pays for initdb in each new data directory.
    await fs.promises.rm(temporary, { force: true })
  }
}

function pgliteVersion(): string {
  const entry = import.meta.resolve('@electric-sql/pglite')
  const manifest: unknown = JSON.parse(fs.readFileSync(new URL('../package.json', entry), 'utf8'))
  return (manifest as { version: string }).version
}

function packageDirectory(file: string): string {
  const parent = path.dirname(file)
  return fs.existsSync(path.join(parent, 'package.json')) || parent === file ? parent : packageDirectory(parent)
}

const BLOCK = 512

interface Entry {
  name: string
  /** Undefined for a directory. */
  content: Buffer | undefined
}

/** The entries of a ustar archive (POSIX.1-1988) that holds plain files and directories only. */
function* entriesOf(tar: Buffer): Generator<Entry> {
  for (let at = 0; tar[at];) {
    const header = tar.subarray(at, at + BLOCK)
    const field = (from: number, length: number): string =>
      header.toString('latin1', from, from + length).replace(/\0.*$/s, '')
    const size = Number.parseInt(field(124, 12), 8)
    const start = at + BLOCK
    const content = field(156, 1) === '5' ? undefined : tar.subarray(start, start + size)
    yield { name: path.join(field(345, 155), field(0, 100)), content }
    at = start + Math.ceil((content?.length ?? 0) / BLOCK) * BLOCK
  }
}

/** Files that are written side by side: each is open until it is on the disk, and a process may have as few as 256 open. */
const WRITERS = 16

/** Unpacks an archive, and syncs each of its files and directories to disk. */
async function unpack(tar: Buffer, directory: string): Promise<void> {
  const directories = new Set([directory])
  const files: [string, Buffer][] = []
  for (const { name, content } of entriesOf(tar)) {
    const target = path.join(directory, name)
    const parent = content ? path.dirname(target) : target
    if (!directories.has(parent)) fs.mkdirSync(parent, { recursive: true, mode: 0o700 })
    directories.add(parent)
    if (content) files.push([target, content])
  }
  const left = files.values()
  const write = async (): Promise<void> => {
    // oxlint-disable-next-line no-await-in-loop -- as many loops as files are to be open
    for (const [target, content] of left) await fs.promises.writeFile(target, content, { mode: 0o600, flush: true })
  }
  await Promise.all(Array.from({ length: WRITERS }, write))
  for (const each of directories) syncPath(each)
}
