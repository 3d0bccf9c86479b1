/**
 * What the engine knows about itself (wire decision G52): read from what the recorder and the events slice keep, and
 * from what runs now.
 * @module
 */
import type { Clock, EndedCascade, LiveRuntime } from '@flow-service/core'
import {
  type FlowRollup,
  type FlushResult,
  isFinished,
  type ObservabilitySummary,
  type RunSummary,
  type TimeBucket,
  WORKER_PROTOCOL,
} from '@flow-service/protocol'

import type { Database } from '../db/database.ts'
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

/** What is needed to hear of everything. */
export interface ObserverSetting {
  readonly database: Database
  readonly clock: Clock
  readonly bus: EventBus
  readonly eventLog: EventLog
  readonly deadLetters: DeadLetters
  readonly work: Pick<LiveWork, 'keepIn'>
  readonly engineVersion: string
  /** Directory of the stored artifacts. */
  readonly artifactsDir: string
  readonly log: Pick<Log, 'warn'>
}

/** What is asked when somebody reads. */
export interface EngineParts {
  readonly runtime: Pick<LiveRuntime, 'get' | 'running' | 'takeStats'>
  readonly activeRuns: () => Promise<readonly RunSummary[]>
  /** Names of the active flows. */
  readonly activeFlows: () => readonly string[]
  /** How many flows could not be started. */
  readonly failedFlows: () => number
  /** Attached workers but the engine's own agent, and those that were refused for their version. */
  readonly workers: () => { readonly attached: number; readonly needs_upgrade: number }
  /** Results of workers that nobody waited for. */
  readonly droppedResults: () => number
  readonly eventSockets: () => number
  readonly hasPython: boolean
  readonly loadErrors: () => ObservabilitySummary['load_errors']
}

const HOUR_MS = 3_600_000

/** Hears of everything from the time that it is made, and writes it once the engine is open. */
export class Observer {
  readonly store: ObservabilityStore
  readonly recorder: Recorder
  readonly setting: ObserverSetting
  readonly loop: LoopWatch
  readonly #health: HealthNews
  readonly #stopHearing: () => void
  #cancelUpkeep: () => void = () => {}

  constructor(setting: ObserverSetting) {
    const { bus, database, eventLog, engineVersion } = setting
    this.setting = setting
    this.store = createObservabilityStore(database.sql)
    this.recorder = new Recorder({ ...setting, store: this.store })
    this.#health = new HealthNews(setting)
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
  readonly cascadeEnded = (cascade: EndedCascade): void => {
    this.recorder.cascades.ended(cascade)
    this.setting.deadLetters.cascadeEnded(cascade.id)
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
    const { eventLog } = this.setting
    eventLog.report({ kind: 'engine', level: 'info', action: 'engine.stop' })
    await this.recorder.close()
    await eventLog.flush()
  }

  #upkeep(): void {
    const { clock, eventLog, log } = this.setting
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
  readonly #parts: EngineParts
  readonly #checks: EngineChecks
  readonly #startedMs = performance.now()

  constructor(observer: Observer, parts: EngineParts) {
    const { recorder, setting, store } = observer
    this.#observer = observer
    this.#parts = parts
    this.cascades = new Cascades(recorder.cascades, {
      store,
      running: () => parts.runtime.running(),
      activeRuns: parts.activeRuns,
      flush: () => recorder.flush(),
    })
    this.replay = new Replay({
      ...setting,
      flow: (name) => parts.runtime.get(name),
      activeFlows: parts.activeFlows,
    })
    const { artifactsDir } = setting
    this.#checks = new EngineChecks({ store, artifactsDir, loopDelay: () => observer.loop.delay(), ...parts })
  }

  get events(): Pick<EventLog, 'list'> {
    return this.#observer.setting.eventLog
  }

  get deadLetters(): Pick<DeadLetters, 'list'> {
    return this.#observer.setting.deadLetters
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
    const { recorder, setting } = this.#observer
    const [written, events, letters] = await Promise.all([
      recorder.flush(),
      setting.eventLog.flush(),
      setting.deadLetters.flush(),
    ])
    return { metrics: written.minutes, events: written.cascades + events + letters }
  }

  check(): Promise<Checked> {
    return this.#checks.check()
  }

  /** Never fails: what cannot be found out is told by the checks. */
  async summary(): Promise<ObservabilitySummary> {
    const { activeFlows, failedFlows, workers, loadErrors } = this.#parts
    const { checks, runs } = await this.check()
    return {
      status: statusOf(checks),
      version: this.#observer.setting.engineVersion,
      protocol: WORKER_PROTOCOL,
      uptime_s: (performance.now() - this.#startedMs) / 1000,
      checks,
      flows: { active: activeFlows().length, failed: failedFlows() },
      runs,
      workers: workers(),
      load_errors: loadErrors(),
    }
  }

  /** Metrics in the text format of Prometheus. */
  async metrics(): Promise<string> {
    const { recorder, setting, loop } = this.#observer
    const { runtime, activeFlows, workers, droppedResults, eventSockets } = this.#parts
    const checked = await this.check()
    recorder.count()
    return prometheusText(
      engineMetrics({
        version: setting.engineVersion,
        flows: recorder.executions.totals,
        cascades: recorder.cascades.counts,
        runningCascades: runtime.running().length,
        finishedRuns: recorder.runs,
        checked,
        activeFlows: activeFlows().length,
        workers: workers().attached,
        droppedResults: droppedResults(),
        loop: loop.delay(),
        deadLetters: setting.deadLetters.counts(),
        eventSockets: eventSockets(),
      }),
    )
  }
}
