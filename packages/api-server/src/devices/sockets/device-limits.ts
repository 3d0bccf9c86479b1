/**
 * How much a device may send (U16): publications and pictures a second, and bytes of both; and how much of the engine's time
 * its frames may take, which few long ones do as well as many. Each socket of a device has one; without it, one board that has
 * gone wild would take the turns of all others.
 * @module
 */
import { MAX_BINARY_FRAME_BYTES } from '@flow-service/protocol'

import { createFrameBudget } from '../../events/frame-budget.ts'

/** Longest text frame of a device, in bytes. */
export const MAX_TEXT_BYTES = 256 * 1024
const PUBLISHES_PER_SECOND = 200
const FRAMES_PER_SECOND = 60
const BYTES_PER_SECOND = 32 * 1024 * 1024
/** Seconds of its rate that a device may send at once. */
const BURST_S = 2
/** Frames beyond the limits after which nothing is read from the device for {@link REST_MS}. */
const PATIENCE = 100
/** How long a device that floods is not read from, in milliseconds. */
export const REST_MS = 1_000
/** Part of the engine's time that the frames of a device may take in the long run. */
const TIME_SHARE = 0.1
/** Time that they may take at once, in milliseconds. */
const TIME_BURST_MS = 100
const MEBIBYTE = 1024 * 1024
/** What a frame costs in all, in times of its handling: its value is stored and told afterwards. */
const HANDLINGS = 2
/** What a mebibyte costs beside that, in milliseconds: it is unmasked, copied, hashed, and collected as garbage above all. */
const MS_PER_MEBIBYTE = 10
/** Oversized messages, which are put together and dropped, hold everybody up: two, and one more each ten seconds. */
const OVERSIZED = { perSecond: 0.1, burst: 2 }
/** How long a device that sends more of them is not read from, in milliseconds. */
const LONG_REST_MS = 10_000
/** How often a flood is told of, in milliseconds. */
const NEWS_MS = 60_000

const rate = (perSecond: number) => ({ perSecond, burst: perSecond * BURST_S })

/** What to do with a frame. */
export type Verdict = 'taken' | 'refused' | 'rest'

/** The limits of one socket. */
export class DeviceLimits {
  readonly #now: () => number
  readonly #publishes: (amount?: number) => boolean
  readonly #frames: (amount?: number) => boolean
  readonly #bytes: (amount?: number) => boolean
  readonly #oversized: (amount?: number) => boolean
  /** Refused since the device was read from again. */
  #refused = 0
  /** Refused since the flood was told of. */
  #untold = 0
  #toldAt = -NEWS_MS
  #timeLeftMs = TIME_BURST_MS
  #spentAt: number

  /** `now` is in milliseconds. */
  constructor(now: () => number) {
    this.#now = now
    this.#spentAt = now()
    this.#publishes = createFrameBudget(now, rate(PUBLISHES_PER_SECOND))
    this.#frames = createFrameBudget(now, rate(FRAMES_PER_SECOND))
    this.#bytes = createFrameBudget(now, rate(BYTES_PER_SECOND))
    this.#oversized = createFrameBudget(now, OVERSIZED)
  }

  /** Counts a frame; after many that are refused, the device is to be left alone for {@link REST_MS}. */
  take(kind: 'text' | 'binary', bytes: number): Verdict {
    const isTaken = (kind === 'text' ? this.#publishes : this.#frames)() && this.#bytes(bytes)
    if (isTaken) return 'taken'
    this.#untold++
    this.#refused = (this.#refused + 1) % PATIENCE
    return this.#refused === 0 ? 'rest' : 'refused'
  }

  /**
   * Counts the time that a frame has taken; how long the device is to be left alone so that it takes no more than its share,
   * in milliseconds. Nothing of it is refused.
   */
  spend(handlingMs: number, bytes: number): number {
    if (bytes > MAX_BINARY_FRAME_BYTES && !this.#oversized()) return LONG_REST_MS
    const now = this.#now()
    this.#timeLeftMs = Math.min(TIME_BURST_MS, this.#timeLeftMs + (now - this.#spentAt) * TIME_SHARE)
    this.#spentAt = now
    const leftMs = this.#timeLeftMs - handlingMs * HANDLINGS - (bytes / MEBIBYTE) * MS_PER_MEBIBYTE
    // an engine that has stood still is no fault of the device
    this.#timeLeftMs = Math.max(leftMs, -REST_MS * TIME_SHARE)
    return Math.max(0, -this.#timeLeftMs / TIME_SHARE)
  }

  /** How many frames were refused since the last time, when it is time to tell; else 0. */
  news(): number {
    const refused = this.#untold
    const now = this.#now()
    if (refused === 0 || now - this.#toldAt < NEWS_MS) return 0
    this.#toldAt = now
    this.#untold = 0
    return refused
  }
}
