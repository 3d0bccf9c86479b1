/**
 * Which engine runs a live flow, where several share a database (wire decision V8). The row of a flow names one, and that
 * counts as long as the engine is in contact: nobody else starts it, and what others say of its state is read from its
 * row.
 *
 * - placement.P1 an engine takes a flow before it builds it, in one statement with the wish, and lets it go after its end.
 * - placement.P2 what the engine before it has left, and published, is read again once the flow is taken.
 * - placement.P3 on the embedded database, which one engine has alone, a flow is taken without a statement.
 * @module
 */
import type { Issue } from '@flow-service/protocol'

import type { Database } from '../db/database.ts'
import { ProblemError } from '../http/errors.ts'
import type { Log } from '../process/log.ts'
import type { FlowNews } from './flow-news.ts'
import type { LiveState } from './live-state.ts'
import { createFlowStore, type FlowHead, type FlowRow, type RunsAt, type Wished } from './store.ts'

/** A flow whose place is meant. */
export type Placed = Pick<FlowHead, 'id' | 'name'>

/** What placement is made of. */
export interface PlacementDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  /** The id of this engine; null on the embedded database. */
  readonly engine: string | null
  /** Takes over what others have written of flows. */
  readonly adopt: (flows: readonly string[]) => Promise<void>
  /** Resolves when the values that were published so far are committed; never rejects. */
  readonly written: () => Promise<void>
  /** What is known of places without asking the database. */
  readonly news: Pick<FlowNews, 'engineOf'>
  readonly log: Pick<Log, 'warn'>
}

/** Where flows run. */
export interface Placement {
  /** Has this engine run the flow, with that wish. Refuses with `in_use` when another one in contact runs it. */
  take(flow: FlowHead, wished: Wished): Promise<void>
  /** As `take`, for several flows whose wish stays; the ids of those that this engine runs now. */
  takeFree(flows: readonly Placed[]): Promise<ReadonlySet<string>>
  /** This engine runs the flow no more; never rejects. */
  release(flow: Placed): Promise<void>
  /** Whether this engine has taken the flow, and nobody since. */
  isHere(flow: Pick<FlowRow, 'engine'>): boolean
  /** Refuses with `in_use` what only the engine can do that runs the flow, when that is another one. */
  assertHere(flow: FlowHead): void
  /** As `assertHere`, for a flow by its name, of which nothing was read yet. */
  assertNamedHere(name: string): Promise<void>
  /** The state of a flow that does not run here, as far as its row tells it; `hasFailed` when it was to run here. */
  shown(flow: FlowHead, hasFailed: boolean): LiveState | null
}

/** Places of flows on a database. */
export function createPlacement({ database, engine, adopt, written, news, log }: PlacementDeps): Placement {
  const store = createFlowStore(database.sql)
  if (engine === null) return everythingHere((flow, wished) => store.wish(flow.id, wished))
  const elsewhere = ({ runs_at: at }: FlowHead): RunsAt | null => (at === null || at.id === engine ? null : at)
  const assertHere = (flow: FlowHead): void => {
    const at = elsewhere(flow)
    if (at) throw runsElsewhere(flow, at)
  }
  const takeFree = async (flows: readonly Placed[], wished: Wished | null): Promise<ReadonlySet<string>> => {
    if (flows.length === 0) return new Set()
    const ids = flows.map(({ id }) => id)
    const taken = await database.transaction((tx) => store.take(tx, { ids, engine, wished }))
    await adopt(flows.flatMap(({ id, name }) => (taken.has(id) ? [name] : [])))
    return taken
  }
  return {
    assertHere,
    isHere: (flow) => flow.engine === engine,
    takeFree: (flows) => takeFree(flows, null),
    async assertNamedHere(name) {
      const at = news.engineOf(name)
      if (at === null || at === engine) return
      const flow = await store.byName(name)
      if (flow) assertHere(flow)
    },
    async take(flow, wished) {
      const taken = await takeFree([flow], wished)
      if (taken.has(flow.id)) return
      assertHere((await store.byId(flow.id)) ?? flow)
      throw new ProblemError('unavailable', `flow "${flow.name}" is just being taken by another engine; try again`, {
        retry_after_s: 1,
      })
    },
    async release({ id, name }) {
      // who takes it next would record once more what is not
      await written()
      try {
        await store.release(id, engine)
      } catch (error) {
        log.warn({ err: error, flow: name }, 'a live flow that has ended counts as run by this engine until it ends')
      }
    },
    shown(flow, hasFailed) {
      if (flow.published_mode !== 'live') return null
      const { wished } = flow
      if (elsewhere(flow)) return { ...nothing, status: wished === 'paused' ? 'paused' : 'active' }
      if (hasFailed || flow.runs_at !== null || wished === 'stopped') return null
      return { ...nothing, status: 'failed', issues: [runsNowhere(flow.name)] }
    },
  }
}

const nothing = { held: 0, nodeStates: [], issues: [] } as const

const everythingHere = (wish: (flow: Placed, wished: Wished) => Promise<void>): Placement => ({
  take: wish,
  takeFree: async (flows) => new Set(flows.map(({ id }) => id)),
  release: async () => {},
  isHere: () => true,
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
