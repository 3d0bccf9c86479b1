/**
 * Which runs are meant: the filters that lists, names of curves and exports share (wire decisions G34, G37).
 * @module
 */
import type { RunStatus } from '@flow-service/protocol'

import type { Sql } from '../../db/database.ts'

/** Conditions that a run has to meet, all of them. Times are engine timestamps or ISO 8601 with an offset. */
export interface RunFilter {
  readonly ids?: readonly string[] | undefined
  readonly flows?: readonly string[] | undefined
  readonly statuses?: readonly RunStatus[] | undefined
  readonly group?: string | undefined
  readonly digest?: string | undefined
  /** Whether archived runs alone are meant, or the others; both unless given. */
  readonly archived?: boolean | undefined
  /** Inclusive. */
  readonly since?: string | undefined
  /** Exclusive. */
  readonly before?: string | undefined
  /** Inclusive. */
  readonly until?: string | undefined
}

/** The present name of a run's flow, or the last one of a flow that is gone; for statements over `run`. */
export const flowName = (sql: Sql) => sql`(
  select coalesce(flow.name, run_flow.name) from run_flow left join flow on flow.id = run_flow.id
  where run_flow.id = run.flow
)`

/** The condition of a filter, for statements over `run`. */
export function matching(sql: Sql, filter: RunFilter) {
  const { ids, flows, statuses, group, digest, archived, since, before, until } = filter
  return sql`true
    ${ids ? sql`and run.id = any(${ids as string[]}::uuid[])` : sql``}
    ${
      flows
        ? sql`and run.flow in (
            select run_flow.id from run_flow left join flow on flow.id = run_flow.id
            where coalesce(flow.name, run_flow.name) = any(${flows as string[]}::text[]))`
        : sql``
    }
    ${statuses ? sql`and run.status = any(${statuses as string[]}::text[])` : sql``}
    ${group === undefined ? sql`` : sql`and run.group_id = ${group}::uuid`}
    ${digest === undefined ? sql`` : sql`and run.digest = ${digest}`}
    ${archived === undefined ? sql`` : sql`and run.archived = ${archived}::boolean`}
    ${since === undefined ? sql`` : sql`and run.created_at >= ${since}::timestamptz`}
    ${before === undefined ? sql`` : sql`and run.created_at < ${before}::timestamptz`}
    ${until === undefined ? sql`` : sql`and run.created_at <= ${until}::timestamptz`}`
}
