/**
 * `/runs/metrics/names` and `/runs/series/compare`: curves of several runs (wire decision G36).
 * @module
 */
import {
  MAX_COMPARED_RUNS,
  curveComparisonRequestSchema,
  curveComparisonSchema,
  metricComparisonSchema,
  metricNameSchema,
} from '@flow-service/protocol'
import * as z from 'zod'

import { endpoint, type Handlers, json, reply } from '../../http/endpoint.ts'
import { invalid } from '../../http/errors.ts'
import { thinningOf, thinningQuery } from '../curves/thinning-query.ts'
import { filterOf, runIds, selectionQuery } from '../filter-query.ts'
import type { CurveComparison } from './comparison.ts'
import type { CurveColumnsReader } from './curve-columns.ts'

/** The endpoints of curves of several runs. */
export const comparisonEndpoints = {
  names: endpoint({
    id: 'metrics.names',
    method: 'get',
    path: '/runs/metrics/names',
    summary: 'List the metrics of runs',
    description: 'Names of curves in the newest 10,000 runs of the selection, and how many of these have them.',
    auth: 'user',
    scope: 'runs:read',
    query: selectionQuery,
    replies: { 200: reply.json('The names.', z.array(metricNameSchema)) },
    problems: ['validation_failed'],
  }),
  compare: endpoint({
    id: 'metrics.compare',
    method: 'get',
    path: '/runs/series/compare',
    summary: 'Compare a metric of several runs',
    description:
      'An answer has at most 1,000,000 points: a `stride` thins long curves. With `points` it is the columns that the same by POST gives.',
    auth: 'user',
    scope: 'runs:read',
    query: z.object({
      ids: z.string().min(1).meta({ description: 'Ids of at most 50 runs, separated by commas.' }),
      metric: z.string().min(1).meta({ description: 'A message, bare or as `<flow>.<message>`.' }),
      x: z.string().min(1).default('step').meta({
        description: '`step`, `time` (seconds since the start of the run), or another metric, joined at equal steps.',
      }),
      ...thinningQuery,
    }),
    replies: {
      200: reply.longJson(
        'The curves, in the order of `ids`.',
        z.union([metricComparisonSchema, curveComparisonSchema]),
      ),
    },
    problems: ['not_found', 'validation_failed'],
  }),
  compareMany: endpoint({
    id: 'metrics.compareMany',
    method: 'post',
    path: '/runs/series/compare',
    summary: 'Compare metrics of many runs',
    description:
      'Curves as columns. With `points` a curve has its first and last point, and the least and the greatest value of each of many equal ranges of x, so that no spike is lost. With `group` there are means and spread over the runs that share the value of an input, of all points. An answer has at most 2,000,000 points.',
    auth: 'user',
    scope: 'runs:read',
    body: json(curveComparisonRequestSchema),
    replies: { 200: reply.longJson('The curves, metric by metric.', curveComparisonSchema) },
    problems: ['not_found', 'validation_failed'],
  }),
} as const

/** The handlers of {@link comparisonEndpoints}. */
export const comparisonHandlers = ({
  curves,
  columns,
}: {
  curves: CurveComparison
  columns: CurveColumnsReader
}): Handlers<typeof comparisonEndpoints> => ({
  async names({ query }) {
    return { status: 200, value: await curves.names(filterOf(query)) }
  },
  async compare({ query }) {
    const ids = runIds(query.ids)
    if (ids.length > MAX_COMPARED_RUNS) {
      const message = `${ids.length} runs are too many for one comparison: name at most ${MAX_COMPARED_RUNS}`
      throw invalid([{ path: 'query.ids', code: 'too_big', message }])
    }
    const { metric, x, stride, points } = query
    const thinning = thinningOf(query)
    if (thinning === 'stride')
      return { status: 200, value: await curves.compare({ ids, metric, x, stride: stride ?? 1 }) }
    return { status: 200, ...(await columns.compare({ ids, metrics: [metric], x, points: points ?? null })) }
  },
  async compareMany({ body }) {
    return { status: 200, ...(await columns.compare(body)) }
  },
})
