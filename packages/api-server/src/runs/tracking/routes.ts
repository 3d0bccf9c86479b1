/**
 * `/runs/track`: runs that another program executes, and tells of (wire decision V27).
 * @module
 */
import {
  MAX_TRACKED_BYTES,
  runSchema,
  runTrackAppendSchema,
  runTrackedSchema,
  runTrackSchema,
} from '@flow-service/protocol'
import * as z from 'zod'

import { endpoint, type Handlers, json, reply } from '../../http/endpoint.ts'
import type { TrackedRuns } from './tracked-runs.ts'

/** The endpoints of tracked runs. */
export const trackingEndpoints = {
  track: endpoint({
    id: 'runs.track',
    method: 'post',
    path: '/runs/track',
    summary: 'Begin a run that another program executes',
    description:
      'The run is `running`, and stays so while its program tells of it at least every 60 seconds. The same `id` again is answered with the run that it names.',
    auth: 'user',
    scope: 'runs:write',
    body: json(runTrackSchema),
    replies: {
      200: reply.json('The run that was begun under this id before.', runSchema),
      201: reply.json('The run.', runSchema, z.object({ location: z.string() })),
    },
    problems: ['already_exists', 'validation_failed'],
  }),
  append: endpoint({
    id: 'runs.append',
    method: 'post',
    path: '/runs/{id}/track',
    summary: 'Tell what a tracked run has done',
    description:
      'Takes in the next of what its program sends: all of it, or nothing. What was sent before is answered, and ignored; where something is missing between, `version_conflict` tells the last that is stored. Only who began the run may tell of it.',
    auth: 'user',
    scope: 'runs:write',
    params: z.object({ id: z.uuid('use the id of a run').meta({ description: 'Of the run.' }) }),
    body: json(runTrackAppendSchema, { maxBytes: MAX_TRACKED_BYTES }),
    replies: { 200: reply.json('How far the run is stored.', runTrackedSchema) },
    problems: [
      'wrong_mode',
      'forbidden',
      'not_found',
      'version_conflict',
      'not_active',
      'payload_too_large',
      'validation_failed',
    ],
  }),
} as const

/** The handlers of {@link trackingEndpoints}. */
export const trackingHandlers = (
  tracked: Pick<TrackedRuns, 'append' | 'begin'>,
): Handlers<typeof trackingEndpoints> => ({
  async track({ body, principal, request }) {
    const { run, created } = await tracked.begin(body, principal)
    if (!created) return { status: 200, value: run }
    return { status: 201, value: run, headers: { location: `${request.baseUrl}/runs/${run.id}` } }
  },
  async append({ params: { id }, body, principal }) {
    return { status: 200, value: await tracked.append(id, body, principal) }
  },
})
