/** What waits for somebody, each with what it is about; nothing at all where nothing does. */
import type { FlowListItem, ObservabilitySummary, RunOverview } from '@flow-service/client-sdk'

import { counted, shortId } from '../format.ts'
import { Icon } from '../parts/icon.tsx'

interface Matter {
  readonly what: string
  readonly about: string
  /** Where something can be done about it. */
  readonly at: string
}

interface AttentionProps {
  readonly flows: readonly FlowListItem[]
  readonly overview: readonly RunOverview[]
  readonly summary: ObservabilitySummary
}

export function Attention({ flows, overview, summary }: AttentionProps) {
  const matters = [...ofFlows(flows), ...ofRuns(flows, overview), ...ofEngine(summary)]
  if (matters.length === 0) return null
  return (
    <section class="card attention" aria-label="Needs attention">
      <h2>Needs attention</h2>
      <ul>
        {matters.map(({ what, about, at }) => (
          <li key={`${about} ${what}`}>
            <Icon name="warn" /> <a href={`#${at}`}>{about}</a> {what}
          </li>
        ))}
      </ul>
    </section>
  )
}

function ofFlows(flows: readonly FlowListItem[]): Matter[] {
  return flows.flatMap(({ name, title, status, issues }) => {
    const about = title || name
    const found = [
      issues.error > 0 ? counted(issues.error, 'error') : [],
      issues.warning > 0 ? counted(issues.warning, 'warning') : [],
    ]
    const what = found.flat().join(' and ')
    const at = `/flows/${encodeURIComponent(name)}`
    if (status === 'failed') return [{ about, at, what: what === '' ? 'has failed' : `has failed, with ${what}` }]
    return what === '' ? [] : [{ about, at, what: `has ${what}` }]
  })
}

/** The newest run of a flow has failed: nothing came of it since. */
function ofRuns(flows: readonly FlowListItem[], overview: readonly RunOverview[]): Matter[] {
  return overview.flatMap(({ flow, last_run: last }) => {
    const known = flows.find(({ name }) => name === flow)
    // of a flow that is gone nobody waits for the next run
    if (!known || last === null || (last.status !== 'error' && last.status !== 'abandoned')) return []
    const about = known.title || flow
    return [{ about, at: `/runs/${last.id}`, what: `has failed in its newest run, ${shortId(last.id)}` }]
  })
}

function ofEngine({ counts, workers, load_errors: unloaded }: ObservabilitySummary): Matter[] {
  const { dead_letters: letters, failed_nodes: nodes, pending_devices: devices } = counts
  return [
    ...(nodes > 0
      ? [{ about: 'Nodes', at: '/flows', what: `${counted(nodes, 'node')} of live flows failed the last time` }]
      : []),
    ...(letters > 0
      ? [
          {
            about: 'Dead letters',
            at: '/events?tab=dead',
            what: `${counted(letters, 'delivery', 'deliveries')} ended without being done`,
          },
        ]
      : []),
    ...(devices > 0
      ? [{ about: 'Devices', at: '/devices', what: `${counted(devices, 'device')} would like to be adopted` }]
      : []),
    ...(workers.needs_upgrade > 0
      ? [{ about: 'Workers', at: '/workers', what: `${counted(workers.needs_upgrade, 'worker')} of an old version` }]
      : []),
    ...unloaded.map(({ package: about, reason }) => ({
      about,
      at: '/settings?tab=connectors',
      what: `could not be loaded: ${reason}`,
    })),
  ]
}
