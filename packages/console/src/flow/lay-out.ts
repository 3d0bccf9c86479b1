/** Where nodes stand that nobody has placed yet: from left to right along their wires. Loaded when a flow has such nodes. */
import { Graph, layout } from '@dagrejs/dagre'
import type { Node } from '@flow-service/client-sdk'

import type { Wire } from './graph.ts'
import { heightOf, isPlaced, type Place, type Places, WIDTH } from './places.ts'

const [BESIDE, BELOW] = [88, 28]

/** The known places, and one for each node that has none. */
export function placesOf(nodes: readonly Node[], wires: readonly Wire[], known: Places): Places {
  if (isPlaced(nodes, known)) return known
  const graph = new Graph().setGraph({ rankdir: 'LR', nodesep: BELOW, ranksep: BESIDE }).setDefaultEdgeLabel(() => ({}))
  for (const node of nodes) graph.setNode(node.id, { width: WIDTH, height: heightOf(node) })
  for (const { from, to } of wires) if (from.node !== to.node) graph.setEdge(from.node, to.node)
  layout(graph)
  const made = Object.fromEntries(nodes.map((node) => [node.id, cornerOf(node, graph.node(node.id) as Place)]))
  return { ...moved(made, nodes, known), ...known }
}

const cornerOf = (node: Node, { x, y }: Place): Place => ({
  x: Math.round(x - WIDTH / 2),
  y: Math.round(y - heightOf(node) / 2),
})

/** The made places beside the known ones: the first known node stays where it is. */
function moved(made: Places, nodes: readonly Node[], known: Places): Places {
  const fixed = nodes.find(({ id }) => known[id] !== undefined)
  if (!fixed) return made
  const [from, to] = [made[fixed.id], known[fixed.id]]
  if (!from || !to) return made
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  return Object.fromEntries(Object.entries(made).map(([id, { x, y }]) => [id, { x: x + dx, y: y + dy }]))
}
