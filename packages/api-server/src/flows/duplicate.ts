/**
 * Copies of flows (wire decision G21): the current content as the draft of a new flow. A bare message is the copy's own;
 * a qualified one of the original is too. Making a copy adds every node of it (G20): with code it takes a superuser.
 * @module
 */
import type { NodeRegistry } from '@flow-service/core'
import { flowNameSchema } from '@flow-service/protocol'
import { v7 } from 'uuid'

import type { Database } from '../db/database.ts'
import { invalid } from '../http/errors.ts'
import type { UserPrincipal } from '../http/principal.ts'
import { renameReferences } from './flow-references.ts'
import type { FlowRows } from './flow-rows.ts'
import type { LiveFlows } from './live.ts'
import { assertPrivileged } from './privilege.ts'
import { flowInvalid, nameTaken } from './refusals.ts'
import { createFlowStore, type FlowRow } from './store.ts'
import { currentContent } from './stored-content.ts'

/** What copying is made of. */
export interface DuplicateDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly live: Pick<LiveFlows, 'announce'>
  readonly registry: NodeRegistry
}

/**
 * Copies a flow, by default to `{name}_copy`. Refuses with `not_found`, `already_exists`, `forbidden`, `flow_invalid`
 * when the content cannot be read, and `validation_failed` when the default name is too long.
 */
export async function duplicateFlow(
  { from, to = `${from}_copy` }: { readonly from: string; readonly to?: string | undefined },
  by: UserPrincipal,
  rows: FlowRows,
  deps: DuplicateDeps,
): Promise<FlowRow> {
  assertName(to)
  const store = createFlowStore(deps.database)
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- again when somebody has changed the original meanwhile
    const copy = await tryDuplicate({ from, to }, by, rows, deps)
    if (copy) {
      deps.live.announce(copy)
      return copy
    }
    // oxlint-disable-next-line no-await-in-loop -- see above
    if (await store.byName(to)) throw nameTaken(to)
  }
}

/** Null when the name is taken, or the original is no longer what was read. */
async function tryDuplicate(
  names: { readonly from: string; readonly to: string },
  by: UserPrincipal,
  rows: FlowRows,
  { database, registry }: DuplicateDeps,
): Promise<FlowRow | null> {
  const original = await rows.find(names.from)
  const { document, fault } = currentContent(original)
  if (fault) throw flowInvalid(names.from, [fault])
  assertPrivileged(null, document, by, registry)
  const content = renameReferences(original.draft ?? original.published, names)
  const copy = { id: v7(), name: names.to, content, by: by.email, from: original }
  return rows.change((tx) => createFlowStore(database).copy(tx, copy))
}

function assertName(name: string): void {
  const fault = flowNameSchema.safeParse(name).error?.issues[0]
  if (fault) throw invalid([{ path: '/name', code: fault.code, message: `"${name}": ${fault.message}` }])
}
