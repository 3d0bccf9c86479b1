/**
 * What is noticed: news of flows, nodes, runs and workers that are failures (requirement R155: messages of flows are none).
 * @module
 */
import type { RunSummary } from '@flow-service/protocol'

import type { EventBus } from '../events/event-bus.ts'
import type { Runs } from '../runs/runs.ts'
import type { Markers } from '../work/markers.ts'
import type { WorkerPool } from '../workers/pool.ts'
import { alertOf } from './alert.ts'
import type { Alerts } from './alerts.ts'

/** Who tells of failures. */
export interface SourcesDeps {
  readonly alerts: Pick<Alerts, 'raise'>
  readonly bus: Pick<EventBus, 'subscribe'>
  readonly markers: Pick<Markers, 'onSet'>
  readonly runs: Pick<Runs, 'onEnded'>
  readonly pool: Pick<WorkerPool, 'onLost'>
  readonly now: () => number
}

/** Raises an alert for each failure, until the result is called. */
export function watchSources({ alerts, bus, markers, runs, pool, now }: SourcesDeps): () => void {
  const failed = new Set<string>()
  const ends = [
    bus.subscribe(
      (event, atMs) => {
        if (event.type === 'health' && event.status === 'down') {
          const { flow, node, message: detail } = event
          alerts.raise(alertOf({ event: 'connector_down', subject: `${flow}/${node}`, flow, node, detail, atMs }))
        }
        if (event.type !== 'flow') return
        // a failed flow is told again whenever something of it changes
        const isNews = event.status === 'failed' && !failed.has(event.name)
        if (event.status === 'failed') failed.add(event.name)
        else failed.delete(event.name)
        const { name: flow } = event
        if (isNews) alerts.raise(alertOf({ event: 'flow_failed', subject: flow, flow, everywhere: true, atMs }))
      },
      { quiet: true },
    ),
    markers.onSet((flow, node, { error }) => {
      const subject = `${flow}/${node}`
      const detail = `${error.type}: ${error.message}`
      alerts.raise(alertOf({ event: 'node_failed', subject, flow, node, detail, atMs: now() }))
    }),
    runs.onEnded((run) => raiseOf(run, now()).forEach((alert) => alerts.raise(alert))),
    pool.onLost(({ worker, detail }) =>
      alerts.raise(alertOf({ event: 'worker_lost', subject: worker, detail, atMs: now() })),
    ),
  ]
  return () => {
    for (const end of ends) end()
  }
}

/** Who tries a draft out sees how it ends. */
function raiseOf({ id: run, flow, status, draft, error }: RunSummary, atMs: number) {
  if (draft || (status !== 'error' && status !== 'abandoned')) return []
  const event = status === 'error' ? 'run_error' : 'run_abandoned'
  const detail = error && `${error.type}: ${error.message}`
  return [alertOf({ event, subject: flow, flow, node: error?.node ?? null, run, detail, atMs })]
}
