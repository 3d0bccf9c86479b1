/**
 * The time as a value of a message.
 * @module
 */
import { type Dtype, timestampOfMs } from '@flow-service/protocol'

/** A time for a port: seconds since the Unix epoch for `float` and `int`, else an ISO timestamp. */
export function timeAs(dtype: Dtype, nowMs: number): unknown {
  if (dtype === 'float') return nowMs / 1000
  return dtype === 'int' ? Math.floor(nowMs / 1000) : timestampOfMs(nowMs)
}
