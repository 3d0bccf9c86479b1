/**
 * What `GET /metrics` shows (wire decision R6). Counters begin at 0 with the engine; nothing here has a value of a message
 * or a secret in it.
 * @module
 */
import type { DeadLetterReason } from '@flow-service/protocol'

import type { MeasuredEngines } from '../engines/roster.ts'
import type { CascadeCounts } from './cascades.ts'
import type { Checked } from './checks.ts'
import { DURATION_BOUNDS_S, type FlowTotal } from './executions.ts'
import type { LoopDelay } from './loop-watch.ts'
import { histogramSamples, type Metric, type Sample } from './prometheus.ts'
import type { RunCounts } from './recorder.ts'

/** What an engine knows of itself. */
export interface Measured {
  readonly version: string
  readonly flows: ReadonlyMap<string, FlowTotal>
  readonly cascades: CascadeCounts
  readonly runningCascades: number
  readonly finishedRuns: RunCounts
  readonly checked: Checked
  readonly activeFlows: number
  readonly workers: number
  /** Results of workers that nobody waited for. */
  readonly droppedResults: number
  readonly loop: LoopDelay
  readonly deadLetters: ReadonlyMap<DeadLetterReason, number>
  readonly eventSockets: number
  readonly engines: MeasuredEngines
}

/** The metrics of an engine and its process. */
export const engineMetrics = (measured: Measured): Metric[] => [
  ...flowMetrics(measured),
  ...workMetrics(measured),
  ...stateMetrics(measured),
  ...sharedMetrics(measured.engines),
  ...processMetrics(measured.loop),
]

const one = (value: number): Sample[] => [{ value }]
const by = (label: string, counts: Iterable<readonly [string, number]>): Sample[] =>
  [...counts].map(([key, value]) => ({ labels: { [label]: key }, value }))

function flowMetrics({ flows }: Measured): Metric[] {
  const totals = [...flows]
  return [
    {
      name: 'service_node_executions_total',
      type: 'counter',
      help: 'Executions of nodes.',
      samples: totals.map(([flow, { executions }]) => ({ labels: { flow }, value: executions })),
    },
    {
      name: 'service_node_errors_total',
      type: 'counter',
      help: 'Executions of nodes that failed.',
      samples: totals.map(([flow, { errors }]) => ({ labels: { flow }, value: errors })),
    },
    {
      name: 'service_node_duration_seconds',
      type: 'histogram',
      help: 'How long executions of nodes took; estimated from a sample where there are many.',
      samples: totals.flatMap(([flow, { within, durationS }]) =>
        histogramSamples({ flow }, { bounds: DURATION_BOUNDS_S, within, sum: durationS }),
      ),
    },
  ]
}

function workMetrics({ cascades, runningCascades, finishedRuns, deadLetters, droppedResults }: Measured): Metric[] {
  const { unlisted, ...ended } = cascades
  return [
    {
      name: 'service_cascades_total',
      type: 'counter',
      help: 'Cascades of live flows that are over.',
      samples: by('status', Object.entries(ended)),
    },
    {
      name: 'service_cascades_unlisted_total',
      type: 'counter',
      help: 'Cascades that are counted and not listed, because there were too many.',
      samples: one(unlisted),
    },
    {
      name: 'service_cascades_running',
      type: 'gauge',
      help: 'Cascades of live flows that go on.',
      samples: one(runningCascades),
    },
    {
      name: 'service_runs_total',
      type: 'counter',
      help: 'Runs that finished, each counted by one engine of a database.',
      samples: by('status', finishedRuns),
    },
    {
      name: 'service_dead_letters_total',
      type: 'counter',
      help: 'Deliveries that ended without being done.',
      samples: by('reason', deadLetters),
    },
    {
      name: 'service_worker_results_dropped_total',
      type: 'counter',
      help: 'Results of workers that nobody waited for: their calls were over, cancelled or unknown.',
      samples: one(droppedResults),
    },
  ]
}

function stateMetrics({ version, checked, activeFlows, workers, eventSockets }: Measured): Metric[] {
  const { checks, runs, storeS } = checked
  const states = Object.entries(checks).map(([check, { status }]) => [check, status === 'ok' ? 1 : 0] as const)
  return [
    {
      name: 'service_info',
      type: 'gauge',
      help: 'Always 1; the label tells the version of the engine.',
      samples: [{ labels: { version }, value: 1 }],
    },
    {
      name: 'service_check_ok',
      type: 'gauge',
      help: 'Whether a check finds nothing wrong.',
      samples: by('check', states),
    },
    {
      name: 'service_store_write_seconds',
      type: 'gauge',
      help: 'How long writing and reading a row took just now.',
      samples: storeS === null ? [] : one(storeS),
    },
    {
      name: 'service_runs',
      type: 'gauge',
      help: 'Runs of the database that are not finished.',
      samples: storeS === null ? [] : by('status', Object.entries(runs)),
    },
    { name: 'service_flows_active', type: 'gauge', help: 'Live flows that are active.', samples: one(activeFlows) },
    { name: 'service_workers', type: 'gauge', help: 'Attached workers.', samples: one(workers) },
    { name: 'service_event_sockets', type: 'gauge', help: 'Open event sockets.', samples: one(eventSockets) },
  ]
}

function sharedMetrics({ living, shared }: MeasuredEngines): Metric[] {
  return [
    {
      name: 'service_engines',
      type: 'gauge',
      help: 'Engines of the database that live, this one included.',
      samples: one(living),
    },
    {
      name: 'service_engine_flows',
      type: 'gauge',
      help: 'Live flows that this engine has taken: those that are active, and those that it just starts.',
      samples: shared === null ? [] : one(shared.flows),
    },
    {
      name: 'service_lease_seconds',
      type: 'gauge',
      help: 'How long this engine counts on its lease: at 0 its live flows stand still.',
      samples: shared === null ? [] : one(shared.leaseS),
    },
    {
      name: 'service_fence_refused_total',
      type: 'counter',
      help: 'Values and pieces of work that were not written, as another engine had taken their flow.',
      samples: shared === null ? [] : one(shared.refused),
    },
    {
      name: 'service_link_round_trip_seconds',
      type: 'gauge',
      help: 'From a ping to its answer, by the id of the other engine.',
      samples: shared === null ? [] : by('engine', shared.roundTripsS),
    },
  ]
}

function processMetrics({ p50, p99, max }: LoopDelay): Metric[] {
  const { rss, heapUsed, heapTotal } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const quantiles = [
    ['0.5', p50],
    ['0.99', p99],
    ['1', max],
  ] as const
  return [
    {
      name: 'service_event_loop_delay_seconds',
      type: 'gauge',
      help: 'How late timers are, over the last 10 to 20 seconds.',
      samples: by('quantile', quantiles),
    },
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'Processor time of the process.',
      samples: one((user + system) / 1e6),
    },
    { name: 'process_resident_memory_bytes', type: 'gauge', help: 'Memory of the process.', samples: one(rss) },
    {
      name: 'process_start_time_seconds',
      type: 'gauge',
      help: 'When the process was started, since the Unix epoch.',
      samples: one(performance.timeOrigin / 1000),
    },
    { name: 'nodejs_heap_used_bytes', type: 'gauge', help: 'Used part of the heap.', samples: one(heapUsed) },
    { name: 'nodejs_heap_total_bytes', type: 'gauge', help: 'Size of the heap.', samples: one(heapTotal) },
  ]
}
