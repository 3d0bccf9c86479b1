/**
 * The tables of engines, flows and places in memory: what each statement of the stores does to them and answers. The
 * statements are those of `engines/store.ts` and `flows/placement-store.ts`; a test compares both.
 * @module
 */
import type { EngineRow, KnownEngine } from '../../src/engines/store.ts'
import type { Claim, Held, PlacementStore, Taken } from '../../src/flows/placement-store.ts'
import type { Wished } from '../../src/flows/store.ts'

const HOUR_MS = 3_600_000

/** A live flow. */
export interface TableFlow {
  readonly id: string
  readonly name: string
  wished: Wished
  /** Whether values of it were left unwritten. */
  owes: boolean
}

interface Place {
  lease: string | null
  epoch: number
}

/** A piece of work as an engine has it written. */
export interface Written {
  readonly flow: string
  readonly engine: string
  /** How many engines had had the flow, one after the other, when this one began it. */
  readonly turn: number
}

type PlacementCount = Parameters<PlacementStore['count']>[0]

/** A database whose statements take no time. */
export class PlacementTables {
  readonly flows = new Map<string, TableFlow>()
  /** What was written against the rules. */
  readonly faults: string[] = []
  readonly #nowMs: () => number
  readonly #engines = new Map<string, { row: Omit<KnownEngine, 'lives'>; untilMs: number }>()
  readonly #places = new Map<string, Place>()
  /** Engines by all leases that they ever had. */
  readonly #leases = new Map<string, string>()
  /** Who has had a flow, one after the other. */
  readonly #turns = new Map<string, string[]>()
  readonly #work = new Map<string, Written[]>()
  readonly #leaving = new Set<string>()
  readonly #listeners = new Set<() => void>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Hears of each statement that changes places, or ends an engine. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  // engines/store.ts

  begin(row: EngineRow, leaseMs: number, earlier: readonly string[] = []): void {
    const before = this.#engines.get(row.id)
    if (before !== undefined && !earlier.includes(before.row.lease))
      throw new Error(`engine ${row.id} has another lease`)
    this.#leases.set(row.lease, row.id)
    const untilMs = this.#nowMs() + leaseMs
    const { id, lease, name, address, linkUrl, attachUrl, version } = before ? { ...before.row, lease: row.lease } : row
    this.#engines.set(id, { row: { id, lease, name, address, linkUrl, attachUrl, version }, untilMs })
  }

  locate({ id, address, linkUrl }: Pick<EngineRow, 'id' | 'address' | 'linkUrl'>): void {
    const engine = this.#engines.get(id)
    if (engine !== undefined) engine.row = { ...engine.row, address, linkUrl }
  }

  renew({ id, lease }: EngineRow, leaseMs: number): boolean {
    const engine = this.#engines.get(id)
    if (engine?.row.lease !== lease || engine.untilMs <= this.#nowMs()) return false
    engine.untilMs = this.#nowMs() + leaseMs
    return true
  }

  known(): KnownEngine[] {
    const nowMs = this.#nowMs()
    const known = [...this.#engines.values()].filter(({ untilMs }) => untilMs > nowMs - HOUR_MS)
    return known
      .map(({ row, untilMs }) => ({ ...row, lives: untilMs > nowMs }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  }

  get #living(): KnownEngine[] {
    return this.known().filter(({ lives }) => lives)
  }

  /** The lease of an engine is over. */
  expire(id: string): void {
    const engine = this.#engines.get(id)
    if (engine !== undefined) engine.untilMs = this.#nowMs()
  }

  remove(id: string | null): void {
    if (id !== null && this.#engines.delete(id)) this.#tell()
  }

  // flows/placement-store.ts

  take(lease: string, flows: readonly string[], wished: Wished | null): Taken[] {
    const free = flows.filter((flow) => this.flows.has(flow) && this.#isFreeFor(flow, lease))
    for (const flow of free) if (wished !== null) this.flows.get(flow)!.wished = wished
    return this.#give(free, lease)
  }

  claim({ lease, except, most }: Claim): Taken[] {
    const free = this.#wished().filter(({ id }) => !except.includes(id) && this.#isFreeFor(id, lease))
    const ids = free.map(({ id }) => id).toSorted()
    return this.#give(ids.slice(0, most), lease)
  }

  release(lease: string, flows: readonly Held[]): void {
    const held = flows.filter(({ flow, epoch }) => {
      const place = this.#places.get(flow)
      return place?.lease === lease && place.epoch === epoch
    })
    for (const { flow } of held) this.#change(flow, null)
    this.#tell()
  }

  renewPlaces(lease: string, earlier: readonly string[]): Taken[] {
    const held = [...this.#places].filter(([, place]) => place.lease !== null && earlier.includes(place.lease))
    return this.#give(
      held.map(([flow]) => flow),
      lease,
    )
  }

  owed(): { id: string; name: string }[] {
    const owed = [...this.flows.values()].filter((flow) => flow.owes && flow.wished === 'stopped')
    return owed.filter(({ id }) => this.#isFree(id)).map(({ id, name }) => ({ id, name }))
  }

  leave(lease: string): void {
    for (const { id } of this.#living.filter((engine) => engine.lease === lease)) this.#leaving.add(id)
  }

  count({ lease, except }: PlacementCount): { wished: number; free: number; engines: number } {
    const wished = this.#wished()
    const free = wished.filter(({ id }) => !except.includes(id) && this.#isFreeFor(id, lease))
    const engines = this.#living.filter(({ id }) => !this.#leaving.has(id)).length
    return { wished: wished.length, free: free.length, engines }
  }

  // work/store.ts, as far as places matter

  /** Writes work of flows that the lease has; the work that it has not. */
  write(lease: string, work: readonly Written[]): Written[] {
    const lost = work.filter(({ flow }) => this.#places.get(flow)?.lease !== lease)
    for (const one of work) {
      if (lost.includes(one)) continue
      const { flow, engine, turn } = one
      const turns = this.#turns.get(flow) ?? []
      if (turns.length !== turn || turns.at(-1) !== engine)
        this.faults.push(`flow ${flow} is in turn ${turns.length}, and work of turn ${turn} was written`)
      this.#work.set(flow, [...this.work(flow), one])
    }
    return lost
  }

  work(flow: string): readonly Written[] {
    return this.#work.get(flow) ?? []
  }

  // what a test asks

  /** The living engine that has a flow. */
  ownerOf(flow: string): string | null {
    const lease = this.#places.get(flow)?.lease ?? null
    return this.#living.find((engine) => engine.lease === lease)?.id ?? null
  }

  /** Who took a flow last, and how many engines have had it. */
  turnOf(flow: string): { readonly engine: string | null; readonly turn: number } {
    const turns = this.#turns.get(flow) ?? []
    return { engine: turns.at(-1) ?? null, turn: turns.length }
  }

  /** All places as rows, in the order of the flows. */
  places(): { flow: string; lease: string | null; epoch: number }[] {
    return [...this.#places]
      .map(([flow, { lease, epoch }]) => ({ flow, lease, epoch }))
      .toSorted((a, b) => (a.flow < b.flow ? -1 : 1))
  }

  #wished(): TableFlow[] {
    return [...this.flows.values()].filter(({ wished }) => wished !== 'stopped')
  }

  #isFree(flow: string): boolean {
    return this.ownerOf(flow) === null
  }

  #isFreeFor(flow: string, lease: string): boolean {
    return this.#isFree(flow) || this.#places.get(flow)?.lease === lease
  }

  #give(flows: readonly string[], lease: string): Taken[] {
    const taken = flows.map((flow) => ({ flow, epoch: this.#change(flow, lease) }))
    this.#tell()
    return taken
  }

  #change(flow: string, lease: string | null): number {
    const epoch = (this.#places.get(flow)?.epoch ?? 0) + 1
    this.#places.set(flow, { lease, epoch })
    const engine = lease === null ? null : (this.#leases.get(lease) ?? lease)
    const turns = this.#turns.get(flow) ?? []
    if (engine !== null && turns.at(-1) !== engine) this.#turns.set(flow, [...turns, engine])
    return epoch
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}
