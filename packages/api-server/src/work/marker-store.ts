/**
 * SQL of the table `failure_marker`. Flows are stored by id, so that markers follow a flow to another name and go with it
 * when it is deleted.
 * @module
 */
import type { Sql } from '../db/database.ts'

/** The marker of a node, whose flow is told by its name. */
export interface MarkerRow extends NodePlace {
  readonly type: string
  readonly message: string
  readonly traceback: string | null
  /** In the engine's spelling. */
  readonly ts: string
  readonly content: string
}

/** A node of a flow, which is told by its name. */
export interface NodePlace {
  readonly flow: string
  readonly node: string
}

/** Statements on failure markers. */
export type MarkerStore = ReturnType<typeof createMarkerStore>

/** Statements on failure markers. */
export const createMarkerStore = (sql: Sql) => ({
  /** Of these flows, or of all. */
  list: (flows: string[] | null): Promise<MarkerRow[]> =>
    sql<MarkerRow[]>`
      select flow.name as flow, node, type, message, traceback, ts, content
      from failure_marker join flow on flow.id = failure_marker.flow
      where ${flows}::text[] is null or flow.name in (select unnest(${flows}::text[]))`,

  /** Writes markers in place of those that the nodes have; those of flows that are gone have no place. */
  async put(tx: Sql, rows: readonly MarkerRow[]): Promise<void> {
    await tx`
      insert into failure_marker (flow, node, type, message, traceback, ts, content)
      select flow.id, node, type, message, traceback, ts, content
      from json_to_recordset(${JSON.stringify(rows.map(storable))}::json)
        as t (flow text, node text, type text, message text, traceback text, ts timestamptz, content text)
      join flow on flow.name = t.flow
      on conflict (flow, node) do update set type = excluded.type, message = excluded.message,
        traceback = excluded.traceback, ts = excluded.ts, content = excluded.content`
  },

  /** Removes the markers of nodes. */
  async remove(tx: Sql, places: readonly NodePlace[]): Promise<void> {
    await tx`
      delete from failure_marker m
      using json_to_recordset(${JSON.stringify(places)}::json) as t (flow text, node text)
      join flow on flow.name = t.flow
      where m.flow = flow.id and m.node = t.node`
  },
})

/** Texts of errors may hold what PostgreSQL does not take. */
const storable = ({ type, message, traceback, ...row }: MarkerRow): MarkerRow => ({
  ...row,
  type: storableText(type),
  message: storableText(message),
  traceback: traceback === null ? null : storableText(traceback),
})

const storableText = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()
