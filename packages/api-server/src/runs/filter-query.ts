/**
 * Query parameters that choose runs (wire decisions G34, G36, G37).
 * @module
 */
import { digestSchema, runStatusSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { invalid } from '../http/errors.ts'
import { time } from '../http/query.ts'
import type { RunFilter } from './curves/run-filter.ts'

/** Words separated by commas, as text: an array in a query string has many spellings. */
export const commaList = (what: string) =>
  z
    .string()
    .min(1)
    .optional()
    .meta({ description: `${what}, separated by commas.` })

/** What a list of runs is filtered by. */
export const filterQuery = z.object({
  flow: commaList('Names of flows'),
  status: commaList('Statuses of runs'),
  group: z.uuid('use the id of a group').optional().meta({ description: 'Only runs of this sweep.' }),
  digest: digestSchema.optional().meta({ description: 'Only runs that executed the document of this digest.' }),
})

/** Whether archived runs are meant. */
export const archivedQuery = z.enum(['false', 'true', 'any']).optional().meta({
  description: 'Archived runs: left out, alone, or among the others. Left out unless given, but those named by `ids`.',
})

/** A selection of runs: named by their ids, filtered, or both. */
export const selectionQuery = filterQuery.extend({
  ids: commaList('Ids of runs'),
  archived: archivedQuery,
  since: time.optional().meta({ description: 'Only runs created at this time and later.' }),
  before: time.optional().meta({ description: 'Only runs created before this time.' }),
})

/** The filter behind parsed parameters; refuses what no list can hold with `validation_failed`. */
export function filterOf(
  query: z.output<typeof filterQuery> & { readonly archived?: 'false' | 'true' | 'any' | undefined } & Pick<
      RunFilter,
      'since' | 'before' | 'until'
    > & { readonly ids?: string | undefined },
): RunFilter {
  const { flow, status, ids, archived, ...rest } = query
  return {
    ...rest,
    // who names runs means these
    archived: archived === 'any' || (archived === undefined && ids !== undefined) ? undefined : archived === 'true',
    flows: flow?.split(','),
    statuses: status?.split(',').map((word) => oneOf(runStatusSchema, 'status', word)),
    ids: ids === undefined ? undefined : runIds(ids),
  }
}

/** Ids of runs, each once, in the order in which they are given. */
export const runIds = (text: string): string[] => [...new Set(text.split(',').map((word) => oneOf(runId, 'ids', word)))]

const runId = z.uuid().transform((id) => id.toLowerCase())

function oneOf<S extends z.ZodType>(schema: S, name: string, word: string): z.output<S> {
  const parsed = schema.safeParse(word)
  if (parsed.success) return parsed.data
  const use = schema instanceof z.ZodEnum ? schema.options.join(', ') : 'the id of a run'
  const message = `"${word.slice(0, 80)}" cannot be used here; use ${use}`
  throw invalid([{ path: `query.${name}`, code: 'invalid_value', message }])
}
