/**
 * `/runs/metrics/names` and `/runs/series/compare`: curves of several runs (wire decision G36).
 * @module
 */
import { MAX_COMPARED_RUNS, metricComparisonSchema, metricNameSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { endpoint, type Handlers, reply } from '../../http/endpoint.ts'
import { invalid } from '../../http/errors.ts'
import { integer } from '../../http/query.ts'
import { filterOf, runIds, selectionQuery } from '../filter-query.ts'
import type { CurveComparison } from './comparison.ts'

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
    description: 'An answer has at most 1,000,000 points: a `stride` thins long curves.',
    auth: 'user',
    scope: 'runs:read',
    query: z.object({
      ids: z.string().min(1).meta({ description: 'Ids of at most 50 runs, separated by commas.' }),
      metric: z.string().min(1).meta({ description: 'A message, bare or as `<flow>.<message>`.' }),
      x: z.string().min(1).default('step').meta({
        description: '`step`, `time` (seconds since the start of the run), or another metric, joined at equal steps.',
      }),
      stride: integer({ min: 1 })
        .default(1)
        .meta({ description: 'Every how many points of a curve one is given; the last is always.' }),
    }),
    replies: { 200: reply.json('The curves, in the order of `ids`.', metricComparisonSchema) },
    problems: ['not_found', 'validation_failed'],
  }),
} as const

/** The handlers of {@link comparisonEndpoints}. */
export const comparisonHandlers = ({ curves }: { curves: CurveComparison }): Handlers<typeof comparisonEndpoints> => ({
  async names({ query }) {
    return { status: 200, value: await curves.names(filterOf(query)) }
  },
  async compare({ query }) {
    const ids = runIds(query.ids)
    if (ids.length > MAX_COMPARED_RUNS) {
      const message = `${ids.length} runs are too many for one comparison: name at most ${MAX_COMPARED_RUNS}`
      throw invalid([{ path: 'query.ids', code: 'too_big', message }])
    }
    return { status: 200, value: await curves.compare({ ...query, ids }) }
  },
})
