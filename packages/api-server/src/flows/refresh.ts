/**
 * Flows of this engine after a change of something that they use: what it holds of them in memory follows their rows, and
 * nodes of active flows are made anew. Called for another library source, secret, Python environment, or package.
 * @module
 */
import type { FlowNode } from '@flow-service/protocol'

import type { Database } from '../db/database.ts'
import type { LiveFlows } from './live-flows.ts'
import type { PublishedFlowsOwner } from './published-flows.ts'
import { createFlowStore, type FlowStore } from './store.ts'

/**
 * What {@link refresh} works on; `rebuild` starts active flows again with what they execute now, and the nodes that
 * `restart` tells whether they have changed or not.
 */
export interface RefreshDeps {
  readonly database: Pick<Database, 'sql'>
  readonly live: LiveFlows
  readonly published: Pick<PublishedFlowsOwner, 'take'>
  readonly rebuild: boolean
  readonly restart?: (node: FlowNode) => boolean
}

/** A flow, and its nodes that were made anew or have gone. */
export interface Refreshed {
  readonly flow: string
  readonly nodes: readonly string[]
}

/** Brings what this engine holds in memory of some flows up to date with their rows. */
export async function refresh(ids: readonly string[], deps: RefreshDeps): Promise<readonly Refreshed[]> {
  const store = createFlowStore(deps.database.sql)
  const done = await Promise.all(ids.map((id) => deps.live.exclusive(id, () => refreshFlow(id, store, deps))))
  return done.filter((each) => each !== null)
}

async function refreshFlow(id: string, store: FlowStore, deps: RefreshDeps): Promise<Refreshed | null> {
  const { live, published, rebuild, restart } = deps
  const row = await store.byId(id)
  if (row === null) return null
  published.take(row)
  if (rebuild) return { flow: row.name, nodes: await live.rebuild(row, { restart }) }
  live.announce(row)
  return { flow: row.name, nodes: [] }
}

/** Makes the Python nodes of active flows anew; flows with such nodes that could not be started are tried again. */
export async function rebuildPython(deps: Omit<RefreshDeps, 'rebuild' | 'restart'>): Promise<void> {
  const ids = await createFlowStore(deps.database.sql).liveWith('python')
  await refresh(ids, { ...deps, rebuild: true, restart: ({ type }) => type === 'python' })
}
