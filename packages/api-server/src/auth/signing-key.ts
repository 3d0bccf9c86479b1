/**
 * The key that signs what others carry away: tokens of workers (wire decision G10). Another one voids them all.
 * @module
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { join } from 'node:path'

import type { ResolvedConfig } from '../config.ts'
import { ConfigError } from '../process/setting.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'

/** An Ed25519 key pair. */
export interface SigningKey {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/**
 * `SERVICE_OAUTH_SIGNING_KEY`, else `oauth_signing_key.pem` in the data folder, which is made at the first start. Throws
 * `ConfigError` when it is no Ed25519 key.
 */
export async function loadSigningKey(config: Pick<ResolvedConfig, 'dataDir' | 'oauthSigningKey'>): Promise<SigningKey> {
  // one line of an environment variable holds the lines of a PEM file
  if (config.oauthSigningKey !== null) return parsed(config.oauthSigningKey.replaceAll(String.raw`\n`, '\n'), FROM_ENV)
  const path = join(config.dataDir, 'oauth_signing_key.pem')
  const stored = await readPrivateFile(path)
  if (stored !== null) return parsed(stored, path)
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  await writePrivateFile(path, String(privateKey.export({ type: 'pkcs8', format: 'pem' })))
  return { privateKey, publicKey }
}

const FROM_ENV = 'SERVICE_OAUTH_SIGNING_KEY'

function parsed(pem: string, place: string): SigningKey {
  const privateKey = privateKeyOf(pem)
  if (privateKey?.asymmetricKeyType === 'ed25519') return { privateKey, publicKey: createPublicKey(privateKey) }
  throw new ConfigError(
    `${place} is no Ed25519 key: make one by "openssl genpkey -algorithm ed25519", whose tokens are others than before`,
  )
}

function privateKeyOf(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem)
  } catch {
    return null
  }
}
