/**
 * Runs of batch flows (wire decisions G29-G31, G36).
 * @module
 */
import * as z from 'zod'

import { artifactRefSchema } from './artifact.ts'
import { dtypeSchema } from './dtype.ts'
import { timestampSchema } from './time.ts'

/** State of a run; `queued` and `running` are active, the others final. */
export const runStatusSchema = z
  .enum(['queued', 'running', 'ok', 'error', 'cancelled', 'abandoned'])
  .meta({ id: 'RunStatus' })
export type RunStatus = z.infer<typeof runStatusSchema>

/** State of a node in a run; `cached` is a flag beside `ok`. */
export const nodeRunStatusSchema = z
  .enum(['pending', 'queued', 'running', 'ok', 'error', 'skipped', 'cancelled'])
  .meta({ id: 'NodeRunStatus' })
export type NodeRunStatus = z.infer<typeof nodeRunStatusSchema>

/** A number as it travels: NaN and the infinities as strings. */
export const numberSchema = z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])])
export type WireNumber = z.infer<typeof numberSchema>

const seedSchema = z.int()
const failureSchema = z.object({ type: z.string(), message: z.string() })

/** Body of `POST /runs/flows/{name}`. */
export const runSubmitSchema = z
  .strictObject({
    params: z.record(z.string(), z.json()).default({}),
    seed: seedSchema.optional(),
    draft: z.boolean().default(false),
    no_cache: z.boolean().default(false),
    idempotency_key: z.string().min(1).max(200).optional(),
  })
  .meta({ id: 'RunSubmit' })

export type RunSubmit = z.infer<typeof runSubmitSchema>

/** A run without its details: a row of `GET /runs`. `duration_s` leaves the time in the queue out. */
export const runSummarySchema = z
  .object({
    id: z.uuid(),
    flow: z.string(),
    status: runStatusSchema,
    draft: z.boolean(),
    seed: seedSchema.nullable(),
    group_id: z.string().nullable(),
    parent: z.string().nullable(),
    idempotency_key: z.string().nullable(),
    external_id: z.string().nullable(),
    flow_version: z.int().nullable(),
    digest: z.string().nullable(),
    commit: z.string().nullable(),
    created_at: timestampSchema,
    started_at: timestampSchema.nullable(),
    finished_at: timestampSchema.nullable(),
    duration_s: z.number().nullable(),
    error: failureSchema.extend({ node: z.string().nullable() }).nullable(),
    submitted_by: z.string().nullable(),
  })
  .meta({ id: 'RunSummary' })
export type RunSummary = z.infer<typeof runSummarySchema>

/** What happened to one node of a run. `logs` is the tail of its output. */
export const nodeRecordSchema = z
  .object({
    node: z.string(),
    type: z.string(),
    status: nodeRunStatusSchema,
    cached: z.boolean(),
    cached_from: z.string().nullable(),
    worker: z.string().nullable(),
    queued_at: timestampSchema.nullable(),
    started_at: timestampSchema.nullable(),
    finished_at: timestampSchema.nullable(),
    duration_s: z.number().nullable(),
    waiting_for: z.string().nullable(),
    logs: z.string(),
    logs_truncated: z.boolean(),
    traceback: z.string().nullable(),
    error: failureSchema.nullable(),
  })
  .meta({ id: 'NodeRecord' })
export type NodeRecord = z.infer<typeof nodeRecordSchema>

/** An input as the flow declared it when the run was submitted; `default` when the submission left it out. */
export const runInputSchema = z
  .object({ name: z.string(), dtype: dtypeSchema, value: z.json(), default: z.boolean() })
  .meta({ id: 'RunInput' })
export type RunInput = z.infer<typeof runInputSchema>

/** A run with its details. */
export const runSchema = runSummarySchema
  .extend({
    params: z.record(z.string(), z.json()),
    inputs: z.array(runInputSchema),
    no_cache: z.boolean(),
    nodes: z.array(nodeRecordSchema),
    result: z.record(z.string(), z.json()).nullable(),
    metrics: z.array(z.object({ name: z.string(), count: z.int(), last: numberSchema, step: z.int() })),
    artifacts: z.array(artifactRefSchema.extend({ node: z.string(), port: z.string().nullable() })),
  })
  .meta({ id: 'Run' })
export type Run = z.infer<typeof runSchema>

/** One numeric emission; `step` counts the emissions of that message in that run from 0. */
export const metricPointSchema = z
  .object({ step: z.int(), ts: timestampSchema, value: numberSchema })
  .meta({ id: 'MetricPoint' })
export type MetricPoint = z.infer<typeof metricPointSchema>

/** A curve; `run` is the run that emitted it, which differs from the run asked for on a cache hit. */
export const metricSeriesSchema = z
  .object({
    name: z.string(),
    node: z.string(),
    port: z.string(),
    run: z.string(),
    count: z.int(),
    points: z.array(metricPointSchema),
  })
  .meta({ id: 'MetricSeries' })
export type MetricSeries = z.infer<typeof metricSeriesSchema>

/** Whether a run has reached a final state. */
export const isFinished = (status: RunStatus): boolean => status !== 'queued' && status !== 'running'
