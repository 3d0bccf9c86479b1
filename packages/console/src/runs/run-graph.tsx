/** The nodes of a run as the graph that it executed, each in its state. */
import type { FlowDocument, Run } from '@flow-service/client-sdk'

import { useResource } from '../api/resource.ts'
import type { Graph, GraphWire } from '../parts/graph-layout.ts'
import { MiniGraph } from '../parts/mini-graph.tsx'
import { Empty, Loading } from '../parts/states.tsx'
import { setQuery } from '../router.ts'

import '../parts/mini-graph.css'

export function RunGraph({ run }: { run: Run }) {
  const { data: document, problem } = useResource<FlowDocument>(`/runs/${run.id}/document`).value
  if (document === undefined) {
    return problem ? <Empty title="No graph">What was imported, or has not begun yet, has none. </Empty> : <Loading />
  }
  return (
    <>
      <MiniGraph
        {...graphOf(run, document)}
        title={`Nodes of the run of ${run.flow}`}
        onNode={(node) => setQuery(node === PARAMETERS ? { tab: null } : { tab: 'logs', node })}
      />
      <p class="hint">A node leads to what it has printed.</p>
    </>
  )
}

/** Stands for what the run was given: no id of a node begins so. */
const PARAMETERS = '$parameters'

/** Ports of the same message are tied. */
export function graphOf({ nodes: records }: Pick<Run, 'nodes'>, { nodes = [], inputs = [] }: FlowDocument): Graph {
  const states = new Map(records.map((record) => [record.node, record.cached ? 'cached' : record.status]))
  const ports = nodes.flatMap(({ id, ports: own = [] }) =>
    own.map(({ direction, name, message, port }) => ({ id, direction, message: name ?? message ?? port ?? '' })),
  )
  const given = new Set(inputs.map(({ name }) => name))
  const producers = ports.filter(({ direction }) => direction === 'output')
  const wires = ports
    .filter(({ direction }) => direction === 'input')
    .flatMap(({ id: to, message }): GraphWire[] => {
      const from = producers.filter((one) => one.message === message).map(({ id }) => id)
      return (from.length === 0 && given.has(message) ? [PARAMETERS] : from).map((one) => ({ from: one, to, message }))
    })
  return {
    nodes: [
      ...(wires.some(({ from }) => from === PARAMETERS)
        ? [{ id: PARAMETERS, title: 'Parameters', type: 'of the run', status: 'ok' }]
        : []),
      ...nodes.map(({ id, title = '', type }) => ({ id, title, type, status: states.get(id) ?? 'pending' })),
    ],
    wires: [...new Map(wires.map((wire) => [`${wire.from} ${wire.to} ${wire.message}`, wire])).values()],
  }
}
