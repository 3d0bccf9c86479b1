/**
 * Ids, of which a busy engine makes many thousands a second.
 * @module
 */
import { v7 } from 'uuid'

/** Ids that one call to the system's generator of random bytes is good for. */
const IDS_A_FILL = 1024
const ID_BYTES = 16

const random = new Uint8Array(IDS_A_FILL * ID_BYTES)
let used = random.length

/** A UUIDv7 (RFC 9562), ordered by the millisecond. Asking the system for randomness each time costs most of an id. */
export function newId(): string {
  if (used === random.length) {
    crypto.getRandomValues(random)
    used = 0
  }
  used += ID_BYTES
  return v7({ random: random.subarray(used - ID_BYTES, used) })
}
