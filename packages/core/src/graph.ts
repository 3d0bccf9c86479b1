/**
 * A flow document as a graph: equal message names are the wires (G14). Pure; executes nothing.
 * @module
 */
import type { NodePort } from '@flow-service/connector-sdk'
import { type Dtype, type FlowDocument, type FlowNode, flowPart, messagePart, type Port } from '@flow-service/protocol'

import { atOnce, endsStep, type Steps } from './steps.ts'

/** A node and its ports by direction, in the document's order. */
export interface GraphNode {
  readonly node: FlowNode
  readonly inputs: readonly NodePort[]
  readonly outputs: readonly NodePort[]
}

/** One port of one node. */
export interface PortPlace {
  readonly node: string
  readonly port: string
}

/** A flow's nodes and wires. Messages are qualified names. */
export interface Graph {
  /** Producers before consumers, else in the document's order; nodes that a cycle holds back stand last. */
  readonly nodes: readonly GraphNode[]
  /** How many of `nodes` are in dependency order; the others wait for a cycle. */
  readonly ordered: number
  readonly producers: ReadonlyMap<string, readonly PortPlace[]>
  readonly readers: ReadonlyMap<string, readonly PortPlace[]>
}

/** A message that a flow declares (G14, point 2). */
export interface DeclaredMessage {
  /** Qualified name. */
  readonly name: string
  readonly message: string
  /** The producers' dtype; `any` when they differ. */
  readonly dtype: Dtype
  readonly stream: boolean
  readonly sources: readonly PortPlace[]
}

/** The ports of one direction as their node sees them. */
export const portsOf = (node: FlowNode, direction: Port['direction']): NodePort[] =>
  node.ports
    .filter((port) => port.direction === direction)
    .map(({ port, message, dtype, stream, trigger }) => ({ port, message, dtype, stream, trigger }))

/** The graph of a document, in time linear in its ports. */
export const buildGraph = (document: FlowDocument): Graph => atOnce(graphSteps(document))

/** As {@link buildGraph}, by steps. */
export function* graphSteps(document: FlowDocument): Steps<Graph> {
  const producers = new Map<string, PortPlace[]>()
  const readers = new Map<string, PortPlace[]>()
  const nodes: GraphNode[] = []
  for (const node of document.nodes) {
    for (const { direction, message, port } of node.ports) {
      append(direction === 'output' ? producers : readers, message, { node: node.id, port })
    }
    nodes.push({ node, inputs: portsOf(node, 'input'), outputs: portsOf(node, 'output') })
    if (endsStep(nodes.length - 1)) yield
  }
  return { ...(yield* inDependencyOrder(nodes, producers)), producers, readers }
}

/** Ids of the nodes that produce what a node reads, passive inputs included (G16). */
export const dependenciesOf = ({ producers }: Graph, { inputs }: GraphNode): ReadonlySet<string> =>
  new Set(inputs.flatMap(({ message }) => (producers.get(message) ?? []).map((place) => place.node)))

/** The messages that a flow declares once it is published, in the document's order. */
export function declaredMessages(document: FlowDocument): DeclaredMessage[] {
  const found = new Map<string, { dtypes: Set<Dtype>; stream: boolean; sources: PortPlace[] }>()
  const declare = (name: string) => {
    let entry = found.get(name)
    if (entry === undefined) {
      entry = { dtypes: new Set(), stream: false, sources: [] }
      found.set(name, entry)
    }
    return entry
  }
  for (const input of document.inputs) declare(`${document.name}.${input.name}`).dtypes.add(input.dtype)
  const inputs: Port[] = []
  for (const node of document.nodes) {
    for (const item of node.ports) {
      const { direction, message, dtype, stream, port } = item
      if (flowPart(message) !== document.name) continue
      if (direction === 'input') {
        inputs.push(item)
        continue
      }
      const entry = declare(message)
      entry.dtypes.add(dtype)
      entry.stream ||= stream
      entry.sources.push({ node: node.id, port })
    }
  }
  if (document.mode === 'live') {
    const fed = inputs.filter(({ message }) => !found.has(message))
    for (const { message, dtype } of fed) declare(message).dtypes.add(dtype)
  }
  return [...found].map(([name, { dtypes, stream, sources }]) => {
    const [first = 'any'] = dtypes
    return { name, message: messagePart(name), dtype: dtypes.size === 1 ? first : 'any', stream, sources }
  })
}

/** Adds to the list under a key. */
export function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

/**
 * Goes from producers to messages to readers: a message is ready when all its producers are, a node when all its
 * messages are. Edges from each producer to each reader would be quadratic.
 */
function* inDependencyOrder(
  nodes: readonly GraphNode[],
  producers: ReadonlyMap<string, readonly PortPlace[]>,
): Steps<Pick<Graph, 'nodes' | 'ordered'>> {
  const producersLeft = new Map([...producers].map(([message, places]) => [message, places.length]))
  const messagesLeft = new Map<GraphNode, number>()
  const waiting = new Map<string, GraphNode[]>()
  for (const node of nodes) {
    const needed = new Set(node.inputs.map(({ message }) => message).filter((message) => producers.has(message)))
    messagesLeft.set(node, needed.size)
    for (const message of needed) append(waiting, message, node)
    if (endsStep(messagesLeft.size - 1)) yield
  }
  const order = nodes.filter((node) => messagesLeft.get(node) === 0)
  const produced = (message: string): void => {
    const left = producersLeft.get(message)! - 1
    producersLeft.set(message, left)
    for (const reader of left === 0 ? (waiting.get(message) ?? []) : []) {
      const needs = messagesLeft.get(reader)! - 1
      messagesLeft.set(reader, needs)
      if (needs === 0) order.push(reader)
    }
  }
  // The order grows while it is walked.
  for (const [at, { outputs }] of order.entries()) {
    for (const { message } of outputs) produced(message)
    if (endsStep(at)) yield
  }
  const ordered = order.length
  if (ordered < nodes.length) order.push(...nodes.filter((node) => messagesLeft.get(node)! > 0))
  return { nodes: order, ordered }
}
