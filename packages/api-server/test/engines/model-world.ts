/**
 * A world of engines on one database in memory, whose clock, connections and processes a test troubles.
 * @module
 */
import { VirtualClock } from '@flow-service/core/testing'

import { LEASE_MS, ModelEngine } from './model-engine.ts'
import type { Ledger } from './model-journal.ts'
import { PlacementTables } from './placement-tables.ts'

/** How long a flow may be nobody's beyond that. */
const GRACE_MS = 1_500
/** Two rounds of claims: flows that an engine cannot run, or not within its share, come to another one by these. */
const ROUNDS_MS = 2_000
/** Between two looks at all flows. */
const LOOK_MS = 100

/** All engines of a database. */
export class ModelWorld {
  /** Time as the database has it. */
  readonly clock = new VirtualClock(1_000_000)
  readonly tables = new PlacementTables(() => this.clock.now())
  readonly ledger: Ledger = { told: 0, counted: 0, refused: 0, died: 0 }
  readonly engines: ModelEngine[] = []
  /** Whether nobody reaches the database. */
  isAway = false
  /** Since when flows do not run that should. */
  readonly #idle = new Map<string, number>()
  /** When the last trouble was over. */
  #calmMs = 0

  constructor(flows: number) {
    for (let at = 0; at < flows; at++) {
      const id = `00000000-0000-7000-8000-${String(at).padStart(12, '0')}`
      this.tables.flows.set(id, { id, name: `f${at}`, wished: 'stopped', owes: false })
    }
  }

  /** What went against the rules. */
  get faults(): string[] {
    return this.tables.faults
  }

  get flows(): string[] {
    return [...this.tables.flows.keys()]
  }

  /** Two engines that share the flows. */
  async begin(): Promise<void> {
    this.open()
    this.open()
    await this.pass(1_000)
    for (const [at, flow] of this.flows.entries()) void this.engines[at % 2]?.start(flow)
    await this.pass(1_000)
  }

  /** Begins an engine; it opens while time passes. */
  open(): void {
    const engine = new ModelEngine(this, this.engines.length)
    this.engines.push(engine)
    void engine.open()
  }

  /** Something has happened after which flows may have to be found anew. */
  trouble(): void {
    this.#calmMs = this.clock.now()
  }

  /** The database goes away; what is being asked is lost. */
  leave(): void {
    this.isAway = true
    for (const engine of this.engines) engine.wire.cut(false)
  }

  /** It is there again. */
  comeBack(): void {
    this.isAway = false
    for (const engine of this.engines) engine.wire.mended()
    this.trouble()
  }

  /** Lets time pass, and looks at all flows meanwhile. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= LOOK_MS) {
      // oxlint-disable-next-line no-await-in-loop -- one moment after the other
      await this.clock.advance(Math.min(left, LOOK_MS))
      this.#look()
      if (this.faults.length > 0) return
    }
  }

  /** All trouble ends, and then all engines; what was told is accounted for. */
  async end(): Promise<void> {
    this.comeBack()
    for (const engine of this.engines) engine.recover()
    this.trouble()
    await this.pass(LEASE_MS + 2 * GRACE_MS + ROUNDS_MS)
    for (const engine of this.engines) void engine.leave()
    await this.clock.advance(60_000)
    for (const engine of this.engines) {
      if (!engine.isOver) this.faults.push(`engine ${engine.index} does not end`)
    }
    const { told, counted, refused, died } = this.ledger
    if (told !== counted + refused + died)
      this.faults.push(`${told} acts told, ${counted} counted, ${refused} refused, ${died} gone with their engines`)
  }

  #look(): void {
    const nowMs = this.clock.now()
    if (this.engines.some(({ wire }) => wire.isLate)) this.trouble()
    for (const { id, name, wished } of this.tables.flows.values()) {
      const isRunning = this.engines.some((engine) => engine.acts(id))
      const able = this.engines.filter((engine) => engine.isAble(id))
      if (isRunning || wished === 'stopped' || able.length === 0) {
        this.#idle.delete(id)
        continue
      }
      const sinceMs = Math.max(this.#idle.get(id) ?? nowMs, this.#calmMs)
      this.#idle.set(id, sinceMs)
      const isForAll = this.engines.every((engine) => !engine.isUp || this.flows.every((flow) => engine.canRun(flow)))
      if (nowMs - sinceMs > LEASE_MS + GRACE_MS + (isForAll ? 0 : ROUNDS_MS))
        this.faults.push(`nobody has run ${name} for ${nowMs - sinceMs} ms, though engine ${able[0]?.index} could`)
    }
  }
}
