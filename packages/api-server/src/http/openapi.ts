/**
 * The OpenAPI 3.1 document of a list of endpoints.
 * @module
 */
import { problemCatalogue, type ProblemCode, problemSchema } from '@flow-service/protocol'
import {
  createDocument,
  type CreateDocumentOptions,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi'

import type { BodySpec, Endpoint, ReplySpec } from './endpoint.ts'
import { Examples } from './examples.ts'

export type OpenApiDocument = ReturnType<typeof createDocument>

/** What the document says of the whole API. */
export interface OpenApiInfo {
  readonly title: string
  readonly version: string
  readonly description?: string
  /** What each tag, the part of an endpoint's id before its first dot, is about. */
  readonly tags?: Readonly<Record<string, string>>
}

/** The document of `endpoints`, in their order; paths are relative to the server `/api/v1`. */
export const openApiDocument = (endpoints: readonly Endpoint[], info: OpenApiInfo): OpenApiDocument =>
  withExamples(withJsonValue(documentOf(endpoints, info)))

function documentOf(endpoints: readonly Endpoint[], info: OpenApiInfo): OpenApiDocument {
  const paths: NonNullable<ZodOpenApiObject['paths']> = {}
  for (const endpoint of endpoints) {
    const item = (paths[endpoint.path] ??= {})
    item[endpoint.method] = operationOf(endpoint)
  }
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: info.title,
        version: info.version,
        ...(info.description === undefined ? {} : { description: info.description }),
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/api/v1' }],
      tags: [...new Set(endpoints.map(tagOf))].map((name) => ({
        name,
        description: info.tags?.[name] ?? `Operations on ${name}.`,
      })),
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: 'A session token of `POST /login/access-token`, or an API key of `POST /keys`.',
          },
        },
      },
      paths,
    },
    { override: tidy },
  )
}

const MAX_INT32 = 2 ** 31 - 1

/** What zod calls a schema that refers to itself and has no id: any JSON is one, once for each of its places. */
const NAMELESS = /^__schema\d+$/

/** Any JSON under one name, and without the recursion that many generators of clients cannot follow. */
function withJsonValue(document: OpenApiDocument): OpenApiDocument {
  const { components, ...rest } = document
  const entries = Object.entries(components?.schemas ?? {})
  const schemas = Object.fromEntries(entries.filter(([name]) => !NAMELESS.test(name)))
  if (entries.length === Object.keys(schemas).length) return document
  for (const [name, schema] of entries) if (NAMELESS.test(name)) assertAnyJson(schema)
  const JsonValue = { description: 'Any JSON: text, a number, true, false, null, a list or an object.' }
  const named = { ...rest, components: { ...components, schemas: { ...schemas, JsonValue } } }
  return JSON.parse(
    JSON.stringify(named).replaceAll(/"#\/components\/schemas\/__schema\d+"/g, '"#/components/schemas/JsonValue"'),
  ) as OpenApiDocument
}

/** What of an operation examples are added to. */
interface Shown {
  readonly requestBody?: { readonly content: Content }
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>
}
type Content = Record<string, { readonly schema?: object; example?: unknown }>

/** Adds an example to each body and answer of JSON. */
function withExamples(document: OpenApiDocument): OpenApiDocument {
  const shown = structuredClone(document)
  const examples = new Examples(shown.components?.schemas ?? {})
  const add = (content: Content | undefined, side: 'request' | 'answer'): void => {
    const json = content?.['application/json']
    if (json?.schema) json.example = examples.of(json.schema, side)
  }
  for (const operation of Object.values(shown.paths ?? {}).flatMap((item) => Object.values(item) as Shown[])) {
    add(operation.requestBody?.content, 'request')
    for (const { content } of Object.values(operation.responses ?? {})) add(content, 'answer')
  }
  return shown
}

function assertAnyJson(schema: unknown): void {
  const { anyOf = [] } = schema as { readonly anyOf?: readonly { readonly type?: unknown }[] }
  const types = anyOf.map(({ type }) => type)
  if (types.join(' ') === 'string number boolean null array object') return
  throw new Error(`a schema of the API refers to itself and has no id: ${JSON.stringify(schema)}`)
}

const tagOf = (endpoint: Endpoint): string => endpoint.id.slice(0, endpoint.id.indexOf('.'))

function operationOf(endpoint: Endpoint): ZodOpenApiOperationObject {
  const { body, params, query } = endpoint
  return {
    operationId: endpoint.id,
    tags: [tagOf(endpoint)],
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    ...(endpoint.deprecated ? { deprecated: true } : {}),
    'x-auth-level': endpoint.auth as string | string[],
    ...(endpoint.scope === undefined ? {} : { 'x-scope': endpoint.scope }),
    security: endpoint.auth === 'open' ? [] : [{ bearer: [] }],
    ...(params || query ? { requestParams: { ...(params && { path: params }), ...(query && { query }) } } : {}),
    ...(body ? { requestBody: { required: body.kind !== 'json' || body.required, content: contentOf(body) } } : {}),
    responses: responsesOf(endpoint),
  }
}

/** Bytes have no schema of their own in OpenAPI 3.1: a string of a media type (JSON Schema, `contentMediaType`). */
const binary = { type: 'string', contentMediaType: 'application/octet-stream' } as const

function contentOf(body: BodySpec) {
  switch (body.kind) {
    case 'json':
      return { 'application/json': { schema: body.schema } }
    case 'form':
      return { 'application/x-www-form-urlencoded': { schema: body.schema } }
    case 'bytes':
      return { 'application/octet-stream': { schema: binary } }
  }
}

function responsesOf(endpoint: Endpoint): ZodOpenApiResponsesObject {
  const responses: Record<string, ZodOpenApiResponseObject> = {}
  for (const [status, spec] of Object.entries(endpoint.replies)) responses[status] = successOf(spec)
  for (const [status, codes] of refusalsOf(endpoint)) responses[status] = refusal(codes.map(titleOf).join(' · '))
  responses.default = refusal('Any other refusal')
  // the library types the keys as status literals
  return responses as ZodOpenApiResponsesObject
}

function successOf(spec: ReplySpec): ZodOpenApiResponseObject {
  const { description, kind } = spec
  const headers = spec.headers ? { headers: spec.headers } : {}
  switch (kind) {
    case 'json':
      return { description, ...headers, content: { 'application/json': { schema: spec.schema } } }
    case 'empty':
      return { description, ...headers }
    case 'stream':
      return { description, ...headers, content: Object.fromEntries(spec.types.map(streamOf)) }
  }
}

const streamOf = (type: string) =>
  [type, { schema: /^text\/|json$/.test(type) ? ({ type: 'string' } as const) : binary }] as const

/** Codes by status: those every endpoint of its kind can answer, and its own. */
function refusalsOf(endpoint: Endpoint): Map<number, ProblemCode[]> {
  const codes = new Set<ProblemCode>(endpoint.auth === 'open' ? [] : ['unauthenticated', 'forbidden'])
  for (const code of endpoint.problems ?? []) codes.add(code)
  if (endpoint.body || endpoint.query || endpoint.params) codes.add('validation_failed')
  return Map.groupBy(codes, (code) => problemCatalogue[code].status)
}

const titleOf = (code: ProblemCode): string => `\`${code}\`: ${problemCatalogue[code].title}`

const refusal = (description: string): ZodOpenApiResponseObject => ({
  description,
  content: { 'application/problem+json': { schema: problemSchema } },
})

/** Drops what zod states for its own validation but a reader or a generated client should not see. */
function tidy({ jsonSchema, zodSchema, io }: Parameters<NonNullable<CreateDocumentOptions['override']>>[0]): void {
  const { def } = zodSchema._zod
  // zod leaves out what a parsed query parameter defaults to, because its own input is text
  if (def.type === 'default') jsonSchema.default = def.defaultValue as typeof jsonSchema.default
  // the format, or the type that the text stands for, says it
  if (jsonSchema.format !== undefined || jsonSchema.type === 'integer') delete jsonSchema.pattern
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.type === 'integer') {
    // where nothing says that there may be more, generators choose a type of 32 bits
    const maximum = jsonSchema.maximum ?? Number.MAX_SAFE_INTEGER
    Object.assign(jsonSchema, { maximum, ...(maximum > MAX_INT32 ? { format: 'int64' } : {}) })
  }
  // an answer may gain members in a later version
  if (io === 'output' && def.type === 'object' && jsonSchema.additionalProperties === false)
    delete jsonSchema.additionalProperties
  if (def.type === 'record') delete jsonSchema.propertyNames
}
