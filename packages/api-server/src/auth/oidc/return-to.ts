/**
 * Where a sign-in by OpenID Connect goes back to: a page of the service, or a program of the same machine that waits for it.
 * Anywhere else would be sent a code that signs in.
 * @module
 */
import * as z from 'zod'

/** Visible characters alone: browsers leave out line breaks and tabs, and what is left of `/<tab>/host` is another host. */
const path = /^\/(?![/\\])[!"$-~]*$/
const program = /^http:\/\/127\.0\.0\.1:\d{1,5}\/[!"$-~]*$/

/** Whether a browser goes there, and nowhere else. */
function isHome(text: string): boolean {
  if (program.test(text)) return URL.canParse(text) && new URL(text).hostname === '127.0.0.1'
  if (!path.test(text) || !URL.canParse(text, 'http://home')) return false
  const { host, pathname } = new URL(text, 'http://home')
  // dots leave steps out, and what is left of /..//host is another host
  return host === 'home' && !pathname.startsWith('//')
}

/** A path with one leading `/`, or `http://127.0.0.1:<port>/...`; without a fragment, which the code or the error takes. */
export const returnToSchema = z
  .string()
  .max(1000)
  .refine(isHome, 'use a path with one leading "/", or http://127.0.0.1:<port>/..., without a fragment')
  .default('/')
