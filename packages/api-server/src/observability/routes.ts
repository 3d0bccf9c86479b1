/**
 * `/observability`, the deep health check, and `/metrics` beside the API (wire decisions G52, R5, R6).
 * @module
 */
import type { IncomingMessage } from 'node:http'

import {
  cascadeSchema,
  cascadeStatusSchema,
  deadLetterReasonSchema,
  deadLetterSchema,
  eventKindSchema,
  flowRollupSchema,
  flushResultSchema,
  healthAnswerSchema,
  observabilityEventSchema,
  observabilitySummarySchema,
  replayRequestSchema,
  timeBucketSchema,
  timestampOfMs,
} from '@flow-service/protocol'
import type { RequestHandler } from 'express'
import * as z from 'zod'

import { foldEmail } from '../auth/users.ts'
import { endpoint, type Handlers, json, reply } from '../http/endpoint.ts'
import { invalid, ProblemError } from '../http/errors.ts'
import { assertUser, type Principal } from '../http/principal.ts'
import { integer, nextPage, pageQuery, time } from '../http/query.ts'
import { sendWhole } from '../http/send.ts'
import { canWork } from './checks.ts'
import { epochUsOf } from './instant.ts'
import type { Observability } from './observability.ts'
import { PROMETHEUS_TYPE } from './prometheus.ts'

const MINUTE_S = 60
const DAY_MS = 86_400_000
/** How long executions are kept. */
const WEEK_MS = 7 * DAY_MS

const links = z.object({ link: z.string().optional().meta({ description: 'The next page, when there may be one.' }) })
const words = (what: string) =>
  z
    .string()
    .min(1)
    .transform((text) => text.split(','))
    .meta({ description: `${what}, separated by commas.`, override: { type: 'string', minLength: 1 } })
    .optional()
/** Words of a fixed set. */
const choices = <const T extends string>(what: string, known: readonly T[]) =>
  z
    .string()
    .transform((text) => text.split(','))
    .pipe(
      z.array(
        z.enum(known as [T, ...T[]], { error: ({ input }) => `"${String(input)}" is not one of ${known.join(', ')}` }),
      ),
    )
    .meta({ description: `${what}, separated by commas: ${known.join(', ')}.`, override: { type: 'string' } })
    .optional()

/** The endpoints of what the engine keeps about itself. */
export const observabilityEndpoints = {
  timeseries: endpoint({
    id: 'observability.timeseries',
    method: 'get',
    path: '/observability/timeseries',
    summary: 'Read executions over time',
    description:
      'Executions of nodes of live flows and of runs, oldest first. They are counted by the minute and kept for 7 days; a ' +
      'bucket in which nothing was executed is left out.',
    auth: 'user',
    scope: 'observability:read',
    query: z.object({
      flow: words('Names of flows'),
      since: time.optional().meta({ description: 'From the minute of this time on; the last 24 hours unless given.' }),
      until: time.optional().meta({ description: 'To the minute of this time; now unless given.' }),
      bucket: integer({ min: MINUTE_S, max: WEEK_MS / 1000 })
        .refine((seconds) => seconds % MINUTE_S === 0, `use a multiple of ${MINUTE_S}`)
        .default(MINUTE_S)
        .meta({ description: 'Seconds of a bucket, a multiple of 60.' }),
    }),
    replies: { 200: reply.json('The buckets.', z.array(timeBucketSchema)) },
    problems: ['validation_failed'],
  }),
  flows: endpoint({
    id: 'observability.flows',
    method: 'get',
    path: '/observability/flows',
    summary: 'Sum up the executions of every flow',
    auth: 'user',
    scope: 'observability:read',
    query: z.object({
      since: time.optional().meta({ description: 'From the minute of this time on; the last 7 days unless given.' }),
    }),
    replies: { 200: reply.json('All flows by name.', z.array(flowRollupSchema)) },
    problems: ['validation_failed'],
  }),
  cascades: endpoint({
    id: 'observability.cascades',
    method: 'get',
    path: '/observability/runs',
    summary: 'List cascades, newest first',
    description:
      'A cascade is all that a webhook, timer, publication or trigger has set off in live flows; runs are listed too. They ' +
      'are kept for 30 days. Of a flow with many, those that failed or lasted a second are kept first, and of the others a ' +
      'part. `before` and `since` are about `started_at`.',
    auth: 'user',
    scope: 'observability:read',
    query: pageQuery.extend({
      flow: words('Names of flows'),
      status: choices('Statuses', cascadeStatusSchema.options),
    }),
    replies: { 200: reply.json('A page of cascades.', z.array(cascadeSchema), links) },
    problems: ['validation_failed'],
  }),
  events: endpoint({
    id: 'observability.events',
    method: 'get',
    path: '/observability/events',
    summary: 'List events, newest first',
    description: 'What people did (`audit`) and what happened to the engine and its connections in the last 30 days.',
    auth: 'user',
    scope: 'observability:read',
    query: pageQuery.extend({
      kind: choices('Kinds', eventKindSchema.options),
      flow: words('Names of flows'),
      node: words('Ids of nodes'),
      action: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .meta({ description: 'What actions begin with: `flow.` or `user.create`.' }),
      actor: z
        .string()
        .trim()
        .min(1)
        .max(320)
        .transform(foldEmail)
        .optional()
        .meta({
          description: 'The e-mail or the id of the user who did it.',
          override: { type: 'string', minLength: 1 },
        }),
      until: time.optional().meta({ description: 'Only rows older than this, on every page.' }),
    }),
    replies: { 200: reply.json('A page of events.', z.array(observabilityEventSchema), links) },
    problems: ['validation_failed'],
  }),
  deadLetter: endpoint({
    id: 'observability.deadLetter',
    method: 'get',
    path: '/observability/dead-letter',
    summary: 'List dead letters, newest first',
    description: 'Work that ended without being done. It is kept for 30 days, or until it is replayed.',
    auth: 'user',
    scope: 'observability:read',
    query: pageQuery.extend({
      flow: words('Names of flows'),
      node: words('Ids of nodes'),
      reason: choices('Reasons', deadLetterReasonSchema.options),
    }),
    replies: { 200: reply.json('A page of dead letters.', z.array(deadLetterSchema), links) },
    problems: ['validation_failed'],
  }),
  replayMany: endpoint({
    id: 'observability.replayMany',
    method: 'post',
    path: '/observability/dead-letter/replay',
    summary: 'Deliver dead letters again',
    description:
      'Those of active flows that fit, the oldest first, at most 1,000 a call: call again until `replayed` is 0. What ' +
      'cannot be delivered stays. An empty body means all.',
    auth: 'superuser',
    scope: 'flows:publish',
    body: json(replayRequestSchema, { required: false }),
    replies: {
      200: reply.json(
        'How many were delivered.',
        z.object({ replayed: z.int().meta({ description: 'How many were delivered.' }) }).meta({ id: 'Replayed' }),
      ),
    },
    problems: ['not_active', 'validation_failed'],
  }),
  replay: endpoint({
    id: 'observability.replay',
    method: 'post',
    path: '/observability/dead-letter/{id}/replay',
    place: { param: 'id', names: 'letter' },
    summary: 'Deliver a dead letter again',
    description:
      'Its value goes to every input of the node that reads the message. It is taken from the list; if it fails again it ' +
      'comes back under its id.',
    auth: 'superuser',
    scope: 'flows:publish',
    params: z.object({ id: z.uuid('use the id of a dead letter').meta({ description: 'Of the dead letter.' }) }),
    replies: {
      202: reply.json(
        'It was delivered.',
        z
          .object({ cascade: z.uuid().meta({ description: 'What it has set off, by id.' }) })
          .meta({ id: 'ReplayResult' }),
      ),
    },
    problems: ['not_found', 'not_active', 'validation_failed'],
  }),
  dismiss: endpoint({
    id: 'observability.dismiss',
    method: 'post',
    path: '/observability/dead-letter/{id}/dismiss',
    summary: 'Dismiss a dead letter',
    description: 'It is taken from the list and not delivered. Who has dismissed it is in the audit.',
    auth: 'superuser',
    scope: 'flows:publish',
    params: z.object({ id: z.uuid('use the id of a dead letter').meta({ description: 'Of the dead letter.' }) }),
    replies: { 204: reply.empty('It is gone.') },
    problems: ['not_found'],
  }),
  flush: endpoint({
    id: 'observability.flush',
    method: 'post',
    path: '/observability/flush',
    summary: 'Write what waits to be written',
    description: 'Lists do that by themselves for what they show.',
    auth: 'superuser',
    scope: 'admin',
    replies: { 200: reply.json('How many rows were written.', flushResultSchema) },
    problems: ['unavailable'],
  }),
} as const

/** The endpoints that tell how the engine is, also to callers whom the database cannot vouch for now. */
export const stateEndpoints = {
  summary: endpoint({
    id: 'observability.summary',
    method: 'get',
    path: '/observability/summary',
    summary: 'Tell how the engine is',
    description:
      'The answer is 200 whatever the state of the engine. While the database does not answer, the numbers of runs are ' +
      'the last that it told.',
    auth: 'user',
    scope: 'observability:read',
    replies: { 200: reply.json('The state of the engine.', observabilitySummarySchema) },
  }),
  health: endpoint({
    id: 'utils.health',
    method: 'get',
    path: '/utils/health/',
    summary: 'Check whether the engine works',
    description:
      'Refuses while the event loop is blocked or the database cannot be written; `checks` tells what it is.',
    auth: 'user',
    scope: 'observability:read',
    replies: { 200: reply.json('It works.', healthAnswerSchema) },
    problems: ['unavailable'],
  }),
} as const

interface Deps {
  readonly observability: Observability
}

/** The handlers of {@link observabilityEndpoints}. */
export const observabilityHandlers = ({ observability }: Deps): Handlers<typeof observabilityEndpoints> => ({
  async timeseries({ query: { flow: flows, since, until, bucket } }) {
    const span = { flows, since: since ?? ago(DAY_MS, until), until }
    if (until !== undefined && epochUsOf(until) < epochUsOf(span.since)) {
      const message = 'use a time that is not before "since"'
      throw invalid([{ path: 'query.until', code: 'invalid_value', message }])
    }
    return { status: 200, value: await observability.timeseries(span, bucket) }
  },
  async flows({ query: { since = ago(WEEK_MS) } }) {
    return { status: 200, value: await observability.rollups(since) }
  },
  async cascades({ query: { flow: flows, status: statuses, limit, ...span }, request }) {
    const value = await observability.cascades.list({ flows, statuses, ...span }, limit)
    const headers = nextPage(request, { rows: value.length, limit, cursor: value.at(-1)?.started_at })
    return { status: 200, value, headers }
  },
  async events({ query: { kind: kinds, flow: flows, node: nodes, limit, ...span }, request }) {
    const value = await observability.events.list({ kinds, flows, nodes, ...span }, limit)
    const headers = nextPage(request, { rows: value.length, limit, cursor: value.at(-1)?.ts })
    return { status: 200, value, headers }
  },
  async deadLetter({ query: { reason: reasons, flow: flows, node: nodes, limit, ...span }, request }) {
    const value = await observability.deadLetters.list({ reasons, flows, nodes, ...span }, limit)
    const headers = nextPage(request, { rows: value.length, limit, cursor: value.at(-1)?.ts })
    return { status: 200, value, headers }
  },
  async replayMany({ body, principal }) {
    return { status: 200, value: { replayed: await observability.replay.many(body, principal) } }
  },
  async replay({ params: { id }, principal }) {
    return { status: 202, value: { cascade: await observability.replay.one(id, principal) } }
  },
  async dismiss({ params: { id }, principal }) {
    await observability.replay.dismiss(id, principal)
    return { status: 204 }
  },
  async flush() {
    return { status: 200, value: await observability.flush() }
  },
})

/** The handlers of {@link stateEndpoints}. */
export const stateHandlers = ({ observability }: Deps): Handlers<typeof stateEndpoints> => ({
  async summary() {
    return { status: 200, value: await observability.summary() }
  },
  async health() {
    const { checks } = await observability.check()
    if (canWork(checks)) return { status: 200, value: { status: 'ok', checks } }
    const bad = [checks.loop, checks.store].find(({ status }) => status !== 'ok')
    throw new ProblemError('unavailable', `the engine cannot work: ${bad?.detail}`, { checks })
  },
})

/** What {@link metricsRoute} works on. */
interface MetricsRouteDeps extends Deps {
  readonly authenticate: (request: IncomingMessage) => Promise<Principal>
  /** Whether answers are compressed where the client asks for it. */
  readonly compresses: boolean
}

/** `GET /metrics` in the text format of Prometheus, for users. */
export const metricsRoute =
  (deps: MetricsRouteDeps): RequestHandler =>
  async (request, response) => {
    assertUser(await deps.authenticate(request), 'observability:read')
    const body = Buffer.from(await deps.observability.metrics())
    response.setHeader('content-type', PROMETHEUS_TYPE)
    await sendWhole({ body, isCompressible: deps.compresses }, request, response)
  }

/** The time so long before another one, which is now unless given. */
const ago = (durationMs: number, until?: string): string =>
  timestampOfMs((until === undefined ? Date.now() : Date.parse(until)) - durationMs)
