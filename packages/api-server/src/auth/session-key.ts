/**
 * The key that signs session tokens.
 * @module
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'

import type { ResolvedConfig } from '../config.ts'
import { ConfigError } from '../setting.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'

/**
 * `SERVICE_SESSION_KEY`, else `session.key` in the data folder, which is made at the first start. Production makes no
 * key, because everybody would be signed out when the folder is lost: it throws `ConfigError` then.
 */
export async function loadSessionKey(
  config: Pick<ResolvedConfig, 'dataDir' | 'environment' | 'sessionKey'>,
): Promise<Uint8Array> {
  if (config.sessionKey !== null) return Buffer.from(config.sessionKey)
  const path = join(config.dataDir, 'session.key')
  const stored = await readPrivateFile(path)
  if (stored !== null) return checked(stored, path)
  if (config.environment === 'production')
    throw new ConfigError('SERVICE_SESSION_KEY is not set: production needs a session key of at least 32 bytes')
  const key = randomBytes(48).toString('base64url')
  await writePrivateFile(path, `${key}\n`)
  return Buffer.from(key)
}

function checked(stored: string, path: string): Uint8Array {
  const key = Buffer.from(stored.trim())
  if (key.length < 32) throw new ConfigError(`${path} holds ${key.length} bytes: put at least 32 there, or delete it`)
  return key
}
