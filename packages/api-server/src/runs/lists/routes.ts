/**
 * `/runs`: lists, and what people say about runs (wire decisions G34, V11-V14).
 * @module
 */
import {
  changedCountSchema,
  flowDocumentSchema,
  runAnnotationSchema,
  runsAnnotationSchema,
  runSummarySchema,
} from '@flow-service/protocol'
import * as z from 'zod'

import { endpoint, type Handlers, json, reply, type RequestFacts } from '../../http/endpoint.ts'
import { invalid, type ProblemError } from '../../http/errors.ts'
import { integer, pageQuery } from '../../http/query.ts'
import { archivedQuery, commaList, filterOf, filterQuery } from '../filter-query.ts'
import type { Runs } from '../runs.ts'
import { type Included, included } from './run-lists.ts'

const runParam = z.object({ id: z.uuid('use the id of a run').meta({ description: 'Of the run.' }) })
/** Rows that may be passed over by who goes through a list; behind them a cursor leads. */
const MAX_OFFSET = 10_000
/** Where a page may begin for who jumps in a table: to pass over rows costs less than to order them. */
const MAX_PLACE = 1_000_000

/** The endpoints of lists. */
export const listEndpoints = {
  list: endpoint({
    id: 'runs.list',
    method: 'get',
    path: '/runs',
    summary: 'List runs',
    description:
      'The newest first, unless `sort` tells otherwise. `Link rel="next"` has the address of the next page. A filter is a list of terms with spaces between them, which all have to hold: a field (`params.lr`, `results.f1`, `metrics.loss`, `metrics.loss:min`, `:max`, `:count`, `id`, `tags`, `note`, `seed`, `duration_s`, `submitted_by`, `external_id`, `group_id`, `parent`, `origin`, `pinned`), one of `= != < <= > >= ~`, and a value (a number, `NaN`, `true`, `false`, `null`, a word, a string in double quotes as in JSON; `*` is any). `~` is: contains, in letters A to Z of any case. A value of another type does not match, nor does a missing one.',
    auth: 'user',
    scope: 'runs:read',
    query: pageQuery.extend({
      ...filterQuery.shape,
      archived: archivedQuery,
      filter: z
        .string()
        .optional()
        .meta({ description: 'Terms as in `params.lr<0.01 metrics.acc>0.9 tags=best`, at most 32.' }),
      sort: z.string().optional().meta({
        description:
          'Up to 3 fields, separated by commas, each with `-` in front for the greatest first: created_at, started_at, finished_at, duration_s, status, flow, seed, and params, results and metrics as in a filter. What is missing comes last; the newest first among equals.',
      }),
      include: commaList(`What is told of each run: ${included.join(', ')} (the number of all, in X-Total-Count)`),
      cursor: z
        .string()
        .min(1)
        .optional()
        .meta({ description: 'Where the page begins: of the Link of the one before.' }),
      offset: integer({ min: 0 }).default(0).meta({ description: 'Runs that are passed over, at most 10,000.' }),
      at: integer({ min: 0, max: MAX_PLACE }).optional().meta({
        description:
          'Place in the list where the page begins, for tables in which somebody jumps. In place of `offset`.',
      }),
    }),
    replies: {
      200: reply.json(
        'The runs.',
        z.array(runSummarySchema),
        z.object({
          link: z.string().optional().meta({ description: 'Where the next page is; none behind the last one.' }),
          'x-total-count': z.string().optional().meta({ description: 'How many runs match, where asked for.' }),
        }),
      ),
    },
    problems: ['validation_failed'],
  }),
  update: endpoint({
    id: 'runs.update',
    method: 'patch',
    path: '/runs/{id}',
    summary: 'Change the note, the tags, the pin or the archiving of a run',
    description: 'What is left out stays. The run may be in any state.',
    auth: 'user',
    scope: 'runs:write',
    params: runParam,
    body: json(runAnnotationSchema),
    replies: { 200: reply.json('The run.', runSummarySchema) },
    problems: ['not_found', 'validation_failed'],
  }),
  updateMany: endpoint({
    id: 'runs.updateMany',
    method: 'patch',
    path: '/runs',
    summary: 'Change tags, pins or the archiving of many runs',
    description: 'Of all of them, or of none.',
    auth: 'user',
    scope: 'runs:write',
    body: json(runsAnnotationSchema),
    replies: { 200: reply.json('How many runs are different now.', changedCountSchema) },
    problems: ['not_found', 'validation_failed'],
  }),
  document: endpoint({
    id: 'runs.document',
    method: 'get',
    path: '/runs/{id}/document',
    summary: 'Get the document that a run executed',
    description: 'None of imported runs, and of runs of a draft before they start.',
    auth: 'user',
    scope: 'runs:read',
    params: runParam,
    replies: { 200: reply.json('The document.', flowDocumentSchema) },
    problems: ['not_found'],
  }),
} as const

/** The handlers of {@link listEndpoints}. */
export const listHandlers = ({ runs }: { runs: Runs }): Handlers<typeof listEndpoints> => ({
  async list({ query, request }) {
    const { limit, offset, at, filter, sort, cursor, include, ...of } = query
    if (offset > MAX_OFFSET) throw farOffset(offset)
    const asked = {
      limit,
      offset: at ?? offset,
      filter,
      sort,
      cursor,
      include: includedIn(include),
      of: filterOf(of),
    }
    const page = await runs.lists.list(asked)
    return {
      status: 200,
      value: page.runs,
      headers: {
        ...(page.cursor !== null && { link: nextPage(request, page.cursor) }),
        ...(page.total !== null && { 'x-total-count': String(page.total) }),
      },
    }
  },
  async update({ params, body }) {
    return { status: 200, value: await runs.annotations.annotate(params.id, body) }
  },
  async updateMany({ body }) {
    return { status: 200, value: { changed: await runs.annotations.annotateAll(body) } }
  },
  async document({ params }) {
    return { status: 200, value: await runs.document(params.id) }
  },
})

function includedIn(text: string | undefined): ReadonlySet<Included> {
  const words = text?.split(',') ?? []
  const known = words.flatMap((word) => included.find((one) => one === word) ?? [])
  const unknown = words.find((word) => !known.some((one) => one === word))
  if (unknown === undefined) return new Set(known)
  const message = `"${unknown.slice(0, 80)}" cannot be included; there are ${included.join(', ')}`
  throw invalid([{ path: 'query.include', code: 'invalid_value', message }])
}

function nextPage({ url, baseUrl }: RequestFacts, cursor: string): string {
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark))
  query.delete('offset')
  query.delete('at')
  query.set('cursor', cursor)
  return `<${baseUrl}${path}?${query.toString()}>; rel="next"`
}

function farOffset(offset: number): ProblemError {
  const message = `${offset} runs are too many to pass over, at most ${MAX_OFFSET} are: follow the Link of each page, whose cursor leads on from any place`
  return invalid([{ path: 'query.offset', code: 'too_big', message }])
}
