/**
 * Flows as runs need them: a content with the identity of its flow.
 * @module
 */
import { checkDocument, type NodeRegistry, type Secrets, type Surroundings } from '@flow-service/core'
import type { FlowDocument, FlowMode, Issue } from '@flow-service/protocol'

import type { CodeRegistry } from '../code/registry.ts'
import type { Database } from '../db/database.ts'
import { createTurnGroup } from '../db/turn-group.ts'
import { Recent } from '../process/recent.ts'
import type { EngineSurroundings } from './engine-surroundings.ts'
import type { PublishedFlows } from './published-flows.ts'
import type { PythonIssues } from './python-issues.ts'
import { createFlowStore, type FlowRow, type Written } from './store.ts'
import { currentContent, publishedContent } from './stored-content.ts'

/** Which content is executed. */
type Form = 'draft' | 'published'

/** A flow and one of its contents. */
export interface RunnableFlow {
  readonly id: string
  readonly name: string
  readonly mode: FlowMode
  /** Null when the published content is asked for and nothing is published. */
  readonly document: FlowDocument | null
  /** Version of the content. */
  readonly version: number
  /** Commit of the project that defines the flow in code, else null. */
  readonly commit: string | null
}

/** A flow as it was once read. */
export interface ReadFlow extends RunnableFlow {
  readonly document: FlowDocument
  /** Which writing of its row that was: while the row has it, the flow is the same. */
  readonly written: string
}

/** Finds contents to run. */
export interface RunnableFlows {
  /**
   * `draft` means the draft, or the published content where there is no draft. Null when no such flow exists. Callers of
   * the same moment share a statement, and what it has read.
   */
  byName(name: string, form: Form): Promise<RunnableFlow | null>
  /** The published content as it was read last, if it is in memory: for those who see that it still holds. */
  readLast(name: string): ReadFlow | null
  /** The draft as it is now; null when the flow is gone. */
  draftOf(id: string): Promise<RunnableFlow | null>
  /** The name that a flow has now, which had another one when it was read. */
  nameOf(id: string, known: string): string
  /** What is wrong with a document now; the Python of a draft is parsed, published content was when it was published. */
  issuesOf(document: FlowDocument, form: Form): Promise<Issue[]>
}

/** What finding takes. */
export interface RunnableFlowsDeps extends EngineSurroundings {
  readonly database: Pick<Database, 'sql'>
  readonly registry: NodeRegistry
  readonly code: Pick<CodeRegistry, 'issues'>
  readonly published: Pick<PublishedFlows, 'dtypeOf' | 'nameOf'>
  readonly pythonIssues: PythonIssues
  readonly secrets: Secrets
}

/** Contents to run, of a database. */
export function createRunnableFlows(deps: RunnableFlowsDeps): RunnableFlows {
  const { database, registry, code, published, pythonIssues, missing, flavors, pythons, secrets } = deps
  const store = createFlowStore(database.sql)
  const recent = new Recent<string, ReadFlow>({
    count: 100,
    weight: 10_000,
    weightOf: ({ document: { nodes } }) => nodes.length,
  })
  const remember = (flow: RunnableFlow, { written }: Written): void => {
    const { name, document } = flow
    // shared code changes without the row
    if (document?.nodes.every(({ library }) => library === null)) recent.set(name, { ...flow, document, written })
    else recent.delete(name)
  }
  const find = createTurnGroup(async (asked: readonly { readonly name: string; readonly form: Form }[]) => {
    const rows = await store.byNames([...new Set(asked.map(({ name }) => name))])
    const read = new Map<string, RunnableFlow>()
    return asked.map(({ name, form }) => {
      const row = rows.find((one) => one.name === name)
      if (!row) {
        recent.delete(name)
        return null
      }
      const flow = read.get(`${form} ${name}`) ?? runnable(row, form)
      read.set(`${form} ${name}`, flow)
      if (form === 'published') remember(flow, row)
      return flow
    })
  })
  const message = (name: string) => published.dtypeOf(name)
  const around: Surroundings = { message, missing, flavors, pythons, secrets, devices: deps.deviceViews }
  return {
    byName: (name, form) => find({ name, form }),
    readLast: (name) => recent.get(name) ?? null,
    async draftOf(id) {
      const row = await store.byId(id)
      return row && runnable(row, 'draft')
    },
    nameOf: (id, known) => published.nameOf(id, known),
    issuesOf: async (document, form) => [
      ...checkDocument(document, registry, around),
      ...code.issues(document.name),
      ...(form === 'draft' ? await pythonIssues(document) : []),
    ],
  }
}

function runnable(row: FlowRow, form: Form): RunnableFlow {
  const { id, name, code, version, published_version: publishedVersion } = row
  const isPublished = form === 'published' || row.draft === null
  const content = isPublished ? publishedContent(row) : currentContent(row)
  // content that cannot be read is nothing that could run
  const document = content === null || content.fault ? null : content.document
  const { mode } = (content ?? currentContent(row)).document
  const contentVersion = isPublished ? (publishedVersion ?? version) : version
  return { id, name, mode, document, version: contentVersion, commit: code?.commit ?? null }
}
