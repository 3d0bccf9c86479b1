/**
 * Pages that open sockets. A browser lets any page do that, and tells whose it is (RFC 6454; RFC 6455, section 10.2).
 * @module
 */
import type { IncomingMessage } from 'node:http'

/** Whose pages are at home here. */
export interface HomeOrigins {
  /** Where clients reach the API; null when that is whatever their requests say. */
  readonly baseUrl: string | null
  /** Origins beside the service's own, like `https://console.example`. */
  readonly origins: readonly string[]
}

/** Whether a request comes from a page of the service itself or of an allowed origin, or from no page at all. */
export function isFromHome({ headers }: Pick<IncomingMessage, 'headers'>, { baseUrl, origins }: HomeOrigins): boolean {
  const { origin, host } = headers
  if (origin === undefined || origins.includes(origin)) return true
  if (!URL.canParse(origin)) return false
  const page = new URL(origin)
  return page.host === host || (baseUrl !== null && page.origin === new URL(baseUrl).origin)
}
