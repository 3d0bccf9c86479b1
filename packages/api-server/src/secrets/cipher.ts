/**
 * The key of secrets, and what is sealed under it: AES-256-GCM (NIST SP 800-38D) with a random nonce for each value and
 * the secret's name as associated data, so that no value can stand under another name.
 * @module
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** A key that seals and opens values. */
export interface SecretCipher {
  /** Fingerprint of the key; tells nothing about it. */
  readonly id: string
  seal(name: string, value: string): Buffer
  /** The value; null when it was sealed under another key or name, or its bytes were changed. */
  open(name: string, sealed: Uint8Array): string | null
}

/** The cipher of a key's text, from which the key proper is derived (HKDF, RFC 5869). */
export function createCipher(keyText: string): SecretCipher {
  const key = Buffer.from(hkdfSync('sha256', keyText, '', 'flow-service secrets', 32))
  return {
    id: createHmac('sha256', key).update('fingerprint').digest('hex').slice(0, 16),
    seal(name, value) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name))
      return Buffer.concat([nonce, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
    },
    open(name, sealed) {
      const end = sealed.length - TAG_BYTES
      if (end < NONCE_BYTES) return null
      const cipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      cipher.setAAD(Buffer.from(name)).setAuthTag(sealed.subarray(end))
      try {
        return Buffer.concat([cipher.update(sealed.subarray(NONCE_BYTES, end)), cipher.final()]).toString('utf8')
      } catch {
        return null
      }
    },
  }
}
