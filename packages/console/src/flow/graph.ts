/**
 * The wires of a flow: ports that name the same message are tied (wire decision G14). The canvas draws them, the keys go
 * along them, and what has no other end in the flow is told with where it comes from.
 */
import type { Flow, FlowGraph, Node, Port } from '@flow-service/client-sdk'

/** What of a flow makes its graph. */
export type GraphOf = Pick<Flow, 'inputs' | 'outputs' | 'nodes'>

export interface End {
  readonly node: string
  readonly port: string
}

export interface Wire {
  readonly id: string
  /** Qualified. */
  readonly message: string
  readonly from: End
  readonly to: End
}

/** Where the other end of a port is, when it is not a node of the flow. */
export type Elsewhere =
  | { readonly is: 'flow'; readonly flow: string; readonly message: string }
  /** Nothing produces it: values come from outside, or never. */
  | { readonly is: 'outside'; readonly message: string }

export interface Wires {
  readonly wires: readonly Wire[]
  /** By `portKey`. A port may be read by several flows. */
  readonly elsewhere: ReadonlyMap<string, readonly Elsewhere[]>
}

/** Nodes that stand for the inputs and outputs of the flow itself: no id of a node begins so. */
export const [INPUTS, OUTPUTS] = ['$inputs', '$outputs']
export const isStandIn = (id: string): boolean => id === INPUTS || id === OUTPUTS

export const portKey = (node: string, { direction, port }: Pick<Port, 'direction' | 'port'>): string =>
  `${node} ${direction} ${port}`

/** `climate` of `climate.temp`. */
export const flowOf = (message: string): string => message.slice(0, message.indexOf('.'))

/** `temp` of `climate.temp` in the flow `climate`, and the whole name in another one. */
export const shortName = (message: string, flow: string): string =>
  message.startsWith(`${flow}.`) ? message.slice(flow.length + 1) : message

/** The inputs and outputs of a flow as nodes of their own, so that they are drawn and wired as any other. */
export function drawnNodes(flow: string, { inputs, outputs, nodes }: GraphOf): readonly Node[] {
  const first = inputs.map(({ name, dtype }) => portOf(flow, { direction: 'output', name, port: name, dtype }))
  const last = outputs.map(({ name, port }) =>
    portOf(flow, { direction: 'input', name, port: port ?? name, dtype: 'any' }),
  )
  return [
    ...(first.length === 0 ? [] : [standIn(INPUTS, 'Inputs', first)]),
    ...nodes,
    ...(last.length === 0 ? [] : [standIn(OUTPUTS, 'Outputs', last)]),
  ]
}

/** The wires between nodes, as `drawnNodes` gives them, and the ends that are elsewhere. */
export function wiresOf(flow: string, nodes: readonly Node[], graph: FlowGraph | null): Wires {
  const producers = new Map<string, End[]>()
  for (const { id, ports } of nodes)
    for (const { direction, message, port } of ports)
      if (direction === 'output') producers.set(message, [...(producers.get(message) ?? []), { node: id, port }])
  const readers = readersOf(flow, graph)
  const wires: Wire[] = []
  const elsewhere = new Map<string, readonly Elsewhere[]>()
  for (const { id, ports } of nodes) {
    for (const port of ports) {
      const from = port.direction === 'input' ? (producers.get(port.message) ?? []) : []
      wires.push(...from.map((end) => wireOf(port.message, end, { node: id, port: port.port })))
      const others = from.length > 0 ? [] : othersOf(flow, port, readers)
      if (others.length > 0) elsewhere.set(portKey(id, port), others)
    }
  }
  return { wires, elsewhere }
}

/** Of an output: who else reads it. Of an input that no node of the flow produces: where it comes from. */
function othersOf(
  flow: string,
  { direction, message }: Port,
  readers: ReadonlyMap<string, readonly string[]>,
): readonly Elsewhere[] {
  if (direction === 'output') return (readers.get(message) ?? []).map((other) => ({ is: 'flow', flow: other, message }))
  const other = flowOf(message)
  return [other === flow ? { is: 'outside', message } : { is: 'flow', flow: other, message }]
}

const wireOf = (message: string, from: End, to: End): Wire => ({
  id: `${from.node}.${from.port}>${to.node}.${to.port}`,
  message,
  from,
  to,
})

/** Which other flows read a message of this one. */
function readersOf(flow: string, graph: FlowGraph | null): ReadonlyMap<string, readonly string[]> {
  const readers = new Map<string, string[]>()
  for (const { from, to, messages } of graph?.edges ?? []) {
    if (from !== `flow:${flow}` || !to.startsWith('flow:') || to === from) continue
    for (const message of messages) readers.set(message, [...(readers.get(message) ?? []), to.slice('flow:'.length)])
  }
  return readers
}

/** Flows whose messages this one reads. */
export const flowsRead = (flow: string, nodes: readonly Node[]): readonly string[] =>
  [
    ...new Set(
      nodes.flatMap(({ ports }) =>
        ports.filter(({ direction }) => direction === 'input').map(({ message }) => flowOf(message)),
      ),
    ),
  ].filter((name) => name !== flow)

/** The nodes that a node is wired to, in the direction. */
export const neighbours = (wires: readonly Wire[], node: string, way: 'before' | 'after'): readonly string[] => [
  ...new Set(
    way === 'after'
      ? wires.filter(({ from }) => from.node === node).map(({ to }) => to.node)
      : wires.filter(({ to }) => to.node === node).map(({ from }) => from.node),
  ),
]

const portOf = (flow: string, given: Pick<Port, 'direction' | 'name' | 'port' | 'dtype'>): Port => ({
  interval: null,
  stream: false,
  on_demand: false,
  trigger: true,
  message: given.name.includes('.') ? given.name : `${flow}.${given.name}`,
  ...given,
})

const standIn = (id: string, title: string, ports: readonly Port[]): Node => ({
  id,
  type: 'flow',
  title,
  settings: {},
  ports: [...ports],
  source: null,
  library: null,
  entry: null,
  worker: null,
  worker_policy: 'require',
  cache: false,
  timeout: null,
  retry: null,
})
