/**
 * Which engine lived in a data directory before: one that holds the directory's lock knows that it has ended, however it
 * ended, and need not wait until its contact is lost.
 * @module
 */
import { join } from 'node:path'

import { validate } from 'uuid'

import { readPrivateFile, writePrivateFile } from '../auth/private-file.ts'
import { type DirectoryLock, lockDirectory } from '../db/lock.ts'

/** A life of an engine in its data directory. */
export interface Life {
  /** The one before, which has ended; null when there was none, or others live in the directory too. */
  readonly former: string | null
  end(): void
}

/** Begins a life; one whose directory cannot be locked leaves no trace there. */
export async function beginLife(dataDir: string, id: string): Promise<Life> {
  const lock = lockedOrNull(dataDir)
  if (lock === null) return { former: null, end() {} }
  const path = join(dataDir, 'engine.id')
  try {
    const former = (await readPrivateFile(path))?.trim() ?? ''
    await writePrivateFile(path, `${id}\n`)
    return { former: validate(former) ? former : null, end: () => lock.release() }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Engines on a server may share a directory, and not every file system has locks. */
function lockedOrNull(dataDir: string): DirectoryLock | null {
  try {
    return lockDirectory(dataDir)
  } catch {
    return null
  }
}
