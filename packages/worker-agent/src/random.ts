/**
 * Numbers from a seed, the same on every machine (wire decision G64.5).
 * @module
 */
import { createHash } from 'node:crypto'

/**
 * A generator of numbers in [0, 1) with 53 random bits each. The state is the SHA-256 of the seed's text; the steps are
 * xoshiro128** 1.1 by Blackman and Vigna.
 */
export function seededRandom(seed: string): () => number {
  const digest = createHash('sha256').update(seed).digest()
  let [a, b, c, d] = [0, 4, 8, 12].map((offset) => digest.readUInt32LE(offset)) as [number, number, number, number]
  const next = (): number => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = rotate(d, 11)
    return result
  }
  return () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53
}

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits))
