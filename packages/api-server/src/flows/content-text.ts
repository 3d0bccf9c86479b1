/**
 * The contents of rows as text: `store.ts` reads and writes them by this, a long one while others have turns. The document
 * of a long content is known from then on, for as long as somebody holds the content: one request asks for it several times,
 * and each time would hold the loop.
 * @module
 */
import { ITEMS_A_STEP, type Steps } from '@flow-service/core'
import {
  type FlowDocument,
  flowDocumentInputSchema,
  MAX_NODES,
  nodeInputSchema,
  normalizeDocument,
} from '@flow-service/protocol'
import * as z from 'zod'

import { parseSteps, textSteps } from '../http/long-json.ts'
import { inTurns } from '../process/turns.ts'

/** What the schema of documents says of a value. */
export type ParsedDocument = z.ZodSafeParseResult<z.output<typeof flowDocumentInputSchema>>

/** By long contents; the version, and the code of the library, are not said in them. */
const known = new WeakMap<object, FlowDocument | z.ZodError>()
const nodesSchema = z.array(nodeInputSchema)
/** Lists up to this many nodes are looked at together with the rest. */
const FEW_NODES = 500
/** A text of fewer characters has not that many. */
const SHORT_TEXT = 10_000

/** A content of the row of a flow of that name. */
export async function contentOfText(name: string, text: string | null): Promise<unknown> {
  if (text === null) return null
  if (text.length < SHORT_TEXT) return JSON.parse(text)
  const content = await inTurns(parseSteps(text, 'nodes'))
  if (hasManyNodes(content)) known.set(content, await inTurns(knownSteps(name, content)))
  return content
}

function* knownSteps(name: string, content: object): Steps<FlowDocument | z.ZodError> {
  const { data, error } = yield* documentSteps(withoutLayout(content))
  return error ?? (yield* normalSteps(name, data))
}

/** Keeps the document that a content was made of. */
export function keepDocument(content: object, document: FlowDocument): void {
  if (hasManyNodes(content)) known.set(content, document)
}

/** A content as a row takes it. */
export const textOfContent = (content: unknown): Promise<string> => inTurns(textSteps(content))

/** The document of a content, or what its schema refuses of it; whatever its layout is: contents had layouts of any shape. */
export function documentOf(name: string, content: unknown): FlowDocument | z.ZodError {
  const found = typeof content === 'object' && content !== null ? known.get(content) : undefined
  if (found instanceof z.ZodError || found?.name === name) return found
  const { data, error } = flowDocumentInputSchema.safeParse(withoutLayout(content))
  return error ?? normalizeDocument(name, data)
}

/** As `normalizeDocument`, a few nodes at a time. */
export function* normalSteps(
  name: string,
  input: z.output<typeof flowDocumentInputSchema>,
  ...of: readonly [sourceOf?: SourceOf, triggerOf?: TriggerOf]
): Steps<FlowDocument> {
  const document = normalizeDocument(name, { ...input, nodes: [] }, ...of)
  for (let from = 0; from < input.nodes.length; from += ITEMS_A_STEP) {
    if (from > 0) yield
    const some = { ...input, inputs: [], outputs: [], nodes: input.nodes.slice(from, from + ITEMS_A_STEP) }
    document.nodes.push(...normalizeDocument(name, some, ...of).nodes)
  }
  return document
}

type SourceOf = Parameters<typeof normalizeDocument>[2]
type TriggerOf = Parameters<typeof normalizeDocument>[3]

/** What the schema of documents says of a value, a few nodes at a time; what it refuses is looked at once more, as a whole. */
export function* documentSteps(value: unknown): Steps<ParsedDocument> {
  if (!hasManyNodes(value)) return flowDocumentInputSchema.safeParse(value)
  const { nodes } = value
  const found = flowDocumentInputSchema.safeParse({ ...value, nodes: [] })
  if (!found.success || nodes.length > MAX_NODES) return flowDocumentInputSchema.safeParse(value)
  const all: z.output<typeof nodesSchema> = []
  for (let from = 0; from < nodes.length; from += ITEMS_A_STEP) {
    yield
    const some = nodesSchema.safeParse(nodes.slice(from, from + ITEMS_A_STEP))
    if (!some.success) return flowDocumentInputSchema.safeParse(value)
    all.push(...some.data)
  }
  return { success: true, data: { ...found.data, nodes: all } }
}

const hasManyNodes = (value: unknown): value is { readonly nodes: readonly unknown[] } =>
  typeof value === 'object' &&
  value !== null &&
  'nodes' in value &&
  Array.isArray(value.nodes) &&
  value.nodes.length > FEW_NODES

const withoutLayout = (content: unknown): unknown =>
  typeof content === 'object' && content !== null && 'layout' in content ? { ...content, layout: {} } : content
