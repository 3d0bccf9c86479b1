/** The engine in numbers. */
import type { ObservabilitySummary, TimeBucket } from '@flow-service/client-sdk'
import type { ReadonlySignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

import { counted, number } from '../format.ts'
import { now } from '../live/clock.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const BARS = 60
const HEIGHT = 44

interface TilesProps {
  readonly of: ObservabilitySummary
  /** Executions. */
  readonly minutes: readonly TimeBucket[]
  /** Events of the last second. */
  readonly rate: ReadonlySignal<number>
}

export const Tiles = ({ of, minutes, rate }: TilesProps) => (
  <div class="tiles">
    <Tile title="Live flows" value={number(of.flows.active)}>
      {of.flows.failed === 0 ? 'active' : `active, ${number(of.flows.failed)} failed`}
    </Tile>
    <Tile title="Runs" value={number(of.runs.running)}>
      executing, {number(of.runs.queued)} queued
    </Tile>
    <Tile title="Workers" value={number(of.workers.attached)}>
      attached beside the engine
    </Tile>
    <Tile title="Events" value={<>{rate}</>}>
      a second
    </Tile>
    <div class="tile wide">
      <span>Executions, last hour</span>
      <Minutes of={minutes} />
      <small>{inWords(minutes)}</small>
    </div>
  </div>
)

function inWords(minutes: readonly TimeBucket[]): string {
  const last = minutes.filter(({ ts }) => Date.parse(ts) > now.value - HOUR_MS)
  const all = last.reduce((sum, { executions }) => sum + executions, 0)
  const failed = last.reduce((sum, { errors }) => sum + errors, 0)
  return failed === 0 ? counted(all, 'execution') : `${counted(all, 'execution')}, ${number(failed)} failed`
}

interface TileProps {
  readonly title: string
  readonly value: ComponentChildren
  readonly children: ComponentChildren
}

const Tile = ({ title, value, children }: TileProps) => (
  <div class="tile">
    <span>{title}</span>
    <b>{value}</b>
    <small>{children}</small>
  </div>
)

/** A bar a minute; what they say is read out. */
function Minutes({ of: buckets }: { of: readonly TimeBucket[] }) {
  const last = Math.floor(now.value / MINUTE_MS)
  const byMinute = new Map(buckets.map((bucket) => [Math.floor(Date.parse(bucket.ts) / MINUTE_MS), bucket]))
  const bars = Array.from({ length: BARS }, (_, at) => byMinute.get(last - BARS + 1 + at) ?? null)
  const most = Math.max(1, ...bars.map((bucket) => bucket?.executions ?? 0))
  const errors = bars.reduce((sum, bucket) => sum + (bucket?.errors ?? 0), 0)
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${BARS * 4} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`At most ${most} executions in a minute, ${errors} failed in the hour`}
    >
      {bars.map((bucket, at) => {
        // one execution is seen beside a thousand
        const share = bucket ? Math.log1p(bucket.executions) / Math.log1p(most) : 0
        const height = bucket ? Math.max(2, share * (HEIGHT - 2)) : 1
        // what failed is the lower part, and never too small to be seen
        const failed = bucket && bucket.errors > 0 ? Math.max(4, (height * bucket.errors) / bucket.executions) : 0
        const bad = Math.min(failed, height)
        return (
          <g key={at}>
            <rect
              x={at * 4}
              y={HEIGHT - height}
              width="3"
              height={height}
              class={bucket === null ? 'part-none' : 'part-ok'}
            />
            {bad > 0 ? <rect x={at * 4} y={HEIGHT - bad} width="3" height={bad} class="part-error" /> : null}
          </g>
        )
      })}
    </svg>
  )
}
