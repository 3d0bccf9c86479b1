/** The frame around a widget that is edited: dragged by its head, sized by its corner, and both by keys. */
import type { WidgetOutput } from '@flow-service/client-sdk'
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { useRef } from 'preact/hooks'

import { Icon } from '../parts/icon.tsx'
import type { Box } from './grid.ts'

interface FramedProps {
  readonly widget: WidgetOutput
  readonly columns: number
  readonly isChosen: boolean
  readonly choose: () => void
  readonly place: (box: Box) => void
  readonly remove: () => void
  readonly children: ComponentChildren
}

export function Framed({ widget, columns, isChosen, choose, place, remove, children }: FramedProps) {
  const frame = useRef<HTMLDivElement>(null)
  const { x, y, w, h } = widget
  const hear = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key]
    if (event.key === 'Delete' || event.key === 'Backspace') remove()
    else if (step === undefined) return
    else if (event.shiftKey) place({ x, y, w: w + (step[0] ?? 0), h: h + (step[1] ?? 0) })
    else place({ x: x + (step[0] ?? 0), y: y + (step[1] ?? 0), w, h })
    event.preventDefault()
  }
  /** Follows the pointer from here on, in whole cells. */
  const drag = (event: PointerEvent, apply: (across: number, down: number) => Box): void => {
    const grid = frame.current?.closest('.board')
    if (!grid || !(event.currentTarget instanceof HTMLElement)) return
    const { currentTarget: handle, clientX, clientY } = event
    const cell = { w: grid.clientWidth / columns, h: ROW_PX }
    handle.setPointerCapture(event.pointerId)
    let last = ''
    const move = (next: PointerEvent): void => {
      const by = [Math.round((next.clientX - clientX) / cell.w), Math.round((next.clientY - clientY) / cell.h)] as const
      if (by.join() === last) return
      last = by.join()
      place(apply(...by))
    }
    const end = (): void => {
      handle.removeEventListener('pointermove', move)
      handle.removeEventListener('pointerup', end)
      handle.removeEventListener('pointercancel', end)
    }
    handle.addEventListener('pointermove', move)
    handle.addEventListener('pointerup', end)
    handle.addEventListener('pointercancel', end)
  }
  return (
    <div class={isChosen ? 'framed on' : 'framed'} ref={frame}>
      <div class="frame-head">
        <button
          class="bare frame-handle"
          aria-pressed={isChosen}
          aria-label={`${widget.title || widget.id}: ${widget.type}, column ${x + 1}, row ${y + 1}, ${w} wide, ${h} high`}
          onClick={choose}
          onKeyDown={hear}
          onPointerDown={(event) => drag(event, (across, down) => ({ x: x + across, y: y + down, w, h }))}
        >
          {widget.type}
        </button>
        <button class="bare" onClick={remove} aria-label={`Remove ${widget.title || widget.id}`}>
          <Icon name="close" size={14} />
        </button>
      </div>
      {children}
      <span
        class="frame-corner"
        aria-hidden="true"
        onPointerDown={(event) => drag(event, (across, down) => ({ x, y, w: w + across, h: h + down }))}
      />
    </div>
  )
}

/** A row with the gap below it: `dashboards.css` has the same. */
const ROW_PX = 60
