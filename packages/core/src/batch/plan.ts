/**
 * What a run would execute and what it would take over, found without executing anything (wire decision R3,
 * batch.B5).
 * @module
 */
import type { Values } from '@flow-service/connector-sdk'
import type { FlowDocument } from '@flow-service/protocol'

import type { Graph, GraphNode } from '../graph.ts'
import type { NodeRegistry } from '../registry.ts'
import type { Stage } from './context.ts'
import { withNulls } from './execution.ts'
import { givers, inputsAt, valuesAtStart } from './inputs.ts'
import { hasCode } from './node.ts'
import { pythonOf, stageKey, stageParts } from './stage-key.ts'
import { missReasons } from './stage-miss.ts'

/** What there is of a stage: its outputs, or why there are none. */
export type PlanLook = { readonly outputs: Values } | { readonly outputs: null; readonly why: readonly string[] }

/** What planning takes. */
export interface PlanContext {
  readonly registry: NodeRegistry
  /** By input name, checked by `checkParams`. */
  readonly inputs: Values
  readonly noCache: boolean
  /** The stored outputs of a stage, or why there are none. Must change nothing. */
  readonly look: (stage: Stage) => Promise<PlanLook>
  /** Last value of another flow's message, by qualified name; undefined when it has none. */
  readonly lastValue: (message: string) => unknown
}

/** What would become of a node. `key` is null where none is looked up. */
export type PlannedNode = { readonly node: string } & (
  | { readonly is: 'hit'; readonly key: string }
  | { readonly is: 'executes'; readonly key: string | null; readonly why: readonly string[] }
  /** A key needs values that a node before it has yet to compute. */
  | { readonly is: 'unknown'; readonly why: readonly string[] }
  /** No value for a triggering input. */
  | { readonly is: 'skipped' }
)

/** A node whose turn it is: the inputs that it reads, null when it is skipped, and those that are not known. */
interface PlanTurn {
  readonly graphNode: GraphNode
  readonly inputs: Values | null
  /** Names of ports. */
  readonly unknown: readonly string[]
  /** The nodes that execute before these are known. */
  readonly causes: ReadonlySet<string>
  /** By input port the node that gives it. */
  readonly from: Readonly<Record<string, string>>
}

type Planned = PlannedNode & { readonly outputs?: Values }

/** The nodes of a run in dependency order. Rejects as {@link PlanContext.look} does. */
export async function planRun(document: FlowDocument, graph: Graph, context: PlanContext): Promise<PlannedNode[]> {
  const values = valuesAtStart(document, graph, context)
  /** Nodes whose outputs are not known, with those that execute and make it so. */
  const open = new Map<string, ReadonlySet<string>>()
  const planned: PlannedNode[] = []
  for (const graphNode of graph.nodes) {
    const { id } = graphNode.node
    const unknown = portsFrom(graph, graphNode, open)
    const causes = causesOf(graph, graphNode, open)
    const from = givers(graph, graphNode)
    const turn = { graphNode, inputs: inputsAt(graphNode, values, context.registry), unknown, causes, from }
    // oxlint-disable-next-line no-await-in-loop -- a node needs the outputs of those before it
    const { outputs, ...node } = await plan(turn, { ...context, document })
    planned.push(node)
    for (const { port, message } of graphNode.outputs) {
      if (outputs?.[port] !== undefined) values.set(message, outputs[port])
    }
    if (node.is === 'executes') open.set(id, new Set([id]))
    if (node.is === 'unknown') open.set(id, causes)
  }
  return planned
}

async function plan(
  { graphNode, inputs, unknown, causes, from }: PlanTurn,
  context: PlanContext & { readonly document: FlowDocument },
): Promise<Planned> {
  const { registry, noCache, look } = context
  const { node } = graphNode
  const executes = { node: node.id, is: 'executes', key: null } as const
  if (inputs === null && unknown.length === 0) return { node: node.id, is: 'skipped' }
  const definition = registry.get(node.type)
  if (definition?.code === undefined || !hasCode(node)) {
    return { ...executes, why: [`nodes of type ${node.type} are not cached`] }
  }
  if (!node.cache) return { ...executes, why: [missReasons.cacheFalse] }
  if (inputs === null || unknown.length > 0) {
    if (noCache) return { ...executes, why: [missReasons.noCache] }
    const first = `${[...causes].join(', ')} ${causes.size === 1 ? 'executes' : 'execute'} first`
    return {
      node: node.id,
      is: 'unknown',
      why: [`unknown until its inputs are known: ${unknown.join(', ')} (${first})`],
    }
  }
  const all = withNulls(graphNode, inputs)
  const key = stageKey(node, definition, all)
  if (noCache) return { ...executes, key, why: [missReasons.noCache] }
  const found = await look({
    key,
    node: node.id,
    python: pythonOf(node, definition, context.document),
    parts: () => stageParts(node, definition, all, from),
  })
  if (found.outputs === null) return { ...executes, key, why: found.why }
  return { node: node.id, is: 'hit', key, outputs: found.outputs }
}

/** The input ports of a node that read what one of these nodes produces. */
const portsFrom = ({ producers }: Graph, { inputs }: GraphNode, nodes: ReadonlyMap<string, unknown>): string[] =>
  nodes.size === 0
    ? []
    : inputs
        .filter(({ message }) => producers.get(message)?.some((place) => nodes.has(place.node)))
        .map(({ port }) => port)

/** The nodes that execute before the inputs of a node are known: an edit is theirs, and not that of what lies between. */
const causesOf = (
  { producers }: Graph,
  { inputs }: GraphNode,
  open: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> =>
  new Set(
    inputs.flatMap(({ message }) => producers.get(message) ?? []).flatMap(({ node }) => [...(open.get(node) ?? [])]),
  )
