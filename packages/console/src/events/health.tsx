/** How the engine is: its checks, what was executed in the last hours, and by which flows. */
import type { FlowRollup, ObservabilitySummary, TimeBucket } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { load, useResource } from '../api/resource.ts'
import { counted, duration, number } from '../format.ts'
import { Sheet } from '../parts/sheet.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { When } from './when.tsx'

const SUMMARY = '/observability/summary'
const FLOWS = '/observability/flows'
/** The last day, in spans of so many seconds. */
const [DAY_MS, SPAN_S] = [86_400_000, 900]

export function Health() {
  const [since] = useState(() => new Date(Date.now() - DAY_MS).toISOString())
  const spansPath = `/observability/timeseries?bucket=${SPAN_S}&since=${since}`
  const { data: summary, problem } = useResource<ObservabilitySummary>(SUMMARY).value
  const { data: spans } = useResource<TimeBucket[]>(spansPath).value
  const { data: flows } = useResource<FlowRollup[]>(FLOWS).value
  const again = (): void => {
    for (const path of [SUMMARY, spansPath, FLOWS]) void load(path)
  }
  if (summary === undefined) return problem ? <Refused problem={problem} again={again} /> : <Loading />
  return (
    <>
      <div class="tools">
        <Status is={summary.status === 'down' ? 'failed' : summary.status} isWord />
        <small>
          flow-service {summary.version}, up for {duration(summary.uptime_s)}; Prometheus reads <code>/metrics</code>{' '}
          with a <a href="#/settings?tab=keys">key</a>
        </small>
        <span class="grow" />
        <button onClick={again}>Refresh</button>
      </div>
      <div class="columns-2">
        <Sheet
          name="Checks"
          rows={Object.entries(summary.checks)}
          keyOf={([name]) => name}
          columns={[
            { title: 'Check', show: ([name]) => name },
            { title: 'State', show: ([, { status }]) => <Status is={status === 'down' ? 'failed' : status} isWord /> },
            { title: 'More', is: 'wrap', show: ([, { detail }]) => detail ?? '' },
          ]}
        />
        <section class="card" aria-label="Executions of the last day">
          <h2>Executions of the last day</h2>
          <Bars of={spans ?? []} since={Date.parse(since)} />
        </section>
      </div>
      {summary.load_errors.length === 0 ? null : (
        <>
          <h2>Packages that could not be loaded</h2>
          <Sheet
            name="Packages that could not be loaded"
            rows={summary.load_errors}
            keyOf={({ package: name }) => name}
            columns={[
              { title: 'Package', show: ({ package: name }) => name },
              { title: 'Why', is: 'wrap', show: ({ reason }) => reason },
            ]}
          />
        </>
      )}
      <h2>By flow, in the last 7 days</h2>
      {flows === undefined ? (
        <Loading />
      ) : flows.length === 0 ? (
        <Empty title="Nothing was executed">Start a live flow, or run a batch flow.</Empty>
      ) : (
        <Rollups flows={flows} />
      )}
    </>
  )
}

const Rollups = ({ flows }: { flows: readonly FlowRollup[] }) => (
  <Sheet
    name="Executions by flow"
    rows={flows}
    keyOf={({ flow }) => flow}
    columns={[
      { title: 'Flow', show: ({ flow }) => <a href={`#/flows/${encodeURIComponent(flow)}`}>{flow}</a> },
      { title: 'Executions', is: 'num', show: ({ executions }) => number(executions) },
      { title: 'Failed', is: 'num', show: ({ errors }) => number(errors) },
      { title: 'Mean', is: 'num', show: ({ duration_ms_avg: ms }) => duration(ms === null ? null : ms / 1000) },
      { title: '95 % within', is: 'num', show: ({ duration_ms_p95: ms }) => duration(ms === null ? null : ms / 1000) },
      { title: 'Last', show: ({ last_at: ts }) => (ts === null ? '' : <When ts={ts} />) },
    ]}
  />
)

const [WIDTH, HEIGHT] = [DAY_MS / 1000 / SPAN_S, 100]

/** A bar for each span; what failed is its lower part. */
function Bars({ of, since }: { of: readonly TimeBucket[]; since: number }) {
  const most = Math.max(1, ...of.map(({ executions }) => executions))
  const all = of.reduce((sum, { executions }) => sum + executions, 0)
  const failed = of.reduce((sum, { errors }) => sum + errors, 0)
  return (
    <>
      <svg class="bars tall" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {of.map(({ ts, executions, errors }) => {
          const x = (Date.parse(ts) - since) / 1000 / SPAN_S
          const [height, bad] = [(executions / most) * HEIGHT, (errors / most) * HEIGHT]
          return (
            <g key={ts}>
              <rect class="part-run" x={x} width="0.8" y={HEIGHT - height} height={height} />
              <rect class="part-error" x={x} width="0.8" y={HEIGHT - bad} height={bad} />
            </g>
          )
        })}
      </svg>
      <small>
        {counted(all, 'execution')}, {number(failed)} failed; at most {number(most)} in 15 minutes
      </small>
    </>
  )
}
