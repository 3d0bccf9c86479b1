/**
 * What the engine knows about itself (wire decision G52): read from what the recorder and the events slice keep, and
 * from what runs now.
 * @module
 */
import type { Clock, OverCascade, LiveRuntime } from '@flow-service/core'
import {
  type FlowRollup,
  type FlushResult,
  isFinished,
  type ObservabilitySummary,
  type RunSummary,
  type TimeBucket,
  WORKER_PROTOCOL,
} from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Database } from '../db/database.ts'
import type { Roster } from '../engines/roster.ts'
import type { DeadLetters } from '../events/dead-letters.ts'
import type { EventBus } from '../events/event-bus.ts'
import type { EventLog } from '../events/event-log.ts'
import type { Log } from '../process/log.ts'
import type { LiveWork } from '../work/work.ts'
import { Cascades } from './cascades.ts'
import { type Checked, EngineChecks, statusOf } from './checks.ts'
import { rollups, timeseries } from './executions.ts'
import { HealthNews } from './health-news.ts'
import { LoopWatch } from './loop-watch.ts'
import { engineMetrics } from './metrics.ts'
import { prometheusText } from './prometheus.ts'
import { Recorder } from './recorder.ts'
import { Replay } from './replay.ts'
import { createObservabilityStore, type MinuteSpan, type ObservabilityStore } from './store.ts'

/** Nouns whose news the observer writes down, and those that it writes with. */
export interface ObserverDeps {
  readonly database: Database
  readonly clock: Clock
  readonly bus: EventBus
  readonly eventLog: EventLog
  readonly deadLetters: DeadLetters
  readonly work: Pick<LiveWork, 'keepIn'>
  readonly engineVersion: string
  readonly log: Pick<Log, 'warn'>
}

/** Nouns that are asked for their state whenever somebody reads. */
export interface ObservabilityDeps {
  readonly runtime: Pick<LiveRuntime, 'get' | 'running' | 'takeStats'>
  readonly engines: Pick<Roster, 'living' | 'measured'>
  readonly activeRuns: () => Promise<readonly RunSummary[]>
  /** Names of the active flows. */
  readonly activeFlows: () => readonly string[]
  /** Refuses with `not_found` when no flow has the name. */
  readonly assertFlow: (name: string) => Promise<unknown>
  /** How many flows could not be started. */
  readonly failedFlows: () => number
  /** How many nodes of live flows have a failure marker. */
  readonly failedNodes: () => number
  /** Attached workers but the engine's own agent, and those that were refused for their version. */
  readonly workers: () => { readonly attached: number; readonly needs_upgrade: number }
  /** Results of workers that nobody waited for. */
  readonly droppedResults: () => number
  readonly eventSockets: () => number
  readonly artifacts: Pick<Artifacts, 'check'>
  readonly hasPython: boolean
  readonly loadErrors: () => ObservabilitySummary['load_errors']
}

const HOUR_MS = 3_600_000

/** Hears of everything from the time that it is made, and writes it once the engine is open. */
export class Observer {
  readonly store: ObservabilityStore
  readonly recorder: Recorder
  readonly deps: ObserverDeps
  readonly loop: LoopWatch
  readonly #health: HealthNews
  readonly #stopHearing: () => void
  #cancelUpkeep: () => void = () => {}

  constructor(deps: ObserverDeps) {
    const { bus, database, eventLog, engineVersion } = deps
    this.deps = deps
    this.store = createObservabilityStore(database.sql)
    this.recorder = new Recorder({ ...deps, store: this.store })
    this.#health = new HealthNews(deps)
    this.loop = new LoopWatch((blockedMs) => {
      const detail = { blocked_ms: Math.round(blockedMs) }
      eventLog.report({ kind: 'engine', level: 'warning', action: 'loop.blocked', detail })
    })
    this.#stopHearing = bus.subscribe(
      (event, atMs) => {
        if (event.type === 'health') this.#health.hear(event, atMs)
        else if (event.type === 'run' && isFinished(event.run.status)) this.recorder.cascades.runEnded(event.run)
      },
      { quiet: true },
    )
    const detail = { version: engineVersion, backend: database.backend }
    eventLog.report({ kind: 'engine', level: 'info', action: 'engine.start', detail })
  }

  /** A live cascade is over. */
  readonly cascadeEnded = (cascade: OverCascade, endedMs: number): void => {
    this.recorder.cascades.ended(cascade, endedMs)
    this.deps.deadLetters.cascadeEnded(cascade)
  }

  /** Begins to write, and drops what is too old now and every hour. */
  open(takeStats: LiveRuntime['takeStats']): void {
    this.recorder.open(takeStats)
    this.#upkeep()
  }

  /** Writes what there is. What runs afterwards is not noticed. */
  async close(): Promise<void> {
    this.#cancelUpkeep()
    this.#stopHearing()
    this.#health.close()
    this.loop.close()
    const { eventLog } = this.deps
    eventLog.report({ kind: 'engine', level: 'info', action: 'engine.stop' })
    await this.recorder.close()
    await eventLog.flush()
  }

  #upkeep(): void {
    const { clock, eventLog, log } = this.deps
    this.#cancelUpkeep = clock.setTimer(HOUR_MS, () => this.#upkeep())
    this.recorder.cascades.tidy()
    Promise.all([this.store.expire(), eventLog.expire()]).catch((error: unknown) =>
      log.warn({ err: error }, 'what is too old to be kept is still there; it is tried again in an hour'),
    )
  }
}

/** Answers what is asked about the engine. */
export class Observability {
  readonly cascades: Cascades
  readonly replay: Replay
  readonly #observer: Observer
  readonly #deps: ObservabilityDeps
  readonly #checks: EngineChecks
  readonly #startedMs = performance.now()

  constructor(observer: Observer, deps: ObservabilityDeps) {
    const { recorder, store } = observer
    this.#observer = observer
    this.#deps = deps
    this.cascades = new Cascades(recorder.cascades, {
      store,
      running: () => deps.runtime.running(),
      activeRuns: deps.activeRuns,
      flush: () => recorder.flush(),
    })
    this.replay = new Replay({
      ...observer.deps,
      flow: (name) => deps.runtime.get(name),
      activeFlows: deps.activeFlows,
      assertFlow: deps.assertFlow,
    })
    this.#checks = new EngineChecks({ store, loopDelay: () => observer.loop.delay(), ...deps })
  }

  get events(): Pick<EventLog, 'list'> {
    return this.#observer.deps.eventLog
  }

  get deadLetters(): Pick<DeadLetters, 'list'> {
    return this.#observer.deps.deadLetters
  }

  /** Oldest first; a bucket without executions is left out. */
  async timeseries(span: MinuteSpan, bucketS: number): Promise<TimeBucket[]> {
    await this.#observer.recorder.flush()
    return timeseries(this.#observer.store, span, bucketS)
  }

  /** By name, every flow. */
  async rollups(since: string): Promise<FlowRollup[]> {
    await this.#observer.recorder.flush()
    return rollups(this.#observer.store, since)
  }

  /** Writes all that waits. */
  async flush(): Promise<FlushResult> {
    const { recorder } = this.#observer
    const { deadLetters, eventLog } = this.#observer.deps
    const [written, events, letters] = await Promise.all([recorder.flush(), eventLog.flush(), deadLetters.flush()])
    return { metrics: written.minutes, events: written.cascades + events + letters }
  }

  check(): Promise<Checked> {
    return this.#checks.check()
  }

  /** Never fails: what cannot be found out is told by the checks. */
  async summary(): Promise<ObservabilitySummary> {
    const { activeFlows, engines, failedFlows, failedNodes, workers, loadErrors } = this.#deps
    const [{ checks, runs }, waiting] = await Promise.all([this.check(), this.#checks.waiting()])
    return {
      status: statusOf(checks),
      version: this.#observer.deps.engineVersion,
      protocol: WORKER_PROTOCOL,
      uptime_s: (performance.now() - this.#startedMs) / 1000,
      engines: engines.living,
      checks,
      flows: { active: activeFlows().length, failed: failedFlows() },
      runs,
      counts: { ...waiting, failed_nodes: failedNodes() },
      workers: workers(),
      load_errors: loadErrors(),
    }
  }

  /** Metrics in the text format of Prometheus. */
  async metrics(): Promise<string> {
    const { recorder, deps, loop } = this.#observer
    const { runtime, activeFlows, engines, workers, droppedResults, eventSockets } = this.#deps
    const checked = await this.check()
    recorder.count()
    return prometheusText(
      engineMetrics({
        version: deps.engineVersion,
        flows: recorder.executions.totals,
        cascades: recorder.cascades.counts,
        runningCascades: runtime.running().length,
        finishedRuns: recorder.runs,
        checked,
        activeFlows: activeFlows().length,
        workers: workers().attached,
        droppedResults: droppedResults(),
        loop: loop.delay(),
        deadLetters: deps.deadLetters.counts(),
        eventSockets: eventSockets(),
        engines: engines.measured(),
      }),
    )
  }
}
