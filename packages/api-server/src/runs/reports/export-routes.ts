/**
 * `/runs/export`: runs and their points as tables (wire decision G37).
 * @module
 */
import * as z from 'zod'

import { endpoint, type Handlers, reply } from '../../http/endpoint.ts'
import { invalid } from '../../http/errors.ts'
import { time } from '../../http/query.ts'
import { commaList, filterOf, selectionQuery } from '../filter-query.ts'
import type { ExportQuery, RunExport, RunExports } from './run-export.ts'

/** Most columns that one request names. */
const MAX_COLUMNS = 200
const types = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson' } as const
const truncation = z.object({
  'content-disposition': z.string(),
  'x-truncated': z.string().optional().meta({ description: 'Most runs of an export, when more match.' }),
  'x-total-count': z.string().optional().meta({ description: 'How many runs match, when these are more.' }),
})
const exportQuery = selectionQuery.extend({
  format: z.enum(['csv', 'jsonl']).default('csv').meta({ description: 'CSV (RFC 4180), or a JSON object a line.' }),
  until: time.optional().meta({ description: 'Only runs created at this time and before.' }),
  params: commaList('Inputs that become columns; a dotted path reaches into records'),
})
const replies = { 200: reply.stream('The table.', Object.values(types), truncation) }

/** The endpoints of exports. */
export const exportEndpoints = {
  runs: endpoint({
    id: 'runs.export',
    method: 'get',
    path: '/runs/export/runs',
    summary: 'Export runs, a row for each',
    description:
      "The newest 10,000 runs of the selection. In CSV, texts that a spreadsheet would calculate begin with `'`.",
    auth: 'user',
    scope: 'runs:read',
    query: exportQuery.extend({
      metrics: commaList('Final outputs that become columns; a dotted path reaches into records'),
    }),
    replies,
    problems: ['validation_failed'],
  }),
  metrics: endpoint({
    id: 'metrics.export',
    method: 'get',
    path: '/runs/export/metrics',
    summary: 'Export points, a row for each',
    description: 'The curves of the newest 10,000 runs of the selection.',
    auth: 'user',
    scope: 'runs:read',
    query: exportQuery.extend({ metrics: commaList('Curves, bare or as `<flow>.<message>`') }),
    replies,
    problems: ['validation_failed'],
  }),
} as const

/** The handlers of {@link exportEndpoints}. */
export const exportHandlers = ({ exports }: { exports: RunExports }): Handlers<typeof exportEndpoints> => ({
  async runs({ query }) {
    return answer('runs', query.format, await exports.runs(exportOf(query)))
  },
  async metrics({ query }) {
    return answer('metrics', query.format, await exports.metrics(exportOf(query)))
  },
})

function exportOf(query: z.output<(typeof exportEndpoints)['runs']['query']>): ExportQuery {
  const { format, params, metrics, ...filter } = query
  return { format, filter: filterOf(filter), params: columns('params', params), metrics: columns('metrics', metrics) }
}

function columns(name: 'params' | 'metrics', text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined
  const words = [...new Set(text.split(','))]
  if (words.includes('')) throw refused(name, 'a name is empty: separate the names by one comma')
  if (words.length > MAX_COLUMNS) throw refused(name, `${words.length} are too many: name at most ${MAX_COLUMNS}`)
  return words
}

const refused = (name: string, message: string) => invalid([{ path: `query.${name}`, code: 'invalid_value', message }])

function answer(table: string, format: ExportQuery['format'], { truncated, text }: RunExport) {
  const cut = truncated ? { 'x-truncated': String(truncated.cap), 'x-total-count': String(truncated.total) } : {}
  const headers = { 'content-disposition': `attachment; filename="${table}.${format}"`, ...cut }
  return { status: 200, type: types[format], headers, body: text } as const
}
