/**
 * What the engine tells about itself: health, executions, cascades, events and dead letters (wire decision G52).
 * @module
 */
import * as z from 'zod'

import { timestampInputSchema, timestampSchema } from './time.ts'

/** `degraded`: it works, but impaired. */
export const checkStatusSchema = z.enum(['ok', 'degraded', 'down'])
export type CheckStatus = z.infer<typeof checkStatusSchema>

const checkSchema = z.object({
  status: checkStatusSchema.meta({ description: 'How it is.' }),
  detail: z.string().nullable().meta({ description: 'What is wrong, null while it is `ok`.' }),
})
export type Check = z.infer<typeof checkSchema>

/** The parts of an engine that are checked. */
export const checksSchema = z
  .object({
    loop: checkSchema.meta({ description: 'The event loop of the engine: whether it answers in time.' }),
    store: checkSchema.meta({ description: 'The database.' }),
    queue: checkSchema.meta({ description: 'Runs that wait: whether they are taken up.' }),
    artifacts: checkSchema.meta({ description: 'The store of artifacts.' }),
    python: checkSchema.meta({ description: 'The interpreter of Python nodes.' }),
  })
  .meta({ id: 'Checks' })
export type Checks = z.infer<typeof checksSchema>

/** Answer of `GET /utils/health/` while the engine can work. */
export const healthAnswerSchema = z
  .object({
    status: z.literal('ok').meta({ description: 'It can work.' }),
    checks: checksSchema.meta({ description: 'The parts that were checked.' }),
  })
  .meta({ id: 'Health' })

/** Answer of `GET /observability/summary`. */
export const observabilitySummarySchema = z
  .object({
    status: checkStatusSchema.meta({ description: '`down` when the loop or the store is, else the worst check.' }),
    version: z.string().meta({ description: 'Of the engine.' }),
    protocol: z.int().meta({ description: 'Version of the protocol between engine and workers.' }),
    uptime_s: z.number().meta({ description: 'Seconds since it started.' }),
    engines: z.int().meta({ description: 'Engines of the database that live, this one included.' }),
    checks: checksSchema.meta({ description: 'The parts that were checked.' }),
    flows: z
      .object({
        active: z.int().meta({ description: 'Those that run, paused ones included.' }),
        failed: z.int().meta({ description: 'Those that should run and do not.' }),
      })
      .meta({ description: 'Live flows, in numbers.' }),
    runs: z
      .object({
        queued: z.int().meta({ description: 'Those that wait.' }),
        running: z.int().meta({ description: 'Those that execute.' }),
      })
      .meta({ description: 'Runs that are not over, in numbers.' }),
    counts: z
      .object({
        dead_letters: z.int().meta({ description: 'That are kept, of all flows and runs.' }),
        failed_nodes: z
          .int()
          .meta({ description: 'Nodes of live flows with a failure marker, as this engine knows them.' }),
        pending_devices: z.int().meta({ description: 'Requests of devices that wait for their adoption.' }),
      })
      .meta({ description: 'What waits for somebody. While the database does not answer, as it last told.' }),
    workers: z
      .object({
        attached: z.int().meta({ description: 'Those that take calls.' }),
        needs_upgrade: z.int().meta({ description: 'Those that were refused for their version.' }),
      })
      .meta({ description: 'Workers of this engine, in numbers.' }),
    load_errors: z
      .array(
        z.object({
          package: z.string().meta({ description: 'Name of the package.' }),
          reason: z.string().meta({ description: 'Why it could not be loaded.' }),
        }),
      )
      .meta({ description: 'Packages that could not be loaded.' }),
  })
  .meta({ id: 'ObservabilitySummary' })
export type ObservabilitySummary = z.infer<typeof observabilitySummarySchema>

const counted = {
  executions: z.int().meta({ description: 'Executions of nodes.' }),
  errors: z.int().meta({ description: 'Those that failed.' }),
  duration_ms_avg: z.number().nullable().meta({ description: 'Mean of their durations in ms; null without any.' }),
  duration_ms_p95: z.number().nullable().meta({ description: 'Within 5 %.' }),
}

/** Executions of a span of time that begins at `ts`. */
export const timeBucketSchema = z
  .object({ ts: timestampSchema.meta({ description: 'When the span begins.' }), ...counted })
  .meta({ id: 'TimeBucket' })
export type TimeBucket = z.infer<typeof timeBucketSchema>

/** Executions of a flow. */
export const flowRollupSchema = z
  .object({
    flow: z.string().meta({ description: 'Name of the flow.' }),
    ...counted,
    last_at: timestampSchema.nullable().meta({ description: 'When executions were last counted, to a few seconds.' }),
  })
  .meta({ id: 'FlowRollup' })
export type FlowRollup = z.infer<typeof flowRollupSchema>

/** State of a cascade; `abandoned` when it was given up before its end. */
export const cascadeStatusSchema = z.enum(['running', 'ok', 'error', 'abandoned'])
export type CascadeStatus = z.infer<typeof cascadeStatusSchema>

/** Everything that one event has set off in live flows, or one run. */
export const cascadeSchema = z
  .object({
    id: z.uuid().meta({ description: 'Of the cascade, which history and events name.' }),
    flow: z.string().meta({ description: 'Where it began.' }),
    origin: z
      .object({
        kind: z
          .enum(['webhook', 'timer', 'publish', 'reading', 'trigger', 'run', 'start'])
          .meta({ description: 'Of event.' }),
        node: z.string().nullable().meta({ description: 'Id of the node where it began; null without one.' }),
        message: z.string().nullable().meta({ description: 'Message that was published; null without one.' }),
      })
      .meta({ description: 'What has set it off.' }),
    run: z.uuid().nullable().meta({ description: 'The run that it is, or whose result set it off.' }),
    status: cascadeStatusSchema.meta({ description: '`abandoned`: it was given up before its end.' }),
    executions: z.int().meta({ description: 'Executions of nodes so far.' }),
    started_at: timestampSchema,
    finished_at: timestampSchema.nullable().meta({ description: 'When it ended; null before.' }),
    duration_ms: z.number().nullable().meta({ description: 'From its start to its end in ms; null before.' }),
    error: z
      .object({
        node: z.string().nullable().meta({ description: 'Id of the node; null when none failed.' }),
        type: z.string().meta({ description: 'For programs: the class of an exception, or a word of the engine.' }),
        message: z.string().meta({ description: 'For people.' }),
      })
      .meta({ id: 'CascadeError' })
      .nullable()
      .meta({ description: 'The first failure.' }),
  })
  .meta({ id: 'Cascade' })
export type CascadeRecord = z.infer<typeof cascadeSchema>

/** What an event is about. */
export const eventKindSchema = z.enum(['audit', 'health', 'alert', 'worker', 'device', 'engine'])
export type EventKind = z.infer<typeof eventKindSchema>

/** How whoever did something was signed in. */
export const actorViaSchema = z.enum(['session', 'key', 'mcp', 'cli']).meta({
  id: 'ActorVia',
  description: '`cli`: by the sign-in file of the machine, or on its stopped engine. `mcp`: as an agent.',
})
export type ActorVia = z.infer<typeof actorViaSchema>

/** Whoever did something. */
export const actorSchema = z
  .object({
    id: z.string().meta({ description: 'Of the user.' }),
    email: z.string().meta({ description: 'Address of the user.' }),
    via: actorViaSchema.meta({ description: 'How the user was signed in.' }),
    name: z.string().nullable().meta({ description: 'Of the key, or of the agent.' }),
  })
  .meta({ id: 'Actor' })
export type Actor = z.infer<typeof actorSchema>

/** Something that happened, or that somebody did (`audit`). */
export const observabilityEventSchema = z
  .object({
    id: z.uuid().meta({ description: 'Of the event.' }),
    ts: timestampSchema,
    kind: eventKindSchema.meta({ description: 'What it is about.' }),
    level: z.enum(['info', 'warning', 'error']).meta({ description: 'How bad it is.' }),
    flow: z.string().nullable().meta({ description: 'Name of the flow; null without one.' }),
    node: z.string().nullable().meta({ description: 'Id of the node; null without one.' }),
    action: z.string().meta({ description: 'What happened, for example `flow.publish`.' }),
    actor: actorSchema.nullable().meta({ description: 'Null for what nobody asked for.' }),
    detail: z.record(z.string(), z.json()).meta({ description: 'More of it, by kind and action.' }),
  })
  .meta({ id: 'ObservabilityEvent' })
export type ObservabilityEvent = z.infer<typeof observabilityEventSchema>

/** Why work ended without being done. */
export const deadLetterReasonSchema = z.enum(['crash', 'overflow', 'expired', 'loop_limit', 'lease', 'stopped'])
export type DeadLetterReason = z.infer<typeof deadLetterReasonSchema>

/** Work that ended without being done. */
export const deadLetterSchema = z
  .object({
    id: z.uuid().meta({ description: 'By which it is replayed or dismissed.' }),
    ts: timestampSchema,
    flow: z.string().meta({ description: 'Name of the flow.' }),
    node: z.string().nullable().meta({ description: 'Null for a run.' }),
    message: z.string().nullable().meta({ description: 'Null when the node was asked to act.' }),
    value: z.json().meta({ description: 'Null too when it had more than 256 KiB.' }),
    reason: deadLetterReasonSchema.meta({ description: 'Why it was not done.' }),
    attempts: z.int().meta({ description: 'How often it was tried, replays included.' }),
    cascade: z.uuid().nullable().meta({ description: 'What it was part of; null without one.' }),
    run: z.uuid().nullable().meta({ description: 'Id of the run; null of live flows.' }),
  })
  .meta({ id: 'DeadLetter' })
export type DeadLetterRecord = z.infer<typeof deadLetterSchema>

/** Body of `POST /observability/dead-letter/replay`; what is left out does not matter. */
export const replayRequestSchema = z
  .strictObject({
    flow: z.string().optional().meta({ description: 'Only of this flow.' }),
    node: z.string().optional().meta({ description: 'Only of this node.' }),
    reason: deadLetterReasonSchema.optional().meta({ description: 'Only those that were not done for this reason.' }),
    since: timestampInputSchema.optional().meta({ description: 'Only of this time and later.' }),
    until: timestampInputSchema.optional().meta({ description: 'Only before this time.' }),
  })
  .meta({ id: 'ReplayRequest' })
export type ReplayRequest = z.infer<typeof replayRequestSchema>

/** Answer of `POST /observability/flush`: rows that were written now. */
export const flushResultSchema = z
  .object({
    metrics: z.int().meta({ description: 'Minutes of flows.' }),
    events: z.int().meta({ description: 'Cascades, events and dead letters.' }),
  })
  .meta({ id: 'FlushResult' })
export type FlushResult = z.infer<typeof flushResultSchema>
