/**
 * An engine as far as places of flows matter: its lease, fence, placement and claims are those of the product; its flows,
 * its kept work and its wire to the database are small ones that the test stops, cuts and delays.
 * @module
 */
import { join } from 'node:path'

import type { Clock } from '@flow-service/core'
import type { VirtualClock } from '@flow-service/core/testing'

import { Fence } from '../../src/engines/fence.ts'
import { type EngineLease, openLease } from '../../src/engines/lease.ts'
import { Claims } from '../../src/flows/claims.ts'
import { followLosses } from '../../src/flows/lost-flows.ts'
import { createPlacement, type Placed, type Placement } from '../../src/flows/placement.ts'
import type { FlowRow } from '../../src/flows/store.ts'
import { quiet } from '../use-database.ts'
import { ModelFlows } from './model-flows.ts'
import { type Ledger, ModelJournal } from './model-journal.ts'
import { ModelWire } from './model-wire.ts'
import type { PlacementTables } from './placement-tables.ts'

/** Length of a lease. */
export const LEASE_MS = 8_000
/** No engine before it has lived there. */
const NO_DIRECTORY = join(import.meta.dirname, 'no-directory')
/** What a fair clock may lack of a lease: what an engine counts on is a fifth less. */
const FAIR_MS = 0.2 * LEASE_MS - 100
const NEWS_MS = 50
/** An engine that stood still for less does not know it. */
const STILL_MS = (3 / 8) * LEASE_MS

/** The time of the world and of both clocks of an engine. */
type Reading = readonly [trueMs: number, monotonicMs: number, wallMs: number]

type State =
  | { readonly is: 'opening' | 'up' | 'leaving' | 'over' | 'killed' }
  | { readonly is: 'stopped'; readonly then: 'opening' | 'up' | 'leaving'; readonly backlog: (() => void)[] }

/** What an engine is made of once its lease is open. */
interface Parts {
  readonly lease: EngineLease
  readonly fence: Fence
  readonly placement: Placement
  readonly claims: Claims
  readonly flows: ModelFlows
  readonly journal: ModelJournal
}

/** What an engine needs of the world around it. */
interface EngineWorld {
  /** Time as the database has it. */
  readonly clock: VirtualClock
  readonly tables: PlacementTables
  readonly ledger: Ledger
  readonly flows: readonly string[]
  /** What went against the rules. */
  readonly faults: string[]
  /** Whether nobody reaches the database. */
  readonly isAway: boolean
  /** Something has happened after which flows may have to be found anew. */
  trouble(): void
}

/** One engine of a world. */
export class ModelEngine implements Clock {
  readonly world: EngineWorld
  readonly index: number
  readonly wire: ModelWire
  /** Flows that do not start here. */
  readonly broken = new Set<string>()
  /** Whether it is stopped between the check before its next act and the act itself. */
  stopsAtAct = false
  /** Whether notices do not reach it. */
  isDeaf = false
  #state: State = { is: 'opening' }
  #parts: Parts | null = null
  #monotonicLagMs = 0
  #wallLagMs = 0
  #stoppedAt = { ms: 0, isMachine: false }
  /** When the lease was asked for that it counts on. */
  #counted: Reading = [0, 0, 0]
  #stops = 0
  /** Whether it stood still since it has heard who lives. */
  #hasStood = false
  /** Whether it has heard of no other one that lives, or may come back. */
  #isAlone = false
  #reconnected: () => void = () => {}
  #isLooking = false

  constructor(world: EngineWorld, index: number) {
    this.world = world
    this.index = index
    this.wire = new ModelWire(this)
  }

  get isUp(): boolean {
    return this.#state.is === 'up'
  }

  get isRunning(): boolean {
    return this.#state.is === 'opening' || this.#state.is === 'up' || this.#state.is === 'leaving'
  }

  get isStopped(): boolean {
    return this.#state.is === 'stopped'
  }

  get isOver(): boolean {
    return this.#state.is === 'over' || this.#state.is === 'killed'
  }

  get id(): string {
    return this.#parts?.lease.id ?? ''
  }

  // its clocks: timers are those of the monotonic one

  now(): number {
    return this.#reading()[2]
  }

  setTimer(delayMs: number, run: () => void): () => void {
    let isOn = true
    const cancel = this.world.clock.setTimer(delayMs, () => this.within(() => isOn && run()))
    return () => {
      isOn = false
      cancel()
    }
  }

  /** Runs now, or when the process goes on, or not at all. */
  within(run: () => void): void {
    if (this.#state.is === 'stopped') this.#state.backlog.push(run)
    else if (!this.isOver) run()
  }

  // what happens to it

  async open(): Promise<void> {
    const { wire, world } = this
    const { tables } = world
    const counting = async <T>(ask: () => T): Promise<T> => {
      const asked = this.#reading()
      const answer = await wire.ask(ask)
      if (answer !== false) this.#counted = asked
      return answer
    }
    const lease = await openLease({
      database: { backend: 'server', prompt: null as never },
      store: {
        begin: (row, ms, earlier) => counting(() => tables.begin(row, ms, earlier)),
        renew: (row, ms) => counting(() => tables.renew(row, ms)),
        locate: (row) => wire.ask(() => tables.locate(row)),
        known: async () => {
          const stops = this.#stops
          const known = await wire.ask(() => tables.known())
          this.#hasStood &&= stops !== this.#stops
          this.#isAlone = known.length <= 1
          return known
        },
        remove: (id) => wire.ask(() => tables.remove(id)),
      },
      clock: this,
      clocks: [() => this.#reading()[1], () => this.#reading()[2]],
      dataDir: NO_DIRECTORY,
      version: '1',
      protocol: 1,
      leaseMs: LEASE_MS,
      log: quiet,
    }).catch(() => null)
    if (lease === null) return this.#end()
    const parts = (this.#parts = this.#partsOf(lease))
    this.#follow(parts)
    await this.wire.listen(() => this.#news())
    await lease.listensAt('http://a/', 'http://a').catch(() => {})
    await parts.claims.open()
    if (this.#state.is === 'opening') this.#state = { is: 'up' }
  }

  /** SIGTERM. */
  async leave(): Promise<void> {
    if (this.#state.is !== 'up' || this.#parts === null) return this.kill()
    this.#state = { is: 'leaving' }
    const { claims, journal, lease } = this.#parts
    await claims.close()
    await journal.close()
    await lease.close()
    this.#end()
  }

  kill(): void {
    if (this.isOver) return
    this.#state = { is: 'killed' }
    this.world.ledger.died += this.#parts?.journal.unwritten ?? 0
  }

  /** The process stands still: SIGSTOP, or with the machine and its monotonic clock. */
  stop(isMachine: boolean): void {
    if (this.#state.is !== 'opening' && this.#state.is !== 'up' && this.#state.is !== 'leaving') return
    this.#stoppedAt = { ms: this.world.clock.now(), isMachine }
    this.#state = { is: 'stopped', then: this.#state.is, backlog: [] }
    this.world.trouble()
  }

  goOn(): void {
    if (this.#state.is !== 'stopped') return
    const { backlog, then } = this.#state
    const { isMachine, ms } = this.#stoppedAt
    this.#stops++
    this.#hasStood ||= this.world.clock.now() - ms > STILL_MS
    if (isMachine) this.#monotonicLagMs += this.world.clock.now() - ms
    this.#state = { is: then }
    for (const run of backlog) this.within(run)
    this.world.trouble()
  }

  /** Its wall clock is set. */
  setWall(byMs: number): void {
    this.#wallLagMs -= byMs
  }

  hear(): void {
    if (!this.isDeaf) return
    this.isDeaf = false
    this.within(() => this.#reconnected())
    this.world.trouble()
  }

  /** All that troubles it is over. */
  recover(): void {
    this.stopsAtAct = false
    this.goOn()
    this.wire.mend()
    this.hear()
  }

  /** Somebody starts a flow here. */
  async start(id: string): Promise<void> {
    const parts = this.#parts
    if (parts === null || !this.isUp) return
    await parts.flows.start(this.#rowOf(id)).catch(() => {})
    parts.claims.changed(id)
  }

  /** Somebody stops a flow here. */
  async endFlow(id: string): Promise<void> {
    await this.#parts?.flows.end(this.#rowOf(id))
  }

  // what a test asks

  runs(id: string): boolean {
    return this.isRunning && this.#parts?.flows.runs(id) === true
  }

  /** Whether it runs a flow, and may. */
  acts(id: string): boolean {
    return this.runs(id) && this.#parts?.lease.holds() === true
  }

  canRun(id: string): boolean {
    return !this.broken.has(id)
  }

  /** Whether nothing keeps it from running a flow. */
  isAble(id: string): boolean {
    return this.isUp && this.canRun(id) && this.wire.isUp && !this.isDeaf
  }

  /** The flow acts, after the check of the lease. */
  act(flow: Placed, turn: number): void {
    if (this.stopsAtAct) {
      this.stopsAtAct = false
      this.stop(false)
      return this.within(() => this.#act(flow, turn, true))
    }
    this.#act(flow, turn, false)
  }

  #act({ id, name }: Placed, turn: number, isLate: boolean): void {
    const { engine } = this.world.tables.turnOf(id)
    if (engine !== this.id && !isLate && !this.#isLone && this.#isFair())
      this.world.faults.push(`engine ${this.index} acts for ${name}, which another one has taken`)
    this.world.ledger.told++
    this.#parts?.journal.keep({ flow: id, engine: this.id, turn })
  }

  /** Whether it goes on because it knows of no other one, and could not know better (lease.L3). */
  get #isLone(): boolean {
    return this.#isAlone && this.#parts!.lease.leftMs === 0 && !this.#hasStood
  }

  /** Whether one clock at least has gone on since the lease was asked for as the database's has. */
  #isFair(): boolean {
    const [trueMs, ...clocks] = this.#reading()
    const [trueWas, ...clocksWere] = this.#counted
    return clocks.some((ms, at) => ms - (clocksWere[at] ?? 0) >= trueMs - trueWas - FAIR_MS)
  }

  #reading(): Reading {
    const ms = this.world.clock.now()
    return [ms, ms - this.#monotonicLagMs, ms - this.#wallLagMs]
  }

  #end(): void {
    if (this.isOver) return
    this.#state = { is: 'over' }
  }

  #rowOf(id: string): FlowRow {
    const { name, wished } = this.world.tables.flows.get(id)!
    return { id, name, wished, runs_at: null } as FlowRow
  }

  #partsOf(lease: EngineLease): Parts {
    const { wire, world } = this
    const { tables } = world
    const fence = new Fence(lease)
    const journal = new ModelJournal(this, fence)
    const store = {
      take: (...args: Parameters<typeof tables.take>) => wire.ask(() => tables.take(...args)),
      claim: (...args: Parameters<typeof tables.claim>) => wire.ask(() => tables.claim(...args)),
      release: (...args: Parameters<typeof tables.release>) => wire.ask(() => tables.release(...args)),
      renew: (...args: Parameters<typeof tables.renewPlaces>) => wire.ask(() => tables.renewPlaces(...args)),
      count: (...args: Parameters<typeof tables.count>) => wire.ask(() => tables.count(...args)),
      owed: () => wire.ask(() => tables.owed()),
      leave: (lease: string) => wire.ask(() => tables.leave(lease)),
    }
    const placement = createPlacement({
      store,
      flows: {
        byId: async (id) => this.#rowOf(id),
        contents: (ids) => wire.ask(() => ids.map((id) => ({ ...this.#rowOf(id), written: '' }))),
        wish: async () => {},
      },
      lease,
      fence,
      adopt: async (names) => wire.ask(() => void names),
      written: () => journal.written(),
      farStates: null,
      log: quiet,
    })
    const flows = new ModelFlows(this, { lease, placement, journal })
    const claims = new Claims({
      database: {
        listen: async (_channel, look, again) => {
          this.#reconnected = again ?? (() => {})
          return wire.listen(() => look(''))
        },
      },
      store,
      clock: this,
      lease,
      placement,
      live: flows,
      running: () => fence.flows,
      isMissing: () => false,
      isOwn: () => false,
      log: quiet,
    })
    return { lease, fence, placement, claims, flows, journal }
  }

  /** As the slice of flows does. */
  #follow({ claims, fence, flows, lease, placement }: Parts): void {
    const lost = (): void => {
      claims.look()
      this.#news()
    }
    followLosses({ fence, lease, live: flows, log: quiet, lost, placement })
  }

  /** Ends what others have taken, as `follow-flow.ts` does. */
  #news(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    this.setTimer(NEWS_MS, () => {
      this.#isLooking = false
      void this.#compare().catch(() => {})
    })
  }

  async #compare(): Promise<void> {
    const { flows, lease } = this.#parts!
    const owners = await this.wire.ask(() => this.world.flows.map((id) => [id, this.world.tables.ownerOf(id)] as const))
    for (const [id, owner] of owners) if (owner !== null && owner !== lease.id) await flows.yield(this.#rowOf(id))
  }
}
