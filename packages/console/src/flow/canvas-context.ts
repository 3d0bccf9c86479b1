/** What every card and wire of a canvas needs, without passing through the library that draws them. */
import { signal, type ReadonlySignal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

import { type FlowNow, idle } from './live.ts'

export interface CanvasOf {
  readonly flow: string
  readonly now: FlowNow
  /** Seen from so far away that no text can be read. */
  readonly isFar: ReadonlySignal<boolean>
  /** Category of a node type: its colour and icon. */
  readonly categoryOf: (type: string) => string
  /** Whether wires can be drawn. */
  readonly isEditable: boolean
}

const none: CanvasOf = {
  flow: '',
  now: {
    values: { of: () => signal(null), take: () => undefined },
    nodeOf: () => signal(idle),
    rate: signal(0),
    listen: () => () => undefined,
    close: () => undefined,
  },
  isFar: signal(false),
  categoryOf: () => 'logic',
  isEditable: false,
}

export const CanvasContext = createContext<CanvasOf>(none)
export const useCanvas = (): CanvasOf => useContext(CanvasContext)
