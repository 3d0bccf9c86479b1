/**
 * The nodes of a live flow as they are built: with their ports, settings and contexts, and not started.
 * @module
 */
import { accepts, type FlowDocument, type FlowNode } from '@flow-service/protocol'

import { EngineContext } from '../engine-context.ts'
import type { GraphNode } from '../graph.ts'
import type { Host } from '../host.ts'
import { parseSettings, StartError } from '../node-life.ts'
import { isIdempotent, type NodeRegistry } from '../registry.ts'
import type { Bus, OutputPort } from './bus.ts'
import type { Cascades } from './cascades.ts'
import type { StartOptions } from './flow.ts'
import type { Home, KnownMessages } from './node-home.ts'
import { LiveNode } from './node.ts'

/** What a flow needs; the flows of a runtime share it. */
export interface FlowDeps {
  readonly host: Host
  readonly registry: NodeRegistry
  readonly bus: Bus
  readonly cascades: Cascades
  /** Nothing comes in but what the flow is fed: no listeners, no schedules (G26). */
  readonly isPrivate: boolean
  /** Whether what is left may be what has ended an earlier engine. */
  readonly isFirst: boolean
  /** Left out where nobody knows the messages of other flows. */
  readonly messages?: KnownMessages | undefined
}

/** A node and what it may touch. */
export interface Unit {
  readonly node: LiveNode
  readonly context: EngineContext
}

/** What building a node needs. */
export interface UnitDeps extends FlowDeps {
  readonly home: Home
  readonly document: FlowDocument
  readonly outputs: readonly OutputPort[]
}

/** Throws a {@link StartError} for a type that does not exist, or settings that it does not take. */
export function unitOf(graphNode: GraphNode, deps: UnitDeps): Unit {
  const { home, document, host, registry, isPrivate, messages, outputs } = deps
  const { id, type } = graphNode.node
  const definition = registry.get(type)
  if (definition === undefined) throw new StartError(id, `there is no node type "${type}"`)
  const settings = parseSettings({ registry, host }, definition, graphNode.node)
  const { inputs, outputs: ports } = graphNode
  const idempotent = isIdempotent(definition, { id, mode: document.mode, settings, inputs, outputs: ports })
  const { mask } = host.secrets
  const node = new LiveNode(home, { graphNode, definition, outputs, idempotent, mask, messages })
  return { node, context: new EngineContext({ host, document, owner: node, ports: graphNode, settings, isPrivate }) }
}

/** The output ports of a node, each joined to its channel. */
export const outputPortsOf = ({ id, ports }: FlowNode, flow: string, bus: Bus): OutputPort[] =>
  ports
    .filter(({ direction }) => direction === 'output')
    .map(({ port, message, dtype, interval }) => {
      const [channel, gate] = [bus.join(message), bus.gate(interval)]
      return { message, flow, node: id, port, dtype, subject: `output "${port}"`, channel, gate }
    })

/** Gives inputs their last values, else the initial ones: passive inputs, and flow inputs with an initial value (G15). */
export function fillInputs(
  units: Iterable<Unit>,
  { name: flow, inputs }: FlowDocument,
  { values }: Pick<StartOptions, 'values'>,
): void {
  const initials = new Map(inputs.map(({ name, initial }) => [`${flow}.${name}`, initial]))
  for (const input of [...units].flatMap(({ node }) => node.inputs)) {
    const value = values?.get(input.message) ?? initials.get(input.message) ?? null
    const counts = initials.has(input.message) || !input.trigger
    if (value !== null && counts && accepts(input.dtype, value)) input.fill(value)
  }
}
