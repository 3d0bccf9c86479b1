/**
 * The key that signs what others carry away: tokens of workers and of agents (wire decision G10). Another one voids them
 * all.
 * @module
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto'
import { join } from 'node:path'

import type { ResolvedConfig } from '../config.ts'
import type { Pins } from '../db/pins.ts'
import { ConfigError } from '../process/setting.ts'
import { readPrivateFile } from './private-file.ts'
import { agreeOnKey, type FoundKey, type SharedKey } from './shared-key.ts'

/** An Ed25519 key pair. */
export interface SigningKey {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

type KeyConfig = Pick<ResolvedConfig, 'dataDir' | 'oauthSigningKey'>

/**
 * `SERVICE_OAUTH_SIGNING_KEY`, else `oauth_signing_key.pem` in the data folder, which is made at the first start. Throws
 * `ConfigError` when it is no Ed25519 key, or not that of the database; see {@link agreeOnKey}.
 */
export async function loadSigningKey(config: KeyConfig, pins: Pins | null): Promise<SigningKey> {
  const path = join(config.dataDir, 'oauth_signing_key.pem')
  const kind: SharedKey<SigningKey> = {
    pin: 'signing_key',
    use: 'sign tokens of workers and agents',
    change: 'voids them all',
    variable: FROM_ENV,
    path,
    fingerprint: ({ publicKey }) =>
      hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), 'hex').slice(0, 16),
    make() {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519')
      const text = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
      return { key: { privateKey, publicKey }, text }
    },
  }
  return agreeOnKey(kind, await found(config, path), pins)
}

async function found({ oauthSigningKey }: KeyConfig, path: string): Promise<FoundKey<SigningKey> | null> {
  // one line of an environment variable holds the lines of a PEM file
  const given = oauthSigningKey?.replaceAll(String.raw`\n`, '\n') ?? null
  if (given !== null) return { key: parsed(given, FROM_ENV), source: FROM_ENV }
  const stored = await readPrivateFile(path)
  return stored === null ? null : { key: parsed(stored, path), source: path }
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
