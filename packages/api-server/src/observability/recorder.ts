/**
 * Writes cascades, runs, and executions by the minute to the database, behind the events themselves.
 *
 * - observability.W1 one write is under way at a time, one transaction; what happens meanwhile goes with the next one.
 * - observability.W2 every {@link FLUSH_MS}, and whenever somebody reads. A write that fails keeps what it had for the
 *   next one.
 * - observability.W3 a run and its executions are counted by the engine whose insert of the run had an effect, in that
 *   transaction: once, however many engines hear of it.
 */
import type { Clock, EndedCascade, FlowStats } from '@flow-service/core'
import type { RunSummary } from '@flow-service/protocol'

import type { Database, Sql } from '../db/database.ts'
import { epochUs } from '../db/timestamps.ts'
import type { Log } from '../process/log.ts'
import { CascadeBuffer, rowOfRun, rowsOf } from './cascades.ts'
import { ExecutionCounts } from './executions.ts'
import { type Executions, Minutes } from './minutes.ts'
import type { MinuteRow, NodeExecution, ObservabilityStore } from './store.ts'

/** Dependencies of the recorder. */
export interface RecorderDeps {
  readonly database: Pick<Database, 'transaction'>
  readonly store: ObservabilityStore
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}

/** Rows that were written. */
export interface Written {
  readonly minutes: number
  readonly cascades: number
}

const FLUSH_MS = 5_000
/** Rows of one statement. */
const STATEMENT_ROWS = 5_000

/** Finished runs by their status, as this engine counted them. */
export type RunCounts = ReadonlyMap<RunSummary['status'], number>

/** Gathers and writes. */
export class Recorder {
  readonly cascades = new CascadeBuffer()
  readonly executions = new ExecutionCounts()
  readonly #deps: RecorderDeps
  readonly #runs = new Map<RunSummary['status'], number>()
  #takeStats: () => readonly FlowStats[] = () => []
  #writing: Promise<unknown> = Promise.resolve()
  #cancelTimer: () => void = () => {}
  #isFailing = false
  #isClosed = false

  constructor(deps: RecorderDeps) {
    this.#deps = deps
  }

  /** Begins to write by itself; `takeStats` gives what live flows have executed since it was last called. */
  open(takeStats: () => readonly FlowStats[]): void {
    this.#takeStats = takeStats
    this.#wait()
  }

  /** Writes what there is and ends. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelTimer()
    await this.#tryFlush()
  }

  /** How many runs have finished. */
  get runs(): RunCounts {
    return this.#runs
  }

  /** Counts what live flows have executed until now. */
  count(): void {
    const nowMs = this.#deps.clock.now()
    for (const stats of this.#takeStats()) this.executions.add(stats, nowMs)
  }

  /** Writes all that has happened; resolves after the commit and rejects when it is not possible. */
  flush(): Promise<Written> {
    const written = this.#writing.then(() => this.#write())
    this.#writing = written.catch(() => {})
    return written
  }

  async #write(): Promise<Written> {
    this.count()
    const { ended, runs } = this.cascades.take()
    const minutes = this.executions.minutes.take()
    if (ended.length + runs.length + minutes.length === 0) return { minutes: 0, cascades: 0 }
    try {
      const counted = await this.#deps.database.transaction((tx) => this.#commit(tx, { ended, runs, minutes }))
      for (const executions of counted.executions) this.executions.total(executions)
      for (const { status } of counted.runs) this.#runs.set(status, (this.#runs.get(status) ?? 0) + 1)
      return { minutes: counted.minutes, cascades: ended.length + counted.runs.length }
    } catch (error) {
      this.cascades.putBack({ ended, runs })
      this.executions.minutes.putBack(minutes)
      throw error
    }
  }

  async #commit(
    tx: Sql,
    { ended, runs, minutes }: { ended: EndedCascade[]; runs: RunSummary[]; minutes: MinuteRow[] },
  ): Promise<{ executions: Executions[]; runs: RunSummary[]; minutes: number }> {
    const { store } = this.#deps
    for (const rows of portions(rowsOf(ended))) await store.addCascades(tx, rows)
    if (runs.length === 0) return { executions: [], runs: [], minutes: await this.#addMinutes(tx, minutes) }
    const fresh = await store.addRuns(tx, runs.map(rowOfRun))
    const own = runs.filter(({ id }) => fresh.has(id))
    const executed = await store.executionsOf(tx, [...fresh])
    const sum = new Minutes()
    sum.putBack(minutes)
    const executions = executionsByFlow(own, executed, sum)
    return { executions, runs: own, minutes: await this.#addMinutes(tx, sum.take()) }
  }

  async #addMinutes(tx: Sql, rows: MinuteRow[]): Promise<number> {
    for (const portion of portions(rows)) await this.#deps.store.addMinutes(tx, portion)
    return rows.length
  }

  #wait(): void {
    if (this.#isClosed) return
    this.#cancelTimer = this.#deps.clock.setTimer(FLUSH_MS, () => {
      void this.#tryFlush().then(() => this.#wait())
    })
  }

  async #tryFlush(): Promise<void> {
    try {
      await this.flush()
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#deps.log.warn({ err: error }, 'cascades and executions are not written; trying on')
      this.#isFailing = true
    }
  }
}

function portions<T>(rows: readonly T[]): T[][] {
  const count = Math.ceil(rows.length / STATEMENT_ROWS)
  return Array.from({ length: count }, (_, at) => rows.slice(at * STATEMENT_ROWS, (at + 1) * STATEMENT_ROWS))
}

/** What runs have executed, by flow; also added to the minutes in which it ended. */
function executionsByFlow(
  runs: readonly RunSummary[],
  executed: readonly NodeExecution[],
  minutes: Minutes,
): Executions[] {
  const byRun = new Map(runs.map((run) => [run.id, run]))
  return executed.flatMap(({ run: id, failed, at, duration_ms }) => {
    const run = byRun.get(id)
    if (!run) return []
    const durationsMs = duration_ms === null ? [] : [duration_ms]
    const one = { flow: run.flow, executions: 1, errors: failed ? 1 : 0, durationsMs }
    minutes.add(one, epochUs(at ?? run.finished_at ?? run.created_at) / 1000)
    return [one]
  })
}
