/**
 * The first steps to an embedded database: the data directory is held, and the thread of its database started. `embedded.ts`
 * takes them when an engine opens its database. A process that has much to load before (the command line) has them taken
 * meanwhile, and the engine finds the database open.
 * @module
 */
import fs from 'node:fs'
import path from 'node:path'

import { HeldDirectory } from '../process/held-directory.ts'
import { assertOpenable } from './damage.ts'
import { type EngineThread, startEngineThread } from './embedded-thread.ts'
import { LOCK_FILE, lockDirectory } from './lock.ts'

/** Name of the database's folder in a data directory. */
export const DATABASE_FOLDER = 'db'

/** A data directory that is held, and what becomes of its database. */
export interface Opening {
  readonly dataDir: string
  readonly home: HeldDirectory
  /** Rejects when the database cannot be opened. */
  readonly thread: Promise<EngineThread>
  /** Lets go of the directory, once the thread has ended. */
  release(): void
}

/** Throws when the directory cannot be written, or is another engine's or of another version. */
function beginOpening(dataDir: string): Opening {
  prepareDirectory(dataDir)
  const lock = lockDirectory(dataDir)
  let home: HeldDirectory
  try {
    home = new HeldDirectory(dataDir)
  } catch (error) {
    lock.release(true)
    throw error
  }
  const release = (): void => {
    lock.release(home.check() === null)
    home.release()
  }
  try {
    home.hold(LOCK_FILE)
    const directory = path.join(dataDir, DATABASE_FOLDER)
    assertOpenable(directory)
    return { dataDir, home, thread: startEngineThread(directory, { paths: home.paths, isNew: true }), release }
  } catch (error) {
    release()
    throw error
  }
}

/** What was begun ahead, until somebody takes it. */
const ahead: { opening: Opening | null } = { opening: null }

/**
 * Begins to open the database of a data directory that has one; for a process that opens it at once. A new directory is left
 * alone: a start that fails leaves no trace. What cannot be opened is told to who opens it.
 */
export function beginAhead(dataDir: string): void {
  if (ahead.opening || !fs.existsSync(path.join(dataDir, DATABASE_FOLDER, 'PG_VERSION'))) return
  try {
    ahead.opening = beginOpening(dataDir)
  } catch {
    return
  }
  ahead.opening.thread.catch(() => {})
}

/** Opens the database of a data directory, or takes over where it was begun ahead; see {@link beginOpening}. */
export function takeOpening(dataDir: string): Opening {
  const { opening } = ahead
  if (opening?.dataDir !== dataDir) return beginOpening(dataDir)
  ahead.opening = null
  return opening
}

/** Closes what was begun ahead and never taken, since the start has failed before. */
export async function abandonAhead(): Promise<void> {
  const { opening } = ahead
  ahead.opening = null
  if (!opening) return
  try {
    await (await opening.thread).close()
  } catch {
    // why the start has failed is told, and the next one recovers the database
  } finally {
    opening.release()
  }
}

function prepareDirectory(dataDir: string): void {
  try {
    fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    fs.accessSync(dataDir, fs.constants.W_OK)
  } catch (error) {
    throw new Error(`the data directory ${dataDir} cannot be written: ${String(error)}`, { cause: error })
  }
}
