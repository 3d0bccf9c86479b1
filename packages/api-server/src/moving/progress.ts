/**
 * How far a move, a backup or a restore is.
 * @module
 */

/** Rows or bytes that were just done. */
export interface Step {
  readonly step: 'check' | 'copy' | 'compare'
  /** The table; empty for bytes of artifacts. */
  readonly table: string
  /** How many rows, or bytes of artifacts, since the last step. */
  readonly rows: number
  /** How many there are in all, as far as that is known; else 0. */
  readonly of: number
}
