/**
 * Runs side by side: their curves, a line for each through its parameters, and what differs. One colour scale for all of it;
 * everything that is chosen stands in the address, so that a link shows the same.
 */
import type { MetricName } from '@flow-service/client-sdk'
import { useComputed } from '@preact/signals'
import { useEffect, useMemo, useState } from 'preact/hooks'

import { useResource } from '../api/resource.ts'
import { counted, duration, number, oneLine, shortId } from '../format.ts'
import { Chart } from '../parts/chart/chart.tsx'
import { coloursOf, hue, order } from '../parts/chart/colours.ts'
import { type Series, smoothed } from '../parts/chart/series.ts'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { go, query, setQuery } from '../router.ts'
import { theme } from '../theme.ts'
import { type Axis, axesOf, type Brushes, brushesOf, keptBy, textOfBrushes } from './axes.ts'
import { type CurvesNow, lastOf, openCurves } from './curves-of.ts'
import { Differs } from './differs.tsx'
import { Legend, Means } from './legend.tsx'
import { OtherMetrics } from './other-metrics.tsx'
import { Parallel } from './parallel.tsx'
import { PictureMenu } from './picture-menu.tsx'
import { choiceOf, type RunInfo, useRuns } from './runs-of.ts'
import { Scatter } from './scatter.tsx'
import { Settings } from './settings.tsx'

import '../parts/chart/chart.css'
import './compare.css'

export function Compare() {
  const choice = useComputed(() => choiceOf(query.value)).value
  const { runs, problem, again } = useRuns(choice)
  if (choice === '') return <Nothing />
  if (runs === null) {
    return <div class="page">{problem ? <Refused problem={problem} again={again} /> : <Loading />}</div>
  }
  return runs.length === 0 ? <Nothing /> : <Chosen key={choice} runs={runs} />
}

const Nothing = () => (
  <div class="page">
    <Empty title="No runs to compare">
      Choose some in <a href="#/runs">the list of runs</a> and press <b>Compare</b>.
    </Empty>
  </div>
)

function Chosen({ runs }: { runs: readonly RunInfo[] }) {
  const ids = runs.map(({ id }) => id).join()
  const names = useResource<MetricName[]>(`/runs/metrics/names?ids=${ids}`).value
  const metrics = (names.data ?? []).toSorted((a, b) => b.runs - a.runs).map(({ name }) => name)
  const metric = metrics.find((name) => name === query.value.get('metric')) ?? metrics[0]
  if (names.data === undefined && !names.problem)
    return (
      <div class="page">
        <Loading />
      </div>
    )
  return (
    <div class="page compare">
      {metric === undefined ? (
        <>
          <Head count={runs.length} />
          <Empty title="None of these runs has a metric">
            A node draws a curve when it emits numbers on a streaming port: <code>emit(loss=0.3)</code>
          </Empty>
          <Differs runs={runs} metric="metric" valueOf={() => Number.NaN} />
        </>
      ) : (
        <Compared runs={runs} metrics={metrics} metric={metric} />
      )}
    </div>
  )
}

const Head = ({ count, children }: { count: number; children?: preact.ComponentChildren }) => (
  <header class="head">
    <a class="crumb" href="#/runs">
      Runs
    </a>
    <h1>Compare {counted(count, 'run')}</h1>
    <span class="grow" />
    {children}
  </header>
)

interface ComparedProps {
  readonly runs: readonly RunInfo[]
  readonly metrics: readonly string[]
  readonly metric: string
}

/** What of the runs is shown, by what somebody has chosen. */
function useCompared(runs: readonly RunInfo[], metric: string) {
  const shown = query.value
  const [x, by] = [shown.get('x') ?? 'step', shown.get('by')]
  const opened = useMemo(() => openCurves({ runs, metric, x, by }), [runs, metric, x, by])
  useEffect(() => () => opened.close(), [opened])
  const now = opened.now.value
  const last = useMemo(() => new Map((now.curves ?? []).map((curve) => [curve.run, lastOf(curve)])), [now.curves])
  const valueOf = (run: string): number => last.get(run) ?? Number.NaN
  const ids = useMemo(() => runs.map(({ id }) => id), [runs])
  const colours = useMemo(() => coloursOf(ids, valueOf, theme.value), [ids, last, theme.value])
  const colourOf = useMemo(() => (run: string) => colours.get(run) ?? hue(0, theme.value), [colours])
  const nameOf = useMemo(() => namesOf(runs), [runs])
  const axes = useMemo(() => axesOf(runs, [{ name: metric, valueOf }], oneLine), [runs, metric, last])
  const brushes = useMemo(() => brushesOf(shown.get('brush') ?? ''), [shown])
  const chosen = shown.get('run')
  const kept = useMemo(() => {
    const brushed = keptBy(ids, axes, brushes)
    return chosen === null || !ids.includes(chosen) ? brushed : new Set([chosen])
  }, [ids, axes, brushes, chosen])
  const series = useSeries(now, { colourOf, nameOf, kept, keep: Number(shown.get('smooth') ?? 0) })
  return { x, now, ids, valueOf, colourOf, nameOf, axes, brushes, chosen, kept, series }
}

function Compared({ runs, metrics, metric }: ComparedProps) {
  const shown = query.value
  const { x, now, ids, valueOf, series, ...look } = useCompared(runs, metric)
  const { axes, colourOf, nameOf, kept, brushes, chosen } = look
  const [hot, heat] = useState<string | null>(null)
  const [isLogX, isLogY] = [shown.get('logx') !== null, shown.get('logy') !== null]
  const choose = (run: string): void => setQuery({ run: chosen === run ? null : run })
  const picture = { title: metric, xTitle: x, series, isLogX, isLogY }
  return (
    <>
      <Head count={runs.length}>
        <PictureMenu name={metric} picture={picture} />
      </Head>
      <Settings metrics={metrics} metric={metric} runs={runs} />
      {now.problem ? (
        <p class="fault" role="alert">
          {now.problem.message}
        </p>
      ) : null}
      <div class="compare-grid">
        <section class="card plot" aria-label={metric}>
          {now.curves === null ? (
            <Loading />
          ) : (
            <Chart
              series={series}
              label={`${metric}: ${series.length} curves; the list beside has their last values`}
              isLogX={isLogX}
              isLogY={isLogY}
              hot={hot}
              hover={(at) => heat(at?.key ?? null)}
              choose={({ key }) => choose(key)}
              textOfX={x === 'time' ? duration : number}
              theme={theme.value}
            />
          )}
        </section>
        {now.means === null ? (
          <Legend
            runs={ids.toSorted((a, b) => order(valueOf(a), valueOf(b)))}
            {...{ nameOf, colourOf, kept, hot, heat, choose, chosen }}
            textOf={(run) => (Number.isNaN(valueOf(run)) ? 'none' : number(valueOf(run)))}
          />
        ) : (
          <Means means={series} hot={hot} heat={heat} />
        )}
      </div>
      <Parameters runs={ids} metric={metric} {...{ axes, colourOf, nameOf, kept, hot, heat, brushes }} />
      <OtherMetrics
        metrics={metrics.filter((name) => name !== metric)}
        choose={(name) => setQuery({ metric: name })}
        {...{ runs, x, colourOf, nameOf, kept }}
      />
      <section aria-labelledby="differs">
        <h2 id="differs">What differs</h2>
        <Differs runs={runs} metric={metric} valueOf={valueOf} />
      </section>
    </>
  )
}

interface ParametersProps {
  readonly runs: readonly string[]
  readonly metric: string
  readonly axes: readonly Axis[]
  readonly colourOf: (run: string) => string
  readonly nameOf: (run: string) => string
  readonly kept: ReadonlySet<string> | null
  readonly hot: string | null
  readonly heat: (run: string | null) => void
  readonly brushes: Brushes
}

/** What the parameters do to the metric; nothing where they are the same in all runs. */
const Parameters = ({ runs, metric, axes, brushes, kept, ...look }: ParametersProps) =>
  axes.length < 2 ? null : (
    <div class="compare-two">
      <section class="card" aria-labelledby="parallel">
        <h2 id="parallel">
          Parameters and {metric}
          {Object.keys(brushes).length === 0 ? null : (
            <button class="bare" onClick={() => setQuery({ brush: null })}>
              {counted(kept?.size ?? 0, 'run')} kept: let all in
            </button>
          )}
        </h2>
        <Parallel
          brush={(next) => setQuery({ brush: textOfBrushes(next) })}
          theme={theme.value}
          {...{ ...look, runs, axes, kept, brushes }}
        />
      </section>
      <section class="card" aria-label="One against another">
        <Scatter
          x={query.value.get('sx')}
          y={query.value.get('sy')}
          choose={(run) => go(`/runs/${run}`)}
          {...{ ...look, runs, axes, kept }}
        />
      </section>
    </div>
  )

/** By what tells them apart: the flow where there are several, and the end of the id. */
function namesOf(runs: readonly RunInfo[]): (run: string) => string {
  const hasFlows = new Set(runs.map(({ flow }) => flow)).size > 1
  const names = new Map(runs.map(({ id, flow }) => [id, hasFlows ? `${flow} ${shortId(id)}` : shortId(id)]))
  return (run) => names.get(run) ?? shortId(run)
}

interface Look {
  readonly colourOf: (run: string) => string
  readonly nameOf: (run: string) => string
  readonly kept: ReadonlySet<string> | null
  /** How much a smooth curve keeps of what was before. */
  readonly keep: number
}

/** A curve for each run, or a mean with its band for each group of them. */
function useSeries({ curves, means }: CurvesNow, { colourOf, nameOf, kept, keep }: Look): readonly Series[] {
  const isDark = theme.value
  return useMemo(() => {
    if (means !== null) {
      return means.map(({ key, runs, xs, mean, sd }, index) => ({
        key: JSON.stringify(key),
        name: `${oneLine(key ?? 'none', 24)} (${counted(runs.length, 'run')})`,
        colour: hue(index, isDark),
        xs,
        ys: smoothed(mean, keep),
        band: {
          low: mean.map((value, at) => value - (sd[at] ?? 0)),
          high: mean.map((value, at) => value + (sd[at] ?? 0)),
        },
      }))
    }
    return (curves ?? [])
      .filter(({ xs }) => xs.length > 0)
      .map(({ run, xs, ys }) => ({
        key: run,
        name: nameOf(run),
        colour: colourOf(run),
        xs,
        ys: smoothed(ys, keep),
        ...(keep > 0 ? { raw: ys } : {}),
        isDim: kept !== null && !kept.has(run),
      }))
  }, [curves, means, colourOf, nameOf, kept, keep, isDark])
}
