/**
 * Brings flows in TypeScript into the database: published directly, with a new version only when they have changed
 * (wire decision G64). A flow that has not changed keeps running as it is.
 * @module
 */
import { documentDigest } from '@flow-service/core'
import { canonicalJson, type FlowDocument, type FlowMode } from '@flow-service/protocol'

import type { LoadError } from '../code/project.ts'
import type { CodeRegistry, RegisteredFlow } from '../code/registry.ts'
import type { Database } from '../db/database.ts'
import type { EventLog } from '../events/event-log.ts'
import { newId } from '../process/new-id.ts'
import { keepRefs } from './flow-rows.ts'
import type { FlowsDeps } from './flows.ts'
import type { LiveFlows } from './live.ts'
import type { PublishedFlowsOwner } from './published-flows.ts'
import { createFlowStore, type FlowRow, type FlowStore } from './store.ts'
import { contentOf, currentContent } from './stored-content.ts'

/** What registration is made of. */
export interface CodeRegistrationDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly artifacts: FlowsDeps['artifacts']
  readonly eventLog: Pick<EventLog, 'audit'>
  readonly code: CodeRegistry
  readonly live: LiveFlows
  readonly published: PublishedFlowsOwner
}

/** A flow with new content, or one that was missing and is back. */
export interface FlowChange {
  readonly name: string
  readonly mode: FlowMode
  /** Null: the database did not know the flow. */
  readonly previousVersion: number | null
  readonly version: number
  /** Ids of the nodes that are new, changed, or gone; none when the flow is what it was before it was missing. */
  readonly nodes: readonly string[]
}

/** What a registration did. */
export interface Registration {
  readonly changed: readonly FlowChange[]
  /** Flows that were registered before and are not any more: failed until they are back. */
  readonly removed: readonly string[]
  /** What could not be registered, because the API has a flow of the name. */
  readonly errors: readonly LoadError[]
}

/**
 * Registers these flows in place of those that were registered before: active ones that have changed are rebuilt,
 * active ones that are not among them end. Called once at least, with no flows too.
 */
export async function registerFlows(
  flows: readonly RegisteredFlow[],
  deps: CodeRegistrationDeps,
): Promise<Registration> {
  const { code, live, published } = deps
  const store = createFlowStore(deps.database.sql)
  await code.prepare(flows)
  const missing = new Set(flows.map(({ document }) => document.name).filter((name) => code.isMissing(name)))
  const definedBefore = await code.defined()
  const results = await Promise.all(flows.map(async (flow) => ({ flow, row: await registerFlow(flow, store, deps) })))
  const taken = results.filter(({ row }) => row === null).map(({ flow }) => flow)
  const kept = results.flatMap(({ flow, row }) => (row === null ? [] : [{ flow, row }]))
  await code.replace(kept.map(({ flow }) => flow))
  const changed: FlowChange[] = []
  for (const { row } of kept) {
    const before = published.get(row.name)
    const { document } = currentContent(row)
    const isBack = missing.has(row.name)
    if (before !== undefined && !row.is_new && !isBack) continue
    published.set(document)
    changed.push(changeOf(before, document))
    await live.exclusive(row.id, () => (isBack ? reopen(row, live) : live.rebuild(row)))
  }
  const removed = definedBefore.filter((name) => code.isMissing(name))
  await endMissing(removed, store, deps)
  return { changed, removed, errors: taken.map(nameTaken) }
}

async function endMissing(names: readonly string[], store: FlowStore, { live }: CodeRegistrationDeps): Promise<void> {
  for (const name of names) {
    const row = await store.byName(name)
    if (row === null) continue
    await live.exclusive(row.id, () => live.end(row))
    live.announce(row, 'failed')
  }
}

/** A flow that was missing is as active as it is wished to be. */
async function reopen(row: FlowRow, live: LiveFlows): Promise<void> {
  await live.end(row)
  if (row.wished === 'stopped') live.announce(row)
  else await live.revive(row)
}

function changeOf(before: FlowDocument | undefined, { name, mode, version, nodes }: FlowDocument): FlowChange {
  const old = new Map(before?.nodes.map((node) => [node.id, canonicalJson(node)]))
  const fresh = nodes.filter((node) => old.get(node.id) !== canonicalJson(node)).map(({ id }) => id)
  const kept = new Set(nodes.map(({ id }) => id))
  const gone = [...old.keys()].filter((id) => !kept.has(id))
  return { name, mode, previousVersion: before?.version ?? null, version, nodes: [...fresh, ...gone] }
}

const nameTaken = ({ document, module }: RegisteredFlow): LoadError => ({
  file: module,
  line: null,
  column: null,
  message: `there is a flow "${document.name}" that was made through the API; rename one, or delete that one`,
  frame: null,
})

function registerFlow(
  { document, module, project, commit }: RegisteredFlow,
  store: FlowStore,
  deps: CodeRegistrationDeps,
): Promise<(FlowRow & { is_new: boolean }) | null> {
  const { name } = document
  const code = { module, project, digest: documentDigest(document), commit }
  return deps.database.transaction(async (tx) => {
    const row = await store.register(tx, { id: newId(), name, content: contentOf(document), code })
    if (row === null) return null
    await keepRefs(deps.artifacts, tx, row)
    const detail = { version: row.version, module, commit }
    if (row.is_new) await deps.eventLog.audit(tx, { action: 'flow.publish', actor: null, flow: name, detail })
    return row
  })
}
