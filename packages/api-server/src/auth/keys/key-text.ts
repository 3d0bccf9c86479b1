/**
 * How a key is written (wire decision U5): a prefix that finds it and may be shown, and what only its holder knows. The form
 * is that of nothing else, so that scanners of repositories find keys that were committed.
 * @module
 */
import { hash, randomBytes, randomInt } from 'node:crypto'

/** `fsk_`, 8 characters, `_`, 32 bytes as base64url. */
const form = /^(fsk_[0-9A-Za-z]{8})_[\w-]{43}$/
const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX_LETTERS = 8
const SECRET_BYTES = 32

/** A key that nobody has. */
export function newKeyText(): string {
  const name = Array.from({ length: PREFIX_LETTERS }, () => letters[randomInt(letters.length)]).join('')
  return `fsk_${name}_${randomBytes(SECRET_BYTES).toString('base64url')}`
}

/** What of a key is shown and finds it; null when the text is no key. */
export const prefixOf = (text: string): string | null => form.exec(text)?.[1] ?? null

/** What the database keeps of a key. It has the entropy of 32 random bytes, so a fast hash is enough. */
export const proofOf = (text: string): Buffer => hash('sha256', text, 'buffer')
