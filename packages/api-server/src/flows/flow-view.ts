/**
 * Flows as the API shows them: rows with what the engine says about them (wire decisions G11, G18).
 * @module
 */
import { checkDocument, type NodeRegistry, type Surroundings } from '@flow-service/core'
import {
  type Flow,
  type FlowDocument,
  type FlowListItem,
  type FlowMode,
  flowPart,
  type FlowStatus,
  type Issue,
} from '@flow-service/protocol'

import type { CodeRegistry } from './code-registry.ts'
import type { FlowSecrets } from './flow-secrets.ts'
import type { LiveFlows, LiveState } from './live.ts'
import type { PublishedFlows } from './published-flows.ts'
import type { PythonIssues } from './python-issues.ts'
import type { FlowRow } from './store.ts'
import { currentContent, publishedContent, type ReadContent } from './stored-content.ts'

/** Makes answers of rows. */
export interface FlowView {
  /** The flow with its current content, or the published one. */
  flow(row: FlowRow, which?: 'current' | 'published'): Promise<Flow>
  /** The list. Contents are checked when they are new here; Python sources are not parsed for it. */
  list(rows: readonly FlowRow[]): FlowListItem[]
  /** What is wrong with a content; an `error` keeps it from being published and started. */
  issues(content: ReadContent): Promise<Issue[]>
  /** The live state; of a flow whose module is gone, `failed`. */
  state(row: FlowRow): LiveState
}

/** What a view looks at. */
export interface FlowViewDeps {
  readonly registry: NodeRegistry
  readonly code: CodeRegistry
  readonly live: Pick<LiveFlows, 'state'>
  readonly published: Pick<PublishedFlows, 'dtypeOf' | 'generation'>
  readonly missing: NonNullable<Surroundings['missing']>
  readonly pythonIssues: PythonIssues
  readonly secrets: FlowSecrets
}

/**
 * What the list shows of a content; holds for one version while the secrets are the same and the library has the same of
 * the sources it names, and where others' messages are named, for one generation.
 */
interface Summary {
  readonly version: string
  readonly generation: number | null
  readonly title: string
  readonly mode: FlowMode
  readonly issues: readonly Issue[]
}

/** A view of flows. */
export function createFlowView(deps: FlowViewDeps): FlowView {
  const { registry, code, live, published, missing, pythonIssues, secrets } = deps
  const around: Surroundings = { message: (name) => published.dtypeOf(name), missing, secrets }
  let summaries: ReadonlyMap<string, Summary> = new Map()
  const documentIssues = ({ document, fault }: ReadContent): Issue[] =>
    fault ? [fault] : checkDocument(document, registry, around)

  const state = (row: FlowRow): LiveState => {
    const found = live.state(row)
    return code.isMissing(row.name) ? { ...found, status: 'failed' } : found
  }
  const shown = (row: FlowRow, status: FlowStatus) => ({
    status,
    version: row.version,
    has_draft: row.draft !== null,
    published_version: row.published_version,
    origin: row.origin,
    updated_at: row.updated_at,
  })
  const issues = async (content: ReadContent): Promise<Issue[]> => [
    ...documentIssues(content),
    ...(await pythonIssues(content.document)),
  ]

  const summaryOf = (row: FlowRow): Summary => {
    const parts = [row.version, row.published_version, secrets.generation, ...Object.keys(row.library ?? {})]
    const version = parts.join(' ')
    const known = summaries.get(row.id)
    const { generation } = published
    if (known?.version === version && (known.generation ?? generation) === generation) return known
    const content = currentContent(row)
    const { title, mode } = content.document
    const looksOut = namesOthers(content.document)
    return { version, generation: looksOut ? generation : null, title, mode, issues: documentIssues(content) }
  }
  const listItem = (row: FlowRow, { title, mode, issues: found }: Summary): FlowListItem => {
    const { status, held, issues: liveIssues } = state(row)
    const all = [...found, ...code.issues(row.name), ...liveIssues]
    const count = (severity: Issue['severity']): number => all.filter((issue) => issue.severity === severity).length
    const counts = { error: count('error'), warning: count('warning'), advisory: count('advisory') }
    return { name: row.name, title, mode, held, issues: counts, ...shown(row, status) }
  }

  return {
    state,
    issues,
    async flow(row, which = 'current') {
      const content = (which === 'published' ? publishedContent(row) : null) ?? currentContent(row)
      const { status, held, nodeStates, issues: liveIssues } = state(row)
      return {
        ...content.document,
        ...shown(row, status),
        held,
        issues: [...(await issues(content)), ...code.issues(row.name), ...liveIssues],
        is_draft: which === 'current' && row.draft !== null,
        code: row.code,
        node_states: [...nodeStates],
        created_at: row.created_at,
        updated_by: row.updated_by,
      }
    },
    list(rows) {
      summaries = new Map(rows.map((row) => [row.id, summaryOf(row)]))
      return rows.map((row) => listItem(row, summaryOf(row)))
    },
  }
}

const namesOthers = ({ name, nodes }: FlowDocument): boolean =>
  nodes.some(({ ports }) => ports.some(({ message }) => flowPart(message) !== name))
