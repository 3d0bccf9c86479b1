/**
 * What becomes of the jobs of requests: the scheduler is asked about those that are due, and those that have no use any more
 * are ended, and their tokens with them. `requests.ts` has it done at each look.
 * @module
 */
import type { Clock } from '@flow-service/core'
import type { Provisioner } from '@flow-service/protocol'

import type { NewsEntry } from '../events/event-log.ts'
import type { WorkerTokens } from '../workers/tokens.ts'
import type { Attachments } from './attachments.ts'
import { type ListedJob, type Scheduler, SchedulerError } from './scheduler.ts'
import type { RequestRow, RequestStore, Verdict } from './store.ts'
import type { Timings } from './timings.ts'

/** Milliseconds that the last commands have. */
const CLOSING_MS = 5_000

/** What jobs are looked after with. */
export interface JobsDeps {
  readonly provisioner: Provisioner
  readonly scheduler: Scheduler
  readonly store: RequestStore
  readonly tokens: Pick<WorkerTokens, 'revoke'>
  readonly attachments: Pick<Attachments, 'count'>
  readonly clock: Clock
  readonly timings: Timings
  readonly report: (news: NewsEntry) => void
  /** Gives up what is under way. */
  readonly signal: AbortSignal
}

/** The jobs of a provisioner. */
export class Jobs {
  readonly #deps: JobsDeps
  /** When the scheduler is asked about a request next, by its id. */
  readonly #due = new Map<string, number>()
  /** Jobs of requests that were over before their jobs were known. */
  readonly #strays = new Set<string>()
  #error: string | null = null

  constructor(deps: JobsDeps) {
    this.#deps = deps
  }

  /** Why the scheduler did not do the last that it was asked for; null when it did. */
  get error(): string | null {
    return this.#error
  }

  /** Whether there are jobs to cancel that no request tells of. */
  get hasStrays(): boolean {
    return this.#strays.size > 0
  }

  /** A job of a request that is over is to be cancelled. */
  stray(job: string): void {
    this.#strays.add(job)
  }

  /** A worker of a request has attached or left. */
  changed(request: string): void {
    this.#due.set(request, this.#in(this.#deps.timings.endedMs))
  }

  /** Looks after requests that are not over, as they were read at `nowMs`. */
  async tend(rows: readonly RequestRow[], nowMs: number): Promise<void> {
    const ids = new Set(rows.map(({ id }) => id))
    for (const id of this.#due.keys()) if (!ids.has(id)) this.#due.delete(id)
    await this.#cancelStrays()
    const due = rows.filter((row) => this.#isDue(row, nowMs))
    const listed = due.length > 0 ? await this.#list(due) : null
    if (listed) for (const row of due) await this.#settle(row, listed.get(row.id) ?? null, nowMs)
    for (const row of rows) {
      if (row.state !== 'pending') continue
      if (this.#isOverdue(row, nowMs)) await this.failed(row, this.#late(row), 'given up')
      else if (this.#isUnwanted(row, nowMs)) await this.#withdraw(row, 'no call waits for it')
    }
  }

  /** It came to nothing. What may be in the queue all the same is given up, and cancelled. */
  async failed(row: RequestRow, error: string, job: 'gone' | 'given up' | 'unknown'): Promise<void> {
    const { store, timings } = this.#deps
    const waitMs = Math.min(timings.firstRetryMs * 2 ** Math.min(row.failures, 20), timings.lastRetryMs)
    const verdict = { error, failures: row.failures + 1, retryMs: this.#in(waitMs) }
    if (!(await this.#giveUp(row, verdict))) return
    this.#tell('warning', 'worker.request_failed', row, { error })
    if (job === 'gone') await store.finish(row.id, 'cancelling')
    else if (job === 'given up') await this.#cancel(row)
    // a command whose answer was lost may be under way yet
    else this.#due.set(row.id, this.#in(this.#deps.timings.listMs))
  }

  /** The scheduler has done what it was asked for, or why not. */
  heard(error: unknown): void {
    if (error !== null && !(error instanceof SchedulerError)) throw error
    this.#error = error === null ? null : error.message
  }

  /** At the end: what is pending is cancelled, and of what is attached the tasks that have not begun. */
  async cancelAll(rows: readonly RequestRow[], reason: string): Promise<void> {
    const { scheduler, store, attachments, clock } = this.#deps
    const signal = AbortSignal.timeout(CLOSING_MS)
    const given: RequestRow[] = []
    for (const row of rows) {
      const isOurs = row.state === 'cancelling' || (await this.#giveUp(row, asItWas(row)))
      if (isOurs) given.push(row)
    }
    const partly = rows.filter((row) => row.state === 'attached' && row.tasks > attachments.count(row.id))
    try {
      const listed = given.some(({ job }) => job === null) ? await this.#listing(signal) : new Map<string, ListedJob>()
      const nowMs = clock.now()
      const jobs = given.flatMap(({ id, job }) => job ?? listed.get(id)?.job ?? [])
      if (jobs.length > 0 || this.hasStrays) await scheduler.cancel([...jobs, ...this.#strays], 'all', signal)
      this.#strays.clear()
      for (const row of given) {
        if (listed.has(row.id) || !this.#mayTurnUp(row, nowMs)) await store.finish(row.id, 'cancelling')
        if (row.state !== 'cancelling') this.#tell('info', 'worker.request_cancelled', row, { reason })
      }
      const waiting = partly.flatMap(({ job }) => job ?? [])
      if (waiting.length > 0) await scheduler.cancel(waiting, 'waiting', signal)
    } catch (error) {
      // the rows tell the next life
      this.heard(error)
    }
  }

  #isDue(row: RequestRow, nowMs: number): boolean {
    if (row.state === 'attached' && this.#deps.attachments.count(row.id) >= row.tasks) return false
    const known = this.#due.get(row.id)
    if (known !== undefined) return known <= nowMs
    if (row.state === 'submitting' || row.state === 'cancelling') return true
    this.#due.set(row.id, nowMs + this.#deps.timings.listMs)
    return false
  }

  /** The jobs by their requests; null when the scheduler does not tell. */
  async #list(due: readonly RequestRow[]): Promise<Map<string, ListedJob> | null> {
    for (const { id } of due) this.#due.set(id, this.#in(this.#deps.timings.listMs))
    try {
      const listed = await this.#listing(this.#deps.signal)
      this.heard(null)
      return listed
    } catch (error) {
      this.heard(error)
      return null
    }
  }

  async #listing(signal: AbortSignal): Promise<Map<string, ListedJob>> {
    return new Map((await this.#deps.scheduler.list(signal)).map((job) => [job.request, job]))
  }

  async #settle(row: RequestRow, listed: ListedJob | null, nowMs: number): Promise<void> {
    const { store } = this.#deps
    switch (row.state) {
      case 'submitting':
        // the engine has ended before it knew the job
        if (listed) await store.submitted(row.id, listed.job)
        else if (this.#mayTurnUp(row, nowMs)) this.#due.set(row.id, this.#in(this.#deps.timings.endedMs))
        else if (await this.#giveUp(row, asItWas(row))) await this.#over(row, 'cancelling')
        return
      case 'pending':
        if (!listed) await this.failed(row, await this.#died(row), 'gone')
        return
      case 'cancelling':
        if (listed) await this.#cancel({ ...row, job: listed.job })
        else if (this.#mayTurnUp(row, nowMs)) this.#due.set(row.id, this.#in(this.#deps.timings.endedMs))
        else await this.#over(row, 'cancelling')
        return
      case 'attached':
        return this.#settleAttached(row, listed, nowMs)
      case 'ended':
      case 'failed':
    }
  }

  async #settleAttached(row: RequestRow, listed: ListedJob | null, nowMs: number): Promise<void> {
    const { attachments, scheduler, store, signal } = this.#deps
    const tasks = Math.max(listed?.tasks ?? 0, attachments.count(row.id))
    if (tasks === 0) return this.#over(row, 'attached')
    if (tasks !== row.tasks) await store.resize(row.id, tasks)
    if (!listed || listed.running >= listed.tasks || !(this.#isOverdue(row, nowMs) || this.#isUnwanted(row, nowMs)))
      return
    try {
      await scheduler.cancel([listed.job], 'waiting', signal)
      this.#due.set(row.id, this.#in(this.#deps.timings.endedMs))
    } catch (error) {
      this.heard(error)
    }
  }

  async #withdraw(row: RequestRow, reason: string): Promise<void> {
    if (!(await this.#giveUp(row, asItWas(row)))) return
    this.#tell('info', 'worker.request_cancelled', row, { reason })
    await this.#cancel(row)
  }

  /** Its token counts no more from here on. False when a worker has been faster. */
  async #giveUp(row: RequestRow, verdict: Verdict): Promise<boolean> {
    const isGivenUp = await this.#deps.store.giveUp(row.id, verdict)
    if (isGivenUp) await this.#revoke(row)
    return isGivenUp
  }

  /** One that the scheduler cannot cancel now is asked about again. */
  async #cancel(row: RequestRow): Promise<void> {
    const { scheduler, store, signal } = this.#deps
    if (row.job === null) return
    try {
      await scheduler.cancel([row.job], 'all', signal)
      this.heard(null)
      await store.finish(row.id, 'cancelling')
    } catch (error) {
      this.heard(error)
      this.#due.set(row.id, this.#in(this.#deps.timings.endedMs))
    }
  }

  async #cancelStrays(): Promise<void> {
    if (!this.hasStrays) return
    const jobs = [...this.#strays]
    try {
      await this.#deps.scheduler.cancel(jobs, 'all', this.#deps.signal)
      for (const job of jobs) this.#strays.delete(job)
    } catch (error) {
      this.heard(error)
    }
  }

  async #over(row: RequestRow, from: 'attached' | 'cancelling'): Promise<void> {
    this.#due.delete(row.id)
    if (await this.#deps.store.finish(row.id, from)) await this.#revoke(row)
  }

  async #revoke({ jti }: RequestRow): Promise<void> {
    await this.#deps.tokens.revoke(jti, async () => {})
  }

  #isOverdue({ requestedMs }: RequestRow, nowMs: number): boolean {
    const { provision_timeout_s: timeoutS } = this.#deps.provisioner
    return timeoutS > 0 && nowMs - requestedMs >= timeoutS * 1000
  }

  #late({ job }: RequestRow): string {
    const { provisioner, scheduler } = this.#deps
    const { provision_timeout_s: timeoutS } = provisioner
    return `no worker of job ${job} has attached within ${timeoutS} s: it waits in the queue of ${scheduler.place}, or its worker cannot reach engine_url`
  }

  async #died({ job }: RequestRow): Promise<string> {
    const { scheduler, signal } = this.#deps
    return `job ${job} has ended before its worker attached: ${await scheduler.fate(job ?? '', signal)}`
  }

  #isUnwanted({ wantedMs }: RequestRow, nowMs: number): boolean {
    return nowMs - wantedMs >= this.#deps.timings.unwantedMs
  }

  /** What has asked for it may be under way yet: a command outlives the engine that has begun it. */
  #mayTurnUp({ job, requestedMs }: RequestRow, nowMs: number): boolean {
    return job === null && nowMs - requestedMs < this.#deps.timings.lostMs
  }

  #in(ms: number): number {
    return this.#deps.clock.now() + ms
  }

  #tell(level: 'info' | 'warning', action: string, row: RequestRow, more: Record<string, unknown>): void {
    const { provisioner, profile, job, tasks } = row
    this.#deps.report({ kind: 'worker', level, action, detail: { provisioner, profile, job, tasks, ...more } })
  }
}

/** A wish of ours is no failure, and makes up for none. */
const asItWas = ({ failures, retryMs }: RequestRow): Verdict => ({ error: null, failures, retryMs })
