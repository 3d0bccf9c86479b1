/**
 * The id of a folder of artifacts (a store elsewhere has `s3/s3-store-id.ts`), in its file `store-id`, by which engines that share a database know that they have the
 * same folder (wire decision S6). A folder that has none, of an older version too, gets one from the first engine.
 * @module
 */
import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { Pins } from '../db/pins.ts'
import { ConfigError } from '../process/setting.ts'
import { hasCode } from '../process/system-error.ts'

/**
 * Throws `ConfigError`, and has made and changed nothing, when the folder is not that of the database. The id of a folder
 * without one is written when it is pinned.
 */
export async function claimFolder(directory: string, pins: Pins): Promise<void> {
  const path = join(directory, 'store-id')
  const stored = await readId(path)
  const known = await pins.known('artifacts')
  if (stored === null && known !== null) throw otherFolder(path, known, null)
  const id = stored ?? randomUUID()
  await pins.claim({
    name: 'artifacts',
    id,
    refusal: (pinned) => otherFolder(path, pinned, stored),
    // who was faster has written it before it could be read here
    keep: async (pinned) => {
      if (stored === null && pinned === id) await writeId(path, id)
      return (await readId(path)) ?? id
    },
  })
}

async function readId(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

/** As a whole, and never over another one. */
async function writeId(path: string, id: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${id}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    await link(draft, path)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    await rm(draft, { force: true })
  }
}

const otherFolder = (path: string, pinned: string, stored: string | null): ConfigError =>
  new ConfigError(
    `the artifacts of this database are in the folder whose store-id is ${pinned}, and ` +
      `${stored === null ? `there is no ${path}` : `${path} holds ${stored}`}: set SERVICE_ARTIFACTS_DIR to that folder, ` +
      'which all engines share, and see that it is mounted; nothing was changed',
  )
