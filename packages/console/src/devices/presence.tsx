/** Whether a device is there, for the list and for its own page; and where the API has devices. */
import type { Device } from '@flow-service/client-sdk'

import { ago } from '../format.ts'
import { now } from '../live/clock.ts'
import { Status } from '../parts/status.tsx'

export const DEVICES = '/devices/'

export function Presence({ of: { paired, online, last_seen: ts } }: { of: Device }) {
  if (online) {
    return (
      <>
        <Status is="ok" /> online
      </>
    )
  }
  return (
    <span title={ts ?? undefined}>
      <Status is={paired ? 'degraded' : 'pending'} />{' '}
      {paired ? (ts === null ? 'never seen' : `offline, seen ${ago(ts, now.value)}`) : 'not paired'}
    </span>
  )
}
