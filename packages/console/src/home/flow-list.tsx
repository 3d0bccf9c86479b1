/** The flows of the engine: state, name, and what came of their runs. */
import type { FlowListItem, RunOverview } from '@flow-service/client-sdk'

import { ago, counted } from '../format.ts'
import { now } from '../live/clock.ts'
import { Outcomes } from '../parts/outcomes.tsx'
import { Empty } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'

interface FlowListProps {
  readonly flows: readonly FlowListItem[]
  readonly overview: readonly RunOverview[]
}

export const FlowList = ({ flows, overview }: FlowListProps) => (
  <section aria-labelledby="flows">
    <h2 id="flows">Flows</h2>
    {flows.length === 0 ? (
      <Empty title="No flows yet">
        A flow is a graph of nodes. <code>service flows save climate.json --publish</code> brings one, or write it in
        TypeScript and start <code>service dev flows</code>.
      </Empty>
    ) : (
      <ul class="list">
        {flows.map((flow) => (
          <FlowLine key={flow.name} flow={flow} runs={overview.find((one) => one.flow === flow.name) ?? null} />
        ))}
      </ul>
    )}
  </section>
)

const FlowLine = ({ flow, runs }: { flow: FlowListItem; runs: RunOverview | null }) => (
  <li>
    <Status is={flow.status} />
    <span class="what">
      <a href={`#/flows/${encodeURIComponent(flow.name)}`}>
        <b>{flow.title || flow.name}</b>
      </a>
      <small>{facts(flow).join(' · ')}</small>
    </span>
    {runs ? <Outcomes of={runs} /> : null}
    <small class="when" title={flow.last_activity_at ?? undefined}>
      {runs && runs.total > 0
        ? counted(runs.total, 'run')
        : flow.last_activity_at
          ? ago(flow.last_activity_at, now.value)
          : 'no activity yet'}
    </small>
  </li>
)

const facts = ({ name, title, mode, has_draft: hasDraft, held }: FlowListItem): string[] => [
  ...(title ? [name] : []),
  mode,
  ...(hasDraft ? ['draft'] : []),
  ...(held > 0 ? [`${held} held`] : []),
]
