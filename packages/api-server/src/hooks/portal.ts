/**
 * Whether a request came through the portal: it carries the token that the portal and this service share (wire
 * decision G59).
 * @module
 */
import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Tells for a request; without a token nothing is the portal. */
export type IsPortal = (request: Pick<IncomingMessage, 'headers'>) => boolean

const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer')

/** Compares the header `X-Service-Portal`, in a time that does not depend on how much of it is right. */
export function portalCheck(token: string | null): IsPortal {
  if (token === null) return () => false
  const expected = digestOf(token)
  return ({ headers }) => {
    const given = headers['x-service-portal']
    return typeof given === 'string' && timingSafeEqual(digestOf(given), expected)
  }
}
