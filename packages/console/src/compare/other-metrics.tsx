/** The other metrics of the same runs as small charts, each read when it comes into view and not before. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'

import { Chart } from '../parts/chart/chart.tsx'
import { Loading } from '../parts/states.tsx'
import { theme } from '../theme.ts'
import { openCurves } from './curves-of.ts'
import type { LiveRuns } from './live-runs.ts'
import type { RunInfo } from './runs-of.ts'
import { seriesOf } from './series-of.ts'

interface OtherMetricsProps {
  readonly runs: readonly RunInfo[]
  readonly metrics: readonly string[]
  readonly x: string
  readonly live: LiveRuns
  readonly colourOf: (run: string) => string
  readonly nameOf: (run: string) => string
  readonly kept: ReadonlySet<string> | null
  readonly choose: (metric: string) => void
}

export const OtherMetrics = ({ metrics, choose, ...of }: OtherMetricsProps) => (
  <div class="small-charts">
    {metrics.map((metric) => (
      <figure key={metric} class="card small-chart">
        <figcaption>
          <button class="bare" title="Show it large" onClick={() => choose(metric)}>
            {metric}
          </button>
        </figcaption>
        <WhenSeen>{() => <SmallChart metric={metric} {...of} />}</WhenSeen>
      </figure>
    ))}
  </div>
)

/** Its content once it has been on the screen. */
function WhenSeen({ children }: { children: () => preact.ComponentChild }) {
  const place = useRef<HTMLDivElement>(null)
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const { current } = place
    if (!current || isSeen) return
    const watch = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
    })
    watch.observe(current)
    return () => watch.disconnect()
  }, [isSeen])
  return (
    <div class="place" ref={place}>
      {isSeen ? children() : null}
    </div>
  )
}

type SmallChartProps = Omit<OtherMetricsProps, 'metrics' | 'choose'> & { readonly metric: string }

function SmallChart({ runs, metric, x, live, colourOf, nameOf, kept }: SmallChartProps) {
  const opened = useMemo(() => openCurves({ runs, metric, x, live }), [runs, metric, x, live])
  useEffect(() => () => opened.close(), [opened])
  const { curves, problem } = opened.now.value
  const series = useMemo(
    () => seriesOf(curves ?? [], { colourOf, nameOf, kept, keep: 0 }),
    [curves, colourOf, nameOf, kept],
  )
  if (problem) return <p class="hint">{problem.message}</p>
  if (curves === null) return <Loading />
  return <Chart series={series} label={`${metric}: ${series.length} curves`} theme={theme.value} />
}
