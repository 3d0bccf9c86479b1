/**
 * Times of creation that serve as cursors: unique and strictly increasing (wire decision G05).
 * @module
 */
import { timestampOf } from '@flow-service/protocol'

/** Gives times of creation. */
export interface Timestamps {
  /** Now, or one microsecond after the last one given. */
  next(): string
  /** Gives only later ones than this from now on: the last one of an earlier process, whose clock may have been ahead. */
  continueAfter(timestamp: string): void
}

/** Times of a clock, which tells milliseconds since the Unix epoch. */
export function createTimestamps(now: () => number): Timestamps {
  let lastUs = 0
  return {
    next() {
      lastUs = Math.max(Math.floor(now() * 1000), lastUs + 1)
      return timestampOf(lastUs)
    },
    continueAfter(timestamp) {
      lastUs = Math.max(lastUs, epochUs(timestamp))
    },
  }
}

/** Microseconds since the Unix epoch of an engine timestamp. */
export function epochUs(timestamp: string): number {
  return Date.parse(`${timestamp.slice(0, 19)}Z`) * 1000 + Number(timestamp.slice(20, 26))
}
