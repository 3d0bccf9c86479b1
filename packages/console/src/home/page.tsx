/** Everything at a glance: what needs somebody, the engine in numbers, its flows, the newest runs. */
import type {
  FlowGraph,
  FlowListItem,
  ObservabilitySummary,
  RunOverview,
  RunSummary,
  TimeBucket,
} from '@flow-service/client-sdk'
import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'

import { load, useResource } from '../api/resource.ts'
import { follow } from '../live/events.ts'
import { paced } from '../live/paced.ts'
import { Loading, Refused } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { Attention } from './attention.tsx'
import { Engines } from './engines.tsx'
import { FlowList } from './flow-list.tsx'
import { RunList } from './run-list.tsx'
import { Tied } from './tied.tsx'
import { Tiles } from './tiles.tsx'

import './home.css'

const paths = {
  flows: '/flows/',
  graph: '/flows/graph',
  overview: '/runs/overview',
  runs: '/runs?limit=10',
  summary: '/observability/summary',
} as const

/** Asked for again at most so often while things change. */
const AGAIN_MS = 1000
const HOUR_MS = 3_600_000

/** Events of the last second. */
const rate = signal(0)

export function Home() {
  const [minutesPath] = useState(() => minutesSince(Date.now()))
  const askAll = (): void => {
    for (const path of [...Object.values(paths), minutesPath]) void load(path)
  }
  useEffect(() => followEngine(askAll), [])
  const flows = useResource<FlowListItem[]>(paths.flows).value
  const overview = useResource<RunOverview[]>(paths.overview).value.data ?? []
  const graph = useResource<FlowGraph>(paths.graph).value.data
  const runs = useResource<RunSummary[]>(paths.runs).value
  const summary = useResource<ObservabilitySummary>(paths.summary).value
  const minutes = useResource<TimeBucket[]>(minutesPath).value.data ?? []
  const problem = flows.problem ?? summary.problem
  if (flows.data === undefined || summary.data === undefined) {
    return <div class="page">{problem ? <Refused problem={problem} again={askAll} /> : <Loading />}</div>
  }
  return (
    <div class="page">
      <header class="head">
        <h1>Home</h1>
        <span class="grow" />
        <Health of={summary.data} />
      </header>
      <Tiles of={summary.data} minutes={minutes} rate={rate} />
      <Attention flows={flows.data} overview={overview} summary={summary.data} />
      {summary.data.engines > 1 ? <Engines /> : null}
      <div class="two">
        <div>
          <FlowList flows={flows.data} overview={overview} />
          {graph ? <Tied graph={graph} flows={flows.data} /> : null}
        </div>
        <RunList runs={runs.data ?? null} problem={runs.problem} />
      </div>
    </div>
  )
}

/** The minutes of the last hour, and of as long as the page is open. */
const minutesSince = (ms: number): string =>
  `/observability/timeseries?bucket=60&since=${new Date(ms - HOUR_MS).toISOString()}`

/** Asks again when flows, runs or nodes have changed; one that changes all the time is asked for once a second. */
function followEngine(askAll: () => void): () => void {
  const again = paced(AGAIN_MS, askAll)
  let received = 0
  const end = follow({ kinds: ['flow', 'run', 'health', 'node'] }, (frames) => {
    received += frames.length
    if (frames.some(({ type }) => type !== 'snapshot')) again.ask()
  })
  const second = setInterval(() => {
    rate.value = received
    received = 0
  }, 1000)
  return () => {
    end()
    again.end()
    clearInterval(second)
  }
}

const Health = ({ of: { status, checks, version } }: { of: ObservabilitySummary }) => {
  const bad = Object.entries(checks).filter(([, check]) => check.status !== 'ok')
  const title = bad.map(([name, check]) => `${name}: ${check.detail ?? check.status}`).join('\n')
  return (
    <span class="pill" title={title === '' ? `flow-service ${version}` : title}>
      <Status is={status === 'down' ? 'failed' : status} /> engine {status}
    </span>
  )
}
