/**
 * Refusals: the one place where an error becomes an HTTP answer (RFC 9457, wire decision G01).
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

import {
  type Problem,
  problemCatalogue,
  type ProblemCode,
  type ProblemItem,
  remedyOf,
  wantedBy,
} from '@flow-service/protocol'
import type { ErrorRequestHandler, Request, RequestHandler } from 'express'
import type * as z from 'zod'

import { isOutage } from '../db/outage.ts'
import type { Log } from '../process/log.ts'
import { newId } from '../process/new-id.ts'

/**
 * A refusal. `detail` says what failed, with which value, and what to do; `extensions` become members of the body.
 * `retry_after_s` is sent as `Retry-After` too, `allow` as `Allow`, `required_scope` and `resource_metadata` as
 * `WWW-Authenticate`.
 */
export class ProblemError extends Error {
  readonly code: ProblemCode
  readonly extensions: Readonly<Record<string, unknown>>
  constructor(code: ProblemCode, detail: string, extensions: Readonly<Record<string, unknown>> = {}) {
    super(detail)
    this.name = 'ProblemError'
    this.code = code
    this.extensions = extensions
  }

  /** HTTP status of the code. */
  get status(): number {
    return problemCatalogue[this.code].status
  }

  /** The body that goes over the wire. */
  toProblem(): Problem {
    const { status, title } = problemCatalogue[this.code]
    const { code } = this
    return { ...this.extensions, type: `urn:service:problem:${code}`, title, status, detail: this.message, code }
  }
}

/** `validation_failed` with one item a problem; `detail` tells the first one. */
export function invalid(items: readonly ProblemItem[]): ProblemError {
  const [first] = items
  const more = items.length > 1 ? ` (and ${items.length - 1} more)` : ''
  const at = first?.path ? `${first.path}: ` : ''
  return new ProblemError('validation_failed', `${at}${first?.message ?? 'the request is not valid'}${more}`, {
    errors: items.slice(0, 100),
  })
}

type Place = 'body' | 'query' | 'path'

/** A failed parse of a request part as `validation_failed`, with the paths of {@link ProblemItem}. */
export const invalidPart = (error: z.ZodError, place: Place): ProblemError =>
  invalid(error.issues.flatMap((issue) => itemsOf(issue, place, [])))

function itemsOf(issue: z.core.$ZodIssue, place: Place, base: readonly PropertyKey[]): ProblemItem[] {
  const path = [...base, ...issue.path]
  if (issue.code === 'invalid_union') {
    // the alternative that got furthest is the one the caller meant
    const best = issue.errors.toSorted((a, b) => depth(b) - depth(a) || a.length - b.length)[0]
    if (best && depth(best) > 0) return best.flatMap((inner) => itemsOf(inner, place, path))
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: pathText([...path, key], place),
      code: issue.code,
      message: `"${key}" is not known here`,
    }))
  }
  return [{ path: pathText(path, place), code: codeOf(issue), message: messageOf(issue, place, path) }]
}

function messageOf(issue: z.core.$ZodIssue, place: Place, path: readonly PropertyKey[]): string {
  const wanted = wantedBy(issue)
  if (issue.code === 'invalid_type' && wanted !== null && issue.message.startsWith('Invalid input')) {
    if (path.length === 0) return `the ${place} has to be ${wanted}`
    if (issue.message.endsWith('received undefined')) return `it is missing; give it ${wanted}`
  }
  return remedyOf(issue)
}

const depth = (issues: readonly z.core.$ZodIssue[]): number => Math.max(0, ...issues.map((issue) => issue.path.length))

/** A refinement names its own code as `params: { code }`. */
const codeOf = (issue: z.core.$ZodIssue): string =>
  issue.code === 'custom' && typeof issue.params?.code === 'string' ? issue.params.code : issue.code

const pathText = (path: readonly PropertyKey[], place: Place): string =>
  place === 'body' ? jsonPointer(path) : [place, ...path.map(String)].join('.')

/** JSON Pointer (RFC 6901) of a path. */
export const jsonPointer = (path: readonly PropertyKey[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Any thrown value as a refusal; what nobody expected is logged under an id and told as `internal` with that id. */
export function problemOf(error: unknown, log: Pick<Log, 'error'>): ProblemError {
  if (error instanceof ProblemError) return error
  const known = databaseProblem(error) ?? frameworkProblem(error)
  if (known) return known
  const id = newId()
  log.error({ err: error, error_id: id }, 'a request failed unexpectedly')
  return new ProblemError('internal', `the engine failed; its log tells more under ${id}`, { error_id: id })
}

/** Class 58: what the database stands on fails it, such as a disk with i/o errors (58030) or a missing file (58P01). */
const failedUnderneath = /^58/

/** A full disk; and a database that takes reads alone, which is how the embedded one meets a full disk. */
const withoutSpace = new Map([
  ['53100', 'the disk of the database is full: free space on it, then try again'],
  [
    '25006',
    'the database takes no writes: free space on its disk, if that is full, or use the primary server, if it is a standby',
  ],
])

/** Errors of the database drivers (PostgreSQL, appendix A): refused values are the client's, lost ones are ours. */
function databaseProblem(error: unknown): ProblemError | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null
  // both drivers leave one of these on what they throw; a foreign ECONNREFUSED has neither
  if (!('severity' in error || 'query' in error || error.code.startsWith('CONNECT'))) return null
  if (withoutSpace.has(error.code))
    return new ProblemError('unavailable', withoutSpace.get(error.code) ?? '', { retry_after_s: 5 })
  if (isOutage(error))
    return new ProblemError('unavailable', 'the database does not answer now; try again', { retry_after_s: 1 })
  if (failedUnderneath.test(error.code))
    return new ProblemError('unavailable', 'the database cannot use its files now: its log tells which, and why', {
      retry_after_s: 5,
    })
  if (error.code.startsWith('22'))
    return new ProblemError('validation_failed', 'a value of the request cannot be stored: it is out of range', {
      errors: [],
    })
  return null
}

/** Express refuses a path with a broken percent escape by a `URIError` of status 400. */
function frameworkProblem(error: unknown): ProblemError | null {
  if (!(error instanceof URIError)) return null
  return new ProblemError('bad_request', 'the path has a broken percent escape')
}

/** Writes a refusal. */
export function sendProblem(request: IncomingMessage, response: ServerResponse, problem: ProblemError): void {
  const body = Buffer.from(JSON.stringify(problem.toProblem()))
  response.statusCode = problem.status
  response.setHeader('content-type', 'application/problem+json')
  response.setHeader('content-length', body.length)
  for (const [name, value] of Object.entries(headersOf(problem))) response.setHeader(name, value)
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** The headers that a refusal carries, also on a refused WebSocket upgrade. */
export function headersOf(problem: ProblemError): Record<string, string> {
  const { retry_after_s: retryAfter, allow, required_scope: scope, resource_metadata: metadata } = problem.extensions
  return {
    ...(problem.code === 'unauthenticated' ? { 'www-authenticate': 'Bearer' } : {}),
    // RFC 9728, section 5.1
    ...(typeof metadata === 'string' ? { 'www-authenticate': `Bearer resource_metadata="${metadata}"` } : {}),
    // RFC 6750, section 3.1
    ...(typeof scope === 'string' ? { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` } : {}),
    ...(typeof retryAfter === 'number' ? { 'retry-after': String(Math.ceil(retryAfter)) } : {}),
    // what is left of its body is no request (RFC 9110, section 15.5.9)
    ...(problem.code === 'request_timeout' ? { connection: 'close' } : {}),
    ...(Array.isArray(allow) ? { allow: allow.join(', ') } : {}),
  }
}

/** An unknown path. */
export function nothingAt({ method, originalUrl }: Pick<Request, 'method' | 'originalUrl'>): ProblemError {
  const path = originalUrl.split('?')[0]
  const api = path === '/' ? '; the API is at /api/v1' : ''
  return new ProblemError('not_found', `there is nothing at ${method} ${path}${api}`)
}

/** The last handler of a router: an unknown path. */
export const notFound: RequestHandler = (request) => {
  throw nothingAt(request)
}

/** Answers a request that has failed; an answer that has begun is cut. */
export type AnswerError = (error: unknown, request: IncomingMessage, response: ServerResponse) => Promise<void> | void

/** {@link AnswerError} with what a thrown value means. */
export const errorAnswer =
  (log: Pick<Log, 'error'>): AnswerError =>
  (error, request, response) => {
    const problem = problemOf(error, log)
    if (response.headersSent) response.destroy()
    else sendProblem(request, response, problem)
  }

/** The final error handler of a router. */
export const answerErrors = (log: Pick<Log, 'error'>): ErrorRequestHandler => {
  const answer = errorAnswer(log)
  return (error: unknown, request, response, _next) => answer(error, request, response)
}
