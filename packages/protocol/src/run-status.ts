/**
 * States of runs and of their nodes, and where runs come from (wire decisions G31, V11).
 * @module
 */
import * as z from 'zod'

import { runStatuses } from './words.ts'

/** State of a run; `queued` and `running` are active, the others final. */
export const runStatusSchema = z.enum(runStatuses).meta({
  id: 'RunStatus',
  description: '`queued` and `running` are not over yet; of a run that was not tracked the others are final.',
})
/** State of a run. */
export type RunStatus = z.infer<typeof runStatusSchema>

/** State of a node in a run; `cached` is a flag beside `ok`. */
export const nodeRunStatusSchema = z
  .enum(['pending', 'queued', 'running', 'ok', 'error', 'skipped', 'cancelled'])
  .meta({ id: 'NodeRunStatus', description: '`skipped`: a node before it has failed.' })
/** State of a node in a run. */
export type NodeRunStatus = z.infer<typeof nodeRunStatusSchema>

/** Where a run comes from: executed here, imported after its end, or tracked while another program executes it. */
export const runOriginSchema = z.enum(['engine', 'import', 'track']).meta({
  id: 'RunOrigin',
  description: 'Executed by an engine, imported after its end, or tracked while another program executes it.',
})
export type RunOrigin = z.infer<typeof runOriginSchema>

/** Whether a run has reached a final state. */
export const isFinished = (status: RunStatus): boolean => status !== 'queued' && status !== 'running'
