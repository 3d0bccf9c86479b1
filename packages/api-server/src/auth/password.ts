/**
 * Password hashes: argon2id in the PHC string format (RFC 9106), with the parameters that OWASP recommends.
 * @module
 */
import { hash, parseOptions, verify } from '@node-rs/argon2'

/** Memory in KiB, passes and lanes. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** A hash of `password` with a salt of its own. */
export const hashPassword = (password: string): Promise<string> => hash(password, cost)

/** Made of random bytes that nobody kept: verified for unknown users, so that they take as long as known ones. */
const nobody = '$argon2id$v=19$m=19456,t=2,p=1$HaYMyr9GohMHRj7fszQuXg$FbwQaWk5e113Wj8Sw2TvEcp76AtPEIvAuCToCDTBDdc'

/** Whether `password` fits; `stored` is `null` for an unknown user, which takes the same time. */
export async function passwordFits(stored: string | null, password: string): Promise<boolean> {
  const fits = await verify(stored ?? nobody, password)
  return fits && stored !== null
}

/** Whether a hash was made with other parameters than those in force. */
export function isOutdated(stored: string): boolean {
  const used = parseOptions(stored)
  return used.memoryCost !== cost.memoryCost || used.timeCost !== cost.timeCost || used.parallelism !== cost.parallelism
}
