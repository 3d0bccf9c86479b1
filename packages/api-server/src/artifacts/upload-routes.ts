/**
 * `/artifacts/uploads`: bytes that go to the store past the engine (wire decision U24).
 * @module
 */
import { artifactRefSchema, artifactUploadBodySchema, artifactUploadSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { endpoint, type Handlers, json, reply } from '../http/endpoint.ts'
import type { Uploads } from './uploads.ts'

export const uploadsEndpoints = {
  begin: endpoint({
    id: 'artifacts.beginUpload',
    method: 'post',
    path: '/artifacts/uploads',
    summary: 'Begin to send bytes to the store',
    description:
      'For engines whose artifacts are in an S3-compatible store; elsewhere it is refused, and the bytes go to `PUT /artifacts`. Bytes that are stored already need not be sent. All others are sent by one `PUT` to `url` with `headers`, and are an artifact when the upload is completed.',
    auth: ['user', 'worker'],
    scope: 'runs:write',
    body: json(artifactUploadBodySchema),
    replies: {
      200: reply.json('The bytes are stored already.', artifactRefSchema),
      201: reply.json('Where the bytes go.', artifactUploadSchema),
    },
    problems: ['bad_request', 'validation_failed', 'payload_too_large', 'unavailable'],
  }),
  complete: endpoint({
    id: 'artifacts.completeUpload',
    method: 'post',
    path: '/artifacts/uploads/{upload}/complete',
    summary: 'Complete an upload',
    description:
      'Refused as `validation_failed` when the bytes that have arrived are not those which were announced; they are removed then. An upload that nobody completes is removed after a day.',
    auth: ['user', 'worker'],
    scope: 'runs:write',
    params: z.object({ upload: z.uuid().meta({ description: 'Of the upload that was begun.' }) }),
    replies: { 201: reply.json('The bytes are stored.', artifactRefSchema) },
    problems: ['bad_request', 'not_found', 'validation_failed', 'unavailable'],
  }),
} as const

/** `/artifacts/uploads` over the uploads of a store. */
export const uploadsHandlers = ({ uploads }: { readonly uploads: Uploads }): Handlers<typeof uploadsEndpoints> => ({
  async begin({ body: { media_type: mediaType, ...named } }) {
    const begun = await uploads.begin({ ...named, mediaType })
    return 'upload' in begun ? { status: 201, value: begun } : { status: 200, value: begun }
  },
  complete: async ({ params }) => ({ status: 201, value: await uploads.complete(params.upload) }),
})
