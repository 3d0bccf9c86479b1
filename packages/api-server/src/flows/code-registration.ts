/**
 * Brings flows in TypeScript into the database: published directly, with a new version only when they have changed
 * (wire decision G64).
 * @module
 */
import { documentDigest } from '@flow-service/core'
import { v7 } from 'uuid'

import type { Database } from '../db/database.ts'
import type { EventLog } from '../events/event-log.ts'
import type { LoadError } from './code-project.ts'
import type { CodeRegistry, RegisteredFlow } from './code-registry.ts'
import { type FlowsDeps, keepRefs } from './flows.ts'
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

/**
 * Registers these flows in place of those that were registered before, and rebuilds the active ones; called once at
 * least, with no flows too. What cannot be registered, because the API has a flow of the name, is answered as errors.
 */
export async function registerFlows(
  flows: readonly RegisteredFlow[],
  deps: CodeRegistrationDeps,
): Promise<LoadError[]> {
  const store = createFlowStore(deps.database)
  const rows = await Promise.all(flows.map((flow) => registerFlow(flow, store, deps)))
  const taken = flows.filter((_, index) => rows[index] === null)
  await deps.code.replace(flows.filter((_, index) => rows[index] !== null))
  for (const row of rows) {
    if (row === null) continue
    deps.published.set(currentContent(row).document)
    await deps.live.exclusive(row.id, () => deps.live.rebuild(row))
  }
  return taken.map(({ document, module }) => ({
    file: module,
    line: null,
    column: null,
    message: `there is a flow "${document.name}" that was made through the API; rename one, or delete that one`,
    frame: null,
  }))
}

function registerFlow(
  { document, module, commit }: RegisteredFlow,
  store: FlowStore,
  deps: CodeRegistrationDeps,
): Promise<FlowRow | null> {
  const { name } = document
  const code = { module, digest: documentDigest(document), commit }
  return deps.database.transaction(async (tx) => {
    const row = await store.register(tx, { id: v7(), name, content: contentOf(document), code })
    if (row === null) return null
    await keepRefs(deps.artifacts, tx, row)
    const detail = { version: row.version, module, commit }
    if (row.is_new) await deps.eventLog.audit(tx, { action: 'flow.publish', actor: null, flow: name, detail })
    return row
  })
}
