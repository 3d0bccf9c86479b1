/**
 * Runs that outlive their engine (wire decision U23), as the engine sees them that comes after: which wait, for which
 * workers, and how they go on.
 *
 * - kept-runs.K1 a run is taken by one statement that names its lease, which has to be over: of engines that try one goes
 *   on with it. Where engines share a database that is at most the time of a lease after the death of the last one;
 *   the worker waits for its answer meanwhile.
 * - kept-runs.K2 a run with calls on workers is taken when the first of these comes with the session that it has them in;
 *   one without calls at once.
 * - kept-runs.K3 a worker is answered when the runs of its calls wait for them. A call that it does not name was not begun.
 *   Workers that have not come when the run has waited for as long again as any run waits have lost their calls.
 */
import { randomUUID } from 'node:crypto'

import type { Clock } from '@flow-service/core'
import type { CallMark } from '@flow-service/protocol'

import type { NewsEntry } from '../events/event-log.ts'
import type { Log } from '../process/log.ts'
import type { RunCalls } from '../workers/run-calls.ts'
import type { ExecutionStore } from './execution-store.ts'
import type { Execution } from './execution.ts'
import type { LeftRun } from './kept-run.ts'
import type { KeptRunRow, KeptStore } from './kept-store.ts'
import type { ClaimedRun } from './lease-store.ts'

/** What the runs that outlive their engine need of this one. */
export interface KeptRunsDeps {
  readonly store: KeptStore
  readonly executions: Pick<ExecutionStore, 'nodes'>
  readonly calls: Pick<RunCalls, 'foundBy' | 'notBegun'>
  readonly clock: Clock
  /** How long runs wait for their workers after their lease, in seconds. */
  readonly waitS: number
  readonly leaseS: number
  /** The execution of a run in this engine. */
  readonly peek: (run: string) => Execution | null
  /** Begins to execute what another engine has left. */
  readonly goOn: (claim: ClaimedRun, left: LeftRun) => Execution
  readonly report: (news: NewsEntry) => void
  readonly log: Pick<Log, 'error' | 'info'>
}

const PAUSE_MS = 1_000

/** The runs that other engines have left. */
export class KeptRuns {
  readonly #deps: KeptRunsDeps
  /** Those that are being taken. */
  readonly #coming = new Map<string, Promise<void>>()
  /** Those of which it was told that they wait. */
  readonly #told = new Set<string>()
  readonly #timers = new Set<() => void>()
  #isClosed = false

  constructor(deps: KeptRunsDeps) {
    this.#deps = deps
    deps.calls.foundBy((session, jti, calls) => this.#found(session, jti, calls))
  }

  /** How long runs wait for their workers after their lease, in seconds. */
  get waitS(): number {
    return this.#deps.waitS
  }

  /** On the embedded database, when it opens: the leases of all running runs are over, from now on. */
  endLeases(): Promise<void> {
    return this.#deps.store.endLeases()
  }

  /** Ends the leases of runs that this engine leaves to another one. */
  leave(runs: readonly Pick<ClaimedRun, 'id' | 'token'>[]): Promise<void> {
    return this.#deps.store.leave(runs)
  }

  /** Goes on with runs that wait for nobody but an engine, and tells of those that wait for workers. */
  async look(): Promise<void> {
    const { store, waitS, peek } = this.#deps
    await store.sweep()
    const waiting = (await store.waiting(waitS)).filter(({ run }) => peek(run) === null)
    const ids = new Set(waiting.map(({ run }) => run))
    for (const run of this.#told) if (!ids.has(run)) this.#told.delete(run)
    for (const row of waiting) {
      if (row.workers.length === 0) void this.#here(row.run)
      else this.#tell(row)
    }
  }

  /** Takes nothing more. */
  close(): void {
    this.#isClosed = true
    for (const cancel of this.#timers) cancel()
  }

  #tell({ run, flow, workers, left_s: leftS }: KeptRunRow): void {
    if (this.#told.has(run)) return
    this.#told.add(run)
    const seconds = Math.ceil(leftS)
    this.#deps.report({ kind: 'engine', level: 'warning', action: 'run.wait', flow, detail: { run, workers, seconds } })
    this.#deps.log.info({ run, flow, workers, seconds }, 'a run waits for workers that have its calls')
  }

  /** A worker has come with a session: which of its calls go on. */
  async #found(session: string, jti: string, calls: readonly CallMark[]): Promise<Set<string>> {
    const rows = await this.#patiently(() => this.#deps.store.callsOf(session, jti))
    await Promise.all([...new Set(rows?.map(({ run }) => run))].map((run) => this.#here(run)))
    const named = new Set(calls.map(({ call }) => call))
    const here = (rows ?? []).filter(({ run }) => this.#deps.peek(run) !== null)
    for (const { call } of here) if (!named.has(call)) this.#deps.calls.notBegun(call)
    // an engine that stops answers nothing: what it does not know may be the next one's
    if (this.#isClosed) await new Promise<never>(() => {})
    return new Set(here.map(({ call }) => call))
  }

  /** Settles when the run executes here and its calls wait, or when it is not to be had. Never rejects. */
  #here(run: string): Promise<void> {
    const coming = this.#coming.get(run) ?? this.#take(run).finally(() => this.#coming.delete(run))
    this.#coming.set(run, coming)
    return coming
  }

  async #take(run: string): Promise<void> {
    const { store, executions, leaseS, peek, goOn } = this.#deps
    // the answer to a statement may be lost: the same token again finds what it took
    const token = randomUUID()
    let seen: string | null = null
    while (!this.#isClosed && peek(run) === null) {
      // oxlint-disable no-await-in-loop -- one try after the other
      const claim = await this.#patiently(() => store.take(run, token, leaseS))
      if (claim) {
        const records = await this.#patiently(async () => ({
          ...(await store.left(run)),
          nodes: await executions.nodes(run),
        }))
        if (records && !this.#isClosed) this.#begin(goOn(claim, records))
        break
      }
      const lease = await this.#patiently(() => store.leaseOf(run))
      // it has ended, cannot go on, or has an engine that renews its lease
      if (!lease || lease.left_s <= 0 || (seen !== null && lease.until !== seen)) return
      seen = lease.until
      await this.#pause(Math.min(lease.left_s * 1000, PAUSE_MS))
      // oxlint-enable no-await-in-loop
    }
    await peek(run)?.arrived
  }

  #begin(execution: Execution): void {
    const { id, flow } = execution.claim
    this.#told.delete(id)
    this.#deps.report({ kind: 'engine', level: 'info', action: 'run.go_on', flow, detail: { run: id } })
    const cancel = this.#deps.clock.setTimer(this.#deps.waitS * 1000, () => {
      this.#timers.delete(cancel)
      execution.endWaiting()
    })
    this.#timers.add(cancel)
    void execution.over.then(() => {
      cancel()
      this.#timers.delete(cancel)
    })
  }

  /** Tries again while the database does not answer; null when the engine stops. */
  async #patiently<T>(ask: () => Promise<T>): Promise<T | null> {
    while (!this.#isClosed) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one try after the other
        return await ask()
      } catch (error) {
        this.#deps.log.error({ err: error }, 'runs that another engine has left could not be looked for')
        // oxlint-disable-next-line no-await-in-loop -- see above
        await this.#pause(PAUSE_MS)
      }
    }
    return null
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.#timers.delete(stop)
        resolve()
      }
      const cancel = this.#deps.clock.setTimer(ms, end)
      const stop = (): void => {
        cancel()
        end()
      }
      this.#timers.add(stop)
    })
  }
}
