/**
 * How long a node waits between an attempt that failed and the next (`retry`): nodes of runs, and of live flows.
 * @module
 */
import { hash } from 'node:crypto'

import type { NodeRetry } from '@flow-service/protocol'

/** The part of a delay that chance takes away, so that the nodes of a sweep do not come back all at once. */
const JITTER = 0.25

/** Milliseconds from the failure of an attempt to the next one; the same for the same salt. */
export function retryDelayMs({ delay_s, factor, max_delay_s }: NodeRetry, attempt: number, salt: string): number {
  const whole = Math.min(delay_s * factor ** (attempt - 1), max_delay_s) * 1000
  const chance = hash('sha256', `${salt}/${attempt}`, 'buffer').readUInt32LE(0) / 2 ** 32
  return whole * (1 - JITTER * chance)
}
