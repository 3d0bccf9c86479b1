/**
 * Ids, of which a busy engine makes many thousands a second.
 * @module
 */
import type { MomentIds } from '@flow-service/core'
import { v7 } from 'uuid'

/** Ids that one call to the system's generator of random bytes is good for. */
const IDS_A_FILL = 1024
const ID_BYTES = 16
/** Where a millisecond begins to count, so that its ids do not tell how many there were: 31 bits, of 32 that count. */
const FIRST_BITS = 0x7fff_ffff

const random = Buffer.alloc(IDS_A_FILL * ID_BYTES)
let used = random.length

/** Asking the system for randomness each time costs most of an id. */
function randomBytes(): Buffer {
  if (used === random.length) {
    crypto.getRandomValues(random)
    used = 0
  }
  return random.subarray(used, (used += ID_BYTES))
}

/** The ids of one millisecond. */
class Millisecond implements MomentIds {
  readonly ms: number
  readonly #first = randomBytes().readUInt32LE() & FIRST_BITS
  #count = 0

  constructor(ms: number) {
    this.ms = ms
  }

  reserve(): number {
    return this.#count++
  }

  make(reserved: number): string {
    return v7({ random: randomBytes(), msecs: this.ms, seq: this.#first + reserved })
  }
}

let newest = new Millisecond(0)

/** The ids of now, for what hardly anybody asks for its id. */
export function momentIds(): MomentIds {
  const nowMs = Date.now()
  if (nowMs > newest.ms) newest = new Millisecond(nowMs)
  return newest
}

/** A UUIDv7 (RFC 9562), greater than all that this process has made, or reserved, before. */
export function newId(): string {
  const ids = momentIds()
  return ids.make(ids.reserve())
}
