/** What happened to the engine and its connections, and what people did: the audit. */
import type { ObservabilityEvent } from '@flow-service/client-sdk'

import { oneLine } from '../format.ts'
import { JsonView } from '../parts/json-view.tsx'
import { Status } from '../parts/status.tsx'
import { query } from '../router.ts'
import { narrowed, Narrow } from './narrow.tsx'
import { Older, useOlder } from './older.tsx'
import { When } from './when.tsx'

const kinds = ['health', 'alert', 'worker', 'device', 'engine'] as const
const names = { events: ['kind', 'flow', 'action'], audit: ['flow', 'action', 'actor'] } as const
const looks = { info: 'ok', warning: 'degraded', error: 'failed' } as const

export function EngineEvents({ isAudit }: { isAudit: boolean }) {
  const narrowedBy = narrowed('/observability/events', isAudit ? names.audit : names.events)
  const path = isAudit ? `${narrowedBy}${narrowedBy.includes('?') ? '&' : '?'}kind=audit` : narrowedBy
  const events = useOlder<ObservabilityEvent>(path, ({ ts }) => ts)
  const isNarrowed = path.includes('=') && (!isAudit || query.value.size > 1)
  return (
    <>
      <Narrow
        of={events}
        words={isAudit ? [] : [['kind', 'Kind', kinds]]}
        texts={[
          ['flow', 'Flow'],
          ['action', 'Action begins with'],
          ...(isAudit ? [['actor', 'By whom'] as const] : []),
        ]}
      />
      <Older
        of={events}
        name={isAudit ? 'Audit' : 'Engine events'}
        keyOf={({ id }) => id}
        none={
          isNarrowed
            ? ['Nothing fits', 'Loosen the fields above.']
            : ['Nothing yet', 'What happens is kept for 30 days.']
        }
        columns={[
          {
            title: 'When',
            show: ({ ts }) => <When ts={ts} />,
          },
          {
            title: 'What',
            show: ({ action, level }) => (
              <>
                <Status is={looks[level]} /> {action}
              </>
            ),
          },
          ...(isAudit
            ? [{ title: 'By', show: ({ actor }: ObservabilityEvent) => <Actor of={actor} /> }]
            : [{ title: 'Kind', show: ({ kind }: ObservabilityEvent) => kind }]),
          { title: 'Where', show: ({ flow, node }) => <Where flow={flow} node={node} /> },
          { title: 'More', is: 'wrap', show: ({ detail }) => <Detail of={detail} /> },
        ]}
      />
    </>
  )
}

const Actor = ({ of }: { of: ObservabilityEvent['actor'] }) =>
  of === null ? null : (
    <span title={of.id}>
      {of.email} <small>{[of.via, of.name].filter(Boolean).join(' ')}</small>
    </span>
  )

export const Where = ({ flow, node }: { flow: string | null; node: string | null }) =>
  flow === null ? null : (
    <a href={`#/flows/${encodeURIComponent(flow)}${node === null ? '' : `?${new URLSearchParams({ node })}`}`}>
      {flow}
      {node === null ? '' : `.${node}`}
    </a>
  )

/** On one line where it is short, and as a tree where somebody looks. */
function Detail({ of }: { of: ObservabilityEvent['detail'] }) {
  const entries = Object.entries(of)
  if (entries.length === 0) return null
  const text = entries.map(([name, value]) => `${name}: ${oneLine(value, 60)}`).join(' · ')
  return (
    <details>
      <summary>{text.length > 160 ? `${text.slice(0, 159)}…` : text}</summary>
      <JsonView of={of} />
    </details>
  )
}
