/**
 * How curves are thinned, as query parameters (wire decisions G36, V17): by a stride, or to a number of points that keeps
 * their extremes. `runs/{id}/metrics` and `series/compare` take them.
 * @module
 */
import { MAX_CURVE_POINTS, MIN_CURVE_POINTS } from '@flow-service/protocol'

import { invalid } from '../../http/errors.ts'
import { integer } from '../../http/query.ts'

/** The parameters. */
export const thinningQuery = {
  stride: integer({ min: 1 })
    .optional()
    .meta({ description: 'Every how many points of a curve one is given; the last is always. 1 unless given.' }),
  points: integer({ min: MIN_CURVE_POINTS, max: MAX_CURVE_POINTS }).optional().meta({
    description: 'Most points of a curve, as columns: of each range of x the least and the greatest value stay.',
  }),
}

/** Whether curves are given with every k-th point or as columns; refuses both. */
export function thinningOf(query: {
  readonly stride?: number | undefined
  readonly points?: number | undefined
}): 'stride' | 'columns' {
  const { stride, points } = query
  if (points === undefined) return 'stride'
  if (stride === undefined) return 'columns'
  const message = 'a stride and points do not go together: leave the stride out'
  throw invalid([{ path: 'query.stride', code: 'conflict', message }])
}
