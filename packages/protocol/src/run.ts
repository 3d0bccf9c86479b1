/**
 * Runs of batch flows (wire decisions G29-G36).
 * @module
 */
import * as z from 'zod'

import { artifactRefSchema, digestSchema } from './artifact.ts'
import { curveSummarySchema, numberSchema } from './curves.ts'
import { dtypeSchema } from './dtype.ts'
import { MAX_SWEEP_RUNS } from './limits.ts'
import { nodeRunStatusSchema, runOriginSchema, runStatusSchema } from './run-status.ts'
import { timestampSchema } from './time.ts'

// no enum: in declarations TypeScript writes its key "-Infinity" as a computed name, and refuses that when it reads it

/** Seed of a run. */
export const seedSchema = z.int()
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
const failureSchema = z
  .object({
    type: z.string().meta({ description: 'For programs: the class of an exception, or a word of the engine.' }),
    message: z.string().meta({ description: 'For people.' }),
  })
  .meta({ id: 'Failure', description: 'Why it failed.' })
const runErrorSchema = failureSchema
  .extend({ node: z.string().nullable().meta({ description: 'Which node failed first; null when none did.' }) })
  .meta({ id: 'RunError', description: 'Why the run failed; null unless it did.' })

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

const runProgressSchema = z
  .object({
    total: z.int().meta({ description: 'Nodes of the flow.' }),
    done: z.int().meta({ description: 'Those that have ended, in whatever way.' }),
    cached: z.int().meta({ description: 'Those whose outputs are those of an earlier run.' }),
    failed: z.int().meta({ description: 'Those that have failed.' }),
    running: z.int().meta({ description: 'Those that execute now.' }),
    waiting_for: z.string().nullable().meta({ description: 'What one of them waits for; null unless one does.' }),
  })
  .meta({ id: 'RunProgress', description: 'How far a run has come, in nodes.' })
export type RunProgress = z.infer<typeof runProgressSchema>

/** What every form of a run has. `duration_s` leaves the time in the queue out. */
export const runHeadSchema = z.object({
  id: z.uuid().meta({ description: 'Chosen by the engine; later runs have greater ones.' }),
  flow: z.string().meta({ description: 'Name of the flow.' }),
  status: runStatusSchema,
  draft: z.boolean().meta({ description: 'Whether it executes the draft in place of the published version.' }),
  seed: seedSchema.nullable().meta({ description: 'Seed of the run; null where neither it nor its flow has one.' }),
  group_id: z.string().nullable().meta({ description: 'Of the sweep that it is part of.' }),
  parent: z.string().nullable().meta({ description: 'Id of the run that it repeats.' }),
  idempotency_key: z.string().nullable().meta({ description: 'By which the same submission is known again.' }),
  external_id: z.string().nullable().meta({ description: 'Of an imported run: its id where it comes from.' }),
  flow_version: z.int().nullable().meta({ description: 'Version of the flow that it executes.' }),
  digest: z.string().nullable().meta({ description: 'Of the document that it executes; null of imports.' }),
  commit: z
    .string()
    .nullable()
    .meta({ description: 'Commit of the sources of a flow in code, as far as it is known.' }),
  created_at: timestampSchema.meta({ description: 'When it was submitted.' }),
  started_at: timestampSchema.nullable().meta({ description: 'When it left the queue; null while it waits.' }),
  finished_at: timestampSchema.nullable().meta({ description: 'When it ended; null before.' }),
  duration_s: z
    .number()
    .nullable()
    .meta({ description: 'Seconds from its start to its end, without the time in the queue.' }),
  error: runErrorSchema.nullable().meta({ description: 'Why the run failed; null unless it did.' }),
  submitted_by: z.string().nullable().meta({ description: 'Who has submitted it; null where nobody is signed in.' }),
  origin: runOriginSchema,
  note: z.string().meta({ description: 'What somebody has written about it; empty unless somebody did.' }),
  tags: z.array(z.string()).meta({ description: 'Words that somebody has given it, sorted.' }),
  pinned: z.boolean().meta({ description: 'Whether somebody has pinned it.' }),
  archived: z.boolean().meta({ description: 'Whether lists leave it out unless they are asked for it.' }),
})

export type RunHead = z.infer<typeof runHeadSchema>

/** A run without its details: a row of `GET /runs`. What is not asked for with `include` is null. */
export const runSummarySchema = runHeadSchema
  .extend({
    params: z
      .record(z.string(), z.json())
      .nullable()
      .meta({ description: 'Values of its inputs by name, where asked for; one over 1 KiB of JSON is null.' }),
    params_cut: z.array(z.string()).nullable().meta({ description: 'The inputs whose values are over 1 KiB.' }),
    results: z
      .record(z.string(), z.union([z.number(), z.string(), z.boolean()]))
      .nullable()
      .meta({ description: 'Numbers, texts and booleans up to 1 KiB among its outputs by name, where asked for.' }),
    metrics: z
      .record(z.string(), curveSummarySchema)
      .nullable()
      .meta({ description: 'Its curves by message, where asked for.' }),
    progress: runProgressSchema.nullable().meta({ description: 'How far it has come, where asked for.' }),
  })
  .meta({ id: 'RunSummary' })
/** A run in lists and events: without nodes, metrics and result. */
export type RunSummary = z.infer<typeof runSummarySchema>

/**
 * What the stage cache had for a node with code. `key` is null where nothing is looked up (`cache: false`). A miss says
 * why the node executes: what has changed since the most similar stage of the node, as in `input lr: 0.1 -> 0.2`.
 */
export const nodeCacheSchema = z
  .object({
    hit: z.boolean().meta({ description: 'Whether the stored outputs were taken.' }),
    key: digestSchema.nullable().meta({ description: 'Of the stage; null where nothing is looked up.' }),
    why: z.array(z.string()).meta({ description: 'Of a miss: what differs, as in `input lr: 0.1 -> 0.2`.' }),
  })
  .meta({ id: 'NodeCache', description: 'What the cache of stages had for the node.' })
export type NodeCache = z.infer<typeof nodeCacheSchema>

/** One execution of a node in a run. */
export const attemptSchema = z
  .object({
    attempt: z.int().meta({ description: 'From 1.' }),
    started_at: timestampSchema.meta({ description: 'When the code began.' }),
    finished_at: timestampSchema.nullable().meta({ description: 'When it ended; null before.' }),
    error: failureSchema.nullable().meta({ description: 'Why it failed; null unless it did.' }),
  })
  .meta({ id: 'NodeAttempt' })
export type NodeAttempt = z.infer<typeof attemptSchema>

/** What happened to one node of a run. `logs` is the tail of its output. */
export const nodeRecordSchema = z
  .object({
    node: z.string().meta({ description: 'Id of the node.' }),
    type: z.string().meta({ description: 'Its type.' }),
    status: nodeRunStatusSchema,
    cached: z.boolean().meta({ description: 'Whether its outputs are those of an earlier run.' }),
    cached_from: z.string().nullable().meta({ description: 'Id of that run.' }),
    cache: nodeCacheSchema.nullable().meta({ description: 'Null before its turn, and of nodes without code.' }),
    worker: z.string().nullable().meta({
      description: 'Name of the worker that executes it, `engine` on the engine itself; null before, and without code.',
    }),
    queued_at: timestampSchema.nullable().meta({ description: 'When all that it reads was there.' }),
    started_at: timestampSchema.nullable().meta({ description: 'When its code began.' }),
    finished_at: timestampSchema.nullable().meta({ description: 'When it ended; null before.' }),
    duration_s: z.number().nullable().meta({ description: 'Seconds from its start to its end.' }),
    waiting_for: z
      .string()
      .nullable()
      .meta({ description: 'The label of a worker that it waits for; null unless it does.' }),
    logs: z.string().meta({ description: 'The last 64 KiB of what it has printed.' }),
    logs_truncated: z.boolean().meta({ description: 'Whether it has printed more than that.' }),
    traceback: z.string().nullable().meta({ description: 'Of an error, with the lines of its source.' }),
    error: failureSchema.nullable().meta({ description: 'Why it failed; null unless it did.' }),
    attempts: z
      .array(attemptSchema)
      .meta({ description: 'Executions in order; more than one only with `retry`, none of what was not executed.' }),
  })
  .meta({ id: 'NodeRecord' })
/** What became of a node in a run: times, logs, attempts, and the cache’s answer. */
export type NodeRecord = z.infer<typeof nodeRecordSchema>

/** An input as the flow declared it when the run was submitted; `default` when the submission left it out. */
export const runInputSchema = z
  .object({
    name: z.string().meta({ description: 'Of the input.' }),
    dtype: dtypeSchema,
    value: z.json().meta({ description: 'The value that the run has.' }),
    default: z.boolean().meta({ description: 'Whether the submission left it out.' }),
  })
  .meta({ id: 'RunInput' })
export type RunInput = z.infer<typeof runInputSchema>

const metricSummarySchema = z
  .object({
    name: z.string().meta({ description: 'Qualified: `<flow>.<message>`.' }),
    count: z.int().meta({ description: 'Points so far.' }),
    last: numberSchema.meta({ description: 'Value of the last point.' }),
    step: z.int().meta({ description: 'Step of the last point.' }),
  })
  .meta({ id: 'MetricSummary' })
const runArtifactSchema = artifactRefSchema
  .extend({
    node: z.string().meta({ description: 'Id of the node that gave it.' }),
    port: z.string().nullable().meta({ description: 'At which output; null where it only stored it.' }),
  })
  .meta({ id: 'RunArtifact' })

/** A run with its details. */
export const runSchema = runHeadSchema
  .extend({
    params: z.record(z.string(), z.json()).meta({ description: 'Values of all inputs by name.' }),
    inputs: z.array(runInputSchema).meta({ description: 'The inputs as the flow declared them then.' }),
    no_cache: z.boolean().meta({ description: 'Whether every stage executes.' }),
    priority: z.int().meta({ description: 'Higher ones start first; 0 is usual.' }),
    nodes: z.array(nodeRecordSchema).meta({ description: 'What became of each node.' }),
    result: z
      .record(z.string(), z.json())
      .nullable()
      .meta({ description: 'Outputs of the flow by name; null before it ends well. A large one is an artifact.' }),
    metrics: z.array(metricSummarySchema).meta({ description: 'Its curves, each in a line.' }),
    artifacts: z.array(runArtifactSchema).meta({ description: 'Stored bytes that its nodes gave.' }),
  })
  .meta({ id: 'Run' })
/** A run with everything that is kept of it. `duration_s` is in seconds. */
export type Run = z.infer<typeof runSchema>

/** The queued runs of a sweep, in the order of its entries. */
export const sweepSchema = z
  .object({
    group_id: z.uuid().meta({ description: 'Of the sweep: all of its runs have it.' }),
    runs: z.array(runSummarySchema).meta({ description: 'Queued, in the order of the entries.' }),
  })
  .meta({ id: 'Sweep' })
/** The runs of a sweep. */
export type Sweep = z.infer<typeof sweepSchema>

/** The runs of one flow in numbers; `exists` is false once the flow is deleted. `avg_duration_s` is of `ok` runs. */
export const runOverviewSchema = z
  .object({
    flow: z.string().meta({ description: 'Name of the flow.' }),
    exists: z.boolean().meta({ description: 'False once the flow is deleted.' }),
    total: z.int().meta({ description: 'Its runs.' }),
    queued: z.int().meta({ description: 'Those that wait.' }),
    running: z.int().meta({ description: 'Those that execute.' }),
    ok: z.int().meta({ description: 'Those that ended well.' }),
    error: z.int().meta({ description: 'Those that failed.' }),
    cancelled: z.int().meta({ description: 'Those that were cancelled.' }),
    abandoned: z.int().meta({ description: 'Those that lost their engine.' }),
    last_run: runSummarySchema.nullable().meta({ description: 'The newest.' }),
    avg_duration_s: z
      .number()
      .nullable()
      .meta({ description: 'Mean of those that ended well, in seconds; null without one.' }),
  })
  .meta({ id: 'RunOverview' })
export type RunOverview = z.infer<typeof runOverviewSchema>

/** What a node of a run returned, by port. */
export const nodeOutputsSchema = z
  .object({
    run: z.string().meta({ description: 'Id of the run.' }),
    node: z.string().meta({ description: 'Id of the node.' }),
    cached: z.boolean().meta({ description: 'Whether they are those of an earlier run.' }),
    outputs: z.record(z.string(), z.json()).meta({ description: 'By port.' }),
  })
  .meta({ id: 'NodeOutputs' })
/** What a node has returned, by port. */
export type NodeOutputs = z.infer<typeof nodeOutputsSchema>

/** How many were deleted. */
export const deletedCountSchema = z
  .object({ deleted: z.int().meta({ description: 'How many were deleted.' }) })
  .meta({ id: 'DeletedCount' })
