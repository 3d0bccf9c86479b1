/** How flows are tied to each other, and to devices, by the messages that they read; nothing where none is. */
import type { FlowGraph, FlowListItem } from '@flow-service/client-sdk'

import type { GraphNode, GraphWire } from '../parts/graph-layout.ts'
import { MiniGraph } from '../parts/mini-graph.tsx'
import { go } from '../router.ts'

interface TiedProps {
  readonly graph: FlowGraph
  readonly flows: readonly FlowListItem[]
}

export function Tied({ graph: { nodes, edges }, flows }: TiedProps) {
  const between = edges.filter(({ from, to }) => from !== to)
  if (between.length === 0) return null
  const tied = new Set(between.flatMap(({ from, to }) => [from, to]))
  const titles = new Map(flows.map(({ name, title }) => [name, title]))
  const drawn = nodes
    .filter(({ id }) => tied.has(id))
    .map((node): GraphNode => ({
      id: node.id,
      title: (node.kind === 'flow' && titles.get(node.name)) || node.name,
      type: kindOf(node, titles.get(node.name) ?? ''),
      status: stateOf(node),
    }))
  const open = (id: string): void => {
    const node = nodes.find((one) => one.id === id)
    if (node) go(`/${node.kind}s/${encodeURIComponent(node.name)}`)
  }
  return (
    <section aria-labelledby="tied">
      <h2 id="tied">What reads what</h2>
      <MiniGraph title="Which flows read messages of which" nodes={drawn} wires={between.map(wireOf)} onNode={open} />
    </section>
  )
}

const kindOf = ({ kind, name, mode }: FlowGraph['nodes'][number], title: string): string =>
  kind === 'device' ? kind : title === '' ? (mode ?? kind) : `${name} · ${mode}`

const stateOf = ({ kind, status, health }: FlowGraph['nodes'][number]): string => {
  if (health !== 'ok') return health === 'down' ? 'failed' : health
  return kind === 'flow' ? (status ?? health) : health
}

const wireOf = ({ from, to, messages }: FlowGraph['edges'][number]): GraphWire => {
  const [first = '', ...more] = messages
  const name = first.slice(first.indexOf('.') + 1)
  return { from, to, message: messages.join('\n'), label: more.length === 0 ? name : `${name} +${more.length}` }
}
