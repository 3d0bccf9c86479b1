/**
 * What keeps an engine from writing the state of live flows that another one has taken: each commit locks their places
 * under the lease that the engine has, and leaves out what is not its own. Kept work and values are written through it.
 *
 * - fence.F1 a place that is locked does not change hands before the commit is over; whoever takes the flow then reads what
 *   was committed.
 * - fence.F2 what is written under an earlier lease is refused, however late it comes: another lease, another name.
 * - fence.F3 flows that are found to be lost are told once, to whoever ends them.
 * - fence.F4 while the engine gets another lease a refusal tells nothing: its flows may have that one by then. What was
 *   refused is written once more.
 * @module
 */
import type { Sql } from '../db/database.ts'
import type { EngineLease } from './lease.ts'

/** A flow by both its names. */
export interface Placed {
  readonly id: string
  readonly name: string
}

/** The live flows that this engine runs, as it believes. */
export class Fence {
  readonly #lease: Pick<EngineLease, 'lease' | 'placedBy'>
  /** Ids by name. */
  readonly #flows = new Map<string, string>()
  /** Names by id. */
  readonly #names = new Map<string, string>()
  /** Those that were told to be lost, by name. */
  readonly #told = new Set<string>()
  #onLost: (flows: readonly Placed[]) => void = () => {}
  /** Values and pieces of work that were left out because their flow is not this engine's any more. */
  refused = 0

  constructor(lease: Pick<EngineLease, 'lease' | 'placedBy'>) {
    this.#lease = lease
  }

  /** The lease that writes are made under; null where there is one engine alone, and nothing is checked. */
  get lease(): string | null {
    return this.#lease.placedBy
  }

  /** Throws when what was refused under that lease has to be written once more (fence.F4). */
  assertFinal(lease: string | null): void {
    if (lease === this.#lease.placedBy && lease === this.#lease.lease) return
    throw new Error('the lease of this engine is over, and the places of its live flows are not known yet')
  }

  /** All of them. */
  get flows(): Placed[] {
    return [...this.#flows].map(([name, id]) => ({ id, name }))
  }

  has(name: string): boolean {
    return this.#flows.has(name)
  }

  /** As `has`, whatever the flow is called by now. */
  hasId(id: string): boolean {
    return this.#names.has(id)
  }

  /** Whether a flow was found to be lost, and has not ended here yet. */
  isLost(name: string): boolean {
    return this.#told.has(name)
  }

  /** This engine has taken the flow; one that it has already may have another name now. */
  begin({ id, name }: Placed): void {
    const before = this.#names.get(id)
    if (before !== undefined && before !== name) this.end({ id, name: before })
    this.#flows.set(name, id)
    this.#names.set(id, name)
    this.#told.delete(name)
  }

  /** This engine has let it go. */
  end({ id, name }: Placed): void {
    if (this.#flows.get(name) !== id) return
    this.#flows.delete(name)
    this.#names.delete(id)
    this.#told.delete(name)
  }

  /** Hears of flows that are found to be lost. */
  onLost(listener: (flows: readonly Placed[]) => void): void {
    this.#onLost = listener
  }

  /** Of these flows those that this engine runs, but by no right: nothing is to be written for them. */
  async refusedOf(tx: Sql, names: Iterable<string>): Promise<ReadonlySet<string>> {
    const { lease } = this
    if (lease === null) return new Set()
    const asked = [...names].flatMap((name) => ({ id: this.#flows.get(name) ?? '', name }))
    const flows = asked.filter(({ id }) => id !== '')
    if (flows.length === 0) return new Set()
    const rows = await tx<{ flow: string }[]>`
      select flow from placement where lease = ${lease} and flow = any(${flows.map(({ id }) => id)}::uuid[])
      order by flow for share`
    const held = new Set(rows.map(({ flow }) => flow))
    if (held.size < flows.length) this.assertFinal(lease)
    return this.tell(flows.filter(({ id }) => !held.has(id)))
  }

  /** Flows are found to be lost; their names. */
  tell(lost: readonly Placed[]): ReadonlySet<string> {
    const news = lost.filter(({ name }) => !this.#told.has(name))
    for (const { name } of news) this.#told.add(name)
    if (news.length > 0) this.#onLost(news)
    return new Set(lost.map(({ name }) => name))
  }
}
