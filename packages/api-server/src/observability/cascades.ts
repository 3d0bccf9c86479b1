/**
 * Cascades (wire decision G52): everything that one event set off in live flows, and runs.
 *
 * - cascades.C1 `ended` is on the way of every message: it notes a cascade and does nothing else.
 * - cascades.C2 of each flow a share of the cascades is kept one by one (allowance.ts); all of them are counted. Runs
 *   are all kept.
 * - cascades.C3 whoever reads sees what ended before: the recorder writes it first.
 */
import type { CascadeOrigin, EndedCascade, OverCascade } from '@flow-service/core'
import { type CascadeRecord, type RunSummary, timestampOfMs } from '@flow-service/protocol'

import type { Sql } from '../db/database.ts'
import { epochUs } from '../db/timestamps.ts'
import { Allowance } from './allowance.ts'
import { epochUsOf } from './instant.ts'
import type { CascadeFilter, CascadeRow, ObservabilityStore } from './store.ts'

/** Cascades that may wait for the database. */
const MAX_WAITING = 20_000
/** From so many milliseconds on, a cascade is one that lasted long. */
const LONG_MS = 1_000

/** A cascade that goes on, as the runtime tells it. */
interface Running {
  readonly id: string
  readonly flow: string
  readonly origin: CascadeOrigin
  readonly run: string | null
  readonly startedMs: number
  readonly executions: number
}

/** How many cascades ended since the engine has started. */
export interface CascadeCounts {
  readonly ok: number
  readonly error: number
  readonly abandoned: number
  /** Of all these, those that are in no list. */
  readonly unlisted: number
}

/** Sources that cascades are read from. */
export interface CascadesDeps {
  readonly store: ObservabilityStore
  /** Live cascades that go on. */
  readonly running: () => readonly Running[]
  /** Runs that are not finished. */
  readonly activeRuns: () => Promise<readonly RunSummary[]>
  /** Writes what has ended. */
  readonly flush: () => Promise<unknown>
}

/** Cascades on their way to the database. */
export class CascadeBuffer {
  readonly #allowance = new Allowance()
  readonly #counts = { ok: 0, error: 0, abandoned: 0, unlisted: 0 }
  #ended: EndedCascade[] = []
  #runs = new Map<string, RunSummary>()

  /** A live cascade is over. */
  ended(cascade: OverCascade, endedMs: number): void {
    const { flow, status, startedMs } = cascade
    this.#counts[status]++
    const notable = status !== 'ok' || endedMs - startedMs >= LONG_MS
    if (this.#ended.length < MAX_WAITING && this.#allowance.take(flow, notable, endedMs))
      this.#ended.push(cascade.record(endedMs))
    else this.#counts.unlisted++
  }

  /** A run is finished; one that never began is none, and one that another program has executed neither. */
  runEnded(run: RunSummary): void {
    if (run.started_at !== null && run.origin === 'engine' && this.#runs.size < MAX_WAITING) this.#runs.set(run.id, run)
  }

  get counts(): CascadeCounts {
    return this.#counts
  }

  get size(): number {
    return this.#ended.length + this.#runs.size
  }

  /** Takes all that waits. */
  take(): { ended: EndedCascade[]; runs: RunSummary[] } {
    const taken = { ended: this.#ended, runs: [...this.#runs.values()] }
    this.#ended = []
    this.#runs = new Map()
    return taken
  }

  /** Keeps again what could not be written. */
  putBack({ ended, runs }: { ended: readonly EndedCascade[]; runs: readonly RunSummary[] }): void {
    const room = MAX_WAITING - this.#ended.length
    this.#ended = [...ended.slice(-room), ...this.#ended]
    this.#counts.unlisted += Math.max(0, ended.length - room)
    for (const run of runs) this.runEnded(run)
  }

  /** Forgets what waits of a flow, or of runs. */
  drop(fits: (of: { readonly flow: string; readonly run: string | null }) => boolean): void {
    this.#ended = this.#ended.filter((cascade) => !fits(cascade))
    for (const [id, { flow }] of this.#runs) if (fits({ flow, run: id })) this.#runs.delete(id)
  }

  /** Forgets what it knows of flows that have been quiet. */
  tidy(): void {
    this.#allowance.forget(Date.now())
  }
}

/** Reads and removes cascades. */
export class Cascades {
  readonly #deps: CascadesDeps
  readonly #buffer: CascadeBuffer

  constructor(buffer: CascadeBuffer, deps: CascadesDeps) {
    this.#buffer = buffer
    this.#deps = deps
  }

  /** Newest first; what goes on is among them. */
  async list(filter: CascadeFilter, limit: number): Promise<CascadeRecord[]> {
    const { store, flush } = this.#deps
    const statuses = filter.statuses?.filter((status) => status !== 'running')
    const wanted = filter.statuses === undefined || filter.statuses.includes('running')
    // before what is stored is read: a cascade that ends meanwhile is in one of the two, or in both
    const running = wanted ? await this.#running(filter, limit) : []
    await flush()
    const stored = statuses?.length === 0 ? [] : await store.cascades({ ...filter, statuses }, limit)
    const ended = new Set(stored.map(({ id }) => id))
    const all = [...stored.map(recordOf), ...running.filter(({ id }) => !ended.has(id))]
    return all.toSorted((a, b) => (a.started_at < b.started_at ? 1 : -1)).slice(0, limit)
  }

  /**
   * Removes the cascades of runs, or all of a flow by its name, in the caller's transaction. What was not written yet is
   * forgotten at once.
   */
  async removeOf(tx: Sql, what: { readonly runs: readonly string[] } | { readonly flow: string }): Promise<void> {
    const { store } = this.#deps
    if ('flow' in what) {
      this.#buffer.drop(({ flow }) => flow === what.flow)
      await store.removeOfFlow(tx, what.flow)
    } else {
      const runs = new Set(what.runs)
      this.#buffer.drop(({ run }) => run !== null && runs.has(run))
      await store.removeOfRuns(tx, what.runs)
    }
  }

  async #running({ flows, since, before }: CascadeFilter, limit: number): Promise<CascadeRecord[]> {
    const { store, running, activeRuns } = this.#deps
    const runs = (await activeRuns()).filter(({ status, origin }) => status === 'running' && origin === 'engine')
    const started = runs.length === 0 ? new Map<string, number>() : await store.startedNodes(runs)
    const live = running().map(runningRecord)
    const all = [...live, ...runs.map((run) => runRecord(run, started.get(run.id) ?? 0))]
    const [from, to] = [since, before].map((time) => (time === undefined ? null : epochUsOf(time)))
    const fits = ({ flow, started_at }: CascadeRecord): boolean => {
      const us = epochUs(started_at)
      return (flows?.includes(flow) ?? true) && us >= (from ?? -Infinity) && us < (to ?? Infinity)
    }
    return all
      .filter(fits)
      .toSorted((a, b) => (a.started_at < b.started_at ? 1 : -1))
      .slice(0, limit)
  }
}

/** Rows of live cascades. Two never begin at the same microsecond, so that lists can be paged by it. */
export function rowsOf(cascades: readonly EndedCascade[]): CascadeRow[] {
  let lastUs = 0
  const sorted = cascades.toSorted((a, b) => a.startedMs - b.startedMs)
  return sorted.map(({ id, flow, origin, run, status, executions, startedMs, endedMs, error }) => {
    const startedUs = Math.max(Math.round(startedMs * 1000), lastUs + 1)
    lastUs = startedUs
    const started_at = timestampOfMs(startedUs / 1000)
    const finished_at = timestampOfMs(Math.max(endedMs, startedUs / 1000))
    const from = { origin: origin.kind, origin_node: origin.node, origin_message: origin.message }
    return { id, flow, ...from, run, status, executions, started_at, finished_at, error }
  })
}

/** The row of a finished run; the database counts its executions. */
export function rowOfRun({ id, flow, status, created_at, started_at, finished_at, error }: RunSummary): CascadeRow {
  const start = started_at ?? created_at
  const none = { origin_node: null, origin_message: null, executions: 0 }
  const state = status === 'ok' || status === 'error' ? status : 'abandoned'
  const cancelled = { node: null, type: 'cancelled', message: 'the run was cancelled' }
  return {
    id,
    flow,
    origin: 'run',
    ...none,
    run: id,
    status: state,
    started_at: start,
    finished_at: finished_at ?? start,
    error: status === 'cancelled' ? (error ?? cancelled) : error,
  }
}

function recordOf({ origin, origin_node, origin_message, ...row }: CascadeRow): CascadeRecord {
  return {
    ...row,
    origin: { kind: origin, node: origin_node, message: origin_message },
    duration_ms: (epochUs(row.finished_at) - epochUs(row.started_at)) / 1000,
  }
}

const goingOn = { status: 'running', finished_at: null, duration_ms: null, error: null } as const

const runningRecord = ({ id, flow, origin, run, startedMs, executions }: Running): CascadeRecord => ({
  id,
  flow,
  origin,
  run,
  executions,
  started_at: timestampOfMs(startedMs),
  ...goingOn,
})

const runRecord = (run: RunSummary, executions: number): CascadeRecord => ({
  id: run.id,
  flow: run.flow,
  origin: { kind: 'run', node: null, message: null },
  run: run.id,
  executions,
  started_at: run.started_at ?? run.created_at,
  ...goingOn,
})
