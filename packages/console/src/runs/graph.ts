/** What of a document that a run executed is drawn: its nodes in their states, and what ties them. */
import type { FlowDocument, Run } from '@flow-service/client-sdk'

import type { Graph, GraphWire } from '../parts/graph-layout.ts'

/** Stands for what the run was given: no id of a node begins so. */
export const PARAMETERS = '$parameters'

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
