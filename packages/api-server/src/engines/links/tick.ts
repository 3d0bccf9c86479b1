/**
 * Time as links see it: ticks of one timer for all of them. Nothing is due by the time of day, which may be set: an engine
 * that was stopped for an hour finds that one tick has passed.
 * @module
 */

/** Milliseconds between two ticks. */
export const TICK_MS = 100

/** Ticks after which so many milliseconds have passed, at the least. */
export const inTicks = (ms: number): number => Math.ceil(ms / TICK_MS)
