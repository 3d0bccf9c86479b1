/**
 * What a device shows while it waits, and what makes its credential (wire decisions G43, U15): texts that people read,
 * and secrets of which the database has hashes alone.
 * @module
 */
import { createHmac, hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

/** Letters and digits that nobody takes for each other. */
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const CODE_LENGTH = 8
const CHECK_LENGTH = 2
/** Of secrets and salts. */
const SECRET_BYTES = 32

/** A code that nobody can tell before. */
export const newCode = (): string =>
  Array.from({ length: CODE_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')

/** A code as it is stored, however it was typed. */
export const foldCode = (typed: string): string => typed.replaceAll(/[\s-]/g, '').toUpperCase()

/** 256 bits in base64url. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url')

export const newSalt = (): Buffer => randomBytes(SECRET_BYTES)

/** What is stored of a secret or a credential. */
export const proofOf = (text: string): Buffer => hash('sha256', text, 'buffer')

/** Two characters by which people tell one secret from another: whoever relays a code has another secret. */
export const checkOf = (proof: Uint8Array): string =>
  [...proof.subarray(0, CHECK_LENGTH)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('')

/** Whether a secret is the one that is stored, in a time that tells nothing; without a stored one it never is (pairing.P4). */
export function isProven(secret: string, stored: Uint8Array | null): boolean {
  const given = proofOf(secret)
  return timingSafeEqual(given, stored ?? Buffer.alloc(given.length)) && stored !== null
}

/** The credential of a secret and a salt: the same as often as it is asked for (pairing.P1). */
export const credentialOf = (secret: string, salt: Uint8Array): string =>
  createHmac('sha256', secret).update(salt).digest('base64url')
