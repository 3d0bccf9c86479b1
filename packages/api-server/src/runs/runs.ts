/**
 * Runs: submitted, queued, executed, shown and cancelled. DESIGN.md beside this file has the states and invariants.
 * @module
 */
import type { Clock, Host, NodeRegistry } from '@flow-service/core'
import {
  type EngineEvent,
  type FlowDocument,
  isFinished,
  type MetricSeries,
  type Run,
  type RunPlan,
  type RunPlanSubmit,
  type RunSummary,
  timestampOfMs,
} from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Database, Sql } from '../db/database.ts'
import { createTimestamps } from '../db/timestamps.ts'
import type { NewsEntry } from '../events/event-log.ts'
import type { RunnableFlows } from '../flows/runnable-flows.ts'
import type { Log } from '../process/log.ts'
import type { RunCalls } from '../workers/run-calls.ts'
import { hasRoom, type RunNumbers } from './admission.ts'
import type { RunCurves } from './curve-answer.ts'
import { EngineChannel, type RunNews } from './engine-channel.ts'
import { createExecutionStore, type ExecutionStore } from './execution-store.ts'
import { Execution } from './execution.ts'
import { createHistoryStore } from './history-store.ts'
import { RunHistory } from './history.ts'
import { KeptRuns } from './kept-runs.ts'
import { createKeptStore } from './kept-store.ts'
import { createLeaseStore, firstClaimable, type QueuedRun } from './lease-store.ts'
import { RunAnnotations } from './lists/annotations.ts'
import { createListStore } from './lists/list-store.ts'
import { RunLists } from './lists/run-lists.ts'
import { planRuns } from './plan.ts'
import { LEASE, type QueueDeps, RunQueue } from './run-queue.ts'
import { RunTeller } from './run-teller.ts'
import { flushForRead, type MetricsQuery, RunView } from './run-view.ts'
import { RunWrites } from './run-writes.ts'
import { createRunShapes, type RunShapes } from './shapes.ts'
import { EngineStages } from './stages/engine-stages.ts'
import type { StageEnvironments } from './stages/environments.ts'
import { createRunsStore, type RunsStore } from './store.ts'
import { createSubmissions, type Submissions, type SubmissionsDeps } from './submissions.ts'
import { createTrackStore } from './tracking/track-store.ts'
import { TRACK_LEASE_S, TrackedRuns } from './tracking/tracked-runs.ts'

/** What runs are made of. */
export interface RunsDeps {
  readonly database: Database
  readonly host: Host
  readonly registry: NodeRegistry
  readonly flows: RunnableFlows
  readonly artifacts: Pick<Artifacts, 'addRefs' | 'addRefsOf' | 'dropRefs' | 'known' | 'missing' | 'open' | 'put'>
  readonly publishEvent: (event: EngineEvent, atMs: number) => void
  /** Publishes an output of a finished run as a message; hears each output once. */
  readonly publishMessage: (message: string, value: unknown, run: string) => void
  /** The last value of a message of any flow, `undefined` when there is none. */
  readonly lastValue: (message: string) => unknown
  /** Runs that execute at once in this engine. */
  readonly maxRuns: RunNumbers
  /** Nodes of one run that execute at once. */
  readonly maxParallelNodes: number
  /** How long a running run is this engine's without being renewed, and how often it is; 30 s and 10 s unless given. */
  readonly lease?: QueueDeps['lease']
  /** Where runs outlive their engine: how long they wait for their workers, and who hears of their calls. Else null. */
  readonly kept: { readonly waitS: number; readonly calls: RunCalls } | null
  readonly report: (news: NewsEntry) => void
  /** What Python stages find on this engine. */
  readonly environments: StageEnvironments
  readonly log: Pick<Log, 'error' | 'info'>
}

/** The runs of one engine. */
export interface Runs extends Submissions {
  /** Gives up what a dead engine left behind, and begins to execute. */
  open(): Promise<void>
  /** Looks for queued runs: a flow may let more of them execute now. */
  wake(): void
  /** See `planRuns`. */
  plan(flow: string, body: RunPlanSubmit): Promise<RunPlan>
  /** Lists of runs. */
  readonly lists: RunLists
  /** Runs that other programs execute. */
  readonly tracked: TrackedRuns
  /** What people say about runs. */
  readonly annotations: RunAnnotations
  /** Refuses with `not_found`. */
  get(id: string): Promise<Run>
  /** What a run executed; refuses with `not_found`. */
  document(id: string): Promise<FlowDocument>
  /** Ends a queued or running run at once; a finished one stays as it is. Refuses with `not_found`. */
  cancel(id: string): Promise<Run>
  /** The curves of a run, whose points are read when they are asked for. Refuses with `not_found`. */
  curves(id: string, query: MetricsQuery): Promise<RunCurves>
  /** The same with their points. Refuses with `not_found`. */
  metrics(id: string, query: MetricsQuery): Promise<MetricSeries[]>
  /** Writes what this engine has gathered about a run: who reads then finds everything that listeners were told. */
  flush(id: string): Promise<void>
  /** Calls back whenever a run ends by this engine; the result ends that. */
  onEnded(listener: (run: RunSummary) => void): () => void
  /** The run that has waited longest of those that this engine has room for; null for none. */
  claimable(): Promise<QueuedRun | null>
  /** Finished runs. */
  readonly history: RunHistory
  /** Ids of the queued and running runs of a flow, by the flow's id, newest first. */
  activeOf(tx: Sql, flow: string): Promise<string[]>
  /** Gives the runs of a flow another name, which they keep when the flow is gone. */
  rename(tx: Sql, flow: string, name: string): Promise<void>
  /** The queued and running runs of all flows, newest first, at most 1,000. */
  active(): Promise<RunSummary[]>
  /** Waits up to 10 s for running runs; what runs on is given up when the database opens again, or by its lease. */
  close(): Promise<void>
}

const GRACE_MS = 10_000
const MAX_ACTIVE = 1_000

/** Runs over a database. */
export function createRuns(deps: RunsDeps): Runs {
  const { database, host } = deps
  const { clock } = host
  const { listeners, teller, publishEvent, tellRun, tellAnnotated } = newsOf(deps, {
    channel: () => channel,
    queue: () => queue,
  })
  const store = createRunsStore(database.sql)
  const executions = createExecutionStore(database.sql)
  const timestamps = createTimestamps(() => clock.now())
  const leases = createLeaseStore(database.sql)
  const shapes = createRunShapes(database.sql)
  const writes = new RunWrites({ ...deps, store: executions, shapes, leases, clock })
  const stages = new EngineStages({ ...deps, clock })
  const queue: RunQueue = new RunQueue({
    ...deps,
    writes,
    leases,
    clock,
    shared: database.backend === 'server',
    kept: keptRuns(deps, executions, () => queue),
    execution(claim, left) {
      const calls = deps.kept?.calls ?? null
      const execution = new Execution(claim, { ...deps, calls, publishEvent, stages, writes }, left)
      tellRun(execution.summary)
      return execution
    },
    onAbandoned(run) {
      host.deadLetter(letterOf(run))
      tellRun(run)
    },
  })
  const channel: EngineChannel = new EngineChannel({
    ...deps,
    clock,
    onNews: (news) => follow(news, { store, queue, clock, teller }),
  })
  const { flush, view, lists } = readersOf(deps, { store, executions, shapes, queue })
  const own = { store, shapes, timestamps, teller, tellRun, publishEvent, executions, queue, wake: () => queue.wake() }
  const { submissions, tracked } = makersOf(deps, { ...own, read: (id) => view.run(id) })

  return {
    async open() {
      const newest = await store.newest()
      if (newest !== null) timestamps.continueAfter(newest)
      await stages.open()
      await channel.open()
      await tracked.open()
      await queue.open()
      // of a time when runs outlived their engine
      if (deps.kept === null) await createKeptStore(database.sql).sweep()
    },
    ...submissions,
    wake: own.wake,
    plan: (flow, body) => planRuns({ ...deps, stages }, flow, body),
    lists,
    tracked,
    annotations: new RunAnnotations({ database, tell: tellAnnotated }),
    get: (id) => view.run(id),
    document: (id) => view.document(id),
    async cancel(id) {
      await cancel(id, { store, queue, tracked, clock, tellRun })
      return view.run(id)
    },
    curves: (id, query) => view.curves(id, query),
    metrics: (id, query) => view.metrics(id, query),
    onEnded: (listener) => listenedBy(listeners, listener),
    claimable: async () => (hasRoom(queue.room) ? firstClaimable(database.sql, queue.room) : null),
    history: new RunHistory({ ...deps, store: createHistoryStore(database.sql), runs: store, flush }),
    flush,
    activeOf: (tx, flow) => store.activeOf(tx, flow),
    rename: (tx, flow, name) => store.rename(tx, flow, name),
    active: () => store.active(MAX_ACTIVE),
    async close() {
      tracked.close()
      await queue.close(GRACE_MS)
      stages.close()
      await channel.close()
    },
  }
}

/** How listeners, here and at other engines, hear of runs. */
function newsOf(deps: RunsDeps, { channel, queue }: { channel: () => EngineChannel; queue: () => RunQueue }) {
  const { clock } = deps.host
  const listeners = new Set<(run: RunSummary) => void>()
  const teller = new RunTeller(deps.publishEvent)
  const publishEvent: RunsDeps['publishEvent'] = (event, atMs) => {
    if (event.type !== 'run') return deps.publishEvent(event, atMs)
    teller.tell(event.run, atMs)
    channel().tell(event.run)
    if (isFinished(event.run.status)) for (const listener of listeners) listener(event.run)
  }
  return {
    listeners,
    teller,
    publishEvent,
    tellRun: (run: RunSummary): void => publishEvent({ type: 'run', run }, clock.now()),
    // no end of a run, even if it has ended
    tellAnnotated: (run: RunSummary): void => {
      queue().peek(run.id)?.annotated(run)
      teller.tell(run, clock.now())
      channel().tell(run)
    },
  }
}

/** Adds a listener; the result removes it. */
function listenedBy<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What makes runs. */
function makersOf(
  deps: RunsDeps,
  own: Omit<SubmissionsDeps, keyof RunsDeps> & Pick<RunsDeps, 'publishEvent'> & { readonly executions: ExecutionStore },
) {
  const store = createTrackStore(deps.database.sql, TRACK_LEASE_S)
  return {
    submissions: createSubmissions({ ...deps, ...own }),
    tracked: new TrackedRuns({ ...deps, ...own, store }),
  }
}

/** What reads runs, once what this engine has gathered of them is written. */
function readersOf(
  { database, host }: RunsDeps,
  {
    store,
    executions,
    shapes,
    queue,
  }: { store: RunsStore; executions: ExecutionStore; shapes: RunShapes; queue: RunQueue },
) {
  const { clock, secrets } = host
  const flush = (id: string): Promise<void> => flushForRead(queue.peek(id), clock)
  const flushAll = async (): Promise<void> => {
    await Promise.all(queue.executions().map((execution) => flushForRead(execution, clock)))
  }
  return {
    flush,
    view: new RunView({ store, executions, flush, secrets }),
    lists: new RunLists({ store: createListStore(database.sql, shapes), secrets, flush: flushAll }),
  }
}

/** The runs that outlive their engine, where they do. */
function keptRuns(
  { database, host, kept, lease = LEASE, report, log }: RunsDeps,
  executions: ExecutionStore,
  queue: () => RunQueue,
): KeptRuns | null {
  if (kept === null) return null
  return new KeptRuns({
    ...kept,
    store: createKeptStore(database.sql),
    executions,
    clock: host.clock,
    leaseS: lease.seconds,
    peek: (id) => queue().peek(id),
    goOn: (claim, left) => queue().goOn(claim, left),
    report,
    log,
  })
}

/** Whatever state the run is in, and whoever executes it. */
async function cancel(
  id: string,
  {
    store,
    queue,
    tracked,
    clock,
    tellRun,
  }: {
    store: RunsStore
    queue: RunQueue
    tracked: TrackedRuns
    clock: Clock
    tellRun: (run: RunSummary) => void
  },
): Promise<void> {
  const now = (): string => timestampOfMs(clock.now())
  const queued = await store.cancel(id, 'queued', now())
  if (queued) return tellRun(queued)
  const execution = await queue.find(id)
  if (execution) return void (await execution.cancel())
  // queued again when its claim was not heard of
  const elsewhere =
    (await store.cancel(id, 'running', now())) ??
    (await store.cancel(id, 'queued', now())) ??
    (await tracked.cancelAbandoned(id))
  if (!elsewhere) return
  tellRun(elsewhere)
  // its flow may have a limit
  queue.wake()
}

/** What is left of a run whose engine has died. */
const letterOf = ({ id, flow }: RunSummary) =>
  ({ flow, node: '', message: null, value: { run: id }, reason: 'lease', cascade: null, run: id }) as const

/** Tells this engine's listeners what another engine did, as far as it still holds. */
async function follow(
  news: readonly RunNews[],
  { store, queue, clock, teller }: { store: RunsStore; queue: RunQueue; clock: Clock; teller: RunTeller },
): Promise<void> {
  const told = new Map(news.map(({ id, status }) => [id, status]))
  const ids = [...told.keys()]
  await teller.learning(ids, async () => {
    for (const run of await store.summaries(ids)) {
      if (run.status !== told.get(run.id)) continue
      const execution = await queue.find(run.id)
      execution?.annotated(run)
      if (isFinished(run.status)) execution?.abandon()
      // how far it is this engine tells itself: the other one knows what is said of it
      teller.tell(execution && !isFinished(run.status) ? execution.summary : run, clock.now())
    }
  })
  if (news.some(({ status }) => status === 'queued')) queue.wake()
}
