/**
 * Between the nodes of stored contents and the library: nodes are linked to a source of it, or given code of their own.
 * @module
 */
import { hash } from 'node:crypto'

import type { Sql } from '../db/database.ts'
import type { UserPrincipal } from '../http/principal.ts'
import { versionConflict } from './refusals.ts'
import { createFlowStore, type FlowRow } from './store.ts'
import { mapStoredNodes } from './stored-content.ts'
import type { FlowVersions } from './versions/flow-versions.ts'

/** Digest of code, as the API shows it. */
export const digestOf = (code: string): string => `sha256:${hash('sha256', code)}`

/** A stored node that uses a library source. */
export const linked = (node: object, library: string): object => ({ ...node, library, source: null })

/** A stored node with code of its own. */
export const unlinked = (node: object, code: string): object => ({ ...node, library: null, source: code })

/** What links are made with. */
interface Linking {
  readonly row: FlowRow
  readonly by: UserPrincipal
  readonly flowVersions: Pick<FlowVersions, 'keep'>
}

/** Changes nodes in the draft and in the published form of a flow of the API, whose version grows by one. */
export async function linkNodes(
  tx: Sql,
  { row, by, flowVersions }: Linking,
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
  // when its module is gone, who changes it takes it over
  const taken = changed.origin === 'api' ? changed : ((await store.takeOver(tx, row.id)) ?? changed)
  await flowVersions.keep(tx, taken)
  return taken
}
