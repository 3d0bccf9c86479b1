/**
 * How much a client may say: a bucket of frames that fills again with time, so that a flood costs the engine a bounded
 * part of its time and a chatty start costs the client nothing.
 * @module
 */

/** Frames that a client may send at once. */
export const BURST_FRAMES = 500
/** Frames that a client may send in the long run, a second. */
const FRAMES_PER_SECOND = 50

/** How fast a budget fills again, and how much it holds. */
interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/**
 * A budget of one socket: each call takes an amount from it, one frame unless given; false when there is not as much left,
 * and then nothing is taken. `now` is in milliseconds.
 */
export function createFrameBudget(
  now: () => number,
  { perSecond, burst }: Rate = { perSecond: FRAMES_PER_SECOND, burst: BURST_FRAMES },
): (amount?: number) => boolean {
  let left = burst
  let at = now()
  return (amount = 1) => {
    const time = now()
    left = Math.min(burst, left + ((time - at) / 1000) * perSecond)
    at = time
    if (left < amount) return false
    left -= amount
    return true
  }
}
