/** A wire between two ports, with the newest value of its message on it. */
import { BaseEdge, type Edge, EdgeLabelRenderer, type EdgeProps, getBezierPath, Position } from '@xyflow/react'
import { memo } from 'preact/compat'

import { LiveText } from './live-text.tsx'

interface WireData extends Record<string, unknown> {
  readonly message: string
  /** Labels of hundreds of wires would hide the nodes. */
  readonly hasLabel: boolean
}
export type DrawnWire = Edge<WireData, 'wire'>

export const DrawWire = memo(function DrawWire({ id, data, selected, ...at }: EdgeProps<DrawnWire>) {
  const { sourceX, sourceY, targetX, targetY } = at
  const [path, x, y] = getBezierPath({
    sourceX,
    sourceY,
    targetX,
    targetY,
    sourcePosition: Position.Right,
    targetPosition: Position.Left,
  })
  return (
    <>
      <BaseEdge id={id} path={path} className={selected ? 'wire on' : 'wire'} />
      {data?.hasLabel ? (
        <EdgeLabelRenderer>
          <div
            class="wire-label"
            ref={(label: HTMLElement | null) => {
              if (label) label.style.transform = `translate(-50%, -50%) translate(${x}px, ${y}px)`
            }}
          >
            <LiveText message={data.message} most={12} />
          </div>
        </EdgeLabelRenderer>
      ) : null}
    </>
  )
})
