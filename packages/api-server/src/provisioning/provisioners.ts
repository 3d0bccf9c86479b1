/**
 * The provisioners of this engine: what `provisioners.json` says, each with its requests. Calls that wait for a worker wake
 * them; without it such calls wait until somebody starts a worker by hand.
 * @module
 */
import type { Clock, CodeCall } from '@flow-service/core'
import type { Provisioner, ProvisionerProfile, ProvisionerState } from '@flow-service/protocol'

import { ProblemError } from '../http/errors.ts'
import type { Dispatcher } from '../workers/dispatch.ts'
import type { WorkerPool } from '../workers/pool.ts'
import { PROVISIONED_LIFETIME_S } from '../workers/tokens.ts'
import type { Attachments } from './attachments.ts'
import { readProvisioners } from './provisioners-file.ts'
import { Requests, type RequestsDeps } from './requests.ts'
import type { Scheduler } from './scheduler.ts'
import { createRequestStore } from './store.ts'
import { type Offer, type Want, wantedOf } from './wanted.ts'

/** What provisioners are made of. */
export interface ProvisionersDeps extends Omit<RequestsDeps, 'provisioner' | 'scheduler' | 'wanted' | 'attachments'> {
  /** Where the file is. */
  readonly path: string
  readonly schedulerOf: (provisioner: Provisioner) => Scheduler
  readonly attachments: Pick<Attachments, 'count' | 'named' | 'onChange' | 'originOf'>
  readonly dispatcher: Pick<Dispatcher, 'waiting' | 'onWait'>
  readonly pool: Pick<WorkerPool, 'list'>
  readonly clock: Clock
}

/** A profile of a provisioner. */
export interface FoundProfile {
  readonly provisioner: Provisioner
  readonly profile: ProvisionerProfile
  readonly scheduler: Scheduler
}

const nothing: Want = { calls: 0, isDue: false }

/** The provisioners of an engine. */
export class Provisioners {
  readonly #deps: ProvisionersDeps
  readonly #since = new WeakMap<CodeCall, number>()
  #all: readonly Requests[] = []
  /** Of provisioners that the file names no more: without a profile, until the last of their jobs is over. */
  #retired: readonly Requests[] = []
  #unfollow: readonly (() => void)[] = []
  #reloading: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(deps: ProvisionersDeps) {
    this.#deps = deps
  }

  /** Reads the file. Refuses with `validation_failed` what it cannot use. */
  async load(): Promise<void> {
    this.#all = (await readProvisioners(this.#deps.path)).map((provisioner) => this.#made(provisioner))
  }

  /** Begins to ask for workers. */
  async open(): Promise<void> {
    const { attachments, clock, dispatcher } = this.#deps
    this.#unfollow = [
      dispatcher.onWait((call) => {
        this.#since.set(call, clock.now())
        for (const each of this.#all) each.stir()
      }),
      attachments.onChange(({ id, provisioner }) => {
        for (const each of [...this.#all, ...this.#retired]) if (each.provisioner.name === provisioner) each.changed(id)
      }),
    ]
    await this.#discard()
    for (const each of this.#all) await each.open()
  }

  /** Ends all requests that are pending. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const end of this.#unfollow) end()
    await this.#reloading
    await Promise.all([...this.#all, ...this.#retired].map((each) => each.close('the engine stops')))
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.#reloading
    await Promise.all([...this.#all, ...this.#retired].map((each) => each.settled()))
  }

  /** How each of them fares, in the order of the file. */
  list(): Promise<ProvisionerState[]> {
    return Promise.all(this.#all.map((each) => each.state()))
  }

  /** Refuses with `not_found`. */
  find(name: string, profile: string): FoundProfile {
    const requests = this.#all.find(({ provisioner }) => provisioner.name === name)
    const found = requests?.provisioner.profiles.find((each) => each.name === profile)
    if (requests && found) return { provisioner: requests.provisioner, profile: found, scheduler: requests.scheduler }
    const known = this.#all.flatMap((each) =>
      each.provisioner.profiles.map((of) => `${each.provisioner.name} ${of.name}`),
    )
    const what = known.length === 0 ? 'provisioners.json has none' : `there is ${known.join(', ')}`
    throw new ProblemError('not_found', `there is no provisioner "${name}" with a profile "${profile}": ${what}`)
  }

  /**
   * Reads the file again. What it says no more is cancelled if it is pending, and left alone if it is attached. Refuses with
   * `validation_failed` what it cannot use; all stays as it was then.
   */
  reload(): Promise<ProvisionerState[]> {
    const reloading = this.#reloading.then(() => (this.#isClosed ? this.list() : this.#reload()))
    this.#reloading = reloading.catch(() => {})
    return reloading
  }

  async #reload(): Promise<ProvisionerState[]> {
    const next = await readProvisioners(this.#deps.path)
    const before = this.#all
    this.#all = next.map(
      (provisioner) => before.find((each) => isSame(each.provisioner, provisioner)) ?? this.#made(provisioner),
    )
    const gone = before.filter((old) => !this.#all.includes(old))
    const closed = await Promise.allSettled([this.#unretire(), ...gone.map((old) => this.#replace(old))])
    for (const each of this.#all) {
      await each.forgive()
      if (!before.includes(each)) await each.open()
      each.stir()
    }
    for (const each of closed) if (each.status === 'rejected') throw each.reason
    return this.list()
  }

  /** What is pending is cancelled, but for profiles of its heir. What that leaves is looked after by the heir, or on its own. */
  async #replace(old: Requests): Promise<void> {
    const heir = this.#all.find((each) => isOfOne(each, old))
    const names = new Set(heir?.provisioner.profiles.map(({ name }) => name))
    try {
      await old.close('provisioners.json names it no more', (profile) => names.has(profile))
    } finally {
      if (!heir) {
        const retired = this.#made({ ...old.provisioner, profiles: [] }, old.scheduler)
        this.#retired = [...this.#retired, retired]
        await retired.open()
      }
    }
  }

  /** What is named again has an heir now. */
  async #unretire(): Promise<void> {
    const returned = this.#retired.filter((old) => this.#all.some((each) => isOfOne(each, old)))
    this.#retired = this.#retired.filter((old) => old.isBusy && !returned.includes(old))
    await Promise.all(returned.map((old) => old.close('', () => true)))
  }

  /** Nobody can ask after jobs of a cluster that the file has ceased to name meanwhile: their workers are not let in. */
  async #discard(): Promise<void> {
    const { clock, database, engine, report, tokens } = this.#deps
    const store = createRequestStore(database.sql)
    const expiredMs = clock.now() - PROVISIONED_LIFETIME_S * 1000
    for (const row of await store.left(engine, expiredMs)) {
      const { id, state, provisioner, place, profile, job, tasks } = row
      const isNamed = this.#all.some((each) => each.provisioner.name === provisioner && each.scheduler.place === place)
      // a worker that is there stays, and is let in again
      if (isNamed || (state === 'attached' && row.requestedMs > expiredMs)) continue
      const isFaster = ['submitting', 'pending'].includes(state) && !(await store.giveUp(id, { ...row, error: null }))
      if (isFaster) continue
      if (state !== 'attached') await tokens.revoke(row.jti, async () => {})
      await store.finish(id, state === 'attached' ? 'attached' : 'cancelling')
      const reason = `provisioners.json does not name ${place} for it any more: end the job there, its worker is not let in`
      const detail = { provisioner, profile, job, tasks, reason }
      report({ kind: 'worker', level: 'warning', action: 'worker.request_cancelled', detail })
    }
  }

  #made(provisioner: Provisioner, scheduler = this.#deps.schedulerOf(provisioner)): Requests {
    const wanted = (profile: string): Want => this.#wanted(provisioner.name, profile)
    return new Requests({ ...this.#deps, provisioner, scheduler, wanted })
  }

  #wanted(name: string, profile: string): Want {
    const { attachments, clock, dispatcher, pool } = this.#deps
    const nowMs = clock.now()
    const offers = this.#all.flatMap((each) =>
      each.provisioner.profiles.map((of): Offer => {
        return { provisioner: each.provisioner.name, profile: of, isFailing: each.isFailing(of.name) }
      }),
    )
    const waiters = dispatcher.waiting().map(({ call, wish }) => ({ wish, sinceMs: this.#sinceOf(call, nowMs) }))
    const attached = pool.list().map((worker) => ({ worker, origin: attachments.originOf(worker) }))
    const wanted = wantedOf(waiters, attached, offers, nowMs)
    const offer = offers.find((each) => each.provisioner === name && each.profile.name === profile)
    return (offer && wanted.get(offer)) ?? nothing
  }

  /** When a call began to wait; one that did so before anybody listened has waited since it was first seen. */
  #sinceOf(call: CodeCall, nowMs: number): number {
    const sinceMs = this.#since.get(call) ?? nowMs
    this.#since.set(call, sinceMs)
    return sinceMs
  }
}

const isSame = (a: Provisioner, b: Provisioner): boolean => JSON.stringify(a) === JSON.stringify(b)

const isOfOne = (a: Requests, b: Requests): boolean =>
  a.provisioner.name === b.provisioner.name && a.scheduler.place === b.scheduler.place
