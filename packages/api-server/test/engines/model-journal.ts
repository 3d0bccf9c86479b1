/**
 * Kept work as `work.ts` writes it: one batch after the other, each until it is committed, under the lease of the moment.
 * @module
 */
import type { Clock } from '@flow-service/core'

import type { Fence } from '../../src/engines/fence.ts'
import type { ModelWire } from './model-wire.ts'
import type { PlacementTables, Written } from './placement-tables.ts'

const RETRY_MS = 500
const PATIENCE_MS = 10_000

/** What was done in the world, as engines told it before, and as their writes tell it. */
export interface Ledger {
  told: number
  counted: number
  refused: number
  /** Whose engine was killed before they were written. */
  died: number
}

/** What the journal needs of its engine. */
interface JournalEngine extends Pick<Clock, 'setTimer'> {
  readonly wire: ModelWire
  readonly world: { readonly tables: PlacementTables; readonly ledger: Ledger; readonly faults: string[] }
}

/** Who waits for a batch is told when it is committed, or after a while that it is not yet. */
interface Batch {
  readonly work: Written[]
  readonly committed: PromiseWithResolvers<void>
  /** Whether it takes more. */
  isOpen: boolean
}

/** The kept work of one engine. */
export class ModelJournal {
  readonly #engine: JournalEngine
  readonly #fence: Fence
  #batches: Batch[] = []
  #isWriting = false

  constructor(engine: JournalEngine, fence: Fence) {
    this.#engine = engine
    this.#fence = fence
  }

  get unwritten(): number {
    return this.#batches.flatMap(({ work }) => work).length
  }

  keep(work: Written): void {
    const last = this.#batches.at(-1)
    if (last?.isOpen === true) last.work.push(work)
    else {
      const batch = { work: [work], committed: Promise.withResolvers<void>(), isOpen: true }
      batch.committed.promise.catch(() => {})
      this.#batches.push(batch)
      this.#engine.setTimer(PATIENCE_MS, () => {
        batch.isOpen = false
        batch.committed.reject(new Error('the database has committed nothing'))
      })
    }
    if (!this.#isWriting) void this.#write()
  }

  async written(): Promise<void> {
    await this.#batches.at(-1)?.committed.promise
  }

  async close(): Promise<void> {
    await this.written().catch(() => {})
    this.#engine.world.ledger.died += this.unwritten
    this.#batches = []
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    for (let batch = this.#batches[0]; batch !== undefined; batch = this.#batches[0]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await this.#commit(batch)
    }
    this.#isWriting = false
  }

  async #commit(batch: Batch): Promise<void> {
    const { wire, world } = this.#engine
    const { work } = batch
    batch.isOpen = false
    const lease = String(this.#fence.lease)
    const lost = await wire.ask(() => world.tables.write(lease, work)).catch(() => null)
    if (!this.#batches.includes(batch)) return
    if (lost === null || (lost.length > 0 && !this.#isFinal(lease)))
      return new Promise((resolve) => void this.#engine.setTimer(RETRY_MS, resolve))
    this.#batches = this.#batches.filter((other) => other !== batch)
    world.ledger.refused += lost.length
    for (const { engine, flow, turn } of lost) {
      const last = world.tables.turnOf(flow)
      if (last.engine === engine && last.turn === turn)
        world.faults.push(`work of ${this.#placed(flow).name} is refused, which nobody else has taken`)
    }
    world.ledger.counted += work.length - lost.length
    this.#fence.tell([...new Set(lost.map(({ flow }) => flow))].map((id) => this.#placed(id)))
    batch.committed.resolve()
  }

  #isFinal(lease: string): boolean {
    try {
      this.#fence.assertFinal(lease)
      return true
    } catch {
      return false
    }
  }

  #placed(id: string) {
    return { id, name: this.#engine.world.tables.flows.get(id)!.name }
  }
}
