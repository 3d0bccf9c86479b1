/**
 * Admits queued runs to this engine and watches the leases of the running ones.
 *
 * - run-queue.Q1 a run is queued until one conditional statement claims it; the claim writes the lease. Each claim takes as
 *   many as `admission.ts` has places for, on the embedded database with the commit of the ends that freed them. Runs that
 *   another engine has left go on at once, however many there are.
 * - run-queue.Q2 a claim is tried when a run is submitted, when another engine says so, and every second where another engine
 *   may have said so unheard; and when a place is free again of a class that a claim before has left runs of. Else an end
 *   would cost one more statement, for which the next submission waits, or the claim that finds something.
 * - run-queue.Q3 a lease of 30 s is renewed every 10 s; a run whose lease was lost is dropped here without a write.
 * - run-queue.Q4 on a shared database every engine looks for expired leases every 5 s. The embedded database has no
 *   other engine, and a computer that slept must not lose its runs: there, running runs are given up only when the
 *   database opens, or when their workers have not come in time.
 * - run-queue.Q5 what a claim has taken whose answer was lost is queued again: the engine that asked knows by its token
 *   which runs these are, and that it has begun none of them.
 * - run-queue.Q6 a run that is submitted here is claimed by the commit that queues it, where a place is free and no run of its
 *   class waits that is known of: it overtakes nobody, and starts a statement earlier. The place is held meanwhile.
 */
import { randomUUID } from 'node:crypto'

import type { Clock } from '@flow-service/core'
import { timestampOfMs } from '@flow-service/protocol'

import type { Log } from '../process/log.ts'
import { Admission, Backlog, hasRoom, hasRoomFor, type Place, type RunNumbers } from './admission.ts'
import type { Execution } from './execution.ts'
import type { LeftRun } from './kept-run.ts'
import type { KeptRuns } from './kept-runs.ts'
import type { ClaimedRun, LeaseStore } from './lease-store.ts'
import type { SummaryRow } from './run-record.ts'
import type { RunWrites } from './run-writes.ts'
import type { SubmissionClaim } from './store.ts'

/** Dependencies of the queue. */
export interface QueueDeps {
  readonly writes: Pick<RunWrites, 'claim' | 'stop'>
  readonly leases: Pick<LeaseStore, 'abandon' | 'release' | 'renew'>
  readonly clock: Clock
  /** Whether other engines work on the same database. */
  readonly shared: boolean
  /** How long a running run is this engine's without a renewal, and how often it is renewed; 30 s and 10 s unless given. */
  readonly lease?: { readonly seconds: number; readonly renewSeconds: number } | undefined
  /** Runs that execute at once in this engine. */
  readonly maxRuns: RunNumbers
  /** Makes the execution of a claimed run, which has not begun, or goes on from what another engine has left. */
  readonly execution: (claim: ClaimedRun, left: LeftRun | null) => Execution
  /** Who looks after the runs that outlive their engine; null where none does. */
  readonly kept: Pick<KeptRuns, 'close' | 'endLeases' | 'leave' | 'look' | 'waitS'> | null
  /** Hears of runs that were given up. */
  readonly onAbandoned: (run: SummaryRow) => void
  readonly log: Pick<Log, 'error'>
}

/** A run that is about to be queued. */
export interface ComingRun {
  readonly heavy: boolean
  /** Whether it may outlive its engine. */
  readonly elsewhere: boolean
  readonly createdAt: string
}

/** A place that is held for a run until it is queued (run-queue.Q6). One of three ends it. */
export interface Reservation {
  /** What the commit that queues the run claims it with. */
  readonly claim: SubmissionClaim
  /** The run is this engine's, and begins. */
  begin(claim: ClaimedRun): void
  /** It is not. */
  release(): void
  /** It may be: nobody has heard the answer (run-queue.Q5). */
  lose(): void
}

/** Unless given. */
export const LEASE = { seconds: 30, renewSeconds: 10 }
const POLL_MS = 1_000
const SWEEP_MS = 5_000
/** How long a server may still carry out a claim whose connection is gone. */
const LATE_MS = 60_000

/** The running part of the runs of one engine. */
export class RunQueue {
  readonly #deps: QueueDeps
  readonly #active = new Map<string, { execution: Execution; over: Promise<void> }>()
  readonly #timers = new Set<() => void>()
  readonly #admission: Admission
  #state: 'new' | 'open' | 'closed' = 'new'
  readonly #backlog = new Backlog()
  /** Whether there may be other queued runs since the last claim was sent. */
  #hasNews = false
  /** Whether a place has become free since then. */
  #hasFreed = false
  #claiming: Promise<void> | null = null
  /** Tokens of claims that failed, and when: they may have taken runs whose names nobody has heard (run-queue.Q5). */
  readonly #unheard = new Map<string, number>()
  /** Settle with what becomes of the places that are held. */
  readonly #reserved = new Set<Promise<void>>()

  constructor(deps: QueueDeps) {
    this.#deps = deps
    this.#admission = new Admission(deps.maxRuns)
  }

  /** Gives up what a dead engine left and begins to execute. */
  async open(): Promise<void> {
    const { shared, kept } = this.#deps
    if (!shared) await kept?.endLeases()
    await this.#abandon(shared || kept ? 'expired' : 'all')
    this.#state = 'open'
    this.#every(this.#lease.renewSeconds * 1000, () => this.#renew())
    if (shared || kept) this.#every(SWEEP_MS, () => this.#sweep())
    if (shared) this.#every(POLL_MS, async () => this.wake())
    await kept?.look()
    this.wake()
  }

  /** Goes on with a run that another engine has left, and whose lease is this one's by now. */
  goOn(claim: ClaimedRun, left: LeftRun): Execution {
    return this.#start(claim, left)
  }

  /** Looks for queued runs. */
  wake(): void {
    this.#hasNews = true
    this.#look()
  }

  /** How many queued runs would be taken now. */
  get room(): RunNumbers {
    return this.#isOpen ? this.#admission.room : { all: 0 }
  }

  /** Holds a place for a run that is about to be queued; null where the run has to wait for a claim (run-queue.Q6). */
  reserve({ heavy, elsewhere, createdAt }: ComingRun): Reservation | null {
    const { clock, kept } = this.#deps
    // a claim under way has been told of all places; a run that is kept begins with more than its row
    if (!this.#isOpen || this.#claiming !== null || this.#hasNews || (elsewhere && kept !== null)) return null
    if (this.#backlog.mayHave(heavy) || !hasRoomFor(this.room, heavy)) return null
    const place = this.#admission.take({ heavy })
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#reserved.add(promise)
    const over = (): void => {
      this.#reserved.delete(promise)
      resolve()
    }
    const release = (): void => {
      place.executed()
      place.over()
      this.#freed()
      over()
    }
    const token = randomUUID()
    const startedAt = timestampOfMs(clock.now())
    return {
      claim: { token, started_at: startedAt > createdAt ? startedAt : createdAt, lease_s: this.#lease.seconds },
      begin: (claim) => {
        this.#start(claim, null, place)
        over()
      },
      release,
      lose: () => {
        this.#unheard.set(token, clock.now())
        release()
        this.wake()
      },
    }
  }

  /** The execution of a run in this engine. A claim that is under way is waited for. */
  async find(id: string): Promise<Execution | null> {
    await this.#claimed()
    return this.#active.get(id)?.execution ?? null
  }

  /** The execution of a run in this engine, when it is known by now. */
  peek(id: string): Execution | null {
    return this.#active.get(id)?.execution ?? null
  }

  /** What this engine executes. */
  executions(): Execution[] {
    return [...this.#active.values()].map(({ execution }) => execution)
  }

  /** Takes no more runs, waits up to `graceMs` for the running ones, and leaves the others to expire. */
  async close(graceMs: number): Promise<void> {
    this.#state = 'closed'
    this.#deps.kept?.close()
    await this.#claimed()
    await this.#leaveWithin(graceMs)
    const over = Promise.all([...this.#active.values()].map((entry) => entry.over))
    const released = this.#releaseUnheard().catch((error: unknown) =>
      this.#deps.log.error({ err: error }, 'runs that were claimed unheard could not be queued again'),
    )
    await Promise.race([
      Promise.all([over, released]),
      new Promise<void>((resolve) => this.#timers.add(this.#deps.clock.setTimer(graceMs, resolve))),
    ])
    for (const cancel of this.#timers) cancel()
    await this.#leaveWithin(graceMs)
    this.#deps.writes.stop()
    for (const { execution } of this.#active.values()) execution.abandon()
    await over
  }

  get #lease(): NonNullable<QueueDeps['lease']> {
    return this.#deps.lease ?? LEASE
  }

  get #isOpen(): boolean {
    return this.#state === 'open'
  }

  /** Resolves when all that is being claimed has begun. */
  async #claimed(): Promise<void> {
    await Promise.all([this.#claiming, ...this.#reserved])
  }

  /** A place is free: whoever was left behind may have it. */
  #freed(): void {
    this.#hasFreed = true
    this.#look()
  }

  /** Whether a claim may find something (run-queue.Q2). */
  get #isDue(): boolean {
    return this.#isOpen && (this.#hasNews || (this.#hasFreed && hasRoom(this.#backlog.within(this.room))))
  }

  #look(): void {
    if (this.#claiming !== null || !this.#isDue) return
    this.#claiming = this.#claim().finally(() => {
      this.#claiming = null
      this.#look()
    })
  }

  async #claim(): Promise<void> {
    const { writes, clock, log } = this.#deps
    while (this.#isDue) {
      // runs that end in one turn free their slots in it: one claim fills them all, by the commit of their ends
      await new Promise((resolve) => setImmediate(resolve))
      if (this.#hasNews) this.#backlog.grown()
      this.#hasNews = false
      this.#hasFreed = false
      let token: string | null = null
      try {
        await this.#releaseUnheard()
        const room = this.#backlog.within(this.room)
        if (!hasRoom(room)) continue
        token = randomUUID()
        const { seconds: leaseS } = this.#lease
        const isKeeping = this.#deps.kept !== null
        const startedAt = timestampOfMs(clock.now())
        const { runs, areLimited } = await writes.claim({ token, room, leaseS, startedAt, isKeeping })
        if (areLimited) this.#backlog.grown()
        else this.#backlog.claimed(room, runs)
        for (const run of runs) this.#start(run, null)
      } catch (error) {
        if (token !== null) this.#unheard.set(token, clock.now())
        log.error({ err: error }, 'queued runs could not be claimed; trying again in a second')
        this.#after(POLL_MS, () => this.wake())
        return
      }
    }
  }

  #start(claim: ClaimedRun, left: LeftRun | null, place: Place = this.#admission.take(claim)): Execution {
    const execution = this.#deps.execution(claim, left)
    const waits = (isWaiting: boolean): void => {
      place.waits(isWaiting)
      this.#freed()
    }
    const executed = (): void => {
      place.executed()
      this.#freed()
    }
    const over = execution.run({ executed, waits }).then(() => {
      this.#active.delete(claim.id)
      place.over()
      this.#freed()
    })
    this.#active.set(claim.id, { execution, over })
    return execution
  }

  /** Leaves runs that can go on without this engine to the next one. */
  async #leave(): Promise<void> {
    const { kept, log } = this.#deps
    if (!kept) return
    const active = [...this.#active.values()].map(({ execution }) => execution)
    const isLeft = await Promise.all(active.map((execution) => execution.leave()))
    const left = active.filter((_, at) => isLeft[at]).map(({ claim }) => claim)
    if (left.length === 0) return
    await kept
      .leave(left)
      .catch((error: unknown) =>
        log.error({ err: error }, 'runs that wait for the next engine wait until their leases are over'),
      )
  }

  /** A database that does not answer keeps no engine from stopping. */
  async #leaveWithin(ms: number): Promise<void> {
    const late = Promise.withResolvers<void>()
    const cancel = this.#deps.clock.setTimer(ms, () => {
      this.#deps.writes.stop()
      late.resolve()
    })
    await Promise.race([this.#leave(), late.promise])
    cancel()
  }

  async #sweep(): Promise<void> {
    if (this.#deps.shared) await this.#releaseUnheard()
    await this.#abandon('expired')
    await this.#deps.kept?.look()
  }

  async #renew(): Promise<void> {
    const executions = [...this.#active.values()].map((entry) => entry.execution)
    if (executions.length === 0) return
    const runs = executions.map(({ claim }) => claim)
    const held = await this.#deps.leases.renew(runs, this.#lease.seconds)
    for (const execution of executions) {
      if (!held.has(execution.claim.id) && !execution.ending) execution.abandon()
    }
  }

  /** Queues again what was claimed unheard (run-queue.Q5). */
  async #releaseUnheard(): Promise<void> {
    if (this.#unheard.size === 0) return
    const { leases, clock, shared } = this.#deps
    const asked = new Map(this.#unheard)
    const begun = [...this.#active.keys()]
    const released = await leases.release([...asked.keys()], begun)
    for (const [token, since] of asked) {
      // the embedded database does one thing after the other: the claim was carried out before, or never is
      if (!shared || released.has(token) || clock.now() - since > LATE_MS) this.#unheard.delete(token)
    }
  }

  async #abandon(which: 'expired' | 'all'): Promise<void> {
    const { leases, clock, shared, kept, onAbandoned } = this.#deps
    // a computer that slept has not renewed its leases yet (run-queue.Q4)
    const except = shared ? [] : [...this.#active.keys()]
    const givenUp = { which, waitS: kept?.waitS ?? null, except }
    const runs = await leases.abandon(givenUp, timestampOfMs(clock.now()))
    for (const run of runs) onAbandoned(run)
    // their flows may have limits
    if (runs.length > 0) this.wake()
  }

  /** Runs `task` again and again, each time that long after the last has ended. */
  #every(intervalMs: number, task: () => Promise<void>): void {
    this.#after(intervalMs, () => {
      void task()
        .catch((error: unknown) => this.#deps.log.error({ err: error }, 'the leases of runs could not be looked after'))
        .then(() => this.#every(intervalMs, task))
    })
  }

  #after(delayMs: number, run: () => void): void {
    if (this.#state === 'closed') return
    const cancel = this.#deps.clock.setTimer(delayMs, () => {
      this.#timers.delete(cancel)
      run()
    })
    this.#timers.add(cancel)
  }
}
