/**
 * Ids, of which a busy engine makes many thousands a second.
 * @module
 */
import { v7 } from 'uuid'

/** Ids that one call to the system's generator of random bytes is good for. */
const IDS_A_FILL = 1024
const ID_BYTES = 16
/** Where a millisecond begins to count, so that its ids do not tell how many there were: 31 bits, of 32 that count. */
const FIRST_BITS = 0x7fff_ffff

const random = Buffer.alloc(IDS_A_FILL * ID_BYTES)
let used = random.length
let lastMs = 0
let seq = 0

/**
 * A UUIDv7 (RFC 9562), greater than all that this process has made before. Asking the system for randomness each time
 * costs most of an id.
 */
export function newId(): string {
  if (used === random.length) {
    crypto.getRandomValues(random)
    used = 0
  }
  const bytes = random.subarray(used, (used += ID_BYTES))
  const nowMs = Date.now()
  if (nowMs > lastMs) {
    lastMs = nowMs
    seq = bytes.readUInt32LE() & FIRST_BITS
  } else seq++
  return v7({ random: bytes, msecs: lastMs, seq })
}
