/**
 * The tables of flows: one function a statement. Contents are documents without name and version, as JSON nobody has
 * checked yet: a row may be older than this engine, or edited by hand.
 * @module
 */
import type { FlowMode } from '@flow-service/protocol'

import { affected } from '../db/affected.ts'
import type { Sql } from '../db/database.ts'
import { contentOfText, textOfContent } from './content-text.ts'

/** What the engine shall do with a live flow when it starts. */
export type Wished = 'active' | 'paused' | 'stopped'

/** Where the code of a flow defined in code comes from. */
interface CodeOrigin {
  readonly module: string
  /** Absolute path of the project that the module's path begins in; null for a flow object. */
  readonly project: string | null
  readonly digest: string
  readonly commit: string | null
}

/** What a row of `flow` says without its contents. Times in the engine's spelling. */
export interface FlowHead {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly published_version: number | null
  readonly has_draft: boolean
  /** Mode of the current content. */
  readonly mode: FlowMode
  /** Null when nothing is published. */
  readonly published_mode: FlowMode | null
  readonly origin: 'api' | 'code'
  readonly updated_at: string
  readonly wished: Wished
  /** The living engine that runs it; null on the embedded database too. */
  readonly runs_at: RunsAt | null
  /** Whether it is on its way from one engine to another. */
  readonly between: boolean
}

/** An engine as refusals name it. */
export interface RunsAt {
  readonly id: string
  readonly name: string
  readonly address: string | null
}

/** What tells that somebody has changed a flow, and who runs it. */
export interface FlowMark extends Written {
  readonly id: string
  readonly name: string
  readonly wished: Wished
  /** The living engine that runs it. */
  readonly at: string | null
  /** Whether it is on its way from one engine to another. */
  readonly between: boolean
}

/** Which writing a row comes from: whoever changes the row, by the API or by hand, changes this too. */
export interface Written {
  readonly written: string
}

/** A row of `flow`. */
export interface FlowRow extends FlowHead {
  readonly draft: unknown
  readonly published: unknown
  readonly code: CodeOrigin | null
  readonly created_at: string
  readonly updated_by: string | null
  /** Code of the library sources that the contents name, by name; null when there is none. */
  readonly library: Readonly<Record<string, string>> | null
}

/** Statements on the tables of flows. */
export type FlowStore = ReturnType<typeof createFlowStore>

/** Statements on the tables of flows. `null` answers mean that the condition of the statement met no row. */
export const createFlowStore = (sql: Sql) => ({
  ...changes,

  list: (): Promise<FlowRow[]> => read(sql`select ${columns(sql)} from flow order by name collate "C"`),

  /** All flows by name, without their contents. */
  heads: (): Promise<(FlowHead & Written)[]> =>
    sql<(FlowHead & Written)[]>`
      select flow.id, flow.name, flow.version, published_version, has_draft, mode, published_mode, origin, updated_at,
        wished, living.runs_at, living.runs_at is null and is_between(flow) as between, flow.xmin::text as written
      from flow left join (
        select flow as placed, json_build_object('id', id, 'name', name, 'address', address) as runs_at
        from placement join engine using (lease) where lease_until > now()
      ) as living on living.placed = flow.id
      order by flow.name collate "C"`,

  /** The flows of these ids, as far as there are any. */
  contents: (ids: readonly string[]): Promise<(FlowRow & Written)[]> =>
    read<FlowRow & Written>(sql`
      select ${columns(sql)}, xmin::text as written from flow where id = any(${[...ids]}::uuid[])`),

  byName: (name: string): Promise<FlowRow | null> => one(sql`select ${columns(sql)} from flow where name = ${name}`),

  /** The flows of these names that exist, in any order. */
  byNames: (names: readonly string[]): Promise<(FlowRow & Written)[]> =>
    read<FlowRow & Written>(sql`
      select ${columns(sql)}, xmin::text as written from flow where name = any(${names as string[]})`),

  byId: (id: string): Promise<FlowRow | null> => one(sql`select ${columns(sql)} from flow where id = ${id}`),

  /** The shared code that a flow reads with that content for its draft. */
  libraryWith: async (id: string, draft: object): Promise<FlowRow['library']> => {
    const text = await textOfContent(draft)
    const [row] = await sql<Pick<FlowRow, 'library'>[]>`
      select library_of(jsonb_populate_record(flow, jsonb_build_object('draft', ${text}::jsonb))) as library
      from flow where id = ${id}`
    return row?.library ?? null
  },

  /** Ids of the flows whose published form is live and has a node of a type. */
  liveWith: async (type: string): Promise<string[]> => {
    const rows = await sql<{ id: string }[]>`
      select id from flow
      where published ->> 'mode' = 'live' and jsonb_path_exists(published, '$.nodes[*] ? (@.type == $type)', ${JSON.stringify({ type })}::jsonb)`
    return rows.map(({ id }) => id)
  },

  /** The live flows that are wished to be active or paused. */
  wished: (): Promise<FlowRow[]> =>
    read(sql`
      select ${columns(sql)} from flow where wished <> 'stopped' and published is not null order by name collate "C"`),

  /** Ids of the flows whose contents may name messages of a flow: their texts hold its name before a dot. */
  naming: async (flow: string): Promise<string[]> =>
    (await sql<{ id: string }[]>`select id from flow where ${holds(sql, flow)} order by id`).map(({ id }) => id),

  wish: async (id: string, wished: Wished): Promise<void> => {
    affected(await sql`update flow set wished = ${wished} where id = ${id}`, 1)
  },

  wishAll: async (ids: readonly string[], wished: Wished): Promise<void> => {
    await sql`update flow set wished = ${wished} where id = any(${[...ids]}::uuid[])`
  },

  /** Has these flows count as written again: what they read elsewhere has changed. */
  touch: async (ids: readonly string[]): Promise<void> => {
    await sql`update flow set version = version where id = any(${[...ids]}::uuid[])`
  },

  /** What has changed since they were asked for before is found by these: of all flows, or of those of a name. */
  marks: (name: string | null = null): Promise<FlowMark[]> =>
    sql<FlowMark[]>`
      select flow.id, flow.name, wished, flow.xmin::text as written, living.id as at,
        living.id is null and is_between(flow) as between
      from flow left join (
        select flow as placed, id from placement join engine using (lease) where lease_until > now()
      ) as living on living.placed = flow.id
      where ${name === null ? sql`true` : sql`flow.name = ${name}`}`,
})

/** Statements of transactions. */
const changes = {
  /** Makes a flow of version 1 with a draft; null when the name is taken. */
  async create(tx: Sql, flow: { id: string; name: string; content: unknown; by: string }): Promise<FlowRow | null> {
    const text = await textOfContent(flow.content)
    const [row] = await tx<Head[]>`
      insert into flow (id, name, version, draft, origin, updated_by)
      values (${flow.id}, ${flow.name}, 1, ${text}::jsonb, 'api', ${flow.by})
      on conflict (name) do nothing returning ${heads(tx)}`
    return row ? { ...row, draft: flow.content, published: null } : null
  },

  /**
   * Replaces the draft when the flow is still of that version; from then on the flow belongs to the API. What is not
   * changed is taken from the row of `before`.
   */
  async save(
    tx: Sql,
    flow: { id: string; version: number; content: object; by: string; before: FlowRow },
  ): Promise<FlowRow | null> {
    const { id, version, content, by, before } = flow
    const text = await textOfContent(content)
    const [row] = await tx<Head[]>`
      update flow set version = version + 1, draft = ${text}::jsonb, origin = 'api', code = null,
        updated_at = now(), updated_by = ${by}
      where id = ${id} and version = ${version} returning ${heads(tx)}`
    if (!row) return null
    // the draft that was replaced may have been published meanwhile, under the same version
    if (row.published_version !== before.published_version)
      return one(tx`select ${columns(tx)} from flow where id = ${id}`)
    return { ...row, draft: content, published: before.published }
  },

  /** Makes the draft of the row `before` the published form when the flow is still of that version. */
  async publish(tx: Sql, before: FlowRow, by: string): Promise<FlowRow | null> {
    const [row] = await tx<Head[]>`
      update flow set published = draft, published_version = version, draft = null,
        updated_at = now(), updated_by = ${by}
      where id = ${before.id} and version = ${before.version} and draft is not null returning ${heads(tx)}`
    return row ? { ...row, draft: null, published: before.draft } : null
  },

  /** Removes the draft beside a published form when the flow is still of that version, which then is a new one. */
  discard: (tx: Sql, flow: { id: string; version: number; by: string }): Promise<FlowRow | null> =>
    one(tx`
      update flow set version = version + 1, draft = null, updated_at = now(), updated_by = ${flow.by}
      where id = ${flow.id} and version = ${flow.version} and draft is not null and published is not null
      returning ${columns(tx)}`),

  /** Keeps a flow as it is until the transaction ends; false when it is no longer of that version. */
  hold: async (tx: Sql, { id, version }: { id: string; version: number }): Promise<boolean> =>
    (await tx`select from flow where id = ${id} and version = ${version} for share`).length > 0,

  /** The flow and those that may name its messages; nobody else changes them until the transaction ends. */
  lockWithNaming: (tx: Sql, { id, name }: { id: string; name: string }): Promise<FlowRow[]> =>
    read(tx`select ${columns(tx)} from flow where id = ${id} or ${holds(tx, name)} order by id for update`),

  /** Gives a flow that the transaction has locked another name and the contents under it; see `replace`. */
  rename: (
    tx: Sql,
    flow: { id: string; name: string; draft: unknown; published: unknown; by: string },
  ): Promise<FlowRow | null> =>
    one(tx`
      update flow set name = ${flow.name}, origin = 'api', code = null, version = version + 1,
        published_version = case when draft is null then version + 1 else published_version end,
        draft = ${jsonOrNull(flow.draft)}::jsonb, published = ${jsonOrNull(flow.published)}::jsonb,
        updated_at = now(), updated_by = ${flow.by}
      where id = ${flow.id} returning ${columns(tx)}`),

  /**
   * Replaces both contents when the flow is still of that version, which then is a new one; without a draft it is the
   * published one too.
   */
  replace: (
    tx: Sql,
    flow: { id: string; version: number; draft: unknown; published: unknown; by: string },
  ): Promise<FlowRow | null> =>
    one(tx`
      update flow set version = version + 1,
        published_version = case when draft is null then version + 1 else published_version end,
        draft = ${jsonOrNull(flow.draft)}::jsonb, published = ${jsonOrNull(flow.published)}::jsonb,
        updated_at = now(), updated_by = ${flow.by}
      where id = ${flow.id} and version = ${flow.version} returning ${columns(tx)}`),

  /** Makes a flow that was defined in code one of the API. */
  takeOver: (tx: Sql, id: string): Promise<FlowRow | null> =>
    one(tx`
      update flow set origin = 'api', code = null where id = ${id} returning ${columns(tx)}`),

  /**
   * Publishes a flow defined in code, with a new version when the content differs: `is_new` then. Null when the name
   * is that of a flow made through the API.
   */
  register: async (tx: Sql, flow: { id: string; name: string; content: object; code: CodeOrigin }) =>
    (
      await read<FlowRow & { is_new: boolean }>(tx`
        with old as (select id, published from flow where name = ${flow.name})
        insert into flow (id, name, version, published, published_version, origin, code)
        values (${flow.id}, ${flow.name}, 1, ${JSON.stringify(flow.content)}::jsonb, 1, 'code', ${JSON.stringify(flow.code)}::jsonb)
        on conflict (name) do update set code = excluded.code, published = excluded.published,
          version = flow.version + (flow.published <> excluded.published)::int,
          published_version = flow.version + (flow.published <> excluded.published)::int,
          updated_at = case when flow.published <> excluded.published then now() else flow.updated_at end
        where flow.origin = 'code'
        returning ${columns(tx)}, not exists (select from old where old.published = flow.published) as is_new`)
    )[0] ?? null,

  /** Keeps others from changing the flow until the transaction ends; false when it is gone. */
  lock: async (tx: Sql, id: string): Promise<boolean> =>
    (await tx`select from flow where id = ${id} for update`).length > 0,

  remove: async (tx: Sql, id: string): Promise<void> => {
    affected(await tx`delete from flow where id = ${id}`, 1)
  },
}

async function one(rows: PromiseLike<Row[]>): Promise<FlowRow | null> {
  return (await read(rows))[0] ?? null
}

/** Rows whose contents were read as text. */
async function read<R extends FlowRow = FlowRow>(rows: PromiseLike<Row[]>): Promise<R[]> {
  const found: R[] = []
  for (const row of (await rows) as Iterable<R & Texts>) {
    // oxlint-disable-next-line no-await-in-loop -- one long content after the other
    const [draft, published] = [await contentOfText(row.name, row.draft), await contentOfText(row.name, row.published)]
    found.push({ ...row, draft, published })
  }
  return found
}

/** A row without its contents. */
type Head = Omit<FlowRow, 'draft' | 'published'>
type Row = Readonly<Record<string, unknown>>

/** The contents of a row as {@link columns} have them. */
interface Texts {
  readonly draft: string | null
  readonly published: string | null
}

/** What a {@link FlowRow} consists of. */
const columns = (sql: Sql) => sql`${heads(sql)}, flow.draft::text, flow.published::text`

/** All of it but the contents. */
const heads = (sql: Sql) => sql`
  flow.id, flow.name, flow.version, flow.published_version, flow.has_draft, flow.mode, flow.published_mode, flow.origin,
  flow.code, flow.wished, flow.created_at, flow.updated_at, flow.updated_by,
  library_of(flow) as library, runs_at(flow) as runs_at, is_between(flow) as between`

/** Whether a text of a flow's contents begins with the name of a flow and a dot. */
const holds = (sql: Sql, flow: string) => sql`strpos(concat(draft, published), ${`"${flow}.`}) > 0`

const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))
