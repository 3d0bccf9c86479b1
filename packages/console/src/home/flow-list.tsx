/** The flows of the engine: state, name, and what came of their runs. */
import type { FlowListItem, RunOverview } from '@flow-service/client-sdk'

import { ago, counted } from '../format.ts'
import { now } from '../live/clock.ts'
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
      <b>{flow.title || flow.name}</b>
      <small>{facts(flow).join(' · ')}</small>
    </span>
    {runs ? <Outcomes of={runs} /> : null}
    <small class="when" title={flow.last_activity_at ?? undefined}>
      {runs && runs.total > 0
        ? counted(runs.total, 'run')
        : flow.last_activity_at
          ? ago(flow.last_activity_at, now.value)
          : 'not yet'}
    </small>
  </li>
)

const facts = ({ name, title, mode, has_draft: hasDraft, held }: FlowListItem): string[] => [
  ...(title ? [name] : []),
  mode,
  ...(hasDraft ? ['draft'] : []),
  ...(held > 0 ? [`${held} held`] : []),
]

/** How the runs of a flow ended, as parts of a bar. */
function Outcomes({ of: { ok, error, cancelled, abandoned, total } }: { of: RunOverview }) {
  let from = 0
  const parts = [
    { is: 'ok', count: ok },
    { is: 'error', count: error },
    { is: 'cancelled', count: cancelled + abandoned },
  ].map(({ is, count }) => {
    const part = { is, x: from, width: (100 * count) / Math.max(1, total) }
    from += part.width
    return part
  })
  return (
    <svg
      class="meter"
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${ok} ok, ${error} failed of ${total}`}
    >
      {parts.map(({ is, x, width }) => (
        <rect key={is} x={x} width={width} height="4" class={`part-${is}`} />
      ))}
    </svg>
  )
}
