/** The curves of a run, as they grow; each with its numbers beside the picture. */
import type { CurveColumns, Run } from '@flow-service/client-sdk'

import { useResource } from '../api/resource.ts'
import { counted, number } from '../format.ts'
import { Empty, Loading } from '../parts/states.tsx'

const [WIDTH, HEIGHT] = [320, 96]
/** As many as a picture of this size can show; what the engine leaves out are no extremes. */
const POINTS = 640

export const curvesPath = (id: string): string => `/runs/${encodeURIComponent(id)}/metrics?points=${POINTS}`

export function Curves({ run }: { run: Run }) {
  const { data: curves } = useResource<CurveColumns[]>(curvesPath(run.id)).value
  if (curves === undefined) return <Loading />
  if (curves.length === 0) {
    return (
      <Empty title="No metrics">
        A node draws a curve when it emits numbers on a streaming port: <code>emit(loss=0.3)</code>
      </Empty>
    )
  }
  return (
    <div class="curves">
      {curves.map((curve) => (
        <Curve key={`${curve.run} ${curve.node} ${curve.port}`} of={curve} flow={run.flow} />
      ))}
    </div>
  )
}

function Curve({ of: { name, x, y, count }, flow }: { of: CurveColumns; flow: string }) {
  const points = x.map((at, index) => [at, Number(y[index])] as const).filter(([, value]) => Number.isFinite(value))
  const values = points.map(([, value]) => value)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const last = y.at(-1)
  const title = name.startsWith(`${flow}.`) ? name.slice(flow.length + 1) : name
  return (
    <figure class="curve card">
      <figcaption>
        <b>{title}</b>{' '}
        <span class="num">{last === undefined ? '' : typeof last === 'number' ? number(last) : last}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title} over its steps`}
      >
        <path d={lineOf(points, [low, high])} />
      </svg>
      <small>
        {counted(count, 'point')}
        {values.length === 0 ? '' : ` · least ${number(low)} · greatest ${number(high)}`}
      </small>
    </figure>
  )
}

function lineOf(points: readonly (readonly [number, number])[], [low, high]: readonly [number, number]): string {
  const [first, last] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 0]
  const place = ([x, y]: readonly [number, number]): string => {
    const across = last === first ? WIDTH / 2 : ((x - first) / (last - first)) * WIDTH
    const up = high === low ? 0.5 : (y - low) / (high - low)
    return `${across.toFixed(1)} ${((HEIGHT - 4) * (1 - up) + 2).toFixed(1)}`
  }
  // one point is a dot
  if (points.length === 1 && points[0]) return `M${place(points[0])}h1`
  return points.map((point, index) => `${index === 0 ? 'M' : 'L'}${place(point)}`).join('')
}
