/**
 * The object `store-id` of an S3-compatible store: the id by which engines of one database know that they have the same
 * store, and those of another database that it is not theirs (wire decision T9). Unlike a folder a store is never taken over
 * by a database that does not know it: its sweeps would remove what the other one keeps.
 * @module
 */
import { randomUUID } from 'node:crypto'

import type { Pins } from '../../db/pins.ts'
import { ConfigError } from '../../process/setting.ts'
import { keyOf, type S3Objects } from './s3-objects.ts'

const KEY = 'store-id'

/** What a claim needs. */
export interface ClaimDeps {
  readonly objects: Pick<S3Objects, 'text' | 'putNew' | 'size'>
  readonly pins: Pins
  /** Digits of digests that the database has stored, the newest first. */
  readonly newest: () => Promise<readonly string[]>
}

/**
 * Throws `ConfigError`, and has changed nothing, when the store is not that of the database, or lacks what the database has
 * stored elsewhere. The id of a new store is written when it is pinned.
 */
export async function claimStore({ objects, pins, newest }: ClaimDeps): Promise<void> {
  const stored = await idOf(objects)
  const known = await pins.known('artifacts')
  if (known !== null && stored !== known) throw otherStore(known, stored)
  if (known === null && stored === null) await assertCopied(objects, await newest())
  const id = stored ?? randomUUID()
  await pins.claim({
    name: 'artifacts',
    id,
    refusal: (pinned) => otherStore(pinned, stored),
    keep: async (pinned, isNew) => {
      // an engine of this database that was faster would have pinned it
      if (isNew && stored !== null) throw foreignStore(stored)
      if (stored === null && pinned === id) await objects.putNew(KEY, `${id}\n`)
      return (await idOf(objects)) ?? 'none'
    },
  })
}

async function idOf(objects: ClaimDeps['objects']): Promise<string | null> {
  return (await objects.text(KEY))?.trim() ?? null
}

async function assertCopied(objects: ClaimDeps['objects'], newest: readonly string[]): Promise<void> {
  for (const hex of newest) {
    if ((await objects.size(keyOf(hex))) !== null) continue
    throw new ConfigError(
      `the database knows artifacts that are not in the store of SERVICE_ARTIFACTS_URL, such as ${keyOf(hex)}: ` +
        'copy the folder of artifacts there first, with its store-id if it has one; nothing was changed',
    )
  }
}

const otherStore = (pinned: string, stored: string | null): ConfigError =>
  new ConfigError(
    `the artifacts of this database are in the store whose store-id is ${pinned}, and that of SERVICE_ARTIFACTS_URL ` +
      `${stored === null ? 'has none' : `has ${stored}`}: name the store that all engines of the database share, ` +
      'or copy all of it, with its store-id; nothing was changed',
  )

const foreignStore = (stored: string): ConfigError =>
  new ConfigError(
    `the store of SERVICE_ARTIFACTS_URL is that of another database, by its store-id ${stored}: give each database a ` +
      'bucket or a prefix of its own; if that database is no more, delete the object store-id; nothing was changed',
  )
