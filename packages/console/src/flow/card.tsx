/** A node on the canvas: what it is, its ports with their newest values, and how it is. */
import type { Node, Port } from '@flow-service/client-sdk'
import { Handle, type Node as Drawn, type NodeProps, Position, useUpdateNodeInternals } from '@xyflow/react'
import { memo } from 'preact/compat'
import { useEffect, useRef } from 'preact/hooks'

import { Icon, type IconName } from '../parts/icon.tsx'
import { Status } from '../parts/status.tsx'
import { useCanvas } from './canvas-context.ts'
import { type Elsewhere, isStandIn, portKey, shortName } from './graph.ts'
import { LiveText } from './live-text.tsx'

export interface CardData extends Record<string, unknown> {
  readonly node: Node
  readonly elsewhere: ReadonlyMap<string, readonly Elsewhere[]>
  /** The worst that is wrong with the node; null when nothing is. */
  readonly issue: 'error' | 'warning' | 'advisory' | null
}
export type CardNode = Drawn<CardData, 'card'>

const icons: Readonly<Record<string, IconName>> = {
  network: 'link',
  function: 'bolt',
  system: 'gear',
  device: 'device',
  connector: 'plug',
  flow: 'flows',
}

export const Card = memo(function Card({ data: { node, elsewhere, issue }, selected }: NodeProps<CardNode>) {
  const { categoryOf } = useCanvas()
  const category = isStandIn(node.id) ? 'flow' : categoryOf(node.type)
  usePorts(node)
  return (
    <div class={`node k-${category}${selected ? ' on' : ''}${issue === null ? '' : ` has-${issue}`}`}>
      <div class="node-head">
        <i>
          <Icon name={icons[category] ?? 'funnel'} size={16} />
        </i>
        <div class="what">
          <b title={node.title === '' ? node.id : `${node.title} (${node.id})`}>{node.title || node.id}</b>
          <small>{isStandIn(node.id) ? 'of the flow' : node.type}</small>
        </div>
        {isStandIn(node.id) ? null : <Now node={node.id} issue={issue} />}
      </div>
      {node.ports.length === 0 ? null : (
        <div class="node-ports">
          {node.ports.map((port) => (
            <PortLine
              key={`${port.direction} ${port.port}`}
              port={port}
              ends={elsewhere.get(portKey(node.id, port)) ?? []}
            />
          ))}
        </div>
      )}
    </div>
  )
})

/** Ports that get another name or place without a change of the card's size have to be looked for again. */
function usePorts({ id, ports }: Node): void {
  const lookAgain = useUpdateNodeInternals()
  const known = ports.map((port) => `${port.direction} ${port.port}`).join('\n')
  const drawn = useRef(known)
  useEffect(() => {
    if (drawn.current !== known) lookAgain(id)
    drawn.current = known
  }, [known])
}

function Now({ node, issue }: { node: string; issue: CardData['issue'] }) {
  const { status, health, message } = useCanvas().now.nodeOf(node).value
  if (status !== 'idle') return <Sign is={status} title={message} />
  if (health !== 'ok') return <Sign is={health === 'down' ? 'failed' : 'degraded'} title={message ?? health} />
  if (issue === null || issue === 'advisory') return null
  return <Sign is={issue === 'error' ? 'failed' : 'degraded'} title={`It has an issue: ${issue}`} />
}

const Sign = ({ is, title }: { is: string; title: string | null }) => (
  <span title={title ?? is}>
    <Status is={is} />
  </span>
)

function PortLine({ port, ends }: { port: Port; ends: readonly Elsewhere[] }) {
  const { flow, isEditable } = useCanvas()
  const isInput = port.direction === 'input'
  return (
    <div class={`port ${port.direction}${port.trigger ? '' : ' passive'}`} title={titleOf(port, flow)}>
      <Handle
        id={port.port}
        type={isInput ? 'target' : 'source'}
        position={isInput ? Position.Left : Position.Right}
        isConnectable={isEditable}
      />
      <span>{port.port}</span>
      {ends.map((end) => (
        <Chip key={end.is === 'flow' ? end.flow : ''} end={end} isInput={isInput} />
      ))}
      {isInput && ends.length === 0 ? null : <LiveText message={port.message} />}
    </div>
  )
}

const titleOf = ({ port, message, dtype, trigger, direction }: Port, flow: string): string =>
  [
    `${port}: ${JSON.stringify(dtype).replaceAll('"', '')}`,
    shortName(message, flow) === port ? '' : `message ${shortName(message, flow)}`,
    direction === 'input' && !trigger ? 'does not run the node' : '',
  ]
    .filter(Boolean)
    .join(' · ')

const Chip = ({ end, isInput }: { end: Elsewhere; isInput: boolean }) =>
  end.is === 'flow' ? (
    <a
      class="end nodrag"
      href={`#/flows/${encodeURIComponent(end.flow)}`}
      title={isInput ? `From the flow ${end.flow}` : `Read by the flow ${end.flow}`}
    >
      {isInput ? '⟵' : '⟶'} {end.flow}
    </a>
  ) : (
    <span class="end stub" title={`No node produces ${end.message}: values come from outside`}>
      from outside
    </span>
  )
