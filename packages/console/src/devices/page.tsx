/** The area of devices: those that wait to be adopted, those that are, and one by its id. */
import type { Device, PendingDevice } from '@flow-service/client-sdk'
import { useEffect, useState } from 'preact/hooks'

import { load, useResource } from '../api/resource.ts'
import { ago, counted } from '../format.ts'
import { now } from '../live/clock.ts'
import { Sheet } from '../parts/sheet.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { path } from '../router.ts'
import { Adopt, type Adoptable } from './adopt.tsx'
import { DevicePage } from './device-page.tsx'
import { Lookup } from './lookup.tsx'
import { DEVICES, Presence, saidOf } from './presence.tsx'

import './devices.css'

const PENDING = '/devices/pending'
/** Nothing tells of a device that begins to wait: while somebody looks, it is asked for so often. */
const EVERY_MS = 3000

export function Devices() {
  const id = path.value[1]
  return id === undefined ? <DevicesPage /> : <DevicePage key={id} id={id} />
}

function DevicesPage() {
  const { data: devices, problem } = useResource<Device[]>(DEVICES).value
  const { data: pending } = useResource<PendingDevice[]>(PENDING).value
  const [adopted, adopt] = useState<Adoptable | null>(null)
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.hidden) return
      void load(PENDING)
      void load(DEVICES)
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <div class="page">
      <header class="head">
        <h1>Devices</h1>
        <small role="status">{devices ? counted(devices.length, 'device') : ''}</small>
        <span class="grow" />
        <Lookup found={adopt} />
      </header>
      {pending && pending.length > 0 ? <Waiting devices={pending} adopt={adopt} /> : null}
      {devices === undefined ? (
        problem ? (
          <Refused problem={problem} again={() => void load(DEVICES)} />
        ) : (
          <Loading />
        )
      ) : devices.length === 0 ? (
        <Empty title="No devices yet">
          Switch on a board with the device SDK: it shows a code and two characters, and waits here. Adopt it, or enter
          its code above.
        </Empty>
      ) : (
        <Adopted devices={devices} />
      )}
      {adopted ? <Adopt device={adopted} known={devices ?? []} close={() => adopt(null)} /> : null}
    </div>
  )
}

interface WaitingProps {
  readonly devices: readonly PendingDevice[]
  readonly adopt: (device: Adoptable) => void
}

const Waiting = ({ devices, adopt }: WaitingProps) => (
  <section aria-labelledby="waiting">
    <h2 id="waiting">Waiting to be adopted</h2>
    <p class="hint">Compare the two characters with those on the device. Adopt it only when they are the same.</p>
    <ul class="waiting">
      {devices.map((device) => (
        <li key={device.id} class="card">
          <output class="check" aria-label="Characters to compare">
            {device.check}
          </output>
          <span class="what">
            <b>{device.name ?? 'A device without a name'}</b>
            <small>{[device.board, device.firmware].filter(Boolean).join(' · ')}</small>
            <small>
              {device.same_network
                ? `on your network, asked ${ago(device.created_at, now.value)}`
                : 'elsewhere: enter the code that it shows'}
            </small>
          </span>
          <button
            class="primary"
            disabled={!device.same_network}
            onClick={() => adopt({ ...device, by: { request: device.id } })}
          >
            Adopt
          </button>
        </li>
      ))}
    </ul>
  </section>
)

const Adopted = ({ devices }: { devices: readonly Device[] }) => (
  <section aria-labelledby="adopted">
    <h2 id="adopted">Adopted</h2>
    <Sheet
      name="Devices"
      rows={devices}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Device',
          is: 'wrap',
          show: ({ id, name }) => (
            <>
              <a href={`#/devices/${encodeURIComponent(id)}`}>{name}</a> {name === id ? null : <small>{id}</small>}
            </>
          ),
        },
        { title: 'State', show: (device) => <Presence of={device} /> },
        { title: 'Last report', is: 'wrap', show: ({ report }) => saidOf(report) },
        { title: 'Hardware', is: 'wrap', show: ({ board }) => board ?? '' },
        { title: 'Firmware', is: 'wrap', show: ({ firmware }) => firmware ?? '' },
        {
          title: 'Announced',
          show: ({ reported_at: ts }) => (ts === null ? 'never' : <span title={ts}>{ago(ts, now.value)}</span>),
        },
      ]}
    />
  </section>
)
