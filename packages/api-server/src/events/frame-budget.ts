/**
 * How much a client may say: a bucket of frames that fills again with time, so that a flood costs the engine a bounded
 * part of its time and a chatty start costs the client nothing.
 * @module
 */

/** Frames that a client may send at once. */
export const BURST_FRAMES = 500
/** Frames that a client may send in the long run, a second. */
const FRAMES_PER_SECOND = 50

/** A budget of one socket: each call takes a frame from it; false when there is none left. `now` is in milliseconds. */
export function createFrameBudget(now: () => number): () => boolean {
  let left = BURST_FRAMES
  let at = now()
  return () => {
    const time = now()
    left = Math.min(BURST_FRAMES, left + ((time - at) / 1000) * FRAMES_PER_SECOND)
    at = time
    if (left < 1) return false
    left -= 1
    return true
  }
}
