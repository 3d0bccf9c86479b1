/** Where nodes stand on the canvas, and how large they are. */
import type { Node } from '@flow-service/client-sdk'

export interface Place {
  readonly x: number
  readonly y: number
}

export type Places = Readonly<Record<string, Place>>

/** Size of a card on the canvas, in its units: `canvas.css` has the same. */
export const WIDTH = 216
const [HEAD, ROW, FOOT] = [44, 22, 6]
export const heightOf = ({ ports }: Pick<Node, 'ports'>): number =>
  HEAD + ports.length * ROW + (ports.length > 0 ? FOOT : 0)

export const isPlaced = (nodes: readonly Node[], known: Places): boolean =>
  nodes.every(({ id }) => known[id] !== undefined)
