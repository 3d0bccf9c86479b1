/** The graph as a table, for who does not see it, and for who looks for a name. */
import type { Node, Port } from '@flow-service/client-sdk'

import { Sheet } from '../parts/sheet.tsx'
import { neighbours, shortName, type Wires } from './graph.ts'

interface NodeTableProps {
  readonly flow: string
  readonly nodes: readonly Node[]
  readonly wires: Wires
  readonly choose: (node: string) => void
}

export function NodeTable({ flow, nodes, wires, choose }: NodeTableProps) {
  const ports = (node: Node, direction: Port['direction']): string =>
    node.ports
      .filter((port) => port.direction === direction)
      .map(({ port, message }) => (shortName(message, flow) === port ? port : `${port} (${shortName(message, flow)})`))
      .join(', ')
  return (
    <div class="canvas as-table">
      <Sheet
        name="Nodes and wires"
        rows={nodes}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Node',
            show: ({ id, title }) => (
              <button class="bare" onClick={() => choose(id)}>
                {title || id}
              </button>
            ),
          },
          { title: 'Type', show: ({ type }) => type },
          { title: 'Reads', is: 'wrap', show: (node) => ports(node, 'input') },
          { title: 'Publishes', is: 'wrap', show: (node) => ports(node, 'output') },
          { title: 'Wired from', is: 'wrap', show: ({ id }) => neighbours(wires.wires, id, 'before').join(', ') },
          { title: 'Wired to', is: 'wrap', show: ({ id }) => neighbours(wires.wires, id, 'after').join(', ') },
        ]}
      />
    </div>
  )
}
