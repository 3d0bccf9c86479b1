/**
 * Cross-origin requests (the Fetch standard's CORS protocol, wire decision G06): pages of listed origins may call the
 * API. They send a bearer token themselves, so that credentials of the browser, such as cookies, are never allowed.
 * @module
 */
import type { RequestHandler } from 'express'

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
/** Request headers that the API reads and a page may not send unasked. */
const REQUEST_HEADERS = 'authorization, content-type, if-none-match, if-range, range'
/** Answer headers that a page could not read otherwise. */
const ANSWER_HEADERS =
  'accept-ranges, allow, content-disposition, content-range, etag, link, location, retry-after, x-total-count'
/** How long a browser remembers what it may do, in seconds. */
const MAX_AGE_SECONDS = 600

/** Headers of a path of its own protocol, beside those of the API. */
export interface CorsHeaders {
  readonly path: string
  /** A page may send them. */
  readonly request: readonly string[]
  /** A page may read them. */
  readonly answer: readonly string[]
}

/** Allows the pages of these origins, and answers their preflights; without origins it does nothing at all. */
export function cors(origins: readonly string[], more: CorsHeaders | null = null): RequestHandler {
  const allowed = new Set(origins)
  return (request, response, next) => {
    if (allowed.size === 0) return next()
    // whatever the answer is, another origin may get another one
    response.vary('Origin')
    const { origin } = request.headers
    if (origin === undefined || !allowed.has(origin)) return next()
    const own = request.path === more?.path ? more : null
    response.setHeader('access-control-allow-origin', origin)
    response.setHeader('access-control-expose-headers', [ANSWER_HEADERS, ...(own?.answer ?? [])].join(', '))
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return next()
    response.setHeader('access-control-allow-methods', METHODS)
    response.setHeader('access-control-allow-headers', [REQUEST_HEADERS, ...(own?.request ?? [])].join(', '))
    response.setHeader('access-control-max-age', MAX_AGE_SECONDS)
    response.status(204).end()
  }
}
