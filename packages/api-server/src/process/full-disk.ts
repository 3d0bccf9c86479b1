/**
 * A full disk at the start of a service, in words for people: node, SQLite and PostgreSQL each tell it in their own way,
 * and name no directory.
 * @module
 */
import { statfs } from 'node:fs/promises'

import type { ResolvedConfig } from '../config.ts'

/** What a first start writes, and what is kept back for the log of the database. */
const NEEDED_MB = 100
/** `SQLITE_FULL`. */
const SQLITE_FULL = 13
const codes = new Set<unknown>(['ENOSPC', 'EDQUOT'])
/** PostgreSQL tells why it does not start in its own words, and not by a code. */
const words = /No space left on device|Disk quota exceeded/

type Places = Pick<ResolvedConfig, 'artifactsDir' | 'dataDir' | 'databaseUrl'>

/** The error of a start, or what to do when it is for want of space. */
export async function explained(error: unknown, places: Places): Promise<unknown> {
  const hasServer = places.databaseUrl !== null
  if (hasServer && isOf(error, ({ code }) => code === '53100'))
    return new Error('the disk of the database server is full: free space on it, then start again', { cause: error })
  const isForSpace = ({ code, errcode, message }: Told): boolean =>
    codes.has(code) ||
    errcode === SQLITE_FULL ||
    // the embedded database takes no writes when it has no room for its log
    (!hasServer && (code === '53100' || code === '25006')) ||
    (typeof message === 'string' && words.test(message))
  return isOf(error, isForSpace) ? new Error(await advice(places), { cause: error }) : error
}

interface Told {
  readonly code?: unknown
  readonly errcode?: unknown
  readonly message?: unknown
}

/** Whether this is so of an error, or of what has caused it. */
function isOf(error: unknown, is: (told: Told) => boolean): boolean {
  if (!(error instanceof Error)) return false
  return is(error) || isOf(error.cause, is)
}

async function advice({ dataDir, artifactsDir }: Places): Promise<string> {
  const data = {
    path: dataDir,
    what: 'data directory',
    setting: '--data or SERVICE_DATA_DIR',
    free: await freeMb(dataDir),
  }
  const places = [data]
  if (artifactsDir !== null) {
    const free = await freeMb(artifactsDir)
    places.push({ path: artifactsDir, what: 'folder of artifacts', setting: 'SERVICE_ARTIFACTS_DIR', free })
  }
  const { path, what, setting, free } = places.reduce((least, place) => (place.free < least.free ? place : least))
  const left = Number.isFinite(free) ? ` (${Math.floor(free)} MB are left)` : ''
  return (
    `the disk of the ${what} ${path} is full${left}: free at least ${NEEDED_MB} MB on it and start again, ` +
    `or move the directory to another disk and name it with ${setting}`
  )
}

/** Infinite where it cannot be told. */
async function freeMb(path: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(path)
    return (bavail * bsize) / 2 ** 20
  } catch {
    return Infinity
  }
}
