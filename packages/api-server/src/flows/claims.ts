/**
 * Takes the live flows that no engine runs, so that each of those of a database has its share of them, and gives up what it
 * has beyond that. Begins with the engine in place of a restore, where several engines can share its database.
 *
 * - claims.C1 a round comes with a notice that something has changed hands or an engine has ended, with another set of living
 *   engines, and every {@link PATIENCE_MS}; one at a time, {@link PACE_MS} apart at least. One that comes while the lease does
 *   not hold waits until it does.
 * - claims.C2 the share is the wished flows by the living engines that are not about to end, rounded up. What nobody takes
 *   within its share for a round, an engine takes beyond it: a flow too many on one engine is better than one that does not
 *   run.
 * - claims.C3 what is beyond the share is given up {@link STEP} at a time; not flows whose code this engine has and others
 *   may not, nor what came back.
 * - claims.C4 a flow that does not start here is let go, and not taken again until somebody has changed it.
 * - claims.C5 of a flow that was stopped by an engine which was killed meanwhile, its values are written by whoever comes first.
 * - claims.C6 at the end of the engine all of its flows are left to others, before anything else of it ends.
 * @module
 */
import type { Clock } from '@flow-service/core'

import type { Database } from '../db/database.ts'
import type { EngineLease } from '../engines/lease.ts'
import type { Log } from '../process/log.ts'
import type { LiveFlows } from './live-flows.ts'
import type { PlacementStore } from './placement-store.ts'
import type { Placed, Placement } from './placement.ts'
import type { FlowRow } from './store.ts'

const CHANNEL = 'placement_changed'
const PACE_MS = 50
const PATIENCE_MS = 30_000
/** Between rounds while something is left to do. */
const AGAIN_MS = 1_000
/** Flows that are given up at a time. */
const STEP = 10

/** What claims are made of. */
export interface ClaimsDeps {
  readonly database: Pick<Database, 'listen'>
  readonly store: Pick<PlacementStore, 'count' | 'leave' | 'owed'>
  readonly clock: Clock
  readonly lease: Pick<EngineLease, 'engines' | 'holds' | 'lease' | 'onEngines'>
  readonly placement: Pick<Placement, 'claim' | 'letGo' | 'release' | 'takeFree'>
  readonly live: Pick<LiveFlows, 'begin' | 'leave'>
  /** The live flows that this engine runs. */
  readonly running: () => readonly Placed[]
  /** Whether the code of a flow is lacking here. */
  readonly isMissing: (flow: Pick<FlowRow, 'name' | 'origin'>) => boolean
  /** Whether a flow is defined in code that this engine has. */
  readonly isOwn: (name: string) => boolean
  readonly log: Pick<Log, 'error' | 'info'>
}

/** The share of one engine in the live flows of its database. */
export class Claims {
  readonly #deps: ClaimsDeps
  /** Flows that do not start here, by id. */
  readonly #refused = new Set<string>()
  /** Flows that were given up once, by id. */
  readonly #givenUp = new Set<string>()
  /** How many flows were nobody's after the round before. */
  #leftFree = 0
  /** Whether an engine may have ended without writing what it owed. */
  #mayOwe = true
  #cancel: () => void = () => {}
  #round: Promise<void> = Promise.resolve()
  #isDue = false
  #isClosed = false
  #closing: Promise<void> | null = null
  #unlisten: () => Promise<void> = async () => {}

  constructor(deps: ClaimsDeps) {
    this.#deps = deps
  }

  /** Takes the share of this engine, and follows what changes. */
  async open(): Promise<void> {
    const { database, lease } = this.#deps
    const look = (): void => this.#soon(PACE_MS)
    this.#unlisten = await database.listen(CHANNEL, look, look)
    lease.onEngines(() => {
      // what came back to a smaller group may suit the others of a larger one
      this.#givenUp.clear()
      this.#mayOwe = true
      look()
    })
    this.#round = this.#look()
    await this.#round
  }

  /** A round comes soon: flows may have ended here that are still this engine's. */
  look(): void {
    this.#soon(PACE_MS)
  }

  /** Somebody has changed the flow: it may start here now. */
  changed(id: string): void {
    if (this.#refused.delete(id)) this.#soon(PACE_MS)
  }

  /** Leaves all flows to others, and takes none from now on. */
  close(): Promise<void> {
    this.#closing ??= this.#leaveAll()
    return this.#closing
  }

  async #leaveAll(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    await this.#unlisten()
    await this.#round
    const { lease, live, log, running, store } = this.#deps
    try {
      await store.leave(String(lease.lease))
    } catch (error) {
      log.info({ err: error }, 'other engines count this one among those that share live flows until it has ended')
    }
    await live.leave(running())
  }

  #soon(delayMs: number): void {
    if (this.#isDue || this.#isClosed) return
    this.#isDue = delayMs === PACE_MS
    this.#cancel()
    this.#cancel = this.#deps.clock.setTimer(delayMs, () => {
      this.#isDue = false
      this.#round = this.#round.then(() => this.#look())
    })
  }

  async #look(): Promise<void> {
    if (this.#isClosed) return
    let isDone = false
    try {
      // a round that comes while the lease does not hold is made up for
      isDone = this.#deps.lease.holds() && (await this.#balance())
    } catch (error) {
      this.#deps.log.error({ err: error }, 'live flows could not be shared out; they are again in a moment')
    }
    this.#soon(isDone ? PATIENCE_MS : AGAIN_MS)
  }

  /** One round; false when there is more to do. */
  async #balance(): Promise<boolean> {
    const { lease, live, placement, running, store } = this.#deps
    const isLetGo = await placement.letGo()
    await this.#settle()
    const mine = running()
    const except = new Set([...mine.map(({ id }) => id), ...this.#refused])
    const { wished, free, engines } = await store.count({ lease: String(lease.lease), except: [...except] })
    const share = Math.ceil(wished / Math.max(1, engines))
    if (await this.#giveUp(mine, share)) return false
    const most = this.#leftFree > 0 ? free : Math.min(free, share - mine.length)
    const claimed = most > 0 ? await placement.claim(most, except) : []
    // what is refused from now on is for others
    this.#leftFree = Math.max(0, free - claimed.length)
    const rows = await this.#present(claimed)
    for (const id of await live.begin(rows)) this.#refused.add(id)
    return isLetGo && this.#leftFree === 0
  }

  /** Writes what flows owe that nobody runs, nor is to run (claims.C5). */
  async #settle(): Promise<void> {
    if (!this.#mayOwe) return
    const { placement, store } = this.#deps
    // another engine may end meanwhile
    this.#mayOwe = false
    try {
      const owed = await store.owed()
      const taken = await placement.takeFree(owed)
      if (taken.size > 0) await placement.release(owed.filter(({ id }) => taken.has(id)))
    } catch (error) {
      this.#mayOwe = true
      throw error
    }
  }

  /** Of claimed flows those whose code this engine has; the others are let go. */
  async #present(rows: readonly FlowRow[]): Promise<readonly FlowRow[]> {
    const { isMissing, placement } = this.#deps
    const missing = rows.filter(isMissing)
    for (const { id } of missing) this.#refused.add(id)
    if (missing.length > 0) await placement.release(missing)
    return rows.filter((row) => !missing.includes(row))
  }

  /** Gives up some of what is beyond the share; false when nothing is, or nothing may be. */
  async #giveUp(mine: readonly Placed[], share: number): Promise<boolean> {
    const { isOwn, live, log } = this.#deps
    const fit = mine.filter(({ id, name }) => !isOwn(name) && !this.#givenUp.has(id))
    const left = fit.slice(0, Math.max(0, Math.min(STEP, mine.length - share)))
    if (left.length === 0) return false
    for (const { id } of left) this.#givenUp.add(id)
    log.info({ flows: left.length, share }, 'live flows go to other engines, which have fewer')
    await live.leave(left)
    return true
  }
}
