/**
 * Live flows that tick: each tick is an act, and a piece of kept work. They begin, leave and lose their places as those of
 * `live.ts` do.
 * @module
 */
import type { Clock } from '@flow-service/core'

import type { EngineLease } from '../../src/engines/lease.ts'
import type { LiveFlows } from '../../src/flows/live-flows.ts'
import type { Placed, Placement } from '../../src/flows/placement.ts'
import type { FlowRow } from '../../src/flows/store.ts'
import type { ModelJournal } from './model-journal.ts'
import type { PlacementTables } from './placement-tables.ts'

const TICK_MS = 500

/** What the flows need of their engine. */
interface FlowsEngine extends Pick<Clock, 'setTimer'> {
  readonly world: { readonly tables: PlacementTables }
  readonly wire: { ask<T>(statement: () => T): Promise<T> }
  canRun(id: string): boolean
  act(flow: Placed, turn: number): void
}

/** What the flows need. */
interface FlowsDeps {
  readonly lease: EngineLease
  readonly placement: Placement
  readonly journal: ModelJournal
}

interface Running {
  isOn: boolean
  end: () => void
}

/** The flows of one engine. */
export class ModelFlows implements Pick<LiveFlows, 'begin' | 'exclusive' | 'leave' | 'lose'> {
  readonly #engine: FlowsEngine
  readonly #deps: FlowsDeps
  readonly #running = new Map<string, Running>()
  readonly #changes = new Map<string, Promise<unknown>>()

  constructor(engine: FlowsEngine, deps: FlowsDeps) {
    this.#engine = engine
    this.#deps = deps
  }

  runs(id: string): boolean {
    return this.#running.has(id)
  }

  start(row: FlowRow): Promise<void> {
    return this.exclusive(row.id, async () => {
      if (this.runs(row.id)) return
      await this.#deps.placement.take(row, 'active')
      await this.#build(row)
    })
  }

  end(row: FlowRow): Promise<void> {
    return this.exclusive(row.id, async () => {
      if (!this.runs(row.id)) return
      this.#stop(row.id)
      await this.#deps.placement.release([row])
    })
  }

  /** Ends what another engine has taken. */
  yield(row: FlowRow): Promise<void> {
    return this.exclusive(row.id, () => this.lose([row]))
  }

  async begin(rows: readonly FlowRow[]): Promise<readonly string[]> {
    const begun = await Promise.all(rows.map((row) => this.exclusive(row.id, () => this.#beginOne(row))))
    return rows.flatMap(({ id }, at) => (begun[at] === true ? [] : [id]))
  }

  async leave(flows: readonly Placed[]): Promise<void> {
    await Promise.all(flows.map(({ id }) => this.exclusive(id, async () => this.#stop(id))))
    await this.#deps.journal.written().catch(() => {})
    await this.#deps.placement.release(flows)
  }

  async lose(flows: readonly Placed[]): Promise<void> {
    for (const { id } of flows) this.#stop(id)
    await this.#deps.placement.lose(flows)
  }

  /** Reads the row first, which may take long: it may be lost by then. */
  async #beginOne(row: FlowRow): Promise<boolean> {
    await this.#engine.wire.ask(() => {}).catch(() => {})
    return this.runs(row.id) || !this.#deps.placement.isMine(row) || this.#build(row)
  }

  async #build(row: FlowRow): Promise<boolean> {
    if (!this.#engine.canRun(row.id)) {
      await this.#deps.placement.release([row])
      return false
    }
    const { turn } = this.#engine.world.tables.turnOf(row.id)
    const running: Running = { isOn: true, end: () => {} }
    this.#running.set(row.id, running)
    const wait = (): void => void (running.end = this.#engine.setTimer(TICK_MS, tick))
    const tick = (): void => {
      wait()
      this.#guard(running, () => this.#engine.act(row, turn))
    }
    wait()
    return true
  }

  /** As contexts of nodes do before each effect. */
  #guard(running: Running, act: () => void): void {
    const { lease } = this.#deps
    if (!lease.holds()) return void lease.held().then(() => this.#guard(running, act))
    if (running.isOn) act()
  }

  #stop(id: string): void {
    const running = this.#running.get(id)
    if (running === undefined) return
    running.isOn = false
    running.end()
    this.#running.delete(id)
  }

  exclusive<T>(id: string, change: () => Promise<T>): Promise<T> {
    const mine = (this.#changes.get(id) ?? Promise.resolve()).then(change, change)
    this.#changes.set(id, mine)
    return mine
  }
}
