/**
 * `list_runs`, `get_run` and `cancel_run`.
 * @module
 */
import type { NodeRecord, Run } from '@flow-service/protocol'
import { runStatusSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { cursorSchema, given, nextBefore, nextSchema, olderThan, PAGE, pageOf } from '../paging.ts'
import { tool } from '../tool.ts'
import { bounded, count, moreBy, report, shown } from '../words.ts'
import { flowName } from './flow-words.ts'
import { byInterest, errorText, outcomeOf, rowOf, runId, runRowSchema, seconds } from './run-words.ts'

/** `list_runs`. */
export const listRuns = tool({
  name: 'list_runs',
  title: 'List runs',
  description: 'Runs of batch flows, the newest first, with how they ended. get_run tells more of one.',
  scope: 'runs:read',
  hints: { readOnly: true },
  input: z.strictObject({
    flow: flowName.optional(),
    status: runStatusSchema.optional(),
    group: z.string().max(200).optional().describe('Runs of one sweep: its group_id.'),
    since: z.iso.datetime({ offset: true }).optional().describe('Submitted at this time or later.'),
    cursor: cursorSchema,
  }),
  output: z.object({ runs: z.array(runRowSchema), next: nextSchema }),
  async run({ client, input: { cursor, ...which }, signal }) {
    const runs = await client.runs.list({ ...given(which), ...olderThan(cursor), limit: PAGE, signal })
    const next = nextBefore(runs, (run) => run.created_at)
    const lines = runs.map((run) => `${run.id} ${run.flow}${run.draft ? ' (draft)' : ''}: ${outcomeOf(run)}`)
    return {
      text: report(
        [runs.length === 0 ? 'No runs.' : `${count(runs.length, 'run')}, the newest first`],
        lines,
        moreBy('list_runs', next),
      ),
      value: { runs: runs.map(rowOf), next },
    }
  },
})

const valueSchema = z.object({ name: z.string(), value: z.unknown(), truncated: z.boolean() })

/** `get_run`. */
export const getRun = tool({
  name: 'get_run',
  title: 'Read a run',
  description:
    'How a run stands or ended: status, error, parameters, result, nodes (those that failed first), names of curves, artifacts. get_logs has what a node printed, get_curve the points of a curve, why_miss why a stage was executed.',
  scope: 'runs:read',
  hints: { readOnly: true },
  input: z.strictObject({ id: runId, cursor: cursorSchema }),
  output: z.object({
    run: runRowSchema,
    flow_version: z.int().nullable(),
    seed: z.int().nullable(),
    params: z.array(valueSchema).describe('A long value is its JSON text, cut.'),
    result: z.array(valueSchema).nullable(),
    nodes: z.array(
      z.object({
        node: z.string(),
        type: z.string(),
        status: z.string(),
        cached: z.boolean(),
        duration_s: z.number().nullable(),
        waiting_for: z.string().nullable(),
        error: z.string().nullable(),
      }),
    ),
    nodes_total: z.int(),
    curves: z.array(z.object({ name: z.string(), points: z.int(), last: z.unknown() })),
    artifacts: z.array(z.object({ name: z.string(), media_type: z.string(), size: z.int(), node: z.string() })),
    next: nextSchema.describe('More nodes.'),
  }),
  async run({ client, input: { id, cursor }, signal }) {
    const run = await client.runs.get(id, { signal })
    const { rows: nodes, next } = pageOf(byInterest(run.nodes), cursor)
    return {
      text: report(
        [`Run of ${run.flow}${run.draft ? ' (draft)' : ''}: ${outcomeOf(run)}`],
        linesOf(run, nodes),
        moreBy('get_run', next),
      ),
      value: {
        run: rowOf(run),
        flow_version: run.flow_version,
        seed: run.seed,
        params: valuesOf(run.params),
        result: run.result && valuesOf(run.result),
        nodes: nodes.map((node) => ({
          node: node.node,
          type: node.type,
          status: node.status,
          cached: node.cached,
          duration_s: node.duration_s,
          waiting_for: node.waiting_for,
          error: node.error && errorText(node.error),
        })),
        nodes_total: run.nodes.length,
        curves: run.metrics.slice(0, PAGE).map(({ name, count, last }) => ({ name, points: count, last })),
        artifacts: run.artifacts
          .slice(0, PAGE)
          .map(({ name, media_type, size, node }) => ({ name, media_type, size, node })),
        next,
      },
    }
  },
})

const valuesOf = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values)
    .slice(0, PAGE)
    .map(([name, value]) => ({ name, ...bounded(value) }))

function linesOf(run: Run, nodes: readonly NodeRecord[]): string[] {
  const pairs = (values: Readonly<Record<string, unknown>>) =>
    Object.entries(values)
      .slice(0, 12)
      .map(([name, value]) => `${name}=${shown(value, 40)}`)
      .join(', ')
  return [
    ...(run.result === null ? [] : [`Result: ${pairs(run.result) || 'none'}`]),
    `Parameters: ${pairs(run.params) || 'none'}`,
    ...(run.metrics.length === 0
      ? []
      : [
          `Curves: ${run.metrics.map(({ name, count, last }) => `${name} (${count} points, last ${last})`).join(', ')}`,
        ]),
    ...nodes.map(nodeLine),
  ]
}

function nodeLine({
  node,
  type,
  status,
  cached,
  duration_s: duration,
  waiting_for: reason,
  error,
}: NodeRecord): string {
  const after = duration === null || cached ? '' : ` after ${seconds(duration)}`
  const why = error === null ? (reason === null ? '' : `, waits for ${reason}`) : `: ${errorText(error)}`
  return `${node} (${type}): ${status}${cached ? ' from the cache' : ''}${after}${why}`
}

/** `cancel_run`. */
export const cancelRun = tool({
  name: 'cancel_run',
  title: 'Cancel a run',
  description: 'Ends a queued or running run; one that is over stays as it is.',
  scope: 'runs:write',
  hints: { readOnly: false, destructive: true, idempotent: true },
  input: z.strictObject({ id: runId }),
  output: z.object({ run: runRowSchema, next: nextSchema }),
  async run({ client, input: { id }, signal }) {
    const run = await client.runs.cancel(id, { signal })
    return { text: report([`Run ${id} of ${run.flow}: ${outcomeOf(run)}`]), value: { run: rowOf(run), next: null } }
  },
})
