/**
 * `/runs`: sweeps, retries and imports (wire decisions G32, G33, G38).
 * @module
 */
import {
  MAX_SWEEP_BYTES,
  nameSchema,
  runImportResultSchema,
  runImportSchema,
  runSchema,
  sweepSchema,
  sweepSubmitSchema,
} from '@flow-service/protocol'
import * as z from 'zod'

import { endpoint, type Handlers, json, reply } from '../http/endpoint.ts'
import type { Runs } from './runs.ts'

/** Largest body of an import unless the configuration says otherwise, in bytes. */
const MAX_IMPORT_BYTES = 64 * 1024 * 1024

/** The endpoints that make several runs, or runs of runs. */
export const submissionEndpoints = {
  sweep: endpoint({
    id: 'runs.sweep',
    method: 'post',
    path: '/runs/flows/{name}/sweep',
    summary: 'Queue a run for each of many params',
    description: 'All runs are queued under a common `group_id`, or none: a bad entry is named by its place.',
    auth: 'user',
    scope: 'runs:write',
    params: z.object({ name: nameSchema.meta({ description: 'Name of the flow.' }) }),
    body: json(sweepSubmitSchema, { maxBytes: MAX_SWEEP_BYTES }),
    replies: { 201: reply.json('The queued runs, in the order of the entries.', sweepSchema) },
    problems: ['wrong_mode', 'not_found', 'not_published', 'payload_too_large', 'validation_failed', 'flow_invalid'],
  }),
  retry: endpoint({
    id: 'runs.retry',
    method: 'post',
    path: '/runs/{id}/retry',
    summary: 'Run again with the values of a finished run',
    description:
      'The new run has the inputs, seed, group and priority of the old one, which is its `parent`, and executes the flow as it is now. Stages that did not change are taken from the cache.',
    auth: 'user',
    scope: 'runs:write',
    params: z.object({ id: z.uuid('use the id of a run').meta({ description: 'Of the run.' }) }),
    replies: { 201: reply.json('The queued run.', runSchema, z.object({ location: z.string() })) },
    problems: ['wrong_mode', 'not_found', 'not_published', 'run_active', 'validation_failed', 'flow_invalid'],
  }),
  import: endpoint({
    id: 'runs.import',
    method: 'post',
    path: '/runs/import',
    summary: 'Take in runs that ended elsewhere',
    description:
      'Stores all entries or none, and executes nothing. A known `external_id` answers with its run, whatever else the entry says.',
    auth: 'user',
    scope: 'runs:write',
    body: json(runImportSchema, { maxBytes: MAX_IMPORT_BYTES }),
    replies: { 200: reply.json('The run of each entry, in order.', runImportResultSchema) },
    problems: ['not_found', 'payload_too_large', 'validation_failed'],
  }),
} as const

/** The handlers of {@link submissionEndpoints}. */
export const submissionHandlers = (
  runs: Pick<Runs, 'import' | 'retry' | 'sweep'>,
): Handlers<typeof submissionEndpoints> => ({
  async sweep({ params, body, principal }) {
    return { status: 201, value: await runs.sweep(params.name, body, principal.email) }
  },
  async retry({ params, principal, request }) {
    const run = await runs.retry(params.id, principal.email)
    return { status: 201, value: run, headers: { location: `${request.baseUrl}/runs/${run.id}` } }
  },
  async import({ body, principal }) {
    return { status: 200, value: await runs.import(body.runs, principal.email) }
  },
})
