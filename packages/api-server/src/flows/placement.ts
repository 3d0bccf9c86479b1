/**
 * Which engine runs a live flow, where several share a database. Whoever takes it has it in a new epoch, for as long as its
 * lease holds: nobody else starts it, and what others say of its state is asked there.
 *
 * - placement.P1 an engine takes a flow before it builds it, in one transaction with the wish, and lets it go after its end.
 * - placement.P2 what this engine has still to write is written before it takes a flow, or lets go of one: what it may have
 *   had of an earlier epoch is refused then, not written into the new one. While that cannot be written nothing is taken.
 * - placement.P3 what the engine before it has left, and published, is read again once the flow is taken.
 * - placement.P4 on the embedded database, which one engine has alone, a flow is taken without a statement.
 * - placement.P5 what this engine has let go and could not tell the database is told later, in the epoch that was let go.
 * - placement.P6 a statement that takes flows may come when the lease that it names is over: then it has taken them for nobody,
 *   and they are taken again under the lease of that moment. What is taken under the present one is this engine's from that
 *   moment on, so that the next return of the lease finds it.
 * - placement.P7 a flow may be lost before it is begun: it is begun only while it is this engine's.
 * @module
 */
import type { Issue } from '@flow-service/protocol'

import type { Fence, Placed } from '../engines/fence.ts'
import type { EngineLease } from '../engines/lease.ts'
import { ProblemError } from '../http/errors.ts'
import type { Log } from '../process/log.ts'
import type { FarStates } from './far-states.ts'
import type { LiveState } from './live-state.ts'
import type { PlacementStore, Taken } from './placement-store.ts'
import type { FlowHead, FlowRow, FlowStore, RunsAt, Wished } from './store.ts'

export type { Placed }

/** What placement is made of. */
export interface PlacementDeps {
  readonly store: Pick<PlacementStore, 'claim' | 'release' | 'renew' | 'take'>
  readonly flows: Pick<FlowStore, 'byId' | 'contents' | 'wish'>
  readonly lease: Pick<EngineLease, 'id' | 'lease'>
  readonly fence: Pick<Fence, 'begin' | 'end' | 'hasId'>
  /** Takes over what others have written of flows. */
  readonly adopt: (flows: readonly string[]) => Promise<void>
  /** Resolves when what was kept and published so far is written, or refused; rejects when that takes too long. */
  readonly written: () => Promise<void>
  /** How flows are that other engines run; null on the embedded database. */
  readonly farStates: Pick<FarStates, 'of'> | null
  readonly log: Pick<Log, 'warn'>
}

/** Where flows run. */
export interface Placement {
  /** The id of this engine; null on the embedded database. */
  readonly engine: string | null
  /** Has this engine run the flow, with that wish. Refuses with `in_use` when another one that lives runs it. */
  take(flow: FlowHead, wished: Wished): Promise<void>
  /** As `take`, for several flows whose wish stays; the ids of those that this engine runs now. */
  takeFree(flows: readonly Placed[]): Promise<ReadonlySet<string>>
  /** Has this engine run up to so many of the wished flows that nobody runs, but those; their rows. */
  claim(most: number, except: ReadonlySet<string>): Promise<readonly FlowRow[]>
  /** This engine runs the flows no more; `areLeft` when others are to. Never rejects (placement.P5). */
  release(flows: readonly Placed[], areLeft?: boolean): Promise<void>
  /** Tells the database what could not be told before; false when it has not heard yet. Never rejects. */
  letGo(): Promise<boolean>
  /** Lets go of flows that others have taken: what was to be written for them is refused. Never rejects. */
  lose(flows: readonly Placed[]): Promise<void>
  /** This engine has another lease: of the flows that it runs, the ids of those that are still its own. */
  renew(earlier: readonly string[]): Promise<ReadonlySet<string>>
  /** Whether this engine has taken the flow, and has not lost it or let it go. */
  isMine(flow: Pick<Placed, 'id'>): boolean
  /** Whether another engine that lives runs the flow. */
  isElsewhere(flow: Pick<FlowHead, 'runs_at'>): boolean
  /** Refuses with `in_use` what only the engine can do that runs the flow, when that is another one. */
  assertHere(flow: FlowHead): void
  /** The state of a flow that does not run here, as far as its row tells it; `hasFailed` when it was to run here. */
  shown(flow: FlowHead, hasFailed: boolean): LiveState | null
}

/** Places of flows on a database. */
export function createPlacement(deps: PlacementDeps): Placement {
  if (deps.lease.id === null) return everythingHere((flow, wished) => deps.flows.wish(flow.id, wished))
  return new SharedPlacement(deps)
}

class SharedPlacement implements Placement {
  readonly #deps: PlacementDeps
  /** In which epochs this engine has flows, by id. */
  readonly #epochs = new Map<string, number>()
  /** What was let go and the database is still to hear of, by the flow's id. */
  readonly #left = new Map<string, { readonly epoch: number; readonly areLeft: boolean }>()

  constructor(deps: PlacementDeps) {
    this.#deps = deps
  }

  get engine(): string | null {
    return this.#deps.lease.id
  }

  isMine({ id }: Pick<Placed, 'id'>): boolean {
    return this.#deps.fence.hasId(id)
  }

  isElsewhere({ runs_at: at }: Pick<FlowHead, 'runs_at'>): boolean {
    return at !== null && at.id !== this.#deps.lease.id
  }

  assertHere(flow: FlowHead): void {
    if (flow.runs_at && this.isElsewhere(flow)) throw runsElsewhere(flow, flow.runs_at)
  }

  async take(flow: FlowHead, wished: Wished): Promise<void> {
    const taken = await this.#take([flow], wished)
    if (taken.has(flow.id)) return
    this.assertHere((await this.#deps.flows.byId(flow.id)) ?? flow)
    throw new ProblemError('unavailable', `flow "${flow.name}" is just being taken by another engine; try again`, {
      retry_after_s: 1,
    })
  }

  takeFree(flows: readonly Placed[]): Promise<ReadonlySet<string>> {
    return this.#take(flows, null)
  }

  async claim(most: number, except: ReadonlySet<string>): Promise<readonly FlowRow[]> {
    const { flows, store, written } = this.#deps
    await written()
    const rows = await this.#current(async (lease) => {
      const claimed = await store.claim({ lease, except: [...except], most })
      const contents = claimed.length === 0 ? [] : await flows.contents(claimed.map(({ flow }) => flow))
      return [contents, claimed]
    })
    await this.#adopt(rows)
    return rows
  }

  async release(flows: readonly Placed[], areLeft = false): Promise<void> {
    for (const { id } of flows) {
      const epoch = this.#epochs.get(id)
      if (epoch !== undefined) this.#left.set(id, { epoch, areLeft })
    }
    if (!(await this.letGo())) {
      const names = flows.map(({ name }) => name)
      this.#deps.log.warn({ flows: names }, 'live flows that have ended here count as run by this engine for a while')
    }
    for (const flow of flows) this.#deps.fence.end(flow)
  }

  async letGo(): Promise<boolean> {
    if (this.#left.size === 0) return true
    const { lease, log, store, written } = this.#deps
    try {
      // who takes it next would record once more what is not
      await written()
      const left = [...this.#left].map(([flow, { epoch, areLeft }]) => ({ flow, epoch, isLeft: areLeft }))
      await store.release(String(lease.lease), left)
      for (const { flow, epoch } of left) if (this.#left.get(flow)?.epoch === epoch) this.#left.delete(flow)
      return true
    } catch (error) {
      log.warn({ err: error }, 'the database could not be told yet which live flows have ended here')
      return false
    }
  }

  async lose(flows: readonly Placed[]): Promise<void> {
    // what takes longer is refused when it comes
    await this.#deps.written().catch(() => {})
    for (const flow of flows) this.#deps.fence.end(flow)
  }

  async renew(earlier: readonly string[]): Promise<ReadonlySet<string>> {
    const { lease, store } = this.#deps
    // some may have been taken under the new one already
    const kept = await store.renew(String(lease.lease), [...earlier, String(lease.lease)])
    this.#note(kept)
    for (const { flow, epoch } of kept) {
      const left = this.#left.get(flow)
      if (left) this.#left.set(flow, { ...left, epoch })
    }
    return new Set(kept.map(({ flow }) => flow))
  }

  shown(flow: FlowHead, hasFailed: boolean): LiveState | null {
    if (flow.published_mode !== 'live') return null
    const { name, wished } = flow
    const asWished = { ...nothing, status: wished === 'paused' ? 'paused' : 'active' } as const
    if (this.isElsewhere(flow)) return this.#deps.farStates?.of(name) ?? asWished
    if (hasFailed || flow.runs_at !== null || wished === 'stopped') return null
    return flow.between ? asWished : { ...nothing, status: 'failed', issues: [runsNowhere(name)] }
  }

  async #take(flows: readonly Placed[], wished: Wished | null): Promise<ReadonlySet<string>> {
    if (flows.length === 0) return new Set()
    const { store, written } = this.#deps
    await written()
    const ids = flows.map(({ id }) => id)
    const mine = await this.#current(async (lease) => [flows, await store.take(lease, ids, wished)])
    await this.#adopt(mine)
    return new Set(mine.map(({ id }) => id))
  }

  /**
   * Takes some of these flows under the lease of this engine, which they are this engine's by from then on; those. What came
   * under one that was over meanwhile is taken anew (placement.P6).
   */
  async #current<F extends Placed>(
    take: (lease: string) => Promise<readonly [flows: readonly F[], taken: readonly Taken[]]>,
  ): Promise<readonly F[]> {
    const { fence, lease, store } = this.#deps
    let under = String(lease.lease)
    let [flows, taken] = await take(under)
    while (under !== lease.lease) {
      under = String(lease.lease)
      const ids = taken.map(({ flow }) => flow)
      // oxlint-disable-next-line no-await-in-loop -- the lease may be another one again after that
      taken = await store.take(under, ids, null)
    }
    this.#note(taken)
    for (const { flow } of taken) this.#left.delete(flow)
    const ids = new Set(taken.map(({ flow }) => flow))
    const mine = flows.filter(({ id }) => ids.has(id))
    for (const flow of mine) fence.begin(flow)
    return mine
  }

  /** Epochs only grow: an answer may come after that of a later statement. */
  #note(taken: readonly Taken[]): void {
    for (const { flow, epoch } of taken) this.#epochs.set(flow, Math.max(epoch, this.#epochs.get(flow) ?? 0))
  }

  async #adopt(flows: readonly Placed[]): Promise<void> {
    if (flows.length === 0) return
    try {
      await this.#deps.adopt(flows.map(({ name }) => name))
    } catch (error) {
      // nobody begins them: the next claim finds them taken and not begun
      for (const flow of flows) this.#deps.fence.end(flow)
      throw error
    }
  }
}

const nothing = { held: 0, nodeStates: [], issues: [] } as const

const everythingHere = (wish: (flow: Placed, wished: Wished) => Promise<void>): Placement => ({
  engine: null,
  take: wish,
  takeFree: async (flows) => new Set(flows.map(({ id }) => id)),
  claim: async () => [],
  release: async () => {},
  letGo: async () => true,
  lose: async () => {},
  renew: async () => new Set(),
  isMine: () => true,
  isElsewhere: () => false,
  assertHere() {},
  shown: () => null,
})

function runsElsewhere({ name }: Placed, { id, name: engine, address }: RunsAt): ProblemError {
  const at = address === null ? engine : `${engine}, ${address}`
  return new ProblemError(
    'in_use',
    `flow "${name}" is run by another engine of this database (${at}): ask that one, or stop the flow there first`,
    { engine: id },
  )
}

const runsNowhere = (name: string): Issue => ({
  severity: 'error',
  code: 'start_failed',
  message: `no engine runs flow "${name}", though it is wished to be active: start it, and see why it does not start`,
  node: null,
  path: null,
})
