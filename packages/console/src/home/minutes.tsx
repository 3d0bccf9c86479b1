/** Executions of the last hour, a bar a minute; the table beside it is for who cannot see bars. */
import type { TimeBucket } from '@flow-service/client-sdk'

import { now } from '../live/clock.ts'

const MINUTE_MS = 60_000
const BARS = 60
const HEIGHT = 44

export function Minutes({ of: buckets }: { of: readonly TimeBucket[] }) {
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
        const is = bucket === null ? 'none' : bucket.errors > 0 ? 'error' : 'ok'
        return <rect key={at} x={at * 4} y={HEIGHT - height} width="3" height={height} class={`part-${is}`} />
      })}
    </svg>
  )
}
