/**
 * `/runs`: submission, records, cancellation and curves (wire decisions G29-G31, G34, G36).
 * @module
 */
import {
  type CurveColumns,
  curveColumnsSchema,
  metricSeriesSchema,
  nameSchema,
  runPlanSchema,
  runPlanSubmitSchema,
  runSchema,
  runSubmitSchema,
} from '@flow-service/protocol'
import * as z from 'zod'

import { actorOf, type EventLog } from '../events/event-log.ts'
import { endpoint, type Handlers, json, reply } from '../http/endpoint.ts'
import { invalid } from '../http/errors.ts'
import { integer } from '../http/query.ts'
import { curveAnswer, type RunCurves } from './curve-answer.ts'
import { cutOf } from './curves/points.ts'
import { thinningOf, thinningQuery } from './curves/thinning-query.ts'
import { commaList } from './filter-query.ts'
import type { Runs } from './runs.ts'

const runParam = z.object({ id: z.uuid('use the id of a run').meta({ description: 'Of the run.' }) })

const truncation = z.object({
  'x-truncated': z.string().optional().meta({ description: 'How many points are given, when there are more.' }),
  'x-total-count': z.string().optional().meta({ description: 'How many points there are, when these are more.' }),
})

/** The endpoints of runs. */
export const runsEndpoints = {
  submit: endpoint({
    id: 'runs.submit',
    method: 'post',
    path: '/runs/flows/{name}',
    summary: 'Queue a run',
    description: 'Answers at once with the queued run. A known `idempotency_key` answers with the run it named first.',
    auth: 'user',
    scope: 'runs:write',
    params: z.object({ name: nameSchema.meta({ description: 'Name of the flow.' }) }),
    body: json(runSubmitSchema, { required: false }),
    replies: {
      200: reply.json('The run that was submitted first under this key.', runSchema),
      201: reply.json('The queued run.', runSchema, z.object({ location: z.string() })),
    },
    problems: ['wrong_mode', 'not_found', 'not_published', 'validation_failed', 'flow_invalid'],
  }),
  plan: endpoint({
    id: 'runs.plan',
    method: 'post',
    path: '/runs/flows/{name}/plan',
    summary: 'Tell what a run or sweep would execute',
    description:
      'Which nodes would execute, which are cached, and why, in dependency order. Takes and refuses what a submission or sweep does; executes and stores nothing.',
    auth: 'user',
    scope: 'flows:write',
    params: z.object({ name: nameSchema.meta({ description: 'Name of the flow.' }) }),
    body: json(runPlanSubmitSchema, { required: false }),
    replies: { 200: reply.json('The plan.', runPlanSchema) },
    problems: ['wrong_mode', 'not_found', 'not_published', 'validation_failed', 'flow_invalid'],
  }),
  get: endpoint({
    id: 'runs.get',
    method: 'get',
    path: '/runs/{id}',
    summary: 'Get a run with its nodes, result and artifacts',
    auth: 'user',
    scope: 'runs:read',
    params: runParam,
    replies: { 200: reply.json('The run.', runSchema) },
    problems: ['not_found'],
  }),
  cancel: endpoint({
    id: 'runs.cancel',
    method: 'post',
    path: '/runs/{id}/cancel',
    summary: 'Cancel a run',
    description: 'A finished run is answered unchanged.',
    auth: 'user',
    scope: 'runs:write',
    params: runParam,
    replies: { 200: reply.json('The run.', runSchema) },
    problems: ['not_found'],
  }),
  metrics: endpoint({
    id: 'runs.metrics',
    method: 'get',
    path: '/runs/{id}/metrics',
    summary: 'Get the curves of a run',
    description: 'Points one by one; with `points` columns.',
    auth: 'user',
    scope: 'runs:read',
    params: runParam,
    query: z.object({
      name: commaList('Messages, bare or as `<flow>.<message>`'),
      ...thinningQuery,
      after_step: integer({ min: 0 }).optional().meta({ description: 'Only points of later steps.' }),
    }),
    replies: {
      200: reply.longJson(
        'The curves.',
        z.union([z.array(metricSeriesSchema), z.array(curveColumnsSchema)]),
        truncation,
      ),
    },
    problems: ['not_found', 'validation_failed'],
  }),
} as const

/** Which points of a run are read. */
interface ReadQuery {
  readonly names: readonly string[] | undefined
  readonly afterStep: number | undefined
}

/** What the endpoints work on. */
export interface RunsHandlersDeps {
  readonly eventLog: Pick<EventLog, 'note'>
  readonly runs: Runs
  /** Reads curves as columns, and their points behind a step. */
  readonly columns: {
    ofRun(id: string, query: ReadQuery & { readonly points: number }): Promise<CurveColumns[]>
    pointsAfter(id: string, query: ReadQuery & { readonly afterStep: number }): Promise<RunCurves>
  }
}

/** The handlers of {@link runsEndpoints}. */
export const runsHandlers = ({ eventLog, runs, columns }: RunsHandlersDeps): Handlers<typeof runsEndpoints> => ({
  async submit({ params, body, principal, request }) {
    const { run, created } = await runs.submit(params.name, body, principal.email)
    if (!created) return { status: 200, value: run }
    return { status: 201, value: run, headers: { location: `${request.baseUrl}/runs/${run.id}` } }
  },
  async plan({ params, body }) {
    return { status: 200, value: await runs.plan(params.name, body) }
  },
  async get({ params }) {
    return { status: 200, value: await runs.get(params.id) }
  },
  async cancel({ params: { id }, principal }) {
    const value = await runs.cancel(id)
    eventLog.note({ action: 'run.cancel', actor: actorOf(principal), flow: value.flow, detail: { run: id } })
    return { status: 200, value }
  },
  async metrics({ params, query }) {
    const { stride = 1, points, after_step: afterStep } = query
    const names = query.name?.split(',')
    if (thinningOf(query) === 'columns' && points !== undefined) {
      return { status: 200, value: await columns.ofRun(params.id, { names, points, afterStep }) }
    }
    if (afterStep !== undefined) {
      if (query.stride !== undefined) throw noStride()
      return { status: 200, ...(await curveAnswer(await columns.pointsAfter(params.id, { names, afterStep }))) }
    }
    const curves = await runs.curves(params.id, { names, stride })
    const given = curves.heads.map(({ count }, at) => ({ count, points: { length: curves.shares[at] ?? 0 } }))
    return { status: 200, ...(await curveAnswer(curves)), headers: cutOf(given, stride) }
  },
})

const noStride = () =>
  invalid([{ path: 'query.stride', code: 'conflict', message: 'a stride and after_step do not go together' }])
