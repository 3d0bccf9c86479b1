/**
 * Statements that tell which of the runs, sweeps and curves that somebody names exist.
 * @module
 */
import { MAX_COMPARED_RUNS } from '@flow-service/protocol'

import type { Sql } from '../db/database.ts'
import { flowName, matching } from './curves/run-filter.ts'
import type { KnownRuns } from './known-runs.ts'

/** The statements that ask for names. */
export const createKnownRunsStore = (sql: Sql): KnownRuns => ({
  async ids(ids) {
    if (ids.length === 0) return new Set()
    const rows = await sql<{ id: string }[]>`select id from run where id = any(${ids as string[]}::uuid[])`
    return new Set(rows.map(({ id }) => id))
  },

  async groups(ids) {
    if (ids.length === 0) return new Set()
    const rows = await sql<{ id: string }[]>`
      select asked.id from unnest(${ids as string[]}::uuid[]) as asked(id)
      where exists (select from run where run.group_id = asked.id)`
    return new Set(rows.map(({ id }) => id))
  },

  async curves(filter) {
    const rows = await sql<{ name: string }[]>`
      with chosen as materialized (
        select run.id, run.flow from run where ${matching(sql, filter)}
        order by run.created_at desc limit ${MAX_COMPARED_RUNS}
      )
      select distinct ${flowName(sql)} || '.' || metric.message as name
      from chosen as run
      cross join lateral (select distinct chunk.metric from metric_chunk as chunk where chunk.run = run.id) as drawn
      join metric on metric.id = drawn.metric`
    return new Set(rows.map(({ name }) => name))
  },
})
