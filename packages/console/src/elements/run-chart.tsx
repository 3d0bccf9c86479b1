/** `<run-chart>`: a metric of runs as curves, which grow while the runs execute, and the last values as a table. */
import { signal } from '@preact/signals'

import { number, shortId } from '../format.ts'
import { Chart } from '../parts/chart/chart.tsx'
import { coloursOf } from '../parts/chart/colours.ts'
import { type Series, smoothed } from '../parts/chart/series.ts'
import { Swatch } from '../parts/chart/swatch.tsx'
import { Status } from '../parts/status.tsx'
import { ServiceElement, type Theme, type View } from './element.tsx'
import type { Engine } from './engine.ts'
import { type Curve, followRuns, type RunCurves } from './run-curves.ts'

/** Of the event `point-select`. */
export interface PointSelectDetail {
  readonly run: string
  readonly metric: string
  readonly x: number
  readonly y: number
}

/**
 * Curves of runs, read only. Attributes: `src` (the base URL of the API), `runs` (their ids, with commas or spaces between
 * them), `metric`, `x` (`step` unless it is `time` or another metric), `log` (the axes: `x`, `y` or `xy`), `smoothing` (from 0
 * to below 1), `live` (the curves grow), `theme` (`light` or `dark`; else that of the page). Events: `service-error`,
 * `point-select`.
 */
export class RunChartElement extends ServiceElement {
  static readonly observedAttributes: readonly string[] = [
    'src',
    'runs',
    'metric',
    'x',
    'log',
    'smoothing',
    'live',
    'theme',
  ]

  /** @internal */
  protected open(engine: Engine): View | string {
    const runs = (this.getAttribute('runs') ?? '').split(/[\s,]+/).filter(Boolean)
    const metric = this.getAttribute('metric') ?? ''
    if (runs.length === 0) return 'Set the attribute "runs".'
    if (metric === '') return 'Set the attribute "metric".'
    const log = this.getAttribute('log')
    const look: Look = {
      metric,
      isLogX: log?.includes('x') ?? false,
      // the bare attribute is the axis of the values
      isLogY: log !== null && log !== 'x',
      smoothing: Math.min(Math.max(Number(this.getAttribute('smoothing')) || 0, 0), 0.999),
      choose: (detail) => this.tell('point-select', detail),
    }
    const shown = signal<RunCurves | null>(null)
    const asked = { runs, metric, x: this.getAttribute('x') ?? 'step', isLive: this.hasAttribute('live') }
    const Shown = ({ theme }: { readonly theme: Theme }) =>
      shown.value ? <Curves of={shown.value} look={look} theme={theme} /> : null
    return {
      load: () => followRuns(engine, asked, (curves) => (shown.value = curves)),
      render: (theme) => <Shown theme={theme} />,
    }
  }
}

interface Look {
  readonly metric: string
  readonly isLogX: boolean
  readonly isLogY: boolean
  readonly smoothing: number
  readonly choose: (detail: PointSelectDetail) => void
}

interface CurvesProps {
  readonly of: RunCurves
  readonly look: Look
  readonly theme: Theme
}

function Curves({ of: { curves, x }, look: { metric, isLogX, isLogY, smoothing, choose }, theme }: CurvesProps) {
  const lasts = new Map(curves.map((curve) => [curve.run, curve.ys.at(-1) ?? Number.NaN]))
  const colours = coloursOf(
    curves.map(({ run }) => run),
    (run) => lasts.get(run) ?? Number.NaN,
    theme,
  )
  const series = curves.map(({ run, name, xs, ys }): Series => {
    const colour = colours.get(run) ?? ''
    return smoothing === 0
      ? { key: run, name, colour, xs, ys }
      : { key: run, name, colour, xs, ys: smoothed(ys, smoothing), raw: ys }
  })
  return (
    <>
      <div class="plot">
        <Chart
          series={series}
          label={`${metric} by ${x}`}
          isLogX={isLogX}
          isLogY={isLogY}
          theme={theme}
          choose={({ key, x: at, y }) => choose({ run: key, metric, x: at, y })}
        />
      </div>
      <div class="lasts" role="group" aria-label="Last values" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Run</th>
              <th scope="col">State</th>
              <th scope="col">{metric}</th>
            </tr>
          </thead>
          <tbody>
            {curves.map((curve) => (
              <Line key={curve.run} curve={curve} colour={colours.get(curve.run) ?? ''} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

const Line = ({ curve: { run, name, status, ys }, colour }: { curve: Curve; colour: string }) => (
  <tr title={run}>
    <th scope="row">
      <Swatch colour={colour} />
      {name} {name.includes(shortId(run)) ? '' : <small>{shortId(run)}</small>}
    </th>
    <td>
      <Status is={status} isWord />
    </td>
    <td>{ys.length === 0 ? 'no points' : number(ys.at(-1) ?? Number.NaN)}</td>
  </tr>
)
