/**
 * Flows as the API shows them: rows with what the engine says about them (wire decisions G11, G18).
 * @module
 */
import { checkSteps, type NodeRegistry, type Surroundings } from '@flow-service/core'
import { type Flow, type FlowListItem, type FlowStatus, type Issue } from '@flow-service/protocol'

import type { CodeRegistry } from '../code/registry.ts'
import type { Database } from '../db/database.ts'
import { inTurns } from '../process/turns.ts'
import type { EngineSurroundings } from './engine-surroundings.ts'
import { countsOf, type ListedFlow } from './flow-digests.ts'
import type { FlowSecrets } from './flow-secrets.ts'
import { createLayoutStore } from './layout-store.ts'
import type { LiveFlows } from './live-flows.ts'
import type { LiveState } from './live-state.ts'
import type { PublishedFlows } from './published-flows.ts'
import type { PythonIssues } from './python-issues.ts'
import type { FlowHead, FlowRow } from './store.ts'
import { currentContent, publishedContent, type ReadContent } from './stored-content.ts'

/** Makes answers of rows. */
export interface FlowView {
  /** The flow with its current content, or the published one. */
  flow(row: FlowRow, which?: 'current' | 'published'): Promise<Flow>
  /** A row of the list; Python sources are not parsed for it. */
  item(flow: ListedFlow, lastActivityAt?: string | null): FlowListItem
  /** What is wrong with a content; an `error` keeps it from being published and started. */
  issues(content: ReadContent): Promise<Issue[]>
  /** The live state; of a flow whose module is gone, and that no other engine runs, `failed`. */
  state(row: FlowHead): LiveState
}

/** What a view looks at. */
export interface FlowViewDeps extends EngineSurroundings {
  readonly database: Pick<Database, 'sql'>
  readonly registry: NodeRegistry
  readonly code: CodeRegistry
  readonly live: Pick<LiveFlows, 'state'>
  readonly published: Pick<PublishedFlows, 'dtypeOf'>
  readonly pythonIssues: PythonIssues
  readonly secrets: FlowSecrets
}

/** A view of flows. */
export function createFlowView(deps: FlowViewDeps): FlowView {
  const { registry, code, live, published, missing, flavors, pythonIssues, pythons, secrets } = deps
  const layouts = createLayoutStore(deps.database.sql)
  const message = (name: string) => published.dtypeOf(name)
  const around: Surroundings = { message, missing, flavors, pythons, secrets, devices: deps.deviceViews }
  const documentIssues = async ({ document, fault }: ReadContent): Promise<Issue[]> =>
    fault ? [fault] : inTurns(checkSteps(document, registry, around))

  const state = (row: FlowHead): LiveState => {
    const found = live.state(row)
    return code.isMissing(row.name) && row.runs_at === null ? { ...found, status: 'failed', issues: [] } : found
  }
  const shown = (row: FlowHead, status: FlowStatus) => ({
    status,
    version: row.version,
    has_draft: row.has_draft,
    published_version: row.published_version,
    origin: row.origin,
    updated_at: row.updated_at,
  })
  const issues = async (content: ReadContent): Promise<Issue[]> => [
    ...(await documentIssues(content)),
    ...(await pythonIssues(content.document)),
  ]

  return {
    state,
    issues,
    async flow(row, which = 'current') {
      const content = (which === 'published' ? publishedContent(row) : null) ?? currentContent(row)
      const { status, held, nodeStates, issues: liveIssues } = state(row)
      const [layout, found] = await Promise.all([layouts.of(row.id), issues(content)])
      return {
        ...content.document,
        layout,
        ...shown(row, status),
        held,
        issues: [...found, ...code.issues(row.name), ...liveIssues],
        is_draft: which === 'current' && row.draft !== null,
        code: row.code && shownOrigin(row.code),
        node_states: [...nodeStates],
        created_at: row.created_at,
        updated_by: row.updated_by,
      }
    },
    item({ head, digest }, lastActivityAt = null) {
      const { status, held, nodeStates, issues: liveIssues } = state(head)
      const { error, warning, advisory } = countsOf([...code.issues(head.name), ...liveIssues])
      const { name, mode } = head
      const { title, issues: found } = digest
      const counts = {
        error: found.error + error,
        warning: found.warning + warning,
        advisory: found.advisory + advisory,
      }
      const failed = nodeStates.filter((node) => node.status === 'failed').length
      const own = { name, title, mode, held, issues: counts, failed_nodes: failed }
      return { ...own, ...shown(head, status), last_activity_at: lastActivityAt }
    },
  }
}

/** Without the folder on the machine that read the module. */
const shownOrigin = ({ module, digest, commit }: NonNullable<FlowRow['code']>): Flow['code'] => ({
  module,
  digest,
  commit,
})
