/**
 * Where the API is. A person who sets up a board types `http://hub:8000`.
 * @module
 */

const API_PATH = '/api/v1'

/** The base of the API, without a slash at its end: a URL without a path gets that of the API. Throws a TypeError. */
export function baseUrl(given: string): string {
  const url = URL.parse(given)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new TypeError(`url is "${given}"; give that of the engine, for example "http://hub:8000"`)
  const path = url.pathname.replace(/\/+$/, '')
  return `${url.origin}${path === '' ? API_PATH : path}`
}

/** The base of sockets. */
export const socketBase = (base: string): string => base.replace(/^http/, 'ws')
