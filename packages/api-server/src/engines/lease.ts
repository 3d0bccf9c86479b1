/**
 * The lease of this engine among those of its database: a row that says until when it lives. Its live flows are its own as
 * long as the lease holds; whoever lets it run out has lost them to whoever takes them. Times of leases are those of the
 * database, which all of them share.
 *
 * A lease *holds*, is *over*, or has *returned* when what was lost meanwhile has ended.
 * - lease.L1 it is renewed eight times in its length, by one statement that does not wait for others of this engine. One
 *   that is over is not renewed: the engine gets another one, and whoever follows {@link EngineLease.onReturn} learns first
 *   what is left. So no write that was made under the earlier one counts, however late it comes.
 * - lease.L2 this engine reckons from before it asked, on two clocks, one of which a machine that stands still does not
 *   stop, and with a fifth less than it was given.
 * - lease.L3 an engine that knew of no other one goes on while its database is away: nobody is there to take its flows. Not
 *   one that stood still itself, which cannot know who came meanwhile.
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
import { createEngineStore, type EngineRow, type LivingEngine } from './store.ts'

/** Renewals in the length of a lease. */
const RENEWALS = 8
/** What an engine counts on of the length of its lease. */
const COUNTED = 0.8
/** Renewals that may be late before a lone engine has to take itself for one that stood still. */
const STILL = 3

/** What a lease is made of. */
export interface LeaseDeps {
  readonly database: Pick<Database, 'backend' | 'prompt'>
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

/** This engine among those of its database. */
export interface EngineLease extends Lease {
  /** Of this life; null on the embedded database. */
  readonly id: string | null
  /** What flows of this engine are placed by, as of now; null on the embedded database. */
  readonly lease: string | null
  /** Where workers attach to this engine; null when it says no address. */
  readonly attachUrl: string | null
  /** Where workers attach to the engines of the database, as far as this one knows them, each address once. */
  readonly attachUrls: readonly string[]
  /** Calls back when these have changed. */
  onAttachUrls(listener: () => void): void
  /** The engines that live, this one among them, as it knows them. */
  readonly engines: readonly LivingEngine[]
  /** Calls back when the engines that live, or where they are reached, have changed. */
  onEngines(listener: () => void): void
  /** The URL of the API is known, and the origin at which this engine is reached unless another one was given. */
  listensAt(address: string, origin: string): Promise<void>
  /**
   * Calls back when this engine has another lease, before that holds, with all that it had before; what rejects is called
   * again with the next renewal.
   */
  onReturn(listener: (earlier: readonly string[]) => Promise<void>): void
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
    { id, lease: newId(), name: `${hostname()}/${process.pid}`, address: null, linkUrl, attachUrl, version, protocol },
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

/** An engine that has its database to itself. */
export const alone = (attachUrl: string | null): EngineLease => ({
  id: null,
  lease: null,
  attachUrl,
  attachUrls: attachUrl === null ? [] : [attachUrl],
  engines: [],
  onAttachUrls() {},
  onEngines() {},
  listensAt: async () => {},
  onReturn() {},
  holds: () => true,
  held: async () => {},
  close: async () => {},
})

const machineClocks = [() => performance.now(), () => Date.now()] as const

class ServerLease implements EngineLease {
  readonly #deps: LeaseDeps
  readonly #life: Life
  readonly #clocks: readonly (() => number)[]
  readonly #engineListeners = new Set<() => void>()
  readonly #returnListeners = new Set<(earlier: readonly string[]) => Promise<void>>()
  /** The leases before this one. */
  readonly #earlier: string[] = []
  #self: EngineRow
  #engines: readonly LivingEngine[] = []
  /** Until when the lease is counted on, by each clock. */
  #until: readonly number[] = []
  /** When it was asked for last, by each clock. */
  #asked: readonly number[] = []
  /** Whether it is over, and has not returned. */
  #isOver = false
  #waiting: PromiseWithResolvers<void> | null = null
  #cancel: () => void = () => {}
  #renewing: Promise<void> = Promise.resolve()
  #isFailing = false
  #isClosed = false

  constructor(self: EngineRow, life: Life, deps: LeaseDeps) {
    this.#self = self
    this.#life = life
    this.#deps = deps
    this.#clocks = deps.clocks ?? machineClocks
  }

  get id(): string {
    return this.#self.id
  }

  get lease(): string {
    return this.#self.lease
  }

  get attachUrl(): string | null {
    return this.#self.attachUrl
  }

  get attachUrls(): readonly string[] {
    return [...new Set(this.#engines.flatMap(({ attachUrl }) => attachUrl ?? []))].toSorted()
  }

  get engines(): readonly LivingEngine[] {
    return this.#engines
  }

  async open(): Promise<void> {
    const store = createEngineStore(this.#deps.database.prompt)
    await store.remove(this.#life.former)
    await this.#begin()
    this.#wait()
  }

  async listensAt(address: string, origin: string): Promise<void> {
    this.#self = { ...this.#self, address, linkUrl: this.#self.linkUrl ?? origin }
    await this.#begin()
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

  onReturn(listener: (earlier: readonly string[]) => Promise<void>): void {
    this.#returnListeners.add(listener)
  }

  holds(): boolean {
    return !this.#isOver && (this.#isWithin(this.#until) || this.#isLone())
  }

  async held(): Promise<void> {
    if (this.holds()) return
    this.#waiting ??= Promise.withResolvers()
    await this.#waiting.promise
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    await this.#renewing
    // who waits to act is told by its own end
    this.#isOver = false
    this.#waiting?.resolve()
    try {
      await createEngineStore(this.#deps.database.prompt).remove(this.#self.id)
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
    const stillMs = (STILL * this.#deps.leaseMs) / RENEWALS
    return this.#engines.length <= 1 && this.#isWithin(this.#asked.map((ms) => ms + stillMs))
  }

  /** Waits again when it was renewed: two statements never overlap. */
  #wait(): void {
    this.#cancel = this.#deps.clock.setTimer(this.#deps.leaseMs / RENEWALS, () => {
      this.#renewing = this.#renew().finally(() => {
        if (!this.#isClosed) this.#wait()
      })
    })
  }

  async #begin(): Promise<void> {
    const asked = this.#ask()
    await createEngineStore(this.#deps.database.prompt).begin(this.#self, this.#deps.leaseMs)
    this.#count(asked)
    await this.#learn()
  }

  #ask(): readonly number[] {
    return (this.#asked = this.#now())
  }

  #count(asked: readonly number[]): void {
    this.#until = asked.map((ms) => ms + COUNTED * this.#deps.leaseMs)
  }

  async #learn(): Promise<void> {
    const before = this.#engines
    this.#engines = await createEngineStore(this.#deps.database.prompt).living()
    if (placesOf(before) === placesOf(this.#engines)) return
    for (const listener of this.#engineListeners) listener()
  }

  async #renew(): Promise<void> {
    const { database, leaseMs, log } = this.#deps
    try {
      const asked = this.#ask()
      const isRenewed = !this.#isOver && (await createEngineStore(database.prompt).renew(this.#self, leaseMs))
      if (isRenewed) {
        this.#count(asked)
        await this.#learn()
      } else await this.#return()
      this.#isFailing = false
      this.#go()
    } catch (error) {
      const detail =
        'this engine cannot renew its lease: once that is over, its live flows stand still or go to other engines'
      if (!this.#isFailing) log.warn({ err: error }, detail)
      this.#isFailing = true
    }
  }

  /** Begins anew, and holds once all have followed that what was lost is lost. */
  async #return(): Promise<void> {
    if (!this.#isOver)
      this.#deps.log.warn({}, 'the lease of this engine was over; others may have taken its live flows')
    this.#isOver = true
    this.#earlier.push(this.#self.lease)
    this.#self = { ...this.#self, lease: newId() }
    await this.#begin()
    await Promise.all([...this.#returnListeners].map((listener) => listener(this.#earlier)))
    this.#isOver = false
  }

  /** Lets go on who waits for it. */
  #go(): void {
    if (this.#waiting === null || !this.holds()) return
    this.#waiting.resolve()
    this.#waiting = null
  }
}

/** Which engines live, and where each of them is reached. */
const placesOf = (engines: readonly LivingEngine[]): string => JSON.stringify(engines)
