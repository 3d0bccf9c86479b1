/**
 * `fetch` for nodes: follows at most {@link MAX_REDIRECTS} redirects, and sends credentials to the origin they were
 * meant for only. Redirects as in the Fetch standard, section 4.4.
 * @module
 */

/** Redirects that one request follows. */
const MAX_REDIRECTS = 5

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const credentials = ['authorization', 'cookie', 'proxy-authorization']
const bodyHeaders = ['content-encoding', 'content-language', 'content-location', 'content-type', 'content-length']

/** Rejects with a TypeError when the redirects do not end, or the body of the request cannot be sent twice. */
export async function outgoingFetch(url: string, init: RequestInit = {}): Promise<Response> {
  let at = url
  let request: RequestInit = { ...init, headers: new Headers(init.headers), redirect: 'manual' }
  for (let followed = 0; ; followed += 1) {
    const response = await fetch(at, request)
    const location = redirects.has(response.status) ? response.headers.get('location') : null
    if (location === null || init.redirect === 'manual') return response
    await response.body?.cancel()
    if (followed === MAX_REDIRECTS) throw new TypeError(`${url} redirects more than ${MAX_REDIRECTS} times`)
    if (init.redirect === 'error') throw new TypeError(`${url} redirects to ${location}`)
    const next = new URL(location, at).href
    request = redirected(request, response.status, new URL(next).origin === new URL(at).origin)
    at = next
  }
}

function redirected(request: RequestInit, status: number, isSameOrigin: boolean): RequestInit {
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
