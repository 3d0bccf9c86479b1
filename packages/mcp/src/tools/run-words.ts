/**
 * What tools about runs have in common.
 * @module
 */
import type { NodeRecord, Run, RunHead } from '@flow-service/protocol'
import * as z from 'zod'

import { line } from '../words.ts'

/** The id of a run. */
export const runId = z.uuid('use the id of a run, as list_runs and submit_run tell it')

/** A run in a list. */
export const runRowSchema = z.object({
  id: z.string(),
  flow: z.string(),
  status: z.string(),
  draft: z.boolean(),
  created_at: z.string(),
  duration_s: z.number().nullable(),
  group_id: z.string().nullable(),
  error: z.string().nullable(),
})

/** A run as a row. */
export const rowOf = (run: RunHead): z.infer<typeof runRowSchema> => ({
  id: run.id,
  flow: run.flow,
  status: run.status,
  draft: run.draft,
  created_at: run.created_at,
  duration_s: run.duration_s,
  group_id: run.group_id,
  error: run.error === null ? null : errorText(run.error),
})

/** A failure in one line. */
export const errorText = (error: NonNullable<RunHead['error'] | NodeRecord['error']>, max = 300): string => {
  const where = 'node' in error && error.node !== null ? ` in ${error.node}` : ''
  return line(`${error.type}${where}: ${error.message}`, max)
}

/** `ok after 2.5 s`, and why not. */
export function outcomeOf({ status, duration_s: duration, error }: RunHead): string {
  const after = duration === null ? '' : ` after ${seconds(duration)}`
  return `${status}${after}${error === null ? '' : `: ${errorText(error)}`}`
}

/** Seconds for people. */
export const seconds = (value: number): string => `${value >= 10 ? Math.round(value) : Number(value.toFixed(2))} s`

/** Those that failed first, then those at work. */
export const byInterest = (nodes: readonly NodeRecord[]): NodeRecord[] =>
  nodes.toSorted((a, b) => interest.indexOf(a.status) - interest.indexOf(b.status))

const interest = ['error', 'running', 'queued', 'pending', 'cancelled', 'ok', 'skipped']

/** The node that a run failed in, if it did. */
export const failedNode = (run: Run): NodeRecord | undefined =>
  run.nodes.find(({ node }) => node === run.error?.node) ?? run.nodes.find(({ status }) => status === 'error')
