/**
 * A clause with a piece more.
 * @module
 */
import type { Clause, Grown, Piece } from './clause.ts'

/** The clause up to the end of a piece, with what it changes. */
export const grown = (clause: Clause, piece: Piece, change: Partial<Clause>, cost: number): Grown => ({
  clause: { ...clause, ...change, to: piece.to },
  cost: cost + piece.cost,
})
