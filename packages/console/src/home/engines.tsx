/** The engines of the database: what each runs and how it is reached. Nothing at all where there is one. */
import type { Engine, EngineList } from '@flow-service/client-sdk'
import { useEffect } from 'preact/hooks'

import { load, useResource } from '../api/resource.ts'
import { ago, bytes, counted, duration, number } from '../format.ts'
import { now } from '../live/clock.ts'
import { Icon } from '../parts/icon.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { Status } from '../parts/status.tsx'

const PATH = '/engines'
/** Leases and links change without an event. */
const EVERY_MS = 5000

export function Engines() {
  const { data } = useResource<EngineList>(PATH).value
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void load(PATH)
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  if (data === undefined || data.engines.length < 2) return null
  return (
    <section class="engines" aria-labelledby="engines">
      <h2 id="engines">Engines</h2>
      {warningsOf(data).map((text) => (
        <p key={text}>
          <Icon name="warn" /> {text}
        </p>
      ))}
      <Sheet
        name="Engines of the database"
        rows={data.engines}
        keyOf={({ id, name }) => id ?? name}
        columns={[
          { title: 'Engine', show: ({ name, address }) => <span title={address ?? undefined}>{name}</span> },
          { title: 'Version', show: ({ version }) => version },
          { title: 'Live flows', is: 'num', show: ({ flows }) => number(flows) },
          { title: 'Lease', is: 'num', show: ({ lease_s: leaseS }) => duration(leaseS) },
          { title: 'Link', show: linkOf },
          { title: 'Since', show: ({ started_at: ts }) => <span title={ts}>{ago(ts, now.value)}</span> },
        ]}
      />
    </section>
  )
}

function linkOf({ link }: Engine) {
  if (link === null) return <span class="hint">this engine</span>
  if (link.status === 'none') return <span class="hint">not needed so far</span>
  const { round_trip_ms: ms, unsent_bytes: unsent } = link
  const more = [...(ms === null ? [] : [`${ms.toFixed(1)} ms`]), ...(unsent === 0 ? [] : [`${bytes(unsent)} wait`])]
  return (
    <>
      <Status is={link.status === 'up' ? 'ok' : 'failed'} /> {[link.status, ...more].join(', ')}
    </>
  )
}

function warningsOf({ engines, flows: { nowhere, nowhere_names: names } }: EngineList): string[] {
  const versions = [...new Set(engines.map(({ version }) => version))]
  const more = nowhere - names.length
  const told = names.join(', ') + (more > 0 ? ` and ${number(more)} more` : '')
  return [
    ...(versions.length > 1 ? [`The engines have different versions: ${versions.join(', ')}.`] : []),
    ...(nowhere > 0 ? [`${counted(nowhere, 'live flow')} ${nowhere === 1 ? 'runs' : 'run'} nowhere: ${told}.`] : []),
  ]
}
