/**
 * Pages that open sockets and show artifacts. A browser lets any page do that, and tells whose it is (RFC 6454; RFC 6455,
 * section 10.2; Fetch Metadata).
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

/**
 * Whether a request by which a browser shows or downloads something is of a page that is at home. Such a request need not
 * have an `Origin`: then the page that refers to it counts, and a browser that names none has to say that it is of this site.
 */
export function isShownAtHome({ headers }: Pick<IncomingMessage, 'headers'>, home: HomeOrigins): boolean {
  const page = headers.origin ?? originOf(headers.referer)
  if (page !== undefined) return isFromHome({ headers: { ...headers, origin: page } }, home)
  const site = headers['sec-fetch-site'] ?? 'none'
  return site === 'none' || site === 'same-origin'
}

/** The origin of a URL; undefined without one, and of what is none. */
const originOf = (url: string | undefined): string | undefined =>
  url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined
