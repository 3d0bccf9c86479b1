/**
 * Which engine runs a live flow, where several share a database. Whoever takes it has it in a new epoch, for as long as its
 * lease holds: nobody else starts it, and what others say of its state is asked there.
 *
 * - placement.P1 an engine takes a flow before it builds it, in one transaction with the wish, and lets it go after its end.
 * - placement.P2 what this engine has still to write is written before it takes a flow: what it may have had of an earlier
 *   epoch is refused then, not written into the new one.
 * - placement.P3 what the engine before it has left, and published, is read again once the flow is taken.
 * - placement.P4 on the embedded database, which one engine has alone, a flow is taken without a statement.
 * @module
 */
import type { Issue } from '@flow-service/protocol'

import type { Database } from '../db/database.ts'
import type { Fence } from '../engines/fence.ts'
import type { EngineLease } from '../engines/lease.ts'
import { ProblemError } from '../http/errors.ts'
import type { Log } from '../process/log.ts'
import type { FlowNews } from './flow-news.ts'
import type { LiveState } from './live-state.ts'
import { createPlacementStore, type Taken } from './placement-store.ts'
import { createFlowStore, type FlowHead, type FlowRow, type RunsAt, type Wished } from './store.ts'

/** A flow whose place is meant. */
export type Placed = Pick<FlowHead, 'id' | 'name'>

/** What placement is made of. */
export interface PlacementDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly lease: Pick<EngineLease, 'id' | 'lease'>
  readonly fence: Pick<Fence, 'begin' | 'end'>
  /** Takes over what others have written of flows. */
  readonly adopt: (flows: readonly string[]) => Promise<void>
  /** Resolves when what was kept and published so far is written, or refused; never rejects. */
  readonly written: () => Promise<void>
  /** What is known of places without asking the database. */
  readonly news: Pick<FlowNews, 'engineOf'>
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
  /** This engine runs the flows no more; never rejects. */
  release(flows: readonly Placed[]): Promise<void>
  /** Lets go of flows that others have taken: what was to be written for them is refused. Never rejects. */
  lose(flows: readonly Placed[]): Promise<void>
  /** This engine has another lease: of the flows that it runs, the ids of those that are still its own. */
  renew(earlier: readonly string[]): Promise<ReadonlySet<string>>
  /** Whether another engine that lives runs the flow. */
  isElsewhere(flow: Pick<FlowHead, 'runs_at'>): boolean
  /** Refuses with `in_use` what only the engine can do that runs the flow, when that is another one. */
  assertHere(flow: FlowHead): void
  /** As `assertHere`, for a flow by its name, of which nothing was read yet. */
  assertNamedHere(name: string): Promise<void>
  /** The state of a flow that does not run here, as far as its row tells it; `hasFailed` when it was to run here. */
  shown(flow: FlowHead, hasFailed: boolean): LiveState | null
}

/** Places of flows on a database. */
export function createPlacement(deps: PlacementDeps): Placement {
  const store = createFlowStore(deps.database.sql)
  if (deps.lease.id === null) return everythingHere((flow, wished) => store.wish(flow.id, wished))
  return new SharedPlacement(deps)
}

class SharedPlacement implements Placement {
  readonly #deps: PlacementDeps

  constructor(deps: PlacementDeps) {
    this.#deps = deps
  }

  get engine(): string | null {
    return this.#deps.lease.id
  }

  isElsewhere({ runs_at: at }: Pick<FlowHead, 'runs_at'>): boolean {
    return at !== null && at.id !== this.#deps.lease.id
  }

  assertHere(flow: FlowHead): void {
    if (flow.runs_at && this.isElsewhere(flow)) throw runsElsewhere(flow, flow.runs_at)
  }

  async assertNamedHere(name: string): Promise<void> {
    const at = this.#deps.news.engineOf(name)
    if (at === null || at === this.#deps.lease.id) return
    const flow = await createFlowStore(this.#deps.database.sql).byName(name)
    if (flow) this.assertHere(flow)
  }

  async take(flow: FlowHead, wished: Wished): Promise<void> {
    const taken = await this.#take([flow], wished)
    if (taken.has(flow.id)) return
    this.assertHere((await createFlowStore(this.#deps.database.sql).byId(flow.id)) ?? flow)
    throw new ProblemError('unavailable', `flow "${flow.name}" is just being taken by another engine; try again`, {
      retry_after_s: 1,
    })
  }

  takeFree(flows: readonly Placed[]): Promise<ReadonlySet<string>> {
    return this.#take(flows, null)
  }

  async claim(most: number, except: ReadonlySet<string>): Promise<readonly FlowRow[]> {
    const { database, lease, written } = this.#deps
    await written()
    const taken = await database.transaction((tx) =>
      createPlacementStore(tx).claim(tx, { lease: String(lease.lease), except: [...except], most }),
    )
    if (taken.length === 0) return []
    const rows = await createFlowStore(database.sql).contents(taken.map(({ flow }) => flow))
    await this.#begin(rows, taken)
    return rows
  }

  async release(flows: readonly Placed[]): Promise<void> {
    const { database, fence, lease, log, written } = this.#deps
    // who takes it next would record once more what is not
    await written()
    try {
      await createPlacementStore(database.sql).release(
        String(lease.lease),
        flows.map(({ id }) => id),
      )
    } catch (error) {
      const names = flows.map(({ name }) => name)
      log.warn(
        { err: error, flows: names },
        'live flows that have ended here count as run by this engine until it ends',
      )
    }
    for (const flow of flows) fence.end(flow)
  }

  async lose(flows: readonly Placed[]): Promise<void> {
    await this.#deps.written()
    for (const flow of flows) this.#deps.fence.end(flow)
  }

  async renew(earlier: readonly string[]): Promise<ReadonlySet<string>> {
    const { database, lease } = this.#deps
    const kept = await createPlacementStore(database.sql).renew(String(lease.lease), earlier)
    return new Set(kept.map(({ flow }) => flow))
  }

  shown(flow: FlowHead, hasFailed: boolean): LiveState | null {
    if (flow.published_mode !== 'live') return null
    const { wished } = flow
    if (this.isElsewhere(flow)) return { ...nothing, status: wished === 'paused' ? 'paused' : 'active' }
    if (hasFailed || flow.runs_at !== null || wished === 'stopped') return null
    return { ...nothing, status: 'failed', issues: [runsNowhere(flow.name)] }
  }

  async #take(flows: readonly Placed[], wished: Wished | null): Promise<ReadonlySet<string>> {
    if (flows.length === 0) return new Set()
    const { database, lease, written } = this.#deps
    await written()
    const ids = flows.map(({ id }) => id)
    const taken = await database.transaction(async (tx) => {
      const found = await createPlacementStore(tx).take(tx, { lease: String(lease.lease), flows: ids })
      if (wished !== null)
        await createFlowStore(tx).wishAll(
          found.map(({ flow }) => flow),
          wished,
        )
      return found
    })
    await this.#begin(flows, taken)
    return new Set(taken.map(({ flow }) => flow))
  }

  async #begin(flows: readonly Placed[], taken: readonly Taken[]): Promise<void> {
    const ids = new Set(taken.map(({ flow }) => flow))
    const mine = flows.filter(({ id }) => ids.has(id))
    for (const flow of mine) this.#deps.fence.begin(flow)
    await this.#deps.adopt(mine.map(({ name }) => name))
  }
}

const nothing = { held: 0, nodeStates: [], issues: [] } as const

const everythingHere = (wish: (flow: Placed, wished: Wished) => Promise<void>): Placement => ({
  engine: null,
  take: wish,
  takeFree: async (flows) => new Set(flows.map(({ id }) => id)),
  claim: async () => [],
  release: async () => {},
  lose: async () => {},
  renew: async () => new Set(),
  isElsewhere: () => false,
  assertHere() {},
  assertNamedHere: async () => {},
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
  message: `no engine in contact runs flow "${name}", though it is wished to be active: start it`,
  node: null,
  path: null,
})
