/**
 * One engine a data directory: an exclusive SQLite transaction on `engine.lock.db`, held for the life of the process.
 * The kernel frees it when the process dies, so that there is no stale lock and no guess about process ids.
 * @module
 */
import fs from 'node:fs'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

/** Name of the lock in a data directory. */
export const LOCK_FILE = 'engine.lock.db'

/** A held lock. It is one of the file: it goes with it when the directory is renamed. */
export interface DirectoryLock {
  /** `isHeld`: whether the directory is still there; in another one of its name is the process id of another engine. */
  release(isHeld: boolean): void
}

/**
 * Locks a data directory for this engine, and writes its process id to `engine.pid` beside the lock.
 * Throws when another engine (of this process too) has it, naming the directory and the holder.
 * Nothing else in the process may open `engine.lock.db`: closing it again would free the lock (POSIX).
 */
export function lockDirectory(dataDir: string): DirectoryLock {
  const Database = loadSqlite()
  const pidFile = path.join(dataDir, 'engine.pid')
  const file = path.join(dataDir, LOCK_FILE)
  const lock = new Database(file)
  try {
    // without a journal, which SQLite would remove by its name: that may be another engine's by then
    lock.exec('pragma locking_mode = exclusive; pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    lock.close()
    if (!isLocked(error)) throw new Error(`cannot lock ${file}: ${String(error)}`, { cause: error })
    throw new Error(
      `the data directory ${dataDir} is in use by another engine (process ${holder(pidFile)}): ` +
        'stop that process, or give this engine a directory of its own (--data, or SERVICE_DATA_DIR)',
      { cause: error },
    )
  }
  try {
    fs.writeFileSync(pidFile, `${process.pid}\n`)
  } catch (error) {
    // who comes next is not to hear of this engine
    lock.close()
    throw error
  }
  return {
    release(isHeld) {
      if (isHeld) fs.rmSync(pidFile, { force: true })
      lock.close()
    },
  }
}

const SQLITE_BUSY = 5

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}

function holder(pidFile: string): string {
  return fs.existsSync(pidFile) ? fs.readFileSync(pidFile, 'utf8').trim() : 'unknown'
}

/**
 * Node 22 warns that its SQLite is experimental; the lock uses nothing that could change. Not by `import`: bundlers take
 * `node:` off, and without it there is no such module.
 */
function loadSqlite(): typeof DatabaseSync {
  const emitWarning = process.emitWarning.bind(process)
  process.emitWarning = (warning, ...rest) => {
    if (!String(warning).startsWith('SQLite')) Reflect.apply(emitWarning, undefined, [warning, ...rest])
  }
  try {
    return process.getBuiltinModule('node:sqlite').DatabaseSync
  } finally {
    process.emitWarning = emitWarning
  }
}
