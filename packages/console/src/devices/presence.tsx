/** Whether a device is there and what it says of itself, for the list and for its own page; and where the API has devices. */
import type { Device } from '@flow-service/client-sdk'

import { ago, counted, oneLine } from '../format.ts'
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

/** Shown in places of their own. */
const known = new Set(['name', 'board', 'firmware'])

/** What a device reports of itself that fits on a line, as `3 ports · battery 0.83 · rssi -61`. */
export function saidOf(report: Device['report']): string {
  const said = Object.entries(report ?? {})
    .filter(([name, value]) => !known.has(name) && value !== null && typeof value !== 'object')
    .slice(0, 4)
    .map(([name, value]) => `${name} ${oneLine(value, 24)}`)
  // older firmware has another word for them
  const ports = report?.['io'] ?? report?.['ports']
  return [...(Array.isArray(ports) ? [counted(ports.length, 'port')] : []), ...said].join(' · ')
}
