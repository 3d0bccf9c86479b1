/**
 * A graph that is looked at, not edited: cards of the DOM and one SVG for the wires. Home shows with it which flows are tied,
 * the page of a run its nodes, and `<flow-graph>` a live flow in a page of somebody else.
 */
import type { ReadonlySignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'

import {
  CARD_WIDTH,
  type Graph,
  type GraphNode,
  type GraphWire,
  layoutOf,
  type Outlet,
  type Place,
} from './graph-layout.ts'
import { Status } from './status.tsx'

interface MiniGraphProps extends Graph {
  /** What it is a graph of, for those who do not see it. */
  readonly title: string
  /** Called with the id of a node that is clicked, or chosen by Enter. */
  readonly onNode?: (id: string) => void
  /** The node that stands out. */
  readonly selected?: string | null
  /** The newest value of a message, as text, on its wires. */
  readonly liveOf?: (message: string) => ReadonlySignal<string>
}

export function MiniGraph({ nodes, wires, title, onNode, selected = null, liveOf }: MiniGraphProps) {
  // states change often, places only with what is tied to what
  const shape = JSON.stringify([nodes.map(({ id }) => id), wires])
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the shape is what it depends on
  const layout = useMemo(() => layoutOf({ nodes, wires }), [shape])
  const titles = new Map(nodes.map((node) => [node.id, node.title || node.id]))
  return (
    // wider than the page it is scrolled, by keys too
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what is scrolled has to be reached
    <div class="mini-graph" role="group" aria-label={title} tabIndex={0}>
      <div class="mini-plane" style={{ width: `${layout.width}px`, height: `${layout.height}px` }}>
        <svg width={layout.width} height={layout.height} aria-hidden="true">
          {layout.wires.map(({ wire, path }) => (
            <path key={`${wire.from} ${wire.to} ${wire.message}`} d={path} class={isOf(wire, selected) ? 'on' : ''}>
              <title>{wire.message}</title>
            </path>
          ))}
          {layout.outlets.map((outlet) => (
            <Label key={`${outlet.message} ${outlet.x} ${outlet.y}`} outlet={outlet} value={liveOf?.(outlet.message)} />
          ))}
        </svg>
        <ul>
          {nodes.map((node) => {
            const place = layout.places.get(node.id)
            return place ? (
              <Card
                key={node.id}
                node={node}
                place={place}
                next={wires.flatMap(({ from, to }) => (from === node.id && to !== null ? [titles.get(to) ?? to] : []))}
                isSelected={node.id === selected}
                onNode={onNode}
              />
            ) : null
          })}
        </ul>
      </div>
    </div>
  )
}

const isOf = ({ from, to }: GraphWire, node: string | null): boolean => node !== null && (from === node || to === node)

/** Between two columns there is no place for more. */
const MOST = 16

function Label({ outlet: { x, y, label }, value }: { outlet: Outlet; value: ReadonlySignal<string> | undefined }) {
  const short = label.length > MOST ? `${label.slice(0, MOST - 1)}…` : label
  return (
    <g>
      <text class="wire-name" x={x + 8} y={y - 5}>
        <title>{label}</title>
        {short}
      </text>
      {value ? (
        <text class="wire-value" x={x + 8} y={y + 14}>
          {value}
        </text>
      ) : null}
    </g>
  )
}

interface CardProps {
  readonly node: GraphNode
  readonly place: Place
  /** Who reads it. */
  readonly next: readonly string[]
  readonly isSelected: boolean
  readonly onNode: ((id: string) => void) | undefined
}

function Card({ node: { id, title, type, status }, place: { x, y, height }, next, isSelected, onNode }: CardProps) {
  const readers = [...new Set(next)]
  const content = (
    <>
      <Status is={status} />
      <span class="what">
        <b>{title || id}</b>
        <small>{type}</small>
      </span>
      {readers.length === 0 ? null : <span class="unseen">, to {readers.join(', ')}</span>}
    </>
  )
  const style = { left: `${x}px`, top: `${y}px`, width: `${CARD_WIDTH}px`, height: `${height}px` }
  const name = title === '' || title === id ? id : `${title} (${id})`
  return (
    <li style={style} title={`${name} · ${type} · ${status}`} class={isSelected ? 'on' : ''}>
      {onNode ? (
        <button aria-pressed={isSelected} onClick={() => onNode(id)}>
          {content}
        </button>
      ) : (
        <div>{content}</div>
      )}
    </li>
  )
}
