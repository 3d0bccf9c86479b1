/**
 * Binds handlers to their endpoints as one Express 5 router:
 * route, authenticate, authorize, parse, handle, answer.
 * @module
 */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'

import { type Request, type Response, Router } from 'express'
import * as z from 'zod'

import { inTurns } from '../process/turns.ts'
import { clientAddress, originOf } from './address.ts'
import { AnonymousBodies } from './anonymous-bodies.ts'
import { drain, mediaTypeOf, readBody } from './body.ts'
import { isCompressible } from './compression.ts'
import type { AuthLevel, Contract, Endpoint, Handlers, Method, RequestFacts } from './endpoint.ts'
import { invalidPart, ProblemError } from './errors.ts'
import { parseFields } from './fields.ts'
import { checkText } from './json-text.ts'
import { assertScope, type Principal } from './principal.ts'
import { type AnyReply, send } from './send.ts'

export interface MountOptions {
  /** The caller of a request; refuses with `unauthenticated`. Not called for open endpoints. */
  readonly authenticate: (request: IncomingMessage) => Promise<Principal>
  /** The caller of a request with a ticket, where an endpoint takes one; refuses with `unauthenticated`. */
  readonly admit?: (ticketed: {
    readonly ticket: string
    /** Value of the path parameter that the ticket is for. */
    readonly subject: string
    readonly address: string
    readonly request: IncomingMessage
  }) => Promise<Principal>
  /** Has a call answered by the engine that runs its flow, which may be this one: by `here`. All are answered here unless given. */
  readonly elsewhere?: Elsewhere | undefined
  /** Absolute URL of the API where it is configured; otherwise links follow the request's host and mount. */
  readonly baseUrl?: string | null
  /** How many reverse proxies stand before the service; 0 by default. */
  readonly trustProxy?: number
  /** Body limits that the configuration decides, in bytes by endpoint id. */
  readonly maxBodyBytes?: Readonly<Record<string, number>>
  /** The bodies without sign-in, those of other routers too; its own unless given. */
  readonly anonymous?: AnonymousBodies
  /** Whether answers are compressed where that gives nothing away and the client asks for it; not unless given. */
  readonly compresses?: boolean
  /** Compare every JSON answer with its schema and fail on a difference: for tests. */
  readonly checkReplies?: boolean
}

/** Has a call answered where its flow runs; `here` is the handler of this engine. */
export type Elsewhere = (
  endpoint: Endpoint,
  call: RelayedCall,
  here: () => Promise<AnyReply> | AnyReply,
) => Promise<AnyReply> | AnyReply

/** What a handler is called with. */
export interface RelayedCall {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly principal: Principal | undefined
  readonly signal: AbortSignal
  readonly request: RequestFacts
}

/** Options with their defaults. */
type Mounted = MountOptions & Required<Pick<MountOptions, 'anonymous'>>

/** An endpoint with the function that answers it. */
export interface Binding {
  readonly endpoint: Endpoint
  readonly handle: (call: object) => Promise<AnyReply> | AnyReply
}

/** The endpoints of a slice with their handlers, checked against each other. */
export const bind = <C extends Contract>(contract: C, handlers: NoInfer<Handlers<C>>): Binding[] =>
  Object.entries(contract).map(([name, endpoint]) => ({
    endpoint,
    // `Handlers<C>` has checked the pair; a list of them cannot say so
    handle: handlers[name] as unknown as Binding['handle'],
  }))

/** A binding with what every request needs of its endpoint. */
interface Route extends Binding {
  readonly levels: readonly AuthLevel[]
  /** Refuses keys that the endpoint does not declare, unless it says that there are others. */
  readonly query: z.ZodObject
  readonly isCompressible: boolean
}

/**
 * One router of all bindings. A path is known with its methods, so that a wrong one is 405, not 404. A literal path
 * without the method leaves the request to a path with a parameter that has it.
 */
export function mount(bindings: readonly Binding[], given: MountOptions): Router {
  const options = { ...given, anonymous: given.anonymous ?? new AnonymousBodies() }
  const router = Router({ caseSensitive: true })
  const allowed = new WeakMap<Request, string[]>()
  for (const [path, routes] of byPath(bindings)) {
    const methods = [...routes.keys()].flatMap((name) => (name === 'get' ? ['GET', 'HEAD'] : [name.toUpperCase()]))
    router.all(path.replaceAll(/\{(\w+)\}/g, ':$1'), async (request, response, next) => {
      const { method } = request
      const route = routes.get(method === 'HEAD' ? 'get' : (method.toLowerCase() as Method))
      if (route) return serve(route, options, request, response)
      allowed.set(request, [...(allowed.get(request) ?? []), ...methods])
      next()
    })
  }
  return router.use((request, response, next) => {
    const known = allowed.get(request)
    if (!known) return next()
    const allow = [...new Set(known)]
    // which methods there are (RFC 9110, section 9.3.7); who may call them is said when they are called
    if (request.method === 'OPTIONS')
      return void response
        .status(204)
        .set('allow', [...allow, 'OPTIONS'].join(', '))
        .end()
    throw new ProblemError('method_not_allowed', `${request.method} is not possible here: use ${allow.join(', ')}`, {
      allow,
    })
  })
}

const routeOf = (binding: Binding): Route => {
  const { auth, query = z.object({}) } = binding.endpoint
  const isLoose = query.def.catchall !== undefined
  return {
    ...binding,
    levels: typeof auth === 'string' ? [auth] : auth,
    query: isLoose ? query : query.strict(),
    isCompressible: isCompressible(binding.endpoint),
  }
}

/** Paths in the order in which they are tried: at every step a literal comes before a parameter. */
function byPath(bindings: readonly Binding[]): [string, Map<Method, Route>][] {
  const paths = new Map<string, Map<Method, Route>>()
  for (const binding of bindings) {
    const { id, method, path } = binding.endpoint
    const trimmed = path.length > 1 ? path.replace(/\/$/, '') : path
    const group = paths.get(trimmed) ?? new Map<Method, Route>()
    const other = group.get(method)
    if (other) throw new Error(`endpoints ${other.endpoint.id} and ${id} are both ${method} ${path}`)
    paths.set(trimmed, group.set(method, routeOf(binding)))
  }
  return [...paths].toSorted(([a], [b]) => (rank(a) < rank(b) ? -1 : 1))
}

/** Sorts literal steps before parameters, position by position. */
const rank = (path: string): string =>
  path
    .split('/')
    .map((step) => (step.startsWith('{') ? '1' : `0${step}`))
    .join('/')

async function serve(route: Route, options: Mounted, request: Request, response: Response): Promise<void> {
  const { endpoint, levels } = route
  const principal = levels.includes('open') ? undefined : await callerOf(route, options, request)
  if (principal) authorize(principal, route)
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  response.once('finish', () => drain(request))
  const call: RelayedCall = {
    params: endpoint.params && parsePart(endpoint.params, pathParams(request), 'path'),
    query: parsePart(route.query, queryFields(request), 'query'),
    body: await parseBody(route, options, request),
    principal,
    signal: gone.signal,
    request: factsOf(request, options),
  }
  const here = (): Promise<AnyReply> | AnyReply => route.handle(call)
  let answer: AnyReply
  try {
    answer = await (options.elsewhere ? options.elsewhere(endpoint, call, here) : here())
  } catch (error) {
    // what was given up as its caller has gone is no failure, and nobody is left to be answered
    if (gone.signal.aborted && error === gone.signal.reason) return
    throw error
  }
  const spec = endpoint.replies[answer.status]
  if (!spec) throw new Error(`${endpoint.id} answered the undeclared status ${answer.status}`)
  if (options.checkReplies && spec.kind === 'json')
    answer = await checked(answer, { id: endpoint.id, schema: spec.schema })
  await send({ spec, answer, isCompressible: options.compresses === true && route.isCompressible }, request, response)
}

/** By a ticket where one is given, else by the `Authorization` header. */
async function callerOf({ endpoint }: Route, options: Mounted, request: Request): Promise<Principal> {
  const { admit, trustProxy = 0 } = options
  if (!admit || endpoint.ticketFor === undefined) return options.authenticate(request)
  const ticket = new URLSearchParams(queryText(request)).get('ticket')
  if (ticket === null) return options.authenticate(request)
  const subject = String(request.params[endpoint.ticketFor])
  return admit({ ticket, subject, address: clientAddress(request, trustProxy), request })
}

function authorize(principal: Principal, { endpoint: { scope }, levels }: Route): void {
  if (
    levels.some(
      (level) =>
        level === principal.kind || (level === 'superuser' && principal.kind === 'user' && principal.superuser),
    )
  ) {
    if (principal.kind === 'user' && scope) assertScope(principal, scope)
    return
  }
  throw levels.includes('superuser') && principal.kind === 'user'
    ? new ProblemError('forbidden', 'only a superuser may do this')
    : new ProblemError('forbidden', `this needs the credential of a ${levels.join(' or a ')}`)
}

function pathParams(request: Request): Record<string, unknown> {
  for (const [name, value] of Object.entries(request.params)) checkText(String(value), `path.${name}`)
  return request.params
}

function queryText({ originalUrl }: Request): string {
  const start = originalUrl.indexOf('?')
  return start < 0 ? '' : originalUrl.slice(start + 1)
}

function queryFields(request: Request): Record<string, string> {
  const text = queryText(request)
  return text === '' ? {} : parseFields(text, 'query')
}

async function parseBody({ endpoint, levels }: Route, options: Mounted, request: Request): Promise<unknown> {
  const { body } = endpoint
  if (!body) return undefined
  const raw = await readBody(request, body, {
    maxBytes: options.maxBodyBytes?.[endpoint.id],
    patience: levels.includes('open') ? options.anonymous.wait : undefined,
  })
  if (body.kind === 'bytes') return raw
  if (body.kind === 'form' || body.long === null || raw === undefined) return parsePart(body.schema, raw, 'body')
  return dataOf(await inTurns(body.long.check(raw)), 'body')
}

/** A part of a request. */
type Place = Parameters<typeof invalidPart>[1]

function parsePart(schema: z.ZodType, value: unknown, place: Place): unknown {
  return dataOf(schema.safeParse(value), place)
}

function dataOf(result: z.ZodSafeParseResult<unknown>, place: Place): unknown {
  if (!result.success) throw invalidPart(result.error, place)
  return result.data
}

function factsOf(request: Request, options: MountOptions): RequestFacts {
  return {
    method: request.method,
    mediaType: mediaTypeOf(request),
    headers: request.headers,
    baseUrl: options.baseUrl ?? originOf(request, options.trustProxy ?? 0) + request.baseUrl,
    url: request.url,
    address: clientAddress(request, options.trustProxy ?? 0),
  }
}

/** An answer whose value has been compared; one in pieces has been gathered for that. */
async function checked(answer: AnyReply, { id, schema }: { id: string; schema: z.ZodType }): Promise<AnyReply> {
  if (answer.text === undefined) {
    checkReply(id, schema, answer.value)
    return answer
  }
  const pieces: string[] = []
  for await (const piece of answer.text) pieces.push(piece)
  checkReply(id, schema, JSON.parse(pieces.join('')))
  return { ...answer, text: Readable.from(pieces) }
}

/** The answer as the client reads it must be what its schema says, no member more. */
function checkReply(id: string, schema: z.ZodType, value: unknown): void {
  const wire: unknown = JSON.parse(JSON.stringify(value ?? null))
  const parsed = schema.safeParse(wire)
  if (!parsed.success) throw new Error(`${id} answers against its schema: ${z.prettifyError(parsed.error)}`)
  if (!isDeepStrictEqual(parsed.data, wire)) throw new Error(`${id} answers members that its schema does not declare`)
}
