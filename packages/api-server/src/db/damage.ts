/**
 * A damaged embedded database, in words for people. The engine repairs and makes nothing: what is there may be all that
 * somebody has, and a copy of the data directory is the way back.
 * @module
 */
import fs from 'node:fs'
import path from 'node:path'

/** What PostgreSQL says when it ends itself at its start, with what it adds. */
const LAST_WORDS = /^(?:.*\b(?:PANIC|FATAL):\s+|postgres: )(.+?)\.?(?:\n.*\bDETAIL:\s+(.+?)\.?)?$/gm
/** What keeps a whole database from starting: the system, not its files. */
const OF_THE_SYSTEM =
  /No space left on device|Disk quota exceeded|Permission denied|Read-only file system|Too many open files|I\/O error|out of memory/i
/** Class XX: damaged data, a damaged index; 58P01 is a file that is missing (PostgreSQL manual, appendix A). */
const DAMAGED = new Set<unknown>(['XX001', 'XX002', '58P01'])
/** PostgreSQL's major version in PGlite 0.5. */
const POSTGRES_VERSION = '18'

/** The database in a directory is damaged; the sentence says what is wrong and how to go on. */
class DamagedDatabase extends Error {
  override readonly name = 'DamagedDatabase'
  constructor(directory: string, what: string, cause?: unknown) {
    super(
      `the embedded database in ${directory} is damaged (${what}): put back a copy of the data directory ` +
        `${path.dirname(directory)} that was made while no engine used it, or start with another one; nothing was made anew`,
      { cause },
    )
  }
}

/**
 * Throws when what is in a database directory cannot be opened: {@link DamagedDatabase}, or an Error about one of another
 * version. One that is empty, or missing, will be a new database.
 */
export function assertOpenable(directory: string): void {
  if (isUnused(directory)) return
  const file = path.join(directory, 'PG_VERSION')
  if (!fs.existsSync(file)) throw new DamagedDatabase(directory, 'it has files, but no PG_VERSION among them')
  const version = fs.readFileSync(file, 'utf8').trim()
  if (!/^\d+$/.test(version)) throw new DamagedDatabase(directory, 'its PG_VERSION holds no number')
  if (version === POSTGRES_VERSION) return
  throw new Error(
    `the embedded database in ${directory} is of PostgreSQL ${version}, this version of flow-service runs ${POSTGRES_VERSION}: ` +
      'start the version that made it and export the data, or use another data directory',
  )
}

function isUnused(directory: string): boolean {
  const facts = fs.statSync(directory, { throwIfNoEntry: false })
  if (facts?.isDirectory() === false) throw new DamagedDatabase(directory, 'it is no directory')
  return !facts || fs.readdirSync(directory).length === 0
}

/** Why a database did not start, by what it has said until then. */
export function startFailure(directory: string, output: string, cause: unknown): Error {
  const [, last, detail] = [...output.matchAll(LAST_WORDS)].at(-1) ?? []
  if (last === undefined || OF_THE_SYSTEM.test(output))
    return new Error(`the embedded database in ${directory} does not start: ${String(cause)}${output}`, { cause })
  return new DamagedDatabase(directory, detail === undefined ? last : `${last}; ${detail}`, cause)
}

/** The error of a start, or what to do when a table turned out to be damaged. */
export function explainDamage(error: unknown, directory: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || !DAMAGED.has(error.code)) return error
  return new DamagedDatabase(directory, error.message, error)
}
