/**
 * Which flows exchange messages (wire decision G77): an edge leads from the flow that a message belongs to, or comes
 * from, to the one that reads it. What is published counts; of a flow that never was, its draft.
 * @module
 */
import { type FlowGraph, type FlowListItem, flowPart, type Health, type NodeState } from '@flow-service/protocol'

import { foreignMessages } from './flow-references.ts'
import type { FlowView } from './flow-view.ts'
import type { PublishedFlows } from './published-flows.ts'
import type { FlowRow } from './store.ts'
import { currentContent } from './stored-content.ts'

/** What the graph is made of. */
export interface FlowGraphDeps {
  readonly view: Pick<FlowView, 'list' | 'state'>
  readonly published: Pick<PublishedFlows, 'get'>
}

const severity: Readonly<Record<Health, number>> = { ok: 0, degraded: 1, down: 2 }

/** The graph of these flows. A message of a flow that does not exist is no edge. */
export function flowGraph(rows: readonly FlowRow[], { view, published }: FlowGraphDeps): FlowGraph {
  const items = view.list(rows)
  const nodes = rows.map((row, at) => nodeOf(row, items[at], view.state(row).nodeStates))
  return { nodes, edges: edgesOf(rows, published) }
}

function nodeOf({ name }: FlowRow, item: FlowListItem | undefined, states: readonly NodeState[]) {
  const { error, warning, advisory } = item?.issues ?? { error: 0, warning: 0, advisory: 0 }
  const status = item?.status ?? null
  const health = status === 'failed' ? 'down' : worst(states)
  const issues = error + warning + advisory
  return { id: idOf(name), kind: 'flow' as const, name, mode: item?.mode ?? null, status, health, issues }
}

const worst = (states: readonly NodeState[]): Health =>
  states.reduce<Health>((found, { health }) => (severity[health] > severity[found] ? health : found), 'ok')

function edgesOf(rows: readonly FlowRow[], published: FlowGraphDeps['published']): FlowGraph['edges'] {
  const names = new Set(rows.map(({ name }) => name))
  const edges = new Map<string, { from: string; to: string; messages: Set<string> }>()
  const wire = (from: string, to: string, message: string): void => {
    const key = `${from} ${to}`
    const edge = edges.get(key) ?? { from: idOf(from), to: idOf(to), messages: new Set() }
    edges.set(key, edge)
    edge.messages.add(message)
  }
  for (const row of rows) {
    const { reads, publishes } = foreignMessages(published.get(row.name) ?? currentContent(row).document)
    for (const message of reads) if (names.has(flowPart(message))) wire(flowPart(message), row.name, message)
    for (const message of publishes) if (names.has(flowPart(message))) wire(row.name, flowPart(message), message)
  }
  return [...edges.values()].map(({ messages, ...ends }) => ({ ...ends, messages: [...messages].toSorted() }))
}

const idOf = (name: string): string => `flow:${name}`
