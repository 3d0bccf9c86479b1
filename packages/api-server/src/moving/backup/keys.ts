/**
 * The keys of a data directory in a backup. Whoever has a backup with them has everything: its secrets can be read, and its
 * sessions and tokens made.
 * @module
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { readPrivateFile, writePrivateFile } from '../../auth/private-file.ts'

/** Files of keys. */
const KEY_FILES = ['secret.key', 'session.key', 'oauth_signing_key.pem'] as const

/** A key, by the name of its file. */
export interface KeyFile {
  readonly name: string
  readonly text: string
}

/** The keys that a data directory has; those that are set by the environment are not there. */
export async function readKeys(dataDir: string): Promise<KeyFile[]> {
  const files: KeyFile[] = []
  for (const name of KEY_FILES) {
    const text = await readPrivateFile(join(dataDir, name))
    if (text !== null) files.push({ name, text })
  }
  return files
}

/** Throws when a key cannot be put into a data directory: it is none, or there is another one. */
export async function assertFitting(dataDir: string, { name, text }: KeyFile): Promise<void> {
  if (!KEY_FILES.some((known) => known === name)) throw new Error(`"${name}" is no key of flow-service`)
  const there = await readPrivateFile(join(dataDir, name))
  if (there !== null && there !== text)
    throw new Error(
      `${join(dataDir, name)} is another key than that of the backup: put it aside, or use a new directory`,
    )
}

/** Puts a key into a data directory, which is made when there is none: a server's database needs none before. */
export async function writeKey(dataDir: string, { name, text }: KeyFile): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await writePrivateFile(join(dataDir, name), text)
}
