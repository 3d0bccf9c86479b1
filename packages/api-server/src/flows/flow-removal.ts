/**
 * The end of a flow (wire decision G21): of its row, its live form, and whatever a later flow of the name would inherit.
 * Its runs stay, under the last name.
 * - flow-removal.D1 the active flow is ended first; when the deletion cannot be committed, it is active again. Whether
 *   it was, is looked up when the answer is lost.
 * - flow-removal.D2 a run is submitted before the deletion, which is refused then, or finds no flow: both lock the row.
 * @module
 */
import type { Artifacts } from '../artifacts/artifacts.ts'
import type { CodeRegistry } from '../code/registry.ts'
import type { Database, Sql } from '../db/database.ts'
import { actorOf, type EventLog } from '../events/event-log.ts'
import type { UserPrincipal } from '../http/principal.ts'
import type { LastValues } from '../messages/last-values.ts'
import type { LiveLogs } from '../node-logs/live-logs.ts'
import type { Markers } from '../work/markers.ts'
import type { FlowActivity } from './flow-activity.ts'
import type { LiveFlows } from './live-flows.ts'
import { changeOrFind } from './lost-answer.ts'
import type { PublishedFlowsOwner } from './published-flows.ts'
import { assertNoRuns, assertOwnedByApi } from './refusals.ts'
import { createFlowStore, type FlowRow, type FlowStore } from './store.ts'
import type { FlowVersions } from './versions/flow-versions.ts'

/** What the removal of flows is made of. */
export interface FlowRemovalDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly artifacts: Pick<Artifacts, 'dropRefs'>
  readonly eventLog: Pick<EventLog, 'audit'>
  readonly lastValues: Pick<LastValues, 'commitOf' | 'forget' | 'remove'>
  readonly liveLogs: Pick<LiveLogs, 'forget'>
  readonly markers: Pick<Markers, 'forget'>
  readonly code: Pick<CodeRegistry, 'has' | 'release'>
  readonly live: Pick<LiveFlows, 'end' | 'lose' | 'revive'>
  readonly published: Pick<PublishedFlowsOwner, 'get' | 'remove' | 'set'>
  readonly flowVersions: Pick<FlowVersions, 'forget'>
  readonly activity: Pick<FlowActivity, 'forget'>
  /** Ids of the queued and running runs of a flow. */
  readonly activeRuns: (tx: Sql, flowId: string) => Promise<readonly string[]>
}

/**
 * Ends a flow that nobody else changes meanwhile. Refuses with `flow_has_active_runs`, `code_defined`, and `not_found`
 * when another engine was faster.
 */
export async function removeFlow(row: FlowRow, by: UserPrincipal, deps: FlowRemovalDeps): Promise<void> {
  const { activeRuns, code, database, lastValues, live, markers, published } = deps
  const store = createFlowStore(database.sql)
  assertOwnedByApi(row, code)
  await database.transaction(async (tx) => assertNoRuns(row, await activeRuns(tx, row.id)))
  const declared = published.get(row.name)
  const wasActive = await live.end(row, { keepsPlace: true })
  // nobody publishes into it from here on, and what was published is written before it is removed
  published.remove(row.name)
  try {
    await lastValues.commitOf(row.name)
    await changeOrFind(
      () => database.transaction((tx) => erase(tx, row, by, { ...deps, store })),
      async () => ((await store.byId(row.id)) === null ? undefined : null),
    )
  } catch (error) {
    if (declared) published.set(declared)
    if (wasActive) await live.revive(row)
    throw error
  }
  await live.lose([row])
  lastValues.forget(row.name)
  deps.activity.forget(row.name)
  markers.forget(row.name)
  deps.liveLogs.forget(row.name)
  code.release(row.name)
}

async function erase(
  tx: Sql,
  row: FlowRow,
  by: UserPrincipal,
  deps: FlowRemovalDeps & { readonly store: FlowStore },
): Promise<void> {
  const { activeRuns, artifacts, eventLog, flowVersions, lastValues, store } = deps
  await store.lock(tx, row.id)
  // one may have been submitted while the flow ended
  assertNoRuns(row, await activeRuns(tx, row.id))
  await artifacts.dropRefs(tx, 'flow_input', [row.id])
  await flowVersions.forget(tx, row.id)
  await lastValues.remove(tx, row.name)
  const detail = { version: row.version }
  await eventLog.audit(tx, { action: 'flow.delete', actor: actorOf(by), flow: row.name, detail })
  await store.remove(tx, row.id)
}
