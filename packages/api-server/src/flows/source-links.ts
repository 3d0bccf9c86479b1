/**
 * Between the nodes of stored contents and the library: nodes are linked to a source of it, or given code of their own.
 * @module
 */
import { hash } from 'node:crypto'

import type { FlowNode } from '@flow-service/protocol'

import type { Database, Sql } from '../db/database.ts'
import type { UserPrincipal } from '../http/principal.ts'
import type { LiveFlows } from './live.ts'
import type { PublishedFlowsOwner } from './published-flows.ts'
import { versionConflict } from './refusals.ts'
import { createFlowStore, type FlowRow, type FlowStore } from './store.ts'
import { mapStoredNodes } from './stored-content.ts'

/** Digest of code, as the API shows it. */
export const digestOf = (code: string): string => `sha256:${hash('sha256', code)}`

/** A stored node that uses a library source. */
export const linked = (node: object, library: string): object => ({ ...node, library, source: null })

/** A stored node with code of its own. */
export const unlinked = (node: object, code: string): object => ({ ...node, library: null, source: code })

/** Changes nodes in the draft and in the published form of a flow of the API, whose version grows by one. */
export async function linkNodes(
  tx: Sql,
  { row, by }: { readonly row: FlowRow; readonly by: UserPrincipal },
  change: (node: object) => object,
): Promise<FlowRow> {
  const [draft, published] = [row.draft, row.published].map((content) => mapStoredNodes(content, change))
  const store = createFlowStore(tx)
  const changed = await store.replace(tx, {
    id: row.id,
    version: row.version,
    draft,
    published,
    by: by.email,
  })
  if (changed === null) throw versionConflict(row.name, row.version)
  if (changed.origin === 'api') return changed
  // its module is gone: who changes it takes it over
  return (await store.takeOver(tx, row.id)) ?? changed
}

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
