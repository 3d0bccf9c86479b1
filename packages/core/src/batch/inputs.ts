/**
 * What the nodes of a run read: the values that a run starts with, and those of one node (G16).
 * @module
 */
import type { Values } from '@flow-service/connector-sdk'
import type { FlowDocument } from '@flow-service/protocol'

import type { Graph, GraphNode } from '../graph.ts'
import type { NodeRegistry } from '../registry.ts'
import type { BatchContext } from './context.ts'

/** Values by message before the first node executes: the inputs, and the last values of other flows' messages. */
export function valuesAtStart(
  document: FlowDocument,
  { nodes }: Graph,
  { inputs, lastValue }: Pick<BatchContext, 'inputs' | 'lastValue'>,
): Map<string, unknown> {
  const values = new Map(document.inputs.map(({ name }) => [`${document.name}.${name}`, inputs[name]]))
  for (const { message } of nodes.flatMap((node) => node.inputs)) {
    if (values.has(message) || message.startsWith(`${document.name}.`)) continue
    const value = lastValue(message)
    if (value !== undefined) values.set(message, value)
  }
  return values
}

/** Values of the inputs that have one, by port; null when too few of the triggering ones have. */
export function inputsAt(
  { node, inputs }: GraphNode,
  values: ReadonlyMap<string, unknown>,
  registry: NodeRegistry,
): Values | null {
  const present = inputs.filter(({ message }) => values.has(message))
  const triggers = inputs.filter(({ trigger }) => trigger)
  const arrived = present.filter(({ trigger }) => trigger)
  const alone = registry.get(node.type)?.arrival === 'combine'
  const enough = alone ? arrived.length === triggers.length : triggers.length === 0 || arrived.length > 0
  if (!enough) return null
  return Object.fromEntries(present.map(({ port, message }) => [port, values.get(message)]))
}

/** The node of the flow that gives each input, by port; of what comes from outside none. */
export const givers = ({ producers }: Pick<Graph, 'producers'>, { inputs }: GraphNode): Record<string, string> =>
  Object.fromEntries(
    inputs.flatMap(({ port, message }) => {
      const [place] = producers.get(message) ?? []
      return place === undefined ? [] : [[port, place.node] as const]
    }),
  )
