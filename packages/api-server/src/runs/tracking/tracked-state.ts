/**
 * What is stored of a tracked run, as its next request needs to know it: `track-store.ts` reads it, `change.ts` works on it.
 * @module
 */
import type { RunInput, RunStatus, WireNumber } from '@flow-service/protocol'

import type { Failure, RunArtifact } from '../run-record.ts'

/** Whose curves and logs those of a tracked run are. */
export const TRACK_NODE = 'track'
/** Points up to which the last chunk of a curve grows. */
export const CHUNK_POINTS = 500

/** The end of a stored curve: what its next points need to know. */
export type CurveEnd = readonly [
  metric: number,
  seq: number,
  filled: number,
  count: number,
  step: number,
  last: WireNumber,
  low: number | null,
  high: number | null,
]

/** What is stored of a tracked run; `artifacts` and `logs` where they were asked for. */
export interface TrackedState {
  readonly run: string
  readonly flow: string
  /** Null of a run that is not tracked. */
  readonly owner: string | null
  readonly status: RunStatus
  readonly lease_until: string | null
  readonly seq: number
  readonly curves: Readonly<Record<string, CurveEnd>>
  readonly log_bytes: number
  readonly logs: string
  readonly logs_truncated: boolean
  readonly inputs: readonly RunInput[]
  readonly result: Record<string, unknown> | null
  readonly artifacts: readonly RunArtifact[]
}

/** How a tracked run ends. */
export interface TrackEnd {
  readonly status: 'ok' | 'error' | 'cancelled'
  readonly atMs: number
  readonly error: Failure | null
}
