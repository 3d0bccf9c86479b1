/**
 * Copies of flows (wire decision G21): the current content as the draft of a new flow. A bare message is the copy's own;
 * a qualified one of the original is too. Making a copy adds every node of it (G20): with code it takes a superuser.
 * @module
 */
import type { NodeRegistry } from '@flow-service/core'
import { flowNameSchema } from '@flow-service/protocol'

import type { Database, Sql } from '../db/database.ts'
import { actorOf, type EventLog } from '../events/event-log.ts'
import { invalid } from '../http/errors.ts'
import type { UserPrincipal } from '../http/principal.ts'
import { newId } from '../process/new-id.ts'
import { renameReferences } from './flow-references.ts'
import type { FlowRows } from './flow-rows.ts'
import { createLayoutStore } from './layout-store.ts'
import type { LiveFlows } from './live-flows.ts'
import { changeOrFind } from './lost-answer.ts'
import { assertPrivileged } from './privilege.ts'
import { flowInvalid, nameTaken } from './refusals.ts'
import { createFlowStore, type FlowRow } from './store.ts'
import { currentContent } from './stored-content.ts'

/** What copying is made of. */
export interface DuplicateDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly eventLog: Pick<EventLog, 'audit'>
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
  const store = createFlowStore(deps.database.sql)
  const original = await rows.find(from)
  const { document, fault } = currentContent(original)
  if (fault) throw flowInvalid(from, [fault])
  assertPrivileged(null, document, by, deps.registry)
  const content = renameReferences(original.draft ?? original.published, { from, to })
  const id = newId()
  const create = async (tx: Sql): Promise<FlowRow | null> => {
    if (!(await store.hold(tx, original))) return null
    const row = await store.create(tx, { id, name: to, content, by: by.email })
    if (!row) throw nameTaken(to)
    await createLayoutStore(tx).copy({ from: original.id, to: id })
    await deps.eventLog.audit(tx, { action: 'flow.duplicate', actor: actorOf(by), flow: to, detail: { from } })
    return row
  }
  const copy = await changeOrFind(
    () => rows.change(create),
    () => store.byId(id),
  )
  if (copy === null) return duplicateFlow({ from, to }, by, rows, deps)
  deps.live.announce(copy)
  return copy
}

function assertName(name: string): void {
  const fault = flowNameSchema.safeParse(name).error?.issues[0]
  if (fault) throw invalid([{ path: '/name', code: fault.code, message: `"${name}": ${fault.message}` }])
}
