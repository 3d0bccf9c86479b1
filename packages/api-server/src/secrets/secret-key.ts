/**
 * The key of a database's secrets: from the environment, else a file in the data folder. The database knows its
 * fingerprint from the first start on, and an engine with another key does not start (wire decision S6).
 * @module
 */
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { readPrivateFile, writePrivateFile } from '../auth/private-file.ts'
import type { ResolvedConfig } from '../config.ts'
import { ConfigError } from '../process/setting.ts'
import { createCipher, type SecretCipher } from './cipher.ts'
import type { SecretStore } from './store.ts'

type KeyConfig = Pick<ResolvedConfig, 'dataDir' | 'environment' | 'secretKey'>
type KeyStore = Pick<SecretStore, 'keyId' | 'pinKey'>

/**
 * `SERVICE_SECRET_KEY`, else `secret.key` in the data folder, which is made for a database without a key; production
 * makes none. Throws `ConfigError`, and has changed nothing, when the key is not the one of the database.
 */
export async function loadSecretKey(config: KeyConfig, store: KeyStore): Promise<SecretCipher> {
  const path = join(config.dataDir, 'secret.key')
  const stored = config.secretKey === null ? await readPrivateFile(path) : null
  if (config.secretKey === null && stored === null) return makeKey(config, path, store)
  const source = config.secretKey === null ? path : 'SERVICE_SECRET_KEY'
  const cipher = createCipher(config.secretKey ?? checked(stored ?? '', path))
  const pinned = (await store.keyId()) ?? (await store.pinKey(cipher.id))
  if (pinned !== cipher.id) throw otherKey(pinned, `${source} holds ${cipher.id}`)
  return cipher
}

async function makeKey({ environment }: KeyConfig, path: string, store: KeyStore): Promise<SecretCipher> {
  const known = await store.keyId()
  if (known !== null) throw otherKey(known, `there is no ${path}`)
  if (environment === 'production')
    throw new ConfigError('SERVICE_SECRET_KEY is not set: production needs a key for secrets of at least 32 bytes')
  const text = randomBytes(32).toString('base64url')
  const cipher = createCipher(text)
  await writePrivateFile(path, `${text}\n`)
  const pinned = await store.pinKey(cipher.id)
  if (pinned === cipher.id) return cipher
  // another engine was faster
  await rm(path, { force: true })
  throw otherKey(pinned, `there is no ${path}`)
}

function checked(stored: string, path: string): string {
  const text = stored.trim()
  const bytes = Buffer.byteLength(text)
  if (bytes < 32) throw new ConfigError(`${path} holds ${bytes} bytes: put the key of the secrets back there`)
  return text
}

const otherKey = (pinned: string, found: string): ConfigError =>
  new ConfigError(
    `the secrets of this database are sealed under the key ${pinned}, and ${found}: set SERVICE_SECRET_KEY to that key ` +
      '(engines that share a PostgreSQL server need the same one, from the environment); nothing was changed',
  )
