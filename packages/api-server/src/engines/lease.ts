/**
 * The lease of this engine among those of its database: a row that says until when it lives. Its live flows are its own as
 * long as the lease holds; whoever lets it run out has lost them to whoever takes them. Times of leases are those of the
 * database, which all of them share.
 *
 * A lease *is kept*, is *over*, or is *returning* until what was lost meanwhile has ended.
 * - lease.L1 it is renewed eight times in its length, by one statement that does not wait for others of this engine. One
 *   that is over is not renewed: the engine gets another one, which is renewed too, and whoever follows
 *   {@link EngineLease.onReturn} learns what is left before that holds. So no write that was made under the earlier one
 *   counts, however late it comes.
 * - lease.L2 this engine reckons from before it asked, on two clocks, one of which a machine that stands still does not
 *   stop, and with a fifth less than it was given.
 * - lease.L3 an engine that knew of no other one goes on while its database is away: nobody is there to take its flows. Not
 *   one that stood still itself, which cannot know who came meanwhile until the database has told it; nor the first one that
 *   comes back when the database does: for an hour it expects the others, unless they have ended.
 * - lease.L4 at the end the row goes, and what the engine ran is free at once.
 * - lease.L5 the embedded database has one engine alone, whose lease nobody asks.
 * - lease.L6 with each renewal it hears which engines live, and tells when that has changed.
 * @module
 */
import { hostname } from 'node:os'

import type { Clock, Lease } from '@flow-service/core'

import type { Database } from '../db/database.ts'
import type { Log } from '../process/log.ts'
import { newId } from '../process/new-id.ts'
import { beginLife, type Life } from './former-life.ts'
import { createEngineStore, type EngineRow, type EngineStore, type KnownEngine } from './store.ts'

/** Renewals in the length of a lease. */
const RENEWALS = 8
/** What an engine counts on of the length of its lease. */
const COUNTED = 0.8
/** Ticks that may be late before a lone engine has to take itself for one that stood still. */
const STILL = 3

/** Statements that a lease is kept by. */
export type LeaseStore = Pick<EngineStore, 'begin' | 'known' | 'locate' | 'remove' | 'renew'>

/** What a lease is made of. */
export interface LeaseDeps {
  readonly database: Pick<Database, 'backend' | 'prompt'>
  /** Where leases are: in the database unless given. */
  readonly store?: LeaseStore
  readonly clock: Clock
  readonly dataDir: string
  readonly version: string
  /** Which frames the engine speaks on links to others. */
  readonly protocol: number
  /** Where workers attach to this engine; unless given, it says no address. */
  readonly attachUrl?: string | null
  /** Where other engines reach this one; unless given, where it listens. */
  readonly linkUrl?: string | null
  readonly leaseMs: number
  /** Two clocks in milliseconds that only go on: the machine's unless given. */
  readonly clocks?: readonly (() => number)[]
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** Follows the return of a lease in two steps: flows are given the new one, then those that are lost end. */
type ReturnListener = (earlier: readonly string[]) => Promise<void | (() => Promise<void>)>

/** This engine among those of its database. */
export interface EngineLease extends Lease {
  /** Of this life; null on the embedded database. */
  readonly id: string | null
  /** What this engine takes flows by, as of now; null on the embedded database. */
  readonly lease: string | null
  /** What its flows are placed by: an earlier lease until those that follow have given them the present one. */
  readonly placedBy: string | null
  /** How long the lease is counted on (lease.L2), 0 once it is over; null on the embedded database. */
  readonly leftMs: number | null
  /** Where workers attach to this engine; null when it says no address. */
  readonly attachUrl: string | null
  /** Where workers attach to the engines of the database, as far as this one knows them, each address once. */
  readonly attachUrls: readonly string[]
  /** Calls back when these have changed. */
  onAttachUrls(listener: () => void): void
  /** The engines that live, this one among them, as it knows them. */
  readonly engines: readonly KnownEngine[]
  /** The ids of those but this one. */
  readonly others: readonly string[]
  /** Calls back when the engines that live, or where they are reached, have changed. */
  onEngines(listener: () => void): void
  /** The URL of the API is known, and the origin at which this engine is reached unless another one was given. */
  listensAt(address: string, origin: string): Promise<void>
  /**
   * Calls back when this engine has another lease, before that holds, with all that it had before; what rejects is called
   * again with the next renewal. It answers when flows are placed by the new one, with what else is to be done before that
   * holds.
   */
  onReturn(listener: ReturnListener): void
  /** What this engine ran is free for others. */
  close(): Promise<void>
}

/** Begins the lease of this engine. */
export async function openLease(deps: LeaseDeps): Promise<EngineLease> {
  const { attachUrl = null, linkUrl = null, protocol, version } = deps
  if (deps.database.backend === 'embedded') return alone(attachUrl)
  const id = newId()
  const life = await beginLife(deps.dataDir, id)
  const lease = new ServerLease(
    { id, lease: newId(), name: engineName(), address: null, linkUrl, attachUrl, version, protocol },
    life,
    deps,
  )
  try {
    await lease.open()
  } catch (error) {
    life.end()
    throw error
  }
  return lease
}

/** The machine and the process, as messages name an engine. */
export const engineName = (): string => `${hostname()}/${process.pid}`

/** An engine that has its database to itself. */
export const alone = (attachUrl: string | null): EngineLease => ({
  id: null,
  lease: null,
  placedBy: null,
  leftMs: null,
  attachUrl,
  attachUrls: attachUrl === null ? [] : [attachUrl],
  engines: [],
  others: [],
  onAttachUrls() {},
  onEngines() {},
  listensAt: async () => {},
  onReturn() {},
  holds: () => true,
  held: async () => {},
  close: async () => {},
})

const machineClocks = [() => performance.now(), () => Date.now()] as const

type Phase = 'kept' | 'over' | 'returning'

class ServerLease implements EngineLease {
  readonly #deps: LeaseDeps
  readonly #store: LeaseStore
  readonly #life: Life
  readonly #clocks: readonly (() => number)[]
  readonly #engineListeners = new Set<() => void>()
  readonly #returnListeners = new Set<ReturnListener>()
  /** The leases before this one. */
  readonly #earlier: string[] = []
  #self: EngineRow
  #placedBy: string
  #engines: readonly KnownEngine[] = []
  /** Whether this engine knows of no other one that lives, or may come back. */
  #isAlone = false
  /** Until when the lease is counted on, by each clock. */
  #until: readonly number[] = []
  /** Until when this engine knows who lives, or has not stood still since it knew, by each clock. */
  #awake: readonly number[] = []
  #phase: Phase = 'kept'
  #waiting: PromiseWithResolvers<void> | null = null
  #cancel: () => void = () => {}
  #renewing: Promise<void> = Promise.resolve()
  #isRenewing = false
  /** Those who follow the latest return. */
  #following: Promise<void> = Promise.resolve()
  #isFailing = false

  constructor(self: EngineRow, life: Life, deps: LeaseDeps) {
    this.#self = self
    this.#placedBy = self.lease
    this.#life = life
    this.#deps = deps
    this.#store = deps.store ?? createEngineStore(deps.database.prompt)
    this.#clocks = deps.clocks ?? machineClocks
  }

  get id(): string {
    return this.#self.id
  }

  get lease(): string {
    return this.#self.lease
  }

  get placedBy(): string {
    return this.#placedBy
  }

  get leftMs(): number {
    if (this.#phase !== 'kept') return 0
    return Math.max(0, Math.min(...this.#clocks.map((clock, at) => (this.#until[at] ?? 0) - clock())))
  }

  get attachUrl(): string | null {
    return this.#self.attachUrl
  }

  get attachUrls(): readonly string[] {
    return [...new Set(this.#engines.flatMap(({ attachUrl }) => attachUrl ?? []))].toSorted()
  }

  get engines(): readonly KnownEngine[] {
    return this.#engines
  }

  get others(): readonly string[] {
    return this.#engines.flatMap(({ id }) => (id === this.#self.id ? [] : [id]))
  }

  async open(): Promise<void> {
    await this.#store.remove(this.#life.former)
    await this.#begin()
    this.#wait()
  }

  async listensAt(address: string, origin: string): Promise<void> {
    this.#self = { ...this.#self, address, linkUrl: this.#self.linkUrl ?? origin }
    await this.#store.locate(this.#self)
    await this.#learn()
  }

  onEngines(listener: () => void): void {
    this.#engineListeners.add(listener)
  }

  onAttachUrls(listener: () => void): void {
    let before = this.attachUrls.join('\n')
    this.onEngines(() => {
      const now = this.attachUrls.join('\n')
      if (now === before) return
      before = now
      listener()
    })
  }

  onReturn(listener: ReturnListener): void {
    this.#returnListeners.add(listener)
  }

  holds(): boolean {
    return this.#phase === 'kept' && (this.#isWithin(this.#until) || this.#isLone())
  }

  async held(): Promise<void> {
    if (this.holds()) return
    this.#waiting ??= Promise.withResolvers()
    await this.#waiting.promise
  }

  async close(): Promise<void> {
    this.#cancel()
    await this.#renewing
    await this.#following
    // who waits to act is told by its own end; who asks once more has nothing to wait for
    this.#waiting?.resolve()
    this.#waiting = null
    try {
      await this.#store.remove(this.#self.id)
    } catch (error) {
      const detail =
        'other engines could not be told that this one ends; they take its live flows when its lease is over'
      this.#deps.log.warn({ err: error }, detail)
    } finally {
      this.#life.end()
    }
  }

  #now(): readonly number[] {
    return this.#clocks.map((clock) => clock())
  }

  #isWithin(until: readonly number[]): boolean {
    return this.#clocks.every((clock, at) => clock() < (until[at] ?? 0))
  }

  /** Whether nobody else was there, and this engine has not stood still since it knew (lease.L3). */
  #isLone(): boolean {
    return this.#isAlone && this.#isWithin(this.#awake)
  }

  /** A tick renews the lease unless that goes on: two statements never overlap. */
  #wait(): void {
    this.#cancel = this.#deps.clock.setTimer(this.#deps.leaseMs / RENEWALS, () => {
      this.#wait()
      if (this.#isWithin(this.#awake)) this.#wake(this.#now())
      if (!this.#isRenewing) this.#renewing = this.#renew()
    })
  }

  #wake(sinceMs: readonly number[]): void {
    const stillMs = (STILL * this.#deps.leaseMs) / RENEWALS
    this.#awake = sinceMs.map((ms) => ms + stillMs)
  }

  async #begin(): Promise<void> {
    const asked = this.#now()
    await this.#store.begin(this.#self, this.#deps.leaseMs, this.#earlier)
    this.#count(asked)
    await this.#learn()
  }

  #count(asked: readonly number[]): void {
    this.#until = asked.map((ms) => ms + COUNTED * this.#deps.leaseMs)
  }

  async #learn(): Promise<void> {
    const before = this.#engines
    const asked = this.#now()
    const known = await this.#store.known()
    this.#engines = known.filter(({ lives }) => lives)
    this.#isAlone = known.length <= 1
    this.#wake(asked)
    if (placesOf(before) === placesOf(this.#engines)) return
    for (const listener of this.#engineListeners) listener()
  }

  async #renew(): Promise<void> {
    this.#isRenewing = true
    try {
      await (this.#phase === 'over' ? this.#return() : this.#keep())
      this.#isFailing = false
    } catch (error) {
      this.#failed(error)
    } finally {
      this.#isRenewing = false
    }
  }

  async #keep(): Promise<void> {
    const asked = this.#now()
    if (await this.#store.renew(this.#self, this.#deps.leaseMs)) {
      this.#count(asked)
      await this.#learn()
      this.#go()
    } else if (this.#phase === 'kept') {
      this.#deps.log.warn({}, 'the lease of this engine was over; others may have taken its live flows')
      await this.#return()
    }
  }

  /** Begins anew, and holds once all have followed that what was lost is lost; it is renewed meanwhile. */
  async #return(): Promise<void> {
    this.#phase = 'over'
    this.#earlier.push(this.#self.lease)
    this.#self = { ...this.#self, lease: newId() }
    await this.#begin()
    this.#phase = 'returning'
    this.#following = this.#follow()
  }

  async #follow(): Promise<void> {
    try {
      const rest = await Promise.all([...this.#returnListeners].map((listener) => listener(this.#earlier)))
      this.#placedBy = this.#self.lease
      await Promise.all(rest.flatMap((last) => last?.() ?? []))
      this.#phase = 'kept'
      this.#go()
    } catch (error) {
      this.#phase = 'over'
      this.#failed(error)
    }
  }

  #failed(error: unknown): void {
    const detail =
      'this engine cannot renew its lease: once that is over, its live flows stand still or go to other engines'
    if (!this.#isFailing) this.#deps.log.warn({ err: error }, detail)
    this.#isFailing = true
  }

  /** Lets go on who waits for it. */
  #go(): void {
    if (this.#waiting === null || !this.holds()) return
    this.#waiting.resolve()
    this.#waiting = null
  }
}

/** Which engines live, and where each of them is reached. */
const placesOf = (engines: readonly KnownEngine[]): string => JSON.stringify(engines)
