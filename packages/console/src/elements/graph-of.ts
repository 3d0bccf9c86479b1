/** The graph of a flow as `MiniGraph` draws it: also what nobody reads, and where what comes from other flows comes from. */
import type { Flow } from '@flow-service/client-sdk'

import { drawnNodes, flowOf, shortName, wiresOf } from '../flow/graph.ts'
import type { Graph, GraphWire } from '../parts/graph-layout.ts'

/** Before the name of another flow, whose node stands for all of it: no id of a node begins so. */
const OTHER = '$flow '

export function graphOf(
  flow: Pick<Flow, 'name' | 'inputs' | 'outputs' | 'nodes'>,
  states: ReadonlyMap<string, string>,
): Graph {
  const { name } = flow
  const nodes = drawnNodes(name, flow)
  const { wires } = wiresOf(name, nodes, null)
  const between = wires.map(({ message, from, to }): GraphWire => ({ from: from.node, to: to.node, message }))
  const read = new Set(between.map(({ from, message }) => `${from} ${message}`))
  const unread: GraphWire[] = []
  const others: GraphWire[] = []
  for (const { id, ports } of nodes) {
    for (const { direction, message } of ports) {
      if (direction === 'output' && !read.has(`${id} ${message}`)) unread.push({ from: id, to: null, message })
      if (direction === 'input' && flowOf(message) !== name)
        others.push({ from: OTHER + flowOf(message), to: id, message })
    }
  }
  const foreign = [...new Set(others.map(({ from }) => from))]
  const all = [...between, ...unread, ...others]
  return {
    nodes: [
      ...foreign.map((id) => ({ id, title: id.slice(OTHER.length), type: 'another flow', status: 'idle' })),
      ...nodes.map(({ id, title, type }) => ({
        id,
        title: title || id,
        type: id.startsWith('$') ? 'of the flow' : type,
        status: states.get(id) ?? 'idle',
      })),
    ],
    wires: [...new Map(all.map((wire) => [`${wire.from} ${wire.to} ${wire.message}`, wire])).values()].map((wire) => ({
      ...wire,
      label: shortName(wire.message, name),
    })),
  }
}
