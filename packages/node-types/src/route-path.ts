/**
 * Paths of webhooks and served sockets.
 * @module
 */

/** Segments of a route, `/` between them: characters that need no escape in a URL (RFC 3986, section 2.3). */
const route = /^\/?[A-Za-z0-9._~-]+(\/[A-Za-z0-9._~-]+)*$/

/** What to do about a path that no route can have; null when it is one. */
export const routeFault = (path: string): string | null =>
  route.test(path) && !path.split('/').some((part) => part === '.' || part === '..')
    ? null
    : 'use a path like "alerts" or "plant/alerts"'
