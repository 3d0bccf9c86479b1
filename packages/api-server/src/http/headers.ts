/**
 * Headers of every answer: nothing is guessed, framed, cached or told to other sites.
 * @module
 */
import type { RequestHandler } from 'express'

const headers: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Sets the headers before anything answers; a handler may replace one, as a download does with `cache-control`. */
export const secureHeaders: RequestHandler = (_request, response, next) => {
  response.set(headers)
  response.removeHeader('x-powered-by')
  next()
}
