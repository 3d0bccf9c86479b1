/**
 * The requests of one provisioner: jobs are asked for when calls wait, looked after until they have ended, and never left
 * behind (DESIGN.md). One look follows the other: it reads the rows, has the jobs that they are about looked after, and hands
 * in what is wanted.
 * @module
 */
import type { Clock } from '@flow-service/core'
import type { Provisioner, ProvisionerProfile, ProvisionerState } from '@flow-service/protocol'

import type { Database } from '../db/database.ts'
import type { NewsEntry } from '../events/event-log.ts'
import { ProblemError } from '../http/errors.ts'
import type { Log } from '../process/log.ts'
import { newId } from '../process/new-id.ts'
import type { WorkerTokens } from '../workers/tokens.ts'
import type { Attachments } from './attachments.ts'
import { Jobs } from './jobs.ts'
import { ProfileRows } from './profile-rows.ts'
import type { Scheduler, SchedulerError } from './scheduler.ts'
import { createRequestStore, type RequestOwner, type RequestRow, type RequestStore } from './store.ts'
import type { Timings } from './timings.ts'
import type { Want } from './wanted.ts'

/** What is under way at the end has this long. */
const CLOSING_MS = 5_000
/** Names of workers that others may have. */
const MAX_TAKEN = 100

/** What requests are made of. */
export interface RequestsDeps {
  readonly provisioner: Provisioner
  readonly scheduler: Scheduler
  readonly database: Pick<Database, 'sql'>
  readonly tokens: Pick<WorkerTokens, 'provision' | 'revoke'>
  readonly attachments: Pick<Attachments, 'count' | 'named'>
  /** Which engine this is; null on the embedded database. */
  readonly engine: string | null
  readonly clock: Clock
  readonly timings: Timings
  readonly log: Pick<Log, 'error'>
  readonly report: (news: NewsEntry) => void
  /** What is wanted of a profile now. */
  readonly wanted: (profile: string) => Want
}

/** One of the profile is outstanding already, at whichever engine. */
class Outstanding extends Error {}

/** The requests of a provisioner. */
export class Requests {
  readonly #deps: RequestsDeps
  readonly #store: RequestStore
  readonly #jobs: Jobs
  readonly #owner: RequestOwner
  readonly #ending = new AbortController()
  #rows: readonly RequestRow[] = []
  #timer: { readonly atMs: number; readonly cancel: () => void } | null = null
  #looking: Promise<void> | null = null
  #isBusy = true
  #isClosed = false

  constructor(deps: RequestsDeps) {
    this.#deps = deps
    this.#store = createRequestStore(deps.database.sql)
    this.#owner = { provisioner: deps.provisioner.name, place: deps.scheduler.place }
    this.#jobs = new Jobs({ ...deps, store: this.#store, signal: this.#ending.signal })
  }

  get provisioner(): Provisioner {
    return this.#deps.provisioner
  }

  get scheduler(): Scheduler {
    return this.#deps.scheduler
  }

  /** Whether there was something to look after at the last look. */
  get isBusy(): boolean {
    return this.#isBusy
  }

  /** Takes up what a life before has left. */
  async open(): Promise<void> {
    const { engine, clock } = this.#deps
    if (engine === null) await this.#store.revive(this.#owner, clock.now())
    this.#rows = await this.#store.of(this.#owner)
    this.stir()
  }

  /** Has a look soon: something waits, or has changed. */
  stir(): void {
    if (!this.#isClosed) this.#lookIn(this.#deps.timings.lookMs)
  }

  /** A worker of a request has attached or left. */
  changed(request: string): void {
    this.#jobs.changed(request)
    this.stir()
  }

  /** Resolves when no look is under way. */
  async settled(): Promise<void> {
    await this.#looking
  }

  /** Whether the last job of a profile came to nothing, and it is not its turn again. */
  isFailing(profile: string): boolean {
    return this.#of(profile).isFailing(this.#deps.clock.now())
  }

  /** The profiles may be tried at once: somebody says that something has changed. */
  forgive(): Promise<void> {
    return this.#store.forgive(this.#owner)
  }

  /** How it fares, as the API shows it. */
  async state(): Promise<ProvisionerState> {
    const { name, type, profiles } = this.provisioner
    const rows = await this.#store.of(this.#owner)
    const views = profiles.map((profile) => new ProfileRows(rows, profile.name).view(profile))
    return { name, type, error: this.#jobs.error, profiles: views }
  }

  /** Ends it. What is pending is cancelled for a reason, but for profiles that somebody else looks after from now on. */
  async close(reason: string, isKept: (profile: string) => boolean = () => false): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    const late = setTimeout(() => this.#ending.abort(), CLOSING_MS)
    await this.settled()
    clearTimeout(late)
    const mine = await this.#mine()
    const given = mine.filter(({ profile }) => !isKept(profile))
    await this.#jobs.cancelAll(given, reason)
  }

  #lookIn(ms: number): void {
    const atMs = this.#deps.clock.now() + ms
    if (this.#timer !== null && this.#timer.atMs <= atMs) return
    this.#timer?.cancel()
    const cancel = this.#deps.clock.setTimer(ms, () => {
      this.#timer = null
      if (this.#looking === null) this.#looking = this.#look().finally(() => (this.#looking = null))
      else this.stir()
    })
    this.#timer = { atMs, cancel }
  }

  async #look(): Promise<void> {
    const { provisioner, engine, clock, log, timings } = this.#deps
    this.#isBusy = true
    try {
      const nowMs = clock.now()
      // before anything is taken for unwanted: this engine may have slept
      for (const { name } of provisioner.profiles) {
        if (this.#deps.wanted(name).calls > 0)
          await this.#store.wanted(this.#owner, name, nowMs, timings.unwantedMs / 3)
      }
      await this.#jobs.tend(await this.#mine(), nowMs)
      this.#rows = await this.#store.of(this.#owner)
      for (const profile of provisioner.profiles) if (!this.#isClosed) await this.#provide(profile)
      this.#isBusy =
        (await this.#mine()).length > 0 ||
        this.#jobs.hasStrays ||
        provisioner.profiles.some(({ name }) => this.#isWanted(name))
    } catch (error) {
      log.error({ err: error, provisioner: provisioner.name }, 'a provisioner could not be looked after')
    }
    if (this.#isClosed) return
    if (this.#isBusy) this.#lookIn(this.#deps.timings.lookMs)
    // nobody tells that an engine is lost
    else if (engine !== null && provisioner.profiles.length > 0) this.#lookIn(this.#deps.timings.listMs)
  }

  /** The requests that this engine looks after; those that no engine in contact does are taken over. */
  async #mine(): Promise<RequestRow[]> {
    const { engine, clock } = this.#deps
    if (engine !== null) await this.#store.adopt(this.#owner, engine, clock.now())
    this.#rows = await this.#store.of(this.#owner)
    return this.#rows.filter((row) => row.engine === engine && row.state !== 'ended' && row.state !== 'failed')
  }

  #of(profile: string): ProfileRows {
    return new ProfileRows(this.#rows, profile)
  }

  /** Also of a profile that is failing, whose turn is yet to come. */
  #isWanted(profile: string): boolean {
    return this.isFailing(profile) || this.#deps.wanted(profile).calls > 0
  }

  /** Asks for the workers that are wanted of a profile, as many as it may have. */
  async #provide(profile: ProvisionerProfile): Promise<void> {
    const { calls, isDue } = this.#deps.wanted(profile.name)
    const rows = this.#of(profile.name)
    const tasks = Math.min(calls, profile.max_workers - rows.attached)
    if (!isDue || tasks <= 0 || rows.outstanding || rows.isFailing(this.#deps.clock.now())) return
    await this.#submit(profile, tasks, rows)
  }

  async #submit(profile: ProvisionerProfile, tasks: number, rows: ProfileRows): Promise<void> {
    const { provisioner, scheduler, attachments, report } = this.#deps
    const made = await this.#add(profile, tasks, rows)
    if (made === null) return
    const { row, token, name } = made
    const order = { request: row.id, profile, tasks, name, token, maxIdleS: provisioner.max_idle_s, minutes: null }
    try {
      const job = await scheduler.submit(order, this.#ending.signal)
      this.#jobs.heard(null)
      const state = await this.#store.submitted(row.id, job)
      // another engine has taken it for lost
      if (state === null) return this.#jobs.stray(job)
      attachments.named(row, job)
      const detail = { provisioner: provisioner.name, profile: profile.name, job, tasks }
      report({ kind: 'worker', level: 'info', action: 'worker.request', detail })
    } catch (error) {
      const { kind, message } = error as SchedulerError
      // the profile tells what was refused
      this.#jobs.heard(kind === 'refused' ? null : error)
      await this.#jobs.failed(row, message, kind === 'unknown' ? 'unknown' : 'gone')
    }
  }

  /** The row and the token, in one transaction; null when another engine was faster. */
  async #add(profile: ProvisionerProfile, tasks: number, rows: ProfileRows) {
    const { provisioner, tokens, engine, clock } = this.#deps
    const { number: before, failures } = rows.last
    const nowMs = clock.now()
    for (let number = before + 1; ; number += 1) {
      const name = `${provisioner.name}-${profile.name}-${number}`
      const fields = {
        id: newId(),
        ...this.#owner,
        profile: profile.name,
        number,
        tasks,
        engine,
        failures,
      }
      try {
        const { token, jti } = await tokens.provision({ name, labels: profile.labels }, async (tx, minted) => {
          if (!(await createRequestStore(tx).add({ ...fields, jti: minted.jti }, nowMs))) throw new Outstanding()
        })
        const rest = { job: null, state: 'submitting', requested_at: '', requestedMs: nowMs, wantedMs: nowMs } as const
        const row: RequestRow = { ...fields, ...rest, jti, error: null, retryMs: null }
        return { row, token, name }
      } catch (error) {
        if (error instanceof Outstanding) return null
        const isTaken = error instanceof ProblemError && error.code === 'already_exists'
        if (!isTaken || number > before + MAX_TAKEN) throw error
      }
    }
  }
}
