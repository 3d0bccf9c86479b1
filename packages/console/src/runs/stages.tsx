/** The nodes of a run over its time: when each waited and executed, and why it did not have to. */
import type { NodeRecord, Run } from '@flow-service/client-sdk'
import type { ComponentChild } from 'preact'

import { duration, shortId } from '../format.ts'
import { second } from '../live/clock.ts'
import { Empty } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'

const SPAN = 1000

export function Stages({ run }: { run: Run }) {
  if (run.nodes.length === 0) {
    return <Empty title="No stages">What ran elsewhere and was imported has none.</Empty>
  }
  const begin = Date.parse(run.started_at ?? run.created_at)
  const end = Math.max(begin + 1, run.finished_at === null ? second.value : Date.parse(run.finished_at))
  const placeOf = (ts: string): number => (SPAN * (Date.parse(ts) - begin)) / (end - begin)
  return (
    <>
      <p class="keys-of-bars" aria-hidden="true">
        <i class="bar-key waiting" /> waits
        <i class="bar-key ok" /> executes
        <i class="bar-key cached" /> from the cache
        <span class="grow" />
        {duration((end - begin) / 1000)} in all
      </p>
      <ul class="stages">
        {run.nodes.map((node) => (
          <li key={node.node}>
            <Status is={node.cached ? 'cached' : node.status} />
            <span class="what">
              <b>{node.node}</b>
              <small>
                {node.type}
                {node.worker === null ? '' : ` on ${node.worker}`}
              </small>
            </span>
            <Bar node={node} placeOf={placeOf} />
            <small class="num">{duration(node.duration_s)}</small>
            <small class="why">{why(node)}</small>
            {node.attempts.length > 1 ? <Attempts of={node} /> : null}
          </li>
        ))}
      </ul>
    </>
  )
}

function Bar({ node, placeOf }: { node: NodeRecord; placeOf: (ts: string) => number }) {
  const { attempts } = node
  const bars = [
    { is: 'waiting', from: node.queued_at, to: attempts[0]?.started_at ?? node.started_at ?? node.finished_at },
    // those that were retried have failed
    ...attempts.slice(0, -1).map(({ started_at: from, finished_at: to }) => ({ is: 'error', from, to })),
    {
      is: node.cached ? 'cached' : node.status,
      from: attempts.at(-1)?.started_at ?? node.started_at,
      to: node.finished_at,
    },
  ].flatMap(({ is, from, to }) => {
    if (from === null) return []
    const x = Math.max(0, Math.min(SPAN - 2, placeOf(from)))
    return [{ is, x, width: Math.max(2, (to === null ? SPAN : placeOf(to)) - x) }]
  })
  return (
    <svg class="track" viewBox={`0 0 ${SPAN} 10`} preserveAspectRatio="none" aria-hidden="true">
      {bars.map(({ is, x, width }, at) => (
        <rect key={at} x={x} width={width} height="10" class={`bar-${is}`} />
      ))}
    </svg>
  )
}

/** Each execution of a stage that was retried, in order. */
const Attempts = ({ of: { node, attempts } }: { of: NodeRecord }) => (
  <ol class="attempts" aria-label={`Attempts of ${node}`}>
    {attempts.map(({ attempt, started_at: since, finished_at: until, error }) => (
      <li key={attempt}>
        <Status is={error ? 'error' : until === null ? 'running' : 'ok'} />
        <span title={since}>
          attempt {attempt}
          {until === null ? '' : `, ${duration((Date.parse(until) - Date.parse(since)) / 1000)}`}
        </span>
        {error ? <span class="why">{`${error.type}: ${error.message}`}</span> : null}
      </li>
    ))}
  </ol>
)

/** In words: what it failed of, what it waits for, where its outputs come from, or why it had to execute. */
function why({ cached_from: from, cache, error, waiting_for: label, status, attempts }: NodeRecord): ComponentChild {
  if (error) return `${error.type}: ${error.message}`
  if (from !== null) {
    return (
      <>
        same code and inputs as in <a href={`#/runs/${from}`}>{shortId(from)}</a>
      </>
    )
  }
  if (status === 'queued') return label === null ? 'waits for its turn' : `waits for a worker with ${label}`
  const tries = attempts.length > 1 ? `attempt ${attempts.length}` : ''
  const reasons = cache?.why ?? []
  return [tries, reasons.length === 0 ? '' : `not from the cache: ${reasons.join(', ')}`].filter(Boolean).join(' · ')
}
