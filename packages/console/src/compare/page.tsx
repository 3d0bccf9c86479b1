/**
 * Runs side by side: their curves, a line for each through its parameters, and what differs. One colour scale for all of it;
 * everything that is chosen stands in the address, so that a link shows the same.
 */
import { useComputed } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'

import { Problem } from '../api/call.ts'
import { counted } from '../format.ts'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { query } from '../router.ts'
import { Compared } from './compared.tsx'
import { Differs } from './differs.tsx'
import { type LiveRuns, liveRuns } from './live-runs.ts'
import { bareName, type Chosen, choiceOf, metricsOf, type RunInfo, useRuns } from './runs-of.ts'
import { leave, shown } from './shown.ts'

import '../parts/chart/chart.css'
import './compare.css'

export function Compare() {
  const choice = useComputed(() => choiceOf(query.value)).value
  const { chosen, problem, again } = useRuns(choice)
  useEffect(() => leave, [])
  if (choice === '') return <Nothing />
  if (chosen === null) {
    return <div class="page">{problem ? <Refused problem={problem} again={again} /> : <Loading />}</div>
  }
  return chosen.runs.length === 0 ? <Nothing /> : <OfRuns key={choice} of={chosen} />
}

const Nothing = () => (
  <div class="page">
    <Head title="Compare" />
    <Empty title="No runs to compare">
      Choose some in <a href="#/runs">the list of runs</a> and press <b>Compare</b>.
    </Empty>
  </div>
)

function OfRuns({ of: { runs, left } }: { of: Chosen }) {
  const live = useMemo(() => liveRuns(runs), [runs])
  useEffect(() => live.close, [live])
  const { metrics, problem, again } = useMetrics(runs, live)
  const asked = shown.value.get('metric')
  const metric = metrics?.find((name) => name === asked) ?? metrics?.find((name) => bareName(name) === asked)
  const title = `Compare ${counted(runs.length, 'run')}`
  if (metrics === null) {
    return <div class="page">{problem ? <Refused problem={problem} again={again} /> : <Loading />}</div>
  }
  const [first] = metrics
  if (first === undefined) {
    return (
      <div class="page compare">
        <Head title={title} />
        <Left {...left} />
        <Empty title="None of these runs has a metric">
          A node draws a curve when it emits numbers on a streaming port: <code>emit(loss=0.3)</code>
        </Empty>
        <h2>What differs</h2>
        <Differs runs={runs} kept={null} metric={null} valueOf={() => Number.NaN} />
      </div>
    )
  }
  return (
    <div class="page compare">
      <Compared
        metric={metric ?? first}
        {...{ runs, metrics, live }}
        head={(tools) => (
          <>
            <Head title={title}>{tools}</Head>
            <Left {...left} />
          </>
        )}
      />
    </div>
  )
}

const Head = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <header class="head">
    <a class="crumb" href="#/runs">
      Runs
    </a>
    <h1>{title}</h1>
    <span class="grow" />
    {children}
  </header>
)

/** What is not on the page though it was asked for. */
const Left = ({ over, lost }: Chosen['left']) => (
  <>
    {over > 0 ? (
      <p class="hint">{counted(over, 'more run')} of this choice are not shown: narrow it by a filter of the list.</p>
    ) : null}
    {lost > 0 ? <p class="hint">{counted(lost, 'run')} of the link: not there any more.</p> : null}
  </>
)

interface MetricsNow {
  readonly metrics: readonly string[] | null
  readonly problem: Problem | null
}

/** Names of curves; asked for again when a run emits one that is new. */
function useMetrics(runs: readonly RunInfo[], live: LiveRuns): MetricsNow & { readonly again: () => void } {
  const [now, setNow] = useState<MetricsNow>({ metrics: null, problem: null })
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let isOver = false
    metricsOf(runs).then(
      (metrics) => {
        if (!isOver) setNow({ metrics, problem: null })
      },
      (error: unknown) => {
        const problem = error instanceof Problem ? error : new Problem(0, 'unknown', String(error))
        if (!isOver) setNow((before) => ({ ...before, problem }))
      },
    )
    return () => {
      isOver = true
    }
  }, [runs, turn])
  useEffect(() => {
    const seen = new Set(now.metrics?.map(bareName))
    return live.listen((frame) => {
      if (now.metrics === null || frame.type !== 'value' || frame.step === null) return
      const name = frame.message.startsWith(`${frame.flow}.`) ? bareName(frame.message) : frame.message
      if (seen.has(name)) return
      seen.add(name)
      setTurn((before) => before + 1)
    })
  }, [live, now.metrics])
  return { ...now, again: () => setTurn(turn + 1) }
}
