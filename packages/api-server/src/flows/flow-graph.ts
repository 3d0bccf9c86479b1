/**
 * Which flows exchange messages (wire decision G77): an edge leads from the flow that a message belongs to, or comes
 * from, to the one that reads it. What is published counts; of a flow that never was, its draft.
 * @module
 */
import { type FlowGraph, flowPart, type Health, type NodeState } from '@flow-service/protocol'

import type { ListedFlow } from './flow-digests.ts'
import type { FlowView } from './flow-view.ts'

const severity: Readonly<Record<Health, number>> = { ok: 0, degraded: 1, down: 2 }

/** The graph of these flows. A message of a flow that does not exist is no edge. */
export const flowGraph = (flows: readonly ListedFlow[], view: Pick<FlowView, 'item' | 'state'>): FlowGraph => ({
  nodes: flows.map((flow) => nodeOf(flow, view)),
  edges: edgesOf(flows),
})

function nodeOf(flow: ListedFlow, view: Pick<FlowView, 'item' | 'state'>): FlowGraph['nodes'][number] {
  const { name, mode, status, issues } = view.item(flow)
  const health = status === 'failed' ? 'down' : worst(view.state(flow.head).nodeStates)
  const { error, warning, advisory } = issues
  return { id: idOf(name), kind: 'flow', name, mode, status, health, issues: error + warning + advisory }
}

const worst = (states: readonly NodeState[]): Health =>
  states.map(healthOf).reduce((found, health) => (severity[health] > severity[found] ? health : found), 'ok')

/** A node that has failed goes on, but somebody has to look. */
const healthOf = ({ health, status }: NodeState): Health =>
  health === 'ok' && status === 'failed' ? 'degraded' : health

function edgesOf(flows: readonly ListedFlow[]): FlowGraph['edges'] {
  const names = new Set(flows.map(({ head }) => head.name))
  const edges = new Map<string, { from: string; to: string; messages: Set<string> }>()
  const wire = (from: string, to: string, message: string): void => {
    const key = `${from} ${to}`
    const edge = edges.get(key) ?? { from: idOf(from), to: idOf(to), messages: new Set() }
    edges.set(key, edge)
    edge.messages.add(message)
  }
  for (const { head, digest } of flows) {
    const { name } = head
    for (const message of digest.reads) if (names.has(flowPart(message))) wire(flowPart(message), name, message)
    for (const message of digest.publishes) if (names.has(flowPart(message))) wire(name, flowPart(message), message)
  }
  return [...edges.values()].map(({ messages, ...ends }) => ({ ...ends, messages: [...messages].toSorted() }))
}

const idOf = (name: string): string => `flow:${name}`
