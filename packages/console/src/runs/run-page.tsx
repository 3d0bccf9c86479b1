/** One run: what it was given, what it does or did, what came of it. */
import type { FlowDocument, NodeRecord, Run, RunSummary } from '@flow-service/client-sdk'
import { useEffect, useState } from 'preact/hooks'

import { call, post, type Problem } from '../api/call.ts'
import { load, useResource } from '../api/resource.ts'
import { ago, counted, duration, number, oneLine, shortId } from '../format.ts'
import { now, second } from '../live/clock.ts'
import { follow } from '../live/events.ts'
import { paced } from '../live/paced.ts'
import { LogText } from '../parts/log-text.tsx'
import { MiniGraph } from '../parts/mini-graph.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { go, query, setQuery } from '../router.ts'
import { Artifacts } from './artifacts.tsx'
import { Curves, curvesPath } from './curves.tsx'
import { graphOf, PARAMETERS } from './graph.ts'
import { Marks } from './marks.tsx'
import { changedRunPath } from './new-run.tsx'
import { Stages } from './stages.tsx'

/** Asked for again at most so often while it executes. */
const AGAIN_MS = 500

const isOver = ({ status }: Run): boolean => status !== 'queued' && status !== 'running'

export function RunPage({ id }: { id: string }) {
  const path = `/runs/${encodeURIComponent(id)}`
  const { data: run, problem } = useResource<Run>(path).value
  useEffect(() => followRun(id, path), [path])
  if (run === undefined) {
    return <div class="page">{problem ? <Refused problem={problem} again={() => void load(path)} /> : <Loading />}</div>
  }
  return (
    <div class="page">
      <Head run={run} path={path} />
      <Facts run={run} />
      <Relatives run={run} />
      <div class="side-by-side">
        <Tabs
          tabs={[
            { name: 'stages', title: 'Stages', show: () => <Stages run={run} /> },
            { name: 'graph', title: 'Graph', show: () => <RunGraph run={run} /> },
            { name: 'metrics', title: 'Metrics', count: run.metrics.length, show: () => <Curves run={run} /> },
            { name: 'logs', title: 'Logs', show: () => <Logs run={run} /> },
            { name: 'artifacts', title: 'Artifacts', count: run.artifacts.length, show: () => <Artifacts run={run} /> },
          ]}
        />
        <aside>
          {run.error ? (
            <section class="card wrong" aria-label="Error">
              <h2>
                {run.error.type}
                {run.error.node === null ? '' : ` in ${run.error.node}`}
              </h2>
              <p>{run.error.message}</p>
            </section>
          ) : null}
          <Values title="Result" of={run.result ?? {}} none={isOver(run) ? 'None.' : 'None yet.'} />
          <Values title="Parameters" of={run.params} dim={defaultsOf(run)} none="It takes none." />
          <Marks key={run.id} run={run} path={path} />
        </aside>
      </div>
    </div>
  )
}

const defaultsOf = ({ inputs }: Run): ReadonlySet<string> =>
  new Set(inputs.filter((one) => one.default).map(({ name }) => name))

/** Asks again when the run, its nodes or its curves have gone on. */
function followRun(id: string, path: string): () => void {
  const again = paced(AGAIN_MS, () => {
    void load(path)
    void load(curvesPath(id))
  })
  const end = follow({ kinds: ['run', 'node', 'value'], runs: [id] }, (frames) => {
    if (frames.some((frame) => 'run' in frame)) again.ask()
  })
  return () => {
    end()
    again.end()
  }
}

function Head({ run, path }: { run: Run; path: string }) {
  const [fault, setFault] = useState<string | null>(null)
  const act = (work: () => Promise<unknown>) => (): void => {
    setFault(null)
    work().catch((problem: Problem) => setFault(problem.message))
  }
  const again = async (): Promise<void> => {
    const next = await post<Run>(`${path}/retry`)
    go(`/runs/${next.id}`)
  }
  const cancel = async (): Promise<void> => {
    await post(`${path}/cancel`)
    await load(path)
  }
  const pin = async (): Promise<void> => {
    await call('PATCH', path, { pinned: !run.pinned })
    await load(path)
  }
  return (
    <header class="head">
      <a class="crumb" href="#/runs">
        Runs
      </a>
      <h1 title={run.id}>
        {run.flow} <code>{shortId(run.id)}</code>
      </h1>
      <Status is={run.status} isWord />
      <span class="grow" />
      {fault === null ? null : (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      <button aria-pressed={run.pinned} onClick={act(pin)}>
        {run.pinned ? 'Pinned' : 'Pin'}
      </button>
      {isOver(run) ? (
        run.origin === 'engine' ? (
          <>
            <a class="button" href={`#${changedRunPath(run)}`}>
              Run with changes
            </a>
            <button onClick={act(again)}>Run again</button>
          </>
        ) : null
      ) : (
        <button onClick={act(cancel)}>Cancel</button>
      )}
    </header>
  )
}

/** Of what it is a repetition, and what repeats it. */
function Relatives({ run }: { run: Run }) {
  const { data: repeats } = useResource<RunSummary[]>(repeatsPath(run)).value
  if (run.parent === null && !repeats?.length) return null
  return (
    <p class="relatives">
      {run.parent === null ? null : (
        <>
          It repeats <RunLink id={run.parent} />.{' '}
        </>
      )}
      {repeats?.length ? (
        <>
          It was run again as{' '}
          {repeats.map(({ id, status }) => (
            <span key={id}>
              <Status is={status} /> <RunLink id={id} />{' '}
            </span>
          ))}
        </>
      ) : null}
    </p>
  )
}

const RunLink = ({ id }: { id: string }) => (
  <a href={`#/runs/${id}`}>
    <code>{shortId(id)}</code>
  </a>
)

/** They are newer, which spares the engine to look at all runs. */
const repeatsPath = ({ id, created_at: since }: Run): string =>
  `/runs?${new URLSearchParams({ filter: `parent=${id}`, since, archived: 'any', limit: '20' })}`

function Facts({ run }: { run: Run }) {
  const executed = run.nodes.filter(({ cache }) => cache !== null)
  const facts: [string, string | null, string?][] = [
    ['Duration', duration(durationOf(run))],
    ['Submitted', ago(run.created_at, now.value), run.created_at],
    [
      'From the cache',
      executed.length === 0
        ? null
        : `${executed.filter(isCached).length} of ${counted(executed.length, 'stage')} that can be`,
    ],
    ['Seed', run.seed === null ? null : number(run.seed)],
    ['Version', run.draft ? 'draft' : run.flow_version === null ? null : `v${run.flow_version}`],
    ['Commit', run.commit?.slice(0, 7) ?? null, run.commit ?? ''],
    ['By', run.submitted_by],
    ['Comes from', run.origin === 'engine' ? null : run.origin],
  ]
  return (
    <dl class="facts">
      {facts.map(([name, value, title]) =>
        value === null || value === '' ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd title={title}>{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

const isCached = ({ cached }: NodeRecord): boolean => cached

/** Of one that executes: until now. */
function durationOf({ started_at: since, duration_s: known }: Run): number | null {
  if (known !== null || since === null) return known
  return Math.max(0, (second.value - Date.parse(since)) / 1000)
}

interface ValuesProps {
  readonly title: string
  readonly of: Readonly<Record<string, unknown>>
  /** Those that nobody has chosen. */
  readonly dim?: ReadonlySet<string>
  /** Said where there are none. */
  readonly none: string
}

/** Values by their names, as text whatever they hold. */
const Values = ({ title, of, dim, none }: ValuesProps) => (
  <section>
    <h2>{title}</h2>
    {Object.keys(of).length === 0 ? (
      <p class="hint">{none}</p>
    ) : (
      <table class="values">
        <tbody>
          {Object.entries(of).map(([name, value]) => (
            <tr key={name} class={dim?.has(name) ? 'dim' : ''}>
              <th scope="row">{name}</th>
              <td title={dim?.has(name) ? 'The default' : undefined}>{oneLine(value, 300)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </section>
)

/** What the nodes of a run print: one of them at a time. */
function Logs({ run }: { run: Run }) {
  const wanted = query.value.get('node')
  const node = run.nodes.find((one) => one.node === wanted) ?? run.nodes.find(({ logs }) => logs !== '') ?? run.nodes[0]
  if (!node) return <Empty title="No logs">What ran elsewhere has none here.</Empty>
  return (
    <>
      <label class="choice">
        Node{' '}
        <select value={node.node} onChange={(event) => setQuery({ node: event.currentTarget.value })}>
          {run.nodes.map((one) => (
            <option key={one.node}>{one.node}</option>
          ))}
        </select>
      </label>
      <LogText
        key={node.node}
        path={`/runs/${encodeURIComponent(run.id)}/nodes/${encodeURIComponent(node.node)}/logs`}
        of={{ runs: [run.id] }}
        node={node.node}
        traceback={node.traceback}
      />
    </>
  )
}

/** The nodes of a run as the graph that it executed, each in its state. */
function RunGraph({ run }: { run: Run }) {
  const { data: document, problem } = useResource<FlowDocument>(`/runs/${run.id}/document`).value
  if (document === undefined) {
    return problem ? <Empty title="No graph">What was imported, or has not begun yet, has none.</Empty> : <Loading />
  }
  return (
    <>
      <MiniGraph
        {...graphOf(run, document)}
        title={`Nodes of the run of ${run.flow}`}
        onNode={(node) => setQuery(node === PARAMETERS ? { tab: null } : { tab: 'logs', node })}
      />
      <p class="hint">A node leads to what it has printed.</p>
    </>
  )
}
