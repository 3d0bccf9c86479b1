import { generateKeyPairSync } from 'node:crypto'

/** A new key for tokens, as `oauthSigningKey` of the configuration takes it. */
export const newSigningKey = (): string =>
  String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
