/**
 * SQL of the kept work of live flows. Flows are stored by id, so that work follows a flow to another name and goes with
 * it when it is deleted.
 * @module
 */
import type { CascadeOrigin, KeptWork, WorkBody } from '@flow-service/core'

import type { Sql } from '../db/database.ts'
import type { Placed } from '../engines/fence.ts'

/** Longest work that is kept, in characters of JSON. */
const MAX_WORK_LENGTH = 64 * 1024 * 1024

/** Work as it is stored; `body` and `origin` are JSON texts, or `body` a sealed one. */
export interface WorkRow extends Omit<KeptWork, 'body' | 'origin' | 'begun' | 'ended'> {
  readonly body: string
  readonly origin: string
  begun: string[]
  ended: string[]
  attempts: number
}

/** Values that ended arrivals of one flow have published; `body` is JSON, or sealed. */
export interface PublishedRow {
  readonly id: string
  readonly flow: string
  readonly body: string
}

/** A reader that is done if what this flow keeps in the same commit is stored. */
export interface Taken {
  readonly reader: string
  readonly flow: string
}

interface MayBeTaken {
  readonly taken?: readonly Taken[]
}

/** Changes of work that is stored already. */
interface WorkUpdate extends MayBeTaken {
  readonly id: string
  /** Readers that have begun, or ended, since. */
  readonly begun: readonly string[]
  readonly ended: readonly string[]
  readonly attempts: number
}

/** What one commit does. No id is in two of the lists. */
export interface WorkCommit {
  /** Names the commit: done again, it changes nothing. */
  readonly id: string
  readonly added: readonly (WorkRow & MayBeTaken)[]
  readonly changed: readonly WorkUpdate[]
  readonly removed: readonly string[]
  readonly published: readonly PublishedRow[]
  /** Published rows whose values are recorded. */
  readonly recorded: readonly string[]
}

/** What a commit has left out. */
interface Written {
  /** New work, and rows of values, that are not stored: the lease does not have their flow, or there is none of its name. */
  readonly unstored: readonly WorkRow[]
  readonly unpublished: readonly PublishedRow[]
  /** The flows that the lease does not have. */
  readonly lost: readonly Placed[]
}

/** Work as it is stored; throws for what is too long, or has no JSON. */
export function rowOf({ id, flow, node, body, cascade, origin, attempts, begun, ended }: KeptWork): WorkRow {
  const text = JSON.stringify(body)
  if (text.length > MAX_WORK_LENGTH) {
    throw new Error(
      `the work of node "${node}" of flow "${flow}" has ${text.length} characters of JSON; at most ${MAX_WORK_LENGTH} are kept: put large data into an artifact`,
    )
  }
  return {
    id,
    flow,
    node,
    body: text,
    cascade,
    origin: JSON.stringify(origin),
    attempts,
    begun: [...begun],
    ended: [...ended],
  }
}

/** Work that was stored. */
export const workOf = (row: WorkRow): KeptWork => ({
  ...row,
  body: JSON.parse(row.body) as WorkBody,
  origin: JSON.parse(row.origin) as CascadeOrigin,
})

/** Statements over `live_work`. */
export type WorkStore = ReturnType<typeof createWorkStore>

/** Statements over `live_work`. */
export const createWorkStore = (sql: Sql) => ({
  ...earlier(sql),

  /**
   * Does all of it or nothing, but for flows that `lease` does not have, where one is given: of these nothing is changed
   * (fence.F1). Published rows that are recorded go unless another lease has their flow (work.W11).
   */
  async write(commit: WorkCommit, lease: string | null = null): Promise<Written> {
    const { id, added, changed, removed, published, recorded } = commit
    const flows = [...new Set([...added, ...published].map(({ flow }) => flow))]
    const own = lease === null ? sql`true` : sql`flow in (select flow from held)`
    const free = lease === null || recorded.length === 0 ? sql`true` : notTaken(sql, lease)
    const taken = takenParts(sql, [...added, ...changed])
    const [written] = await sql<{ count: number; lost: Placed[] }[]>`
      with ${held(sql, { lease, flows, ids: [...removed, ...changed.map((each) => each.id)] })} dropped as (
        delete from live_work where id = any(${[...removed]}::uuid[]) and ${own}
      ), recorded as (
        delete from published_value where id = any(${[...recorded]}::uuid[]) and ${free}
      ), named as materialized (
        select id, name from flow where name = any(${flows}::text[])
          and ${lease === null ? sql`true` : sql`id in (select flow from held)`} for key share
      ), changed as (
        update live_work w set
          begun = array(select r from unnest(w.begun) as r where r <> all (t.begun || t.ended || ${taken.readers})) || t.begun,
          ended = array(select r from unnest(w.ended) as r where r <> all (t.ended || ${taken.readers})) || t.ended || ${taken.readers},
          attempts = case when w.counted is distinct from ${id}::uuid then w.attempts + t.attempts else w.attempts end,
          counted = case when t.attempts > 0 then ${id}::uuid else w.counted end
        from json_to_recordset(${JSON.stringify(changed)}::json)
          as t (id uuid, begun text[], ended text[], attempts int, taken json) ${taken.of}
        where w.id = t.id and ${own}
      ), added as (
        insert into live_work (id, flow, node, body, cascade, origin, attempts, begun, ended)
        select t.id, named.id, t.node, t.body, t.cascade, t.origin, t.attempts, t.begun, t.ended || ${taken.readers}
        from rows from (json_to_recordset(${JSON.stringify(added)}::json) as (id uuid, flow text, node text, body text,
            cascade uuid, origin text, attempts int, begun text[], ended text[], taken json))
          with ordinality as t (id, flow, node, body, cascade, origin, attempts, begun, ended, taken, place)
        join named on named.name = t.flow ${taken.of}
        order by t.place
        on conflict (id) do nothing
        returning id
      ), published as (
        insert into published_value (id, flow, body)
        select t.id, named.id, t.body
        from json_to_recordset(${JSON.stringify(published)}::json) as t (id uuid, flow text, body text)
        join named on named.name = t.flow
        on conflict (id) do nothing
        returning id
      ) select (select count(*)::int from added) + (select count(*)::int from published) as count,
        ${lease === null ? sql`'[]'::json` : lostFlows(sql)} as lost`
    if (!written) throw new Error('a write of kept work was not answered: nothing was acknowledged')
    const { count, lost } = written
    if (count === added.length + published.length) return { unstored: [], unpublished: [], lost }
    const isMissing = await missingOf(sql, [...added, ...published])
    return { unstored: added.filter(isMissing), unpublished: published.filter(isMissing), lost }
  },

  /** Adds work in the caller's transaction; a flow of it that there is not, else null. */
  async add(tx: Sql, rows: readonly WorkRow[]): Promise<string | null> {
    const added = await tx<{ id: string }[]>`
      insert into live_work (id, flow, node, body, cascade, origin, attempts, begun, ended)
      select t.id, flow.id, t.node, t.body, t.cascade, t.origin, t.attempts, t.begun, t.ended
      from rows from (json_to_recordset(${JSON.stringify(rows)}::json) as (id uuid, flow text, node text, body text,
          cascade uuid, origin text, attempts int, begun text[], ended text[]))
        with ordinality as t (id, flow, node, body, cascade, origin, attempts, begun, ended, place)
      join flow on flow.name = t.flow
      order by t.place
      returning id`
    const stored = new Set(added.map(({ id }) => id))
    return rows.find(({ id }) => !stored.has(id))?.flow ?? null
  },

  /** Readers are noted by the name of their flow: they follow it to its new one. */
  async rename(tx: Sql, { from, to }: { readonly from: string; readonly to: string }): Promise<void> {
    const [old, now] = [`${from}/`, `${to}/`]
    const named = () => tx`case when starts_with(r, ${old}::text)
      then ${now}::text || substr(r, ${old.length + 1}::int) else r end`
    await tx`
      update live_work set
        begun = array(select ${named()} from unnest(begun) with ordinality as t (r, place) order by place),
        ended = array(select ${named()} from unnest(ended) with ordinality as t (r, place) order by place)
      where exists (select from unnest(begun || ended) as r where starts_with(r, ${old}::text))`
  },

  /** The work of a flow in the order in which it was kept. */
  left: (flow: string): Promise<WorkRow[]> =>
    sql<WorkRow[]>`
      select w.id, flow.name as flow, w.node, w.body, w.cascade, w.origin, w.attempts, w.begun, w.ended
      from live_work w join flow on flow.id = w.flow
      where flow.name = ${flow}
      order by w.position`,
})

/** The flows that a commit is about, and those of them that a lease has: they do not change hands before it is over. */
const held = (sql: Sql, of: { lease: string | null; flows: readonly string[]; ids: readonly string[] }) =>
  of.lease === null
    ? sql``
    : sql`
      touched as materialized (
        select flow from live_work where id = any(${[...of.ids]}::uuid[])
        union select id from flow where name = any(${[...of.flows]}::text[])
      ), held as materialized (
        select flow from placement where lease = ${of.lease} and flow in (select flow from touched)
        order by flow for share
      ),`

/** Of the flows that a commit is about those that its lease does not have. */
const lostFlows = (sql: Sql) => sql`(
  select coalesce(json_agg(json_build_object('id', flow.id, 'name', flow.name)), '[]')
  from touched join flow on flow.id = touched.flow where touched.flow not in (select flow from held))`

/** The readers of a row `t` that are done as what has taken their part along is stored; planned only where there are any. */
const takenParts = (sql: Sql, rows: readonly MayBeTaken[]) =>
  rows.every(({ taken }) => taken === undefined)
    ? { of: sql``, readers: sql`'{}'::text[]` }
    : {
        of: sql`cross join lateral (
          select array(
            select e->>'reader' from json_array_elements(t.taken) as e where e->>'flow' in (select name from named)
          ) as readers) as taken`,
        readers: sql`taken.readers`,
      }

/** Of published rows those whose flow no other lease has. It is planned only where it is needed: most commits record nothing. */
const notTaken = (sql: Sql, lease: string) => sql`not exists (
  select from placement where placement.flow = published_value.flow and placement.lease <> ${lease})`

/** Tells which of these rows there are not. */
async function missingOf(sql: Sql, rows: readonly { readonly id: string }[]) {
  const ids = rows.map(({ id }) => id)
  const found = await sql<{ id: string }[]>`
    select id from live_work where id = any(${ids}::uuid[])
    union all select id from published_value where id = any(${ids}::uuid[])`
  const stored = new Set(found.map(({ id }) => id))
  return ({ id }: { readonly id: string }): boolean => !stored.has(id)
}

/** What earlier lives have left: of these flows, or of all. */
const earlier = (sql: Sql) => ({
  /** What is owed, in the order in which it was published. */
  published: (flows: string[] | null): Promise<PublishedRow[]> =>
    sql<PublishedRow[]>`
      select p.id, flow.name as flow, p.body from published_value p join flow on flow.id = p.flow
      where (${flows}::text[] is null or flow.name in (select unnest(${flows}::text[])))
      order by p.id`,

  /** Arrivals that are still to be done, and sealed work that may be one: a body begins with what it is. */
  arrivals: (flows: string[] | null): Promise<Pick<WorkRow, 'id' | 'flow' | 'node' | 'body'>[]> =>
    sql<Pick<WorkRow, 'id' | 'flow' | 'node' | 'body'>[]>`
      select w.id, flow.name as flow, w.node, w.body from live_work w join flow on flow.id = w.flow
      where (${flows}::text[] is null or flow.name in (select unnest(${flows}::text[])))
        and (starts_with(w.body, ${'{"is":"arrival"'}::text) or not starts_with(w.body, '{'))`,
})
