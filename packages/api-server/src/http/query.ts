/**
 * Query parameters that many endpoints share.
 * @module
 */
import { timestampInputSchema } from '@flow-service/protocol'
import * as z from 'zod'

import type { RequestFacts } from './endpoint.ts'

/** A boolean in a query string: `true`, `false`, `1` or `0`. */
export const flag = z
  .stringbool({ truthy: ['true', '1'], falsy: ['false', '0'], case: 'sensitive', error: 'use true or false' })
  .meta({ override: { type: 'boolean' } })

/** A whole number in a query string, written in decimal digits. */
export const integer = (bounds: { min: number; max?: number }) => {
  const { min, max = Number.MAX_SAFE_INTEGER } = bounds
  return z
    .string()
    .regex(/^-?\d{1,16}$/, 'use a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ override: { type: 'integer', minimum: min, ...(bounds.max === undefined ? {} : { maximum: max }) } })
}

/** A time in a query string; a `+` that was not escaped arrives as a space and is taken back. */
export const time = z
  .string()
  .transform((text) => text.replace(' ', '+'))
  .pipe(timestampInputSchema)
  .meta({ override: { type: 'string', format: 'date-time' } })

/** Parameters of a list that is newest first (wire decision G04). */
export const pageQuery = z.object({
  limit: integer({ min: 1, max: 500 }).default(50).meta({ description: 'Rows at most.' }),
  before: time.optional().meta({ description: 'Only rows older than this: the `created_at` of the last row read.' }),
  since: time.optional().meta({ description: 'Only rows of this time and later.' }),
})

/**
 * `Link: <…>; rel="next"` (RFC 8288) of a full page; `cursor` is the `created_at` of its last row. The next page begins
 * behind that row, so it has no `offset`.
 */
export function nextPage(
  request: RequestFacts,
  page: { readonly rows: number; readonly limit: number; readonly cursor: string | undefined },
): Record<string, string> {
  if (page.rows < page.limit || page.cursor === undefined) return {}
  const mark = request.url.indexOf('?')
  const path = mark < 0 ? request.url : request.url.slice(0, mark)
  const query = new URLSearchParams(mark < 0 ? '' : request.url.slice(mark))
  query.delete('offset')
  query.set('before', page.cursor)
  // the address follows the client's `Host`, which need not be part of any URL
  return { link: `<${request.baseUrl}${path}?${query.toString()}>; rel="next"` }
}
