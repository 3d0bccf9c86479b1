/**
 * Lists of runs: filtered, sorted, page by page, with what of each run is asked for (wire decisions V11-V13).
 * @module
 */
import type { Secrets } from '@flow-service/core'
import { isFinished, type RunSummary } from '@flow-service/protocol'

import type { CurveSummary } from '../curves/points.ts'
import type { RunFilter } from '../curves/run-filter.ts'
import { shownFacts } from '../run-facts.ts'
import { headOf, unasked } from '../run-record.ts'
import { filterTerms } from './filter-grammar.ts'
import type { ListedRow, ListSelection, ListStore } from './list-store.ts'
import { cursorText, readCursor, sortKeys } from './order.ts'

/** What a list may be asked for beside the runs. */
export const included = ['params', 'results', 'metrics', 'progress', 'total'] as const
export type Included = (typeof included)[number]

/** A list as it is asked for; `filter` and `sort` are texts of their own grammars. */
export interface ListQuery {
  readonly of: RunFilter
  readonly filter?: string | undefined
  readonly sort?: string | undefined
  readonly cursor?: string | undefined
  readonly limit: number
  readonly offset: number
  readonly include: ReadonlySet<Included>
}

/** A page of a list. */
export interface ListAnswer {
  readonly runs: RunSummary[]
  /** Where the next page begins; null behind the last one. */
  readonly cursor: string | null
  /** How many runs match; null unless it is asked for. */
  readonly total: number | null
}

/** Dependencies of lists. */
export interface RunListsDeps {
  readonly store: ListStore
  readonly secrets: Pick<Secrets, 'mask'>
  /** Writes what this engine has gathered about the runs that it executes. */
  readonly flush: () => Promise<void>
}

/** Reads lists of runs. */
export class RunLists {
  readonly #deps: RunListsDeps

  constructor(deps: RunListsDeps) {
    this.#deps = deps
  }

  /** Refuses with `validation_failed` a filter, sort or cursor that is none. */
  async list(query: ListQuery): Promise<ListAnswer> {
    const { store, flush } = this.#deps
    const { include, limit, offset } = query
    const keys = sortKeys(query.sort)
    const selection: ListSelection = { filter: query.of, terms: filterTerms(query.filter ?? ''), keys }
    const list = JSON.stringify([query.sort, query.filter, query.of])
    const cursor = query.cursor === undefined ? null : readCursor(query.cursor, list, keys)
    const looksAtEnds =
      selection.terms.length > 0 || keys.length > 0 || include.has('metrics') || include.has('progress')
    if (looksAtEnds) await flush()
    const [rows, total] = await Promise.all([
      store.rows(selection, { limit, offset, cursor }),
      include.has('total') ? store.total(selection) : null,
    ])
    const last = rows.at(-1)
    return {
      runs: await this.#shown(rows, include),
      cursor:
        last && rows.length === limit ? cursorText(list, { values: last.place, created_at: last.created_at }) : null,
      total,
    }
  }

  async #shown(rows: readonly ListedRow[], include: ReadonlySet<Included>): Promise<RunSummary[]> {
    const { store, secrets } = this.#deps
    const ids = rows.map(({ id }) => id)
    const progress = new Map(include.has('progress') ? (await store.progress(ids)).map((row) => [row.id, row]) : [])
    return rows.map((row) => {
      const { params, params_cut, results, metrics } = shownFacts(row)
      const { id: _id, ...far } = progress.get(row.id) ?? { id: row.id, ...nothing }
      return {
        ...headOf(row),
        ...unasked,
        ...(include.has('params') && { params: secrets.mask(params) as RunSummary['params'], params_cut }),
        ...(include.has('results') && { results: secrets.mask(results) }),
        ...(include.has('metrics') && { metrics: curvesOf(metrics) }),
        ...(include.has('progress') && {
          progress: isFinished(row.status) ? { ...far, done: far.total, running: 0 } : far,
        }),
      }
    })
  }
}

const nothing = { total: 0, done: 0, cached: 0, failed: 0, running: 0, waiting_for: null }

const curvesOf = (metrics: Readonly<Record<string, CurveSummary>>): RunSummary['metrics'] =>
  Object.fromEntries(
    Object.entries(metrics).map(([message, [count, step, last, min, max]]) => [
      message,
      { count, step, last, min, max },
    ]),
  )
