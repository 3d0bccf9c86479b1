/**
 * Times as clients may send them, to the microsecond.
 * @module
 */
import { timestampOf } from '@flow-service/protocol'

/** Microseconds since the Unix epoch of an ISO 8601 time with an offset. */
export function epochUsOf(time: string): number {
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? ''
  // a `Date` has no microseconds
  return Math.floor(Date.parse(time) / 1000) * 1_000_000 + Number(fraction.padEnd(6, '0').slice(0, 6))
}

/** The microsecond after a time, as an engine timestamp. */
export const justAfter = (time: string): string => timestampOf(epochUsOf(time) + 1)
