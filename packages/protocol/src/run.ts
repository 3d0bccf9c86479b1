/**
 * Runs of batch flows (wire decisions G29-G36).
 * @module
 */
import * as z from 'zod'

import { artifactRefSchema, digestSchema } from './artifact.ts'
import { dtypeSchema } from './dtype.ts'
import { MAX_IMPORT_RUNS, MAX_SWEEP_RUNS } from './limits.ts'
import { nameSchema } from './names.ts'
import { timestampInputSchema, timestampSchema } from './time.ts'

/** State of a run; `queued` and `running` are active, the others final. */
export const runStatusSchema = z
  .enum(['queued', 'running', 'ok', 'error', 'cancelled', 'abandoned'])
  .meta({ id: 'RunStatus' })
/** State of a run. */
export type RunStatus = z.infer<typeof runStatusSchema>

/** State of a node in a run; `cached` is a flag beside `ok`. */
export const nodeRunStatusSchema = z
  .enum(['pending', 'queued', 'running', 'ok', 'error', 'skipped', 'cancelled'])
  .meta({ id: 'NodeRunStatus' })
/** State of a node in a run. */
export type NodeRunStatus = z.infer<typeof nodeRunStatusSchema>

// no enum: in declarations TypeScript writes its key "-Infinity" as a computed name, and refuses that when it reads it
/** A number as it travels: NaN and the infinities as strings. */
export const numberSchema = z.union([z.number(), z.literal(['NaN', 'Infinity', '-Infinity'])])
/** A number as JSON carries it: `Number()` reads each of them. */
export type WireNumber = z.infer<typeof numberSchema>

const seedSchema = z.int()
/** Which version of its flow a submission is about. */
export const draftSchema = z
  .boolean()
  .default(false)
  .meta({ description: 'The draft in place of the published version.' })
/** Whether a submission looks into the stage cache. */
export const noCacheSchema = z
  .boolean()
  .default(false)
  .meta({ description: 'Execute every stage; what comes out is stored.' })
const prioritySchema = z
  .int()
  .min(-100)
  .max(100)
  .default(0)
  .meta({ description: 'Higher is executed first; runs of one priority in the order of their submission.' })
const failureSchema = z.object({ type: z.string(), message: z.string() })

/** Body of `POST /runs/flows/{name}`. */
export const runSubmitSchema = z
  .strictObject({
    params: z
      .record(z.string(), z.json())
      .default({})
      .meta({ description: 'Values of inputs by name; one that is left out has its initial value.' }),
    seed: seedSchema.optional().meta({ description: 'Fills the input `seed`, if the flow has one, and is recorded.' }),
    draft: draftSchema,
    no_cache: noCacheSchema,
    priority: prioritySchema,
    idempotency_key: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'A key that was used before answers with the run submitted then.' }),
  })
  .meta({ id: 'RunSubmit' })

/** What a run is submitted with; all of it may be left out. */
export type RunSubmit = z.infer<typeof runSubmitSchema>

/** Body of `POST /runs/flows/{name}/sweep`: a run for each entry of `runs`. */
export const sweepSubmitSchema = z
  .strictObject({
    runs: z
      .array(z.record(z.string(), z.json()))
      .min(1)
      .max(MAX_SWEEP_RUNS)
      .meta({ description: 'The params of each run.' }),
    seeds: z.array(seedSchema).max(MAX_SWEEP_RUNS).optional().meta({ description: 'One for each entry of `runs`.' }),
    draft: draftSchema,
    no_cache: noCacheSchema,
    priority: prioritySchema,
  })
  .refine(({ runs, seeds }) => seeds === undefined || seeds.length === runs.length, {
    path: ['seeds'],
    error: '"seeds" has to be as long as "runs": it gives one seed for each',
  })
  .meta({ id: 'SweepSubmit' })
/** What a sweep is submitted with: `runs` has the params of each run. */
export type SweepSubmit = z.infer<typeof sweepSubmitSchema>

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
/** A run in lists and events: without nodes, metrics and result. */
export type RunSummary = z.infer<typeof runSummarySchema>

/**
 * What the stage cache had for a node with code. `key` is null where nothing is looked up (`cache: false`). A miss says
 * why the node executes: what has changed since the most similar stage of the node, as in `input lr: 0.1 -> 0.2`.
 */
export const nodeCacheSchema = z
  .object({ hit: z.boolean(), key: digestSchema.nullable(), why: z.array(z.string()) })
  .meta({ id: 'NodeCache' })
export type NodeCache = z.infer<typeof nodeCacheSchema>

/** One execution of a node in a run. */
export const attemptSchema = z
  .object({
    attempt: z.int().meta({ description: 'From 1.' }),
    started_at: timestampSchema,
    finished_at: timestampSchema.nullable(),
    error: failureSchema.nullable(),
  })
  .meta({ id: 'NodeAttempt' })
export type NodeAttempt = z.infer<typeof attemptSchema>

/** What happened to one node of a run. `logs` is the tail of its output. */
export const nodeRecordSchema = z
  .object({
    node: z.string(),
    type: z.string(),
    status: nodeRunStatusSchema,
    cached: z.boolean(),
    cached_from: z.string().nullable(),
    cache: nodeCacheSchema.nullable().meta({ description: 'Null before its turn, and of nodes without code.' }),
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
    attempts: z
      .array(attemptSchema)
      .meta({ description: 'Executions in order; more than one only with `retry`, none of what was not executed.' }),
  })
  .meta({ id: 'NodeRecord' })
/** What became of a node in a run: times, logs, attempts, and the cache’s answer. */
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
    priority: z.int(),
    nodes: z.array(nodeRecordSchema),
    result: z.record(z.string(), z.json()).nullable(),
    metrics: z.array(z.object({ name: z.string(), count: z.int(), last: numberSchema, step: z.int() })),
    artifacts: z.array(artifactRefSchema.extend({ node: z.string(), port: z.string().nullable() })),
  })
  .meta({ id: 'Run' })
/** A run with everything that is kept of it. `duration_s` is in seconds. */
export type Run = z.infer<typeof runSchema>

/** One numeric emission; `step` counts the emissions of that message in that run from 0. */
export const metricPointSchema = z
  .object({ step: z.int(), ts: timestampSchema, value: numberSchema })
  .meta({ id: 'MetricPoint' })
/** A point of a curve. */
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
/** A curve of a run. */
export type MetricSeries = z.infer<typeof metricSeriesSchema>

/** A curve's name, and how many of the runs asked for have it. */
export const metricNameSchema = z.object({ name: z.string(), runs: z.int() }).meta({ id: 'MetricName' })
export type MetricName = z.infer<typeof metricNameSchema>

/** One curve of several runs over a common x axis; a run without the curve has no points. */
export const metricComparisonSchema = z
  .object({
    metric: z.string(),
    x: z.string().meta({ description: '`step`, `time` (seconds since the start of the run), or another metric.' }),
    series: z.array(
      z.object({
        run: z.string(),
        flow: z.string(),
        status: runStatusSchema,
        params: z.record(z.string(), z.json()),
        points: z.array(z.object({ x: numberSchema, y: numberSchema })),
      }),
    ),
  })
  .meta({ id: 'MetricComparison' })
export type MetricComparison = z.infer<typeof metricComparisonSchema>

/** The queued runs of a sweep, in the order of its entries. */
export const sweepSchema = z.object({ group_id: z.uuid(), runs: z.array(runSummarySchema) }).meta({ id: 'Sweep' })
/** The runs of a sweep. */
export type Sweep = z.infer<typeof sweepSchema>

/** A point of an imported curve; `name` is a message of the run's flow, bare or as `<flow>.<message>`. */
export const importedMetricPointSchema = z
  .strictObject({
    name: z.string().min(1).max(201),
    step: z.int().min(0),
    ts: timestampInputSchema.optional().meta({ description: 'Left out: the `created_at` of the run.' }),
    value: numberSchema,
  })
  .meta({ id: 'ImportedMetricPoint' })
export type ImportedMetricPoint = z.infer<typeof importedMetricPointSchema>

/** Bytes that an imported run brings. */
export const importedArtifactSchema = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[^\p{Cc}/\\]*$/u, 'use a file name: no control characters, "/" or "\\"'),
    media_type: z
      .string()
      .regex(
        /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?:;[\u0020-\u007e]{0,200})?$/,
        'use a media type such as image/png',
      )
      .default('application/octet-stream'),
    data: z.base64('use base64 with padding').meta({ description: 'The bytes in base64.' }),
  })
  .meta({ id: 'ImportedArtifact' })

/** A run that ended elsewhere. */
export const importedRunSchema = z
  .strictObject({
    flow: nameSchema,
    external_id: z.string().min(1).max(200).meta({ description: 'Names the run for ever: a repeat is no other run.' }),
    params: z.record(z.string(), z.json()).default({}),
    seed: seedSchema.optional(),
    status: z.enum(['ok', 'error', 'cancelled', 'abandoned'], 'only finished runs can be imported'),
    created_at: timestampInputSchema,
    finished_at: timestampInputSchema.optional(),
    result: z.record(z.string(), z.json()).optional(),
    metrics: z.array(importedMetricPointSchema).default([]),
    artifacts: z.array(importedArtifactSchema).max(1000).default([]),
  })
  .meta({ id: 'ImportedRun' })
export type ImportedRun = z.infer<typeof importedRunSchema>

/** Body of `POST /runs/import`. */
export const runImportSchema = z
  .strictObject({ runs: z.array(importedRunSchema).min(1).max(MAX_IMPORT_RUNS) })
  .meta({ id: 'RunImport' })

/** What became of the entries of an import; `created` is false where the run was known. */
export const runImportResultSchema = z
  .object({ runs: z.array(z.object({ external_id: z.string(), id: z.uuid(), created: z.boolean() })) })
  .meta({ id: 'RunImportResult' })
export type RunImportResult = z.infer<typeof runImportResultSchema>

/** The runs of one flow in numbers; `exists` is false once the flow is deleted. `avg_duration_s` is of `ok` runs. */
export const runOverviewSchema = z
  .object({
    flow: z.string(),
    exists: z.boolean(),
    total: z.int(),
    queued: z.int(),
    running: z.int(),
    ok: z.int(),
    error: z.int(),
    cancelled: z.int(),
    abandoned: z.int(),
    last_run: runSummarySchema.nullable(),
    avg_duration_s: z.number().nullable(),
  })
  .meta({ id: 'RunOverview' })
export type RunOverview = z.infer<typeof runOverviewSchema>

/** What a node of a run returned, by port. */
export const nodeOutputsSchema = z
  .object({ run: z.string(), node: z.string(), cached: z.boolean(), outputs: z.record(z.string(), z.json()) })
  .meta({ id: 'NodeOutputs' })
/** What a node has returned, by port. */
export type NodeOutputs = z.infer<typeof nodeOutputsSchema>

/** How many were deleted. */
export const deletedCountSchema = z.object({ deleted: z.int() }).meta({ id: 'DeletedCount' })

/** Whether a run has reached a final state. */
export const isFinished = (status: RunStatus): boolean => status !== 'queued' && status !== 'running'
