/**
 * Volatile artifacts: frames that live in the memory of the engine and are pushed out by newer ones (wire decision G40).
 * @module
 */

/** Bytes the ring holds unless the configuration says otherwise. */
export const RING_BYTES = 64 * 1024 * 1024
/** Frames in the ring: a frame of a few bytes takes some hundred for its place. */
const MAX_FRAMES = 65_536

/** A frame with what it was last called. */
export interface Frame {
  readonly data: Uint8Array
  readonly name: string
  readonly mediaType: string
}

/** Frames by digest. */
export interface VolatileRing {
  /** Keeps a frame as the newest one; whether its bytes are new. */
  put(digest: string, frame: Frame): boolean
  get(digest: string): Frame | undefined
  /** Lets a frame go; whether it was there. */
  drop(digest: string): boolean
}

/** A ring of at most `capacity` bytes, in at most 65,536 frames; the oldest leave first. */
export function createVolatileRing(capacity: number = RING_BYTES): VolatileRing {
  const frames = new Map<string, Frame>()
  let size = 0
  const drop = (digest: string, frame: Frame): void => {
    frames.delete(digest)
    size -= frame.data.length
  }
  const dropped = (digest: string): boolean => {
    const frame = frames.get(digest)
    if (frame) drop(digest, frame)
    return frame !== undefined
  }
  return {
    put(digest, frame) {
      const isNew = !dropped(digest)
      for (const [oldest, other] of frames) {
        if (size + frame.data.length <= capacity && frames.size < MAX_FRAMES) break
        drop(oldest, other)
      }
      frames.set(digest, frame)
      size += frame.data.length
      return isNew
    },
    get: (digest) => frames.get(digest),
    drop: dropped,
  }
}
