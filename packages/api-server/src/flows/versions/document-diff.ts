/**
 * How two contents of a flow differ (V23): in fields, in the source of nodes, and in wires.
 *
 * - document-diff.F1 the listed changes, made in the one document, give the other one, but for the place of added nodes.
 * - document-diff.F2 lists of different lengths differ as a whole: which of their items are the same, nobody knows.
 * @module
 */
import { isDeepStrictEqual } from 'node:util'

import { type Change, type FlowDocument, type FlowNode, type NodeChange, type Wire } from '@flow-service/protocol'
import { createTwoFilesPatch, FILE_HEADERS_ONLY, formatPatch } from 'diff'

/** A content with the code of its nodes, by their ids. */
export interface SourcedDocument {
  readonly document: FlowDocument
  readonly sources: Readonly<Record<string, string>>
  /** What it is called in the head of a unified diff. */
  readonly label: string
}

/** A port that has the values of a message. */
export type Reader = Wire['to']

/** What differs, but for the wires. */
export interface DocumentChanges {
  readonly flow: Change[]
  readonly nodes: NodeChange[]
}

/** Beyond so many lines that differ a source differs as a whole: the search for the least difference takes long. */
const MAX_EDITS = 1_000
const CONTEXT_LINES = 3

/** What is different in `to`. */
export function documentChanges(from: SourcedDocument, to: SourcedDocument): DocumentChanges {
  const [old, fresh] = [from, to].map(({ document }) => new Map(document.nodes.map((node) => [node.id, node])))
  if (!old || !fresh) return { flow: [], nodes: [] }
  const ids = [...fresh.keys(), ...[...old.keys()].filter((id) => !fresh.has(id))]
  const order = [old, fresh].map((nodes) => [...nodes.keys()].filter((id) => old.has(id) && fresh.has(id)))
  return {
    flow: [
      ...changes(flowFields(from.document), flowFields(to.document), ''),
      ...(isDeepStrictEqual(order[0], order[1]) ? [] : [{ path: '/nodes', from: order[0], to: order[1] } as Change]),
    ],
    nodes: ids.flatMap((id) => nodeChange(id, [old.get(id), fresh.get(id)], from, to) ?? []),
  }
}

const flowFields = ({ title, description, mode, inputs, outputs, resources, concurrency }: FlowDocument): object => ({
  title,
  description,
  mode,
  inputs,
  outputs,
  resources,
  concurrency,
})

/** Without the source, which has a diff of its own, and without what follows from the name of a port. */
function nodeFields(node: FlowNode | undefined): object {
  if (node === undefined) return {}
  const { id: _id, source: _source, ports, ...fields } = node
  return { ...fields, ports: ports.map(({ message: _message, ...port }) => port) }
}

function nodeChange(
  id: string,
  [old, fresh]: readonly [FlowNode | undefined, FlowNode | undefined],
  from: SourcedDocument,
  to: SourcedDocument,
): NodeChange | null {
  const fields = changes(nodeFields(old), nodeFields(fresh), '')
  const source = sourceDiff(id, from, to)
  if (old === undefined) return { id, change: 'added', fields, source }
  if (fresh === undefined) return { id, change: 'removed', fields, source }
  return fields.length === 0 && source === null ? null : { id, change: 'changed', fields, source }
}

/** A node may be called `constructor`. */
const codeOf = ({ sources }: SourcedDocument, id: string): string =>
  Object.hasOwn(sources, id) ? (sources[id] ?? '') : ''

/** Unified; null when both are the same. */
function sourceDiff(id: string, from: SourcedDocument, to: SourcedDocument): string | null {
  const [old, fresh] = [codeOf(from, id), codeOf(to, id)]
  if (old === fresh) return null
  const [oldName, newName] = [`${id} (${from.label})`, `${id} (${to.label})`]
  const options = { context: CONTEXT_LINES, headerOptions: FILE_HEADERS_ONLY, maxEditLength: MAX_EDITS }
  return (
    createTwoFilesPatch(oldName, newName, old, fresh, undefined, undefined, options) ??
    wholePatch({ oldName, newName, old, fresh })
  )
}

/** All lines of the one taken away, all lines of the other one put in their place. */
function wholePatch(of: { oldName: string; newName: string; old: string; fresh: string }): string {
  const [removed, added] = [linesOf(of.old, '-'), linesOf(of.fresh, '+')]
  const hunk = {
    oldStart: 1,
    oldLines: removed.count,
    newStart: 1,
    newLines: added.count,
    lines: [...removed.lines, ...added.lines],
  }
  const patch = { oldFileName: of.oldName, newFileName: of.newName, oldHeader: undefined, newHeader: undefined }
  return formatPatch({ ...patch, hunks: [hunk] }, FILE_HEADERS_ONLY)
}

function linesOf(text: string, sign: string): { readonly lines: string[]; readonly count: number } {
  const lines = text.split('\n')
  const isWhole = lines.at(-1) === ''
  const found = (isWhole ? lines.slice(0, -1) : lines).map((line) => `${sign}${line}`)
  return { lines: isWhole ? found : [...found, '\\ No newline at end of file'], count: found.length }
}

/** What is different in a value; an object differs in its members, a list of the same length in its items. */
function changes(from: unknown, to: unknown, path: string): Change[] {
  if (isDeepStrictEqual(from, to)) return []
  const inner = membersOf(from, to)
  if (inner !== null)
    return inner.flatMap((key) => changes(memberOf(from, key), memberOf(to, key), `${path}/${escaped(key)}`))
  return [{ path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) } as Change]
}

/** The names under which two values are compared; null when they are compared as they are. */
function membersOf(from: unknown, to: unknown): string[] | null {
  if (typeof from !== 'object' || typeof to !== 'object' || from === null || to === null) return null
  if (Array.isArray(from) !== Array.isArray(to)) return null
  if (Array.isArray(from) && Array.isArray(to) && from.length !== to.length) return null
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
}

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

/**
 * The wires of a document that have a node of it at one end: to its own inputs, and to those of other flows, which
 * `readersOf` tells, that read what its nodes produce. What a batch flow tells others are its outputs.
 */
export function wiresOf(document: FlowDocument, readersOf: (message: string) => readonly Reader[]): Wire[] {
  const { name: flow, mode, nodes, outputs } = document
  const ports = nodes.flatMap(({ id: node, ports: own }) => own.map((port) => ({ node, ...port })))
  const producers = Map.groupBy(
    ports.filter(({ direction }) => direction === 'output'),
    ({ message }) => message,
  )
  const sourcesOf = (message: string): Wire['from'][] => {
    const found = producers.get(message)?.map(({ node, port }) => ({ node, port }))
    return found ?? [null]
  }
  const told = new Set(outputs.map(({ name }) => `${flow}.${name}`))
  const inputs = ports.filter(({ direction }) => direction === 'input')
  const ends = inputs.map(({ message, node, port }) => ({ message, to: { flow, node, port } }))
  const abroad = [...producers.keys()]
    .filter((message) => mode === 'live' || told.has(message))
    .flatMap((message) => readersOf(message).map((to) => ({ message, to })))
  return [...ends, ...abroad].flatMap(({ message, to }) => sourcesOf(message).map((from) => ({ message, from, to })))
}

/** Wires that only the one, or only the other one has. */
export function wireChanges(from: readonly Wire[], to: readonly Wire[]): { added: Wire[]; removed: Wire[] } {
  const missingIn = (known: readonly Wire[]) => {
    const keys = new Set(known.map((wire) => JSON.stringify(wire)))
    return (wire: Wire): boolean => !keys.has(JSON.stringify(wire))
  }
  return { added: to.filter(missingIn(from)), removed: from.filter(missingIn(to)) }
}
