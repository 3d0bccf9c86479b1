/**
 * Which engine lived in a data directory before: one that holds the directory's lock knows that it has ended, however it
 * ended, and need not wait until its contact is lost.
 * @module
 */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'

import { validate } from 'uuid'

import { readPrivateFile, writePrivateFile } from '../auth/private-file.ts'
import { type DirectoryLock, lockDirectory } from '../db/lock.ts'
import { lostOf } from '../process/held-directory.ts'

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
  const { dev, ino } = await stat(dataDir, { bigint: true })
  const end = (): void => lock.release(lostOf([{ path: dataDir, dev, ino }]) === null)
  try {
    const former = (await readPrivateFile(path))?.trim() ?? ''
    await writePrivateFile(path, `${id}\n`)
    return { former: validate(former) ? former : null, end }
  } catch (error) {
    end()
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
