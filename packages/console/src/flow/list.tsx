/** All flows: how they are, and what is done with a flow as a whole. */
import type { FlowListItem } from '@flow-service/client-sdk'
import { useEffect, useState } from 'preact/hooks'

import { load, useResource } from '../api/resource.ts'
import { ago, counted, number } from '../format.ts'
import { now } from '../live/clock.ts'
import { follow } from '../live/events.ts'
import { paced } from '../live/paced.ts'
import { Icon } from '../parts/icon.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { query, setQuery } from '../router.ts'
import { type Asked, Asking, FlowActions, FLOWS } from './flow-actions.tsx'

const AGAIN_MS = 500
/** What the list is narrowed to: the value of a filter, and which flows it leaves. */
const filters = {
  mode: ['live', 'batch'],
  status: ['active', 'paused', 'stopped', 'failed', 'ready', 'draft'],
} as const

export function FlowTable() {
  const { data: flows, problem } = useResource<FlowListItem[]>(FLOWS).value
  const [asked, ask] = useState<Asked | null>(null)
  useEffect(followFlows, [])
  const find = query.value.get('find') ?? ''
  const [mode, status] = [query.value.get('mode'), query.value.get('status')]
  const shown = (flows ?? []).filter(
    (flow) =>
      (mode === null || flow.mode === mode) &&
      (status === null || flow.status === status || (status === 'draft' && flow.has_draft)) &&
      `${flow.name} ${flow.title}`.toLowerCase().includes(find.trim().toLowerCase()),
  )
  return (
    <div class="page">
      <header class="head">
        <h1>Flows</h1>
        <small role="status">{flows ? counted(shown.length, 'flow') : ''}</small>
        <span class="grow" />
        <button onClick={() => ask({ what: 'import' })}>Import</button>
        <button class="primary" onClick={() => ask({ what: 'new' })}>
          New flow
        </button>
      </header>
      <div class="tools">
        <div class="find" role="search">
          <Icon name="search" />
          <input
            type="search"
            aria-label="Find a flow"
            placeholder="name or title"
            value={find}
            onInput={({ currentTarget }) => setQuery({ find: currentTarget.value })}
          />
        </div>
        <Choices of="mode" now={mode} />
        <Choices of="status" now={status} />
      </div>
      {problem && flows === undefined ? <Refused problem={problem} again={() => void load(FLOWS)} /> : null}
      {flows === undefined ? problem ? null : <Loading /> : <Rows flows={flows} shown={shown} ask={ask} />}
      {asked ? <Asking asked={asked} close={() => ask(null)} /> : null}
    </div>
  )
}

const Choices = ({ of, now: chosen }: { of: keyof typeof filters; now: string | null }) => (
  <span class="choices" role="group" aria-label={of}>
    {filters[of].map((one) => (
      <button
        key={one}
        class="chip"
        aria-pressed={chosen === one}
        onClick={() => setQuery({ [of]: chosen === one ? null : one })}
      >
        {one}
      </button>
    ))}
  </span>
)

/** Asks again when flows have changed. */
function followFlows(): () => void {
  const again = paced(AGAIN_MS, () => void load(FLOWS))
  const end = follow({ kinds: ['flow', 'health'] }, (frames) => {
    if (frames.some(({ type }) => type !== 'snapshot')) again.ask()
  })
  return () => {
    again.end()
    end()
  }
}

interface RowsProps {
  readonly flows: readonly FlowListItem[]
  readonly shown: readonly FlowListItem[]
  readonly ask: (asked: Asked) => void
}

function Rows({ flows, shown, ask }: RowsProps) {
  if (flows.length === 0) {
    return (
      <Empty title="No flows yet">
        A flow is a graph of nodes that exchange messages. Make a new one here, or write it in TypeScript and start{' '}
        <code>service dev flows</code>.
      </Empty>
    )
  }
  if (shown.length === 0) {
    return (
      <Empty title="No flow fits">
        Loosen the filter, or <a href="#/flows">show all flows</a>
      </Empty>
    )
  }
  return (
    <Sheet
      name="Flows"
      rows={shown}
      keyOf={({ name }) => name}
      columns={[
        { title: 'Flow', is: 'wrap', show: (flow) => <Name of={flow} /> },
        { title: 'Status', show: ({ status }) => <Status is={status} isWord /> },
        { title: 'Mode', show: ({ mode }) => mode },
        {
          title: 'Version',
          show: ({ published_version: version, has_draft: hasDraft }) =>
            [version === null ? '' : `v${version}`, hasDraft ? 'draft' : ''].filter(Boolean).join(' + '),
        },
        { title: 'Issues', show: (flow) => issuesOf(flow) },
        { title: 'Held', is: 'num', show: ({ held }) => (held === 0 ? '' : number(held)) },
        {
          title: 'Last active',
          is: 'num',
          show: ({ last_activity_at: ts }) => (ts === null ? 'not yet' : <span title={ts}>{ago(ts, now.value)}</span>),
        },
        { title: 'Defined in', show: ({ origin }) => (origin === 'code' ? 'code' : 'console') },
        { title: '', show: (flow) => <FlowActions of={flow} ask={ask} /> },
      ]}
    />
  )
}

const Name = ({ of: { name, title } }: { of: FlowListItem }) => (
  <>
    <a href={`#/flows/${encodeURIComponent(name)}`}>{title || name}</a> {title === '' ? null : <small>{name}</small>}
  </>
)

const issuesOf = ({ issues: { error, warning, advisory }, failed_nodes: failed }: FlowListItem): string =>
  [
    error > 0 ? counted(error, 'error') : '',
    warning > 0 ? counted(warning, 'warning') : '',
    advisory > 0 ? `${number(advisory)} advice` : '',
    failed > 0 ? counted(failed, 'failed node') : '',
  ]
    .filter(Boolean)
    .join(', ')
