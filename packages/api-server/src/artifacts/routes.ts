/**
 * `/artifacts`: bytes in and out (wire decision G40).
 * @module
 */
import { artifactRefSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { actorOf, type EventLog } from '../events/event-log.ts'
import { bytes, endpoint, type Handlers, reply, type RequestFacts } from '../http/endpoint.ts'
import { knowsTag } from '../http/entity-tag.ts'
import { invalid } from '../http/errors.ts'
import { flag } from '../http/query.ts'
import { type Artifacts, type DeviceBytes, noArtifact, type OpenArtifact } from './artifacts.ts'
import { parseRange } from './byte-range.ts'
import { checkMediaType, digestParam, nameSchema } from './naming.ts'
import { fullDigest } from './tickets.ts'

const bytesHeaders = z.object({
  etag: z.string(),
  'cache-control': z.string(),
  'accept-ranges': z.string(),
  'content-disposition': z.string().optional(),
})

export const artifactsEndpoints = {
  put: endpoint({
    id: 'artifacts.put',
    method: 'put',
    path: '/artifacts',
    summary: 'Store bytes',
    description:
      'The media type is that of the request. Volatile bytes stay in the memory of the engine until newer ones push them out. A `Content-Digest` (RFC 9530, sha-256) that does not fit is refused. A device stores volatile ones alone, named by a message that a port of it sends.',
    auth: ['user', 'worker', 'device'],
    scope: 'runs:write',
    query: z.object({
      name: nameSchema.default('').meta({ description: 'File name, shown when the bytes are downloaded.' }),
      volatile: flag.default(false).meta({ description: 'Keep the bytes in memory alone.' }),
    }),
    // the configured limit is that of the store, which frames and files do not share
    body: bytes(Number.MAX_SAFE_INTEGER),
    replies: {
      200: reply.json('The bytes were stored already.', artifactRefSchema),
      201: reply.json('The bytes are stored.', artifactRefSchema),
    },
    problems: ['payload_too_large', 'unavailable', 'forbidden'],
  }),
  get: endpoint({
    id: 'artifacts.get',
    method: 'get',
    path: '/artifacts/{digest}',
    summary: 'Get bytes',
    description:
      'Answers `Range` and `If-None-Match`. With `Prefer: direct` (RFC 7240) an engine whose artifacts are in an S3-compatible store sends its client there. A device gets the bytes of the current values that its ports follow alone. A page shows them by a ticket in place of the header: what could run scripts is an attachment then.',
    auth: ['user', 'worker', 'device'],
    scope: 'runs:read',
    ticketFor: 'digest',
    params: z.object({ digest: digestParam }),
    query: z.object({
      ticket: z.string().optional().meta({
        description: 'A ticket of `POST /artifacts/{digest}/ticket`, in place of the `Authorization` header.',
      }),
    }),
    replies: {
      200: reply.stream('All bytes.', ['application/octet-stream'], bytesHeaders),
      206: reply.stream('The bytes of the range.', ['application/octet-stream'], bytesHeaders),
      307: reply.empty(
        'The bytes are at this URL for 300 s, for anybody who has it: ask there without the credential of the engine. Only for clients that prefer it.',
        z.object({ location: z.string() }),
      ),
      304: reply.empty('The client has the bytes.', bytesHeaders),
      416: reply.empty('The range begins behind the last byte.', z.object({ 'content-range': z.string() })),
    },
    problems: ['not_found', 'forbidden', 'unavailable'],
  }),
  delete: endpoint({
    id: 'artifacts.delete',
    method: 'delete',
    path: '/artifacts/{digest}',
    summary: 'Delete bytes',
    description:
      'Refused while something needs the bytes; `used_by` names the runs, messages, flows and dashboards, and code by its digest. History and cached results are no reason to keep them.',
    auth: 'superuser',
    scope: 'admin',
    params: z.object({ digest: digestParam }),
    replies: { 204: reply.empty('The bytes are deleted.') },
    problems: ['not_found', 'in_use'],
  }),
} as const

/** What the endpoints work on. */
export interface ArtifactsRoutesDeps {
  readonly ofDevices: DeviceBytes
  readonly artifacts: Pick<Artifacts, 'put' | 'open' | 'delete'>
  readonly eventLog: Pick<EventLog, 'audit'>
}

/** `/artifacts` over a store of bytes. */
export const artifactsHandlers = (deps: ArtifactsRoutesDeps): Handlers<typeof artifactsEndpoints> => ({
  async put({ query, body, principal, request }) {
    if (principal.kind === 'device') deps.ofDevices.assertStores(principal.id, query)
    const named = { ...query, mediaType: mediaTypeOf(request) }
    const digest = contentDigest(request)
    const { ref, created } = await deps.artifacts.put(body, { ...named, ...(digest === null ? {} : { digest }) })
    return { status: created ? 201 : 200, value: ref }
  },
  async get({ params, query, principal, request }) {
    const digest = fullDigest(params.digest)
    const isTicketed = query.ticket !== undefined
    if (principal.kind === 'device') deps.ofDevices.assertReads(principal.id, digest)
    const artifact = await deps.artifacts.open(digest)
    if (!artifact) throw noArtifact(digest)
    // a URL of the store outlives the session that the ticket ends with
    const place = isTicketed ? null : await elsewhere(artifact, request)
    return place ?? answer(artifact, request, isTicketed)
  },
  async delete({ params, principal }) {
    const digest = fullDigest(params.digest)
    await deps.artifacts.delete(digest, (tx) =>
      deps.eventLog.audit(tx, { action: 'artifact.delete', actor: actorOf(principal), detail: { digest } }),
    )
    return { status: 204 }
  },
})

/** Sends a client that prefers it (RFC 7240) to where the bytes are; null when it gets them here. */
async function elsewhere({ ref, directUrl }: OpenArtifact, { headers, method }: RequestFacts) {
  const prefers = String(headers['prefer'] ?? '')
    .split(',')
    .some((preference) => /^\s*direct\s*(?:[=;].*)?$/i.test(preference))
  // what is signed is a GET, and who has the bytes needs no other place
  if (!prefers || directUrl === null || method !== 'GET' || knowsTag(headers['if-none-match'], `"${ref.digest}"`))
    return null
  const location = await directUrl()
  return { status: 307, headers: { location, 'cache-control': 'no-store', 'preference-applied': 'direct' } } as const
}

function answer(artifact: OpenArtifact, request: RequestFacts, isTicketed: boolean) {
  const { ref } = artifact
  const headers = headersOf(artifact, isTicketed)
  if (knowsTag(request.headers['if-none-match'], headers.etag)) return { status: 304, headers } as const
  const type = ref.media_type
  const asked = request.headers['if-range'] ?? headers.etag
  const range = asked === headers.etag ? parseRange(request.headers.range, ref.size) : null
  if (range === 'unsatisfiable') return { status: 416, headers: { 'content-range': `bytes */${ref.size}` } } as const
  if (range === null) {
    return {
      status: 200,
      type,
      headers: { ...headers, 'content-length': String(ref.size) },
      body: artifact.read(null),
    } as const
  }
  const part = {
    'content-range': `bytes ${range.first}-${range.last}/${ref.size}`,
    'content-length': String(range.last - range.first + 1),
  }
  return { status: 206, type, headers: { ...headers, ...part }, body: artifact.read(range) } as const
}

/** Bytes are shown in place only when a browser can do no harm with them; `sandbox` keeps scripts of an image still. */
function headersOf({ ref }: OpenArtifact, isTicketed: boolean) {
  const isMedia = /^(?:image|audio|video)\/|^text\/plain\b/.test(ref.media_type)
  // an address that is good without a header may be opened as a page by whoever follows a link
  const isShown = isMedia && !(isTicketed && /svg|xml/i.test(ref.media_type))
  return {
    etag: `"${ref.digest}"`,
    'accept-ranges': 'bytes',
    'cache-control': ref.volatile || isTicketed ? 'no-store' : 'private, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
    ...(isShown ? {} : { 'content-disposition': attachment(ref.name) }),
  }
}

/** RFC 6266, with the name in the encoding of RFC 8187. */
function attachment(name: string): string {
  if (name === '') return 'attachment'
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  )
  return `attachment; filename*=UTF-8''${encoded}`
}

/** Members of a dictionary (RFC 8941): commas within strings divide none. */
const fieldMembers = /(?:"(?:[^"\\]|\\.?)*(?:"|$)|[^",])+/g

/**
 * The SHA-256 of the body as its sender knows it (RFC 9530): of several the last one, without its parameters. Null when
 * none is sent, or it is that of a coded body.
 */
function contentDigest({ headers }: RequestFacts): string | null {
  const members = String(headers['content-digest'] ?? '').match(fieldMembers) ?? []
  const written = members.findLast((member) => /^\s*sha-256\s*(?:[=;]|$)/.test(member))
  const isCoded = (headers['content-encoding'] ?? 'identity') !== 'identity'
  if (written === undefined || isCoded) return null
  const base64 = /^\s*sha-256=:([A-Za-z0-9+/]{43}=):(?:;.*|\s*)$/.exec(written)?.[1]
  if (base64 !== undefined) return `sha256:${Buffer.from(base64, 'base64').toString('hex')}`
  // who sends one believes that it is compared
  const message = 'write the SHA-256 of the body as sha-256=:<the base64 of its 32 bytes>:'
  throw invalid([{ path: 'header.content-digest', code: 'digest_mismatch', message }])
}

/** The media type as it was sent, with its parameters: it is that of every later download. */
function mediaTypeOf(request: RequestFacts): string {
  return checkMediaType(request.headers['content-type'] ?? 'application/octet-stream', 'header.content-type')
}
