/**
 * Nodes of a flow whose work must not be done twice: what they send is sent.
 * @module
 */
import type { FlowDocument, FlowNode } from '@flow-service/protocol'

import { buildGraph } from '../graph.ts'
import type { Host } from '../host.ts'
import { parseSettings, StartError } from '../node-life.ts'
import { isIdempotent, type NodeRegistry } from '../registry.ts'

/** Those nodes. Throws a {@link StartError} for a type that is not there, and for settings that it does not take. */
export function unrepeatableNodes(
  document: FlowDocument,
  context: { readonly registry: NodeRegistry; readonly host: Pick<Host, 'secrets'> },
): FlowNode[] {
  const { registry } = context
  return buildGraph(document).nodes.flatMap(({ node, inputs, outputs }) => {
    const definition = registry.get(node.type)
    if (definition === undefined) throw new StartError(node.id, registry.absence(node.type))
    const settings = parseSettings(context, definition, node)
    return isIdempotent(definition, { id: node.id, mode: document.mode, settings, inputs, outputs }) ? [] : [node]
  })
}
