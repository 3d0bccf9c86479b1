/**
 * Between rows and documents. What a row holds is checked whenever it is read: content that no longer fits is shown as
 * an issue of its flow and keeps nothing else from working. A node that names a library source is stored without code
 * and read with the code that the library has at that moment.
 * @module
 */
import {
  type FlowDocument,
  flowDocumentInputSchema,
  type FlowMode,
  type FlowNode,
  type Issue,
  normalizeDocument,
} from '@flow-service/protocol'
import * as z from 'zod'

import { jsonPointer } from '../http/errors.ts'
import { documentOf, keepDocument } from './content-text.ts'
import type { FlowRow } from './store.ts'

/** A document as it was read; `fault` when the row holds none, and the document is an empty one. */
export interface ReadContent {
  readonly document: FlowDocument
  readonly fault: Issue | null
}

/** What goes into a row: the document without what its other columns, and the table of layouts, say. */
export function contentOf(document: FlowDocument): Omit<FlowDocument, 'name' | 'version'> {
  const stored = { ...document, layout: {}, nodes: document.nodes.map(withoutSharedCode) }
  const { name: _name, version: _version, ...content } = stored
  keepDocument(content, stored)
  return content
}

/** A node as it is stored: shared code stands in the library alone. */
const withoutSharedCode = (node: FlowNode): FlowNode => (node.library === null ? node : { ...node, source: null })

/** A stored content with every node changed; what holds no nodes stays as it is. */
export function mapStoredNodes(content: unknown, change: (node: object) => object): unknown {
  if (typeof content !== 'object' || content === null || !('nodes' in content)) return content
  if (!Array.isArray(content.nodes)) return content
  const nodes = content.nodes.map((node: unknown) => (typeof node === 'object' && node !== null ? change(node) : node))
  return { ...content, nodes }
}

/** The current content of a flow: its draft if there is one. */
export const currentContent = (row: FlowRow): ReadContent => readContent(row, row.draft ?? row.published)

/** A content that was published, under the name that its flow has now. */
export const versionContent = (
  name: string,
  kept: { readonly version: number; readonly content: unknown; readonly library: FlowRow['library'] },
): ReadContent => readContent({ ...kept, name }, kept.content)

/** The published content of a flow; null when there is none. */
export const publishedContent = (row: FlowRow): ReadContent | null =>
  row.published === null ? null : readContent(row, row.published)

function readContent(row: Pick<FlowRow, 'name' | 'version' | 'library'>, content: unknown): ReadContent {
  const document = documentOf(row.name, content)
  if (!(document instanceof z.ZodError)) {
    const nodes = document.nodes.map((node) => withSharedCode(node, row))
    return { document: { ...document, version: row.version, nodes }, fault: null }
  }
  const [first] = document.issues
  const path = jsonPointer(first?.path ?? [])
  const empty = flowDocumentInputSchema.parse(modeOf(content))
  return {
    document: { ...normalizeDocument(row.name, empty), version: row.version },
    fault: {
      severity: 'error',
      code: 'bad_setting',
      message: `the stored content cannot be read: ${path}: ${first?.message ?? 'not a document'}; save the flow anew`,
      node: null,
      path,
    },
  }
}

const withSharedCode = (node: FlowNode, { library }: Pick<FlowRow, 'library'>): FlowNode =>
  node.library === null ? node : { ...node, source: library?.[node.library] ?? null }

function modeOf(content: unknown): { mode?: FlowMode } {
  const mode = typeof content === 'object' && content !== null && 'mode' in content ? content.mode : undefined
  return mode === 'live' || mode === 'batch' ? { mode } : {}
}
