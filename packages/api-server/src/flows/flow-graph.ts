/**
 * Which flows exchange messages with each other and with devices (wire decision G77): an edge leads from the flow that a
 * message belongs to, or comes from, to the one that reads it; from a device to the flows that it publishes in, and to it
 * from those whose messages it follows. What is published counts; of a flow that never was, its draft, without devices.
 * @module
 */
import { type FlowGraph, flowPart, type Health, type NodeState } from '@flow-service/protocol'

import type { DeviceView, DeviceViews } from '../devices/device-views.ts'
import type { DeviceWiring } from '../devices/device-wiring.ts'
import type { ListedFlow } from './flow-digests.ts'
import type { FlowView } from './flow-view.ts'

const severity: Readonly<Record<Health, number>> = { ok: 0, degraded: 1, down: 2 }

/** What the graph has beside flows. */
export interface GraphDevices {
  readonly deviceViews: Pick<DeviceViews, 'all'>
  readonly deviceWiring: Pick<DeviceWiring, 'of'>
}

/** The graph of these flows, and of all devices. A message of a flow that does not exist is no edge. */
export function flowGraph(
  flows: readonly ListedFlow[],
  view: Pick<FlowView, 'item' | 'state'>,
  { deviceViews, deviceWiring }: GraphDevices,
): FlowGraph {
  const devices = deviceViews.all()
  const names = new Set(flows.map(({ head }) => head.name))
  const edges = new Edges()
  for (const flow of flows) wireFlow(edges, flow, names)
  for (const { id } of devices) wireDevice(edges, id, deviceWiring.of(id), names)
  return { nodes: [...flows.map((flow) => nodeOf(flow, view)), ...devices.map(deviceNode)], edges: edges.list() }
}

/** Devices have no issues of their own: those of a flow tell what its nodes lack. */
const deviceNode = ({ id, name, online }: DeviceView): FlowGraph['nodes'][number] => ({
  id: deviceId(id),
  kind: 'device',
  name,
  mode: null,
  status: null,
  health: online ? 'ok' : 'degraded',
  issues: 0,
})

function nodeOf(flow: ListedFlow, view: Pick<FlowView, 'item' | 'state'>): FlowGraph['nodes'][number] {
  const { name, mode, status, issues } = view.item(flow)
  const health = status === 'failed' ? 'down' : worst(view.state(flow.head).nodeStates)
  const { error, warning, advisory } = issues
  return { id: flowId(name), kind: 'flow', name, mode, status, health, issues: error + warning + advisory }
}

const worst = (states: readonly NodeState[]): Health =>
  states.map(healthOf).reduce((found, health) => (severity[health] > severity[found] ? health : found), 'ok')

/** A node that has failed goes on, but somebody has to look. */
const healthOf = ({ health, status }: NodeState): Health =>
  health === 'ok' && status === 'failed' ? 'degraded' : health

function wireFlow(edges: Edges, { head: { name }, digest }: ListedFlow, names: ReadonlySet<string>): void {
  const id = flowId(name)
  for (const message of digest.reads)
    if (names.has(flowPart(message))) edges.add(flowId(flowPart(message)), id, message)
  for (const message of digest.publishes)
    if (names.has(flowPart(message))) edges.add(id, flowId(flowPart(message)), message)
}

function wireDevice(
  edges: Edges,
  device: string,
  bindings: ReturnType<DeviceWiring['of']>,
  names: ReadonlySet<string>,
): void {
  const id = deviceId(device)
  for (const { direction, message } of bindings) {
    const flow = flowPart(message)
    if (!names.has(flow)) continue
    if (direction === 'in') edges.add(id, flowId(flow), message)
    else edges.add(flowId(flow), id, message)
  }
}

/** Messages by the nodes between which they go. */
class Edges {
  readonly #edges = new Map<string, { from: string; to: string; messages: Set<string> }>()

  add(from: string, to: string, message: string): void {
    const key = `${from} ${to}`
    const edge = this.#edges.get(key) ?? { from, to, messages: new Set() }
    this.#edges.set(key, edge)
    edge.messages.add(message)
  }

  list(): FlowGraph['edges'] {
    return [...this.#edges.values()].map(({ messages, ...ends }) => ({ ...ends, messages: [...messages].toSorted() }))
  }
}

const flowId = (name: string): string => `flow:${name}`
const deviceId = (id: string): string => `device:${id}`
