/** The runs of the page by one metric: curves, parameters against it, the other metrics, and what differs. */
import { type ComponentChild } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'

import { counted, duration, number, oneLine } from '../format.ts'
import { Chart } from '../parts/chart/chart.tsx'
import { coloursOf, hue, order, type Theme } from '../parts/chart/colours.ts'
import { csvOf, type Picture, pngOf, svgOf } from '../parts/chart/picture.ts'
import { save } from '../parts/download.ts'
import { Loading } from '../parts/states.tsx'
import { say, sayFault } from '../parts/toast.tsx'
import { go } from '../router.ts'
import { theme } from '../theme.ts'
import { listOf, textOfList, textOfView, viewIn } from './address.ts'
import { type Axis, axesOf, type Brushes, brushesOf, keptBy, moved, textOfBrushes } from './axes.ts'
import { lastOf, openCurves } from './curves-of.ts'
import { Differs } from './differs.tsx'
import { Legend, Means } from './legend.tsx'
import type { LiveRuns } from './live-runs.ts'
import { useMeans } from './means-of.ts'
import { OtherMetrics } from './other-metrics.tsx'
import { Parallel } from './parallel.tsx'
import type { RunInfo } from './runs-of.ts'
import { Scatter } from './scatter.tsx'
import { namesOf, seriesOf, seriesOfMeans } from './series-of.ts'
import { Settings } from './settings.tsx'
import { change, settle, shown } from './shown.ts'

interface ComparedProps {
  readonly runs: readonly RunInfo[]
  readonly metrics: readonly string[]
  readonly metric: string
  readonly live: LiveRuns
  /** What stands above, with these tools at its right. */
  readonly head: (tools: ComponentChild) => ComponentChild
}

/** Curves of the runs, and what follows from their last values. */
function useCurves({ runs, metric, live }: ComparedProps) {
  const x = shown.value.get('x') ?? 'step'
  const opened = useMemo(() => openCurves({ runs, metric, x, live }), [runs, metric, x, live])
  useEffect(() => () => opened.close(), [opened])
  const { curves, problem } = opened.now.value
  const last = useMemo(() => new Map((curves ?? []).map((curve) => [curve.run, lastOf(curve)])), [curves])
  const valueOf = (run: string): number => last.get(run) ?? Number.NaN
  const ids = useMemo(() => runs.map(({ id }) => id), [runs])
  const coloursIn = (of: Theme): ((run: string) => string) => {
    const colours = coloursOf(ids, valueOf, of)
    return (run) => colours.get(run) ?? hue(0, of)
  }
  const colourOf = useMemo(() => coloursIn(theme.value), [ids, last, theme.value])
  return { x, curves, problem, again: opened.again, ids, last, valueOf, coloursIn, colourOf }
}

/** What of the runs is shown, by what somebody has chosen. */
function useCompared(props: ComparedProps) {
  const { runs, metric, live } = props
  const { x, curves, last, valueOf, ids, coloursIn, ...of } = useCurves(props)
  const now = shown.value
  const nameOf = useMemo(() => namesOf(runs), [runs])
  const wishes = ['axes', 'log', 'linear'].map((key) => now.get(key) ?? '')
  const axes = useMemo(() => {
    const [first, log, linear] = wishes.map(listOf)
    return axesOf(runs, { name: metric, valueOf }, oneLine, {
      order: first ?? [],
      log: log ?? [],
      linear: linear ?? [],
    })
  }, [runs, metric, last, wishes.join(' ')])
  const brushText = now.get('brush') ?? ''
  const brushes = useMemo(() => brushesOf(brushText), [brushText])
  const chosen = now.get('run')
  const kept = useMemo(() => {
    const brushed = keptBy(ids, axes, brushes)
    return chosen === null || !ids.includes(chosen) ? brushed : new Set([chosen])
  }, [ids, axes, brushes, chosen])
  const [by, keep] = [now.get('by'), within(Number(now.get('smooth') ?? 0))]
  const turn = [...live.fates.value.values()].filter(({ status }) => status !== 'running' && status !== 'queued').length
  const { means, problem } = useMeans({ runs: kept === null ? ids : [...kept], metric, x, by, turn })
  const seriesIn = (of: Theme, colourOf: (run: string) => string) =>
    by === null ? seriesOf(curves ?? [], { colourOf, nameOf, kept, keep }) : seriesOfMeans(means ?? [], keep, of)
  const series = useMemo(
    () => seriesIn(theme.value, of.colourOf),
    [curves, means, by, of.colourOf, nameOf, kept, keep, theme.value],
  )
  const isLoading = by === null ? curves === null : means === null
  const look = { axes, brushes, kept, chosen, nameOf, colourOf: of.colourOf, series }
  const light = () => seriesIn('light', coloursIn('light'))
  return { x, by, ids, valueOf, isLoading, problem: of.problem ?? problem, again: of.again, look, light }
}

const within = (keep: number): number => (keep > 0 && keep < 1 ? keep : 0)

export function Compared(props: ComparedProps) {
  const { runs, metrics, metric, live, head } = props
  const now = shown.value
  const { x, by, ids, valueOf, isLoading, problem, again, look, light } = useCompared(props)
  const { series, colourOf, nameOf, kept, chosen } = look
  const [hot, heat] = useState<string | null>(null)
  const axes = { isLogX: now.get('logx') !== null, isLogY: now.get('logy') !== null, view: viewIn(now.get('zoom')) }
  const choose = (run: string): void => change({ run: chosen === run ? null : run })
  const picture = (): Picture => ({ title: metric, xTitle: x === 'time' ? 'seconds' : x, series: light(), ...axes })
  const isDown = now.get('down') !== null
  const aboutOf = (run: string): string =>
    look.axes.flatMap((axis) => (axis.name === metric ? [] : `${axis.name} ${axis.textOf(run)}`)).join(', ')
  const fates = live.fates.value
  return (
    <>
      {head(<PictureMenu name={metric} picture={picture} />)}
      <Settings metrics={metrics} metric={metric} runs={runs} />
      {problem ? (
        <p class="fault" role="alert">
          {problem.message} <button onClick={again}>Try again</button>
        </p>
      ) : null}
      <div class="compare-grid">
        <section class="card plot" aria-label={metric}>
          {isLoading ? (
            <Loading />
          ) : (
            <Chart
              key={JSON.stringify([metric, x, by])}
              series={series}
              label={`${metric}: ${counted(series.length, 'curve')}; the list beside has their last values`}
              {...{ hot, ...axes }}
              hover={(at) => heat(at?.key ?? null)}
              choose={({ key }) => (by === null ? choose(key) : undefined)}
              textOfX={x === 'time' ? duration : number}
              theme={theme.value}
              zoomed={(view) => change({ zoom: textOfView(view) })}
            />
          )}
        </section>
        {by === null ? (
          <Legend
            runs={ids.toSorted((a, b) => ordered(valueOf(a), valueOf(b), isDown))}
            {...{ nameOf, colourOf, kept, hot, heat, choose, chosen, isDown }}
            aboutOf={aboutOf}
            turn={() => change({ down: isDown ? null : '1' })}
            textOf={(run) => (Number.isNaN(valueOf(run)) ? 'none' : number(valueOf(run)))}
          />
        ) : (
          <Means means={series} hot={hot} heat={heat} />
        )}
      </div>
      <Parameters runs={ids} metric={metric} {...{ ...look, hot, heat }} />
      <OtherMetrics
        metrics={metrics.filter((name) => name !== metric)}
        choose={(name) => change({ metric: name, zoom: null })}
        {...{ runs, x, live, colourOf, nameOf, kept }}
      />
      <section aria-labelledby="differs">
        <h2 id="differs">What differs</h2>
        <Differs runs={runs.map((run) => ({ ...run, ...fates.get(run.id) }))} {...{ kept, metric, valueOf }} />
      </section>
    </>
  )
}

/** The least first, or the greatest; what has no value last either way. */
const ordered = (a: number, b: number, isDown: boolean): number =>
  isDown && !Number.isNaN(a) && !Number.isNaN(b) ? b - a : order(a, b)

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
function Parameters({ runs, metric, axes, brushes, ...look }: ParametersProps) {
  if (axes.length < 2) return null
  const names = axes.map(({ name }) => name)
  const now = shown.value
  /** A range of an axis is another one on another scale. */
  const scale = (name: string, isLog: boolean): void => {
    const { [name]: _, ...others } = brushes
    const without = (key: string): readonly string[] => listOf(now.get(key)).filter((one) => one !== name)
    change({
      log: textOfList(isLog ? [...without('log'), name] : without('log')),
      linear: textOfList(isLog ? without('linear') : [...without('linear'), name]),
      brush: textOfBrushes(others),
    })
  }
  return (
    <div class="compare-two">
      <section class="card" aria-labelledby="parallel">
        <h2 id="parallel">
          Parameters and {metric}
          {Object.keys(brushes).length === 0 ? (
            <small>drag along an axis to keep the runs of a range</small>
          ) : (
            <button class="bare" onClick={() => change({ brush: null })}>
              {counted(look.kept?.size ?? 0, 'run')} kept: let all in
            </button>
          )}
        </h2>
        <Parallel
          brush={(next) => change({ brush: textOfBrushes(next) })}
          move={(name, to) => change({ axes: textOfList(moved(names, name, to)) })}
          theme={theme.value}
          {...{ ...look, scale, runs, axes, brushes }}
        />
      </section>
      <section class="card" aria-label="One against another">
        <Scatter
          x={now.get('sx')}
          y={now.get('sy') ?? metric}
          choose={(run) => go(`/runs/${run}`)}
          {...{ ...look, runs, axes }}
        />
      </section>
    </div>
  )
}

/** What is on the page to take along: a picture, the numbers, the address. */
function PictureMenu({ name, picture }: { name: string; picture: () => Picture }) {
  const file = name.replaceAll(/[^\w.-]+/g, '-')
  const share = async (): Promise<void> => {
    settle()
    // a page that is not served safely (plain http from afar) has no clipboard: its address is in the bar
    if (!navigator.clipboard) throw new Error('This browser lets no page copy here: take the address of the page.')
    await navigator.clipboard.writeText(location.href)
    say('The link shows exactly this')
  }
  const offer = (ending: string, bytes: Blob): void => save(`${file}.${ending}`, bytes)
  const savePng = async (): Promise<void> => offer('png', await pngOf(picture()))
  return (
    <span class="take" role="group" aria-label="Take along">
      <button onClick={() => void share().catch(sayFault)}>Copy link</button>
      <button onClick={() => void savePng().catch(sayFault)}>PNG</button>
      <button onClick={() => offer('svg', new Blob([svgOf(picture())], { type: 'image/svg+xml' }))}>SVG</button>
      <button onClick={() => offer('csv', new Blob([csvOf(picture())], { type: 'text/csv' }))}>CSV</button>
    </span>
  )
}
