/**
 * `fetch` for nodes: every connection is made by the dialer, also that of a redirect. Follows at most
 * {@link MAX_REDIRECTS} redirects, and sends credentials to the origin they were meant for only. Redirects as in the
 * Fetch standard, section 4.4.
 * @module
 */
import type { FetchInit } from '@flow-service/connector-sdk'

import type { Dial } from './dialer.ts'
import { createHttpExchange, type Exchange } from './http-exchange.ts'

/** `fetch` with connections of its own. */
export interface OutgoingFetch {
  /**
   * Rejects with a TypeError when the redirects do not end, the body of the request cannot be sent twice, or there is a pin
   * that does not hold where the request goes.
   */
  readonly fetch: (url: string, init?: FetchInit) => Promise<Response>
  /** Ends the connections. */
  readonly close: () => Promise<void>
}

/** Redirects that one request follows. */
const MAX_REDIRECTS = 5

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const credentials = ['authorization', 'cookie', 'proxy-authorization']
const bodyHeaders = ['content-encoding', 'content-language', 'content-location', 'content-type', 'content-length']

/** Requests that go out by a dialer. */
export function createOutgoingFetch(dial: Dial): OutgoingFetch {
  const { send, close } = createHttpExchange(dial)
  return {
    fetch(url, init = {}) {
      if (init.pin !== undefined && !/^https:/i.test(url)) return Promise.reject(unpinnable(url))
      // who handles redirects gets what comes
      return init.redirect === 'manual' && isHttp(url) ? send(url, init) : follow(send, url, init)
    },
    close,
  }
}

const unpinnable = (url: string): TypeError =>
  new TypeError(`${url} shows no certificate that a pin could accept; use https://, or leave the pin out`)

const isHttp = (url: string): boolean => /^https?:/i.test(url)

async function follow(send: Exchange, url: string, init: FetchInit): Promise<Response> {
  let at = url
  let request = init
  for (let followed = 0; ; followed += 1) {
    if (!isHttp(at)) throw new TypeError(`${at} is no address to request; use http:// or https://`)
    const response = await send(at, request)
    const location = redirects.has(response.status) ? response.headers.get('location') : null
    if (location === null || init.redirect === 'manual') return response
    await response.body?.cancel()
    if (followed === MAX_REDIRECTS) throw new TypeError(`${url} redirects more than ${MAX_REDIRECTS} times`)
    if (init.redirect === 'error') throw new TypeError(`${url} redirects to ${location}`)
    const next = new URL(location, at).href
    const isSameOrigin = new URL(next).origin === new URL(at).origin
    if (init.pin !== undefined && !isSameOrigin)
      throw new TypeError(`${at} redirects to ${next}, for which its pin does not hold; request that by itself`)
    request = redirected(request, response.status, isSameOrigin)
    at = next
  }
}

function redirected(request: FetchInit, status: number, isSameOrigin: boolean): FetchInit {
  const headers = new Headers(request.headers)
  if (!isSameOrigin) for (const name of credentials) headers.delete(name)
  const method = (request.method ?? 'GET').toUpperCase()
  const becomesGet = status === 303 ? method !== 'GET' && method !== 'HEAD' : status < 303 && method === 'POST'
  if (!becomesGet) {
    if (request.body instanceof ReadableStream) throw new TypeError('a redirect asks for a body that was streamed')
    return { ...request, headers }
  }
  for (const name of bodyHeaders) headers.delete(name)
  return { ...request, headers, method: 'GET', body: null }
}
