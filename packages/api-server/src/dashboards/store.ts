/**
 * SQL of the table `dashboard`. Contents are JSON nobody has checked yet: a row may be older than this engine, or edited by
 * hand.
 * @module
 */
import { affected } from '../db/affected.ts'
import type { Sql } from '../db/database.ts'

/** A row of `dashboard`. Times in the engine's spelling. */
export interface DashboardRow {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly published_version: number | null
  readonly draft: unknown
  readonly published: unknown
  readonly origin: 'api' | 'code'
  readonly module: string | null
  readonly created_at: string
  readonly updated_at: string
}

/** A dashboard that is new, with one of its contents. */
interface NewDashboard {
  readonly id: string
  readonly name: string
  readonly content: object
}

/** The contents that a row has from now on. */
export interface DashboardContents {
  readonly draft: unknown
  readonly published: unknown
}

/** Statements on dashboards. */
export type DashboardStore = ReturnType<typeof createDashboardStore>

/** Statements on dashboards, on the database or in a transaction. `null` answers mean that a condition met no row. */
export const createDashboardStore = (sql: Sql) => ({
  list: (): Promise<DashboardRow[]> => sql<DashboardRow[]>`select * from dashboard order by name collate "C"`,

  byName: (name: string): Promise<DashboardRow | null> => one(sql`select * from dashboard where name = ${name}`),

  /** Nobody else changes the dashboard before the transaction ends. */
  lock: (tx: Sql, name: string): Promise<DashboardRow | null> =>
    one(tx`select * from dashboard where name = ${name} for update`),

  /** Those whose contents may name a flow or its messages; nobody else changes them before the transaction ends. */
  lockNaming: (tx: Sql, flow: string): Promise<DashboardRow[]> =>
    tx<DashboardRow[]>`
      select * from dashboard
      where strpos(concat(draft, published), ${`"${flow}.`}) > 0 or strpos(concat(draft, published), ${`"${flow}"`}) > 0
      order by id for update`,

  /** A draft of version 1; null when the name is taken. */
  create: (tx: Sql, { id, name, content }: NewDashboard): Promise<DashboardRow | null> =>
    one(tx`
      insert into dashboard (id, name, draft, origin) values (${id}, ${name}, ${JSON.stringify(content)}::jsonb, 'api')
      on conflict (name) do nothing returning *`),

  /** Published as version 1; null when the name is taken. */
  createPublished: (tx: Sql, { id, name, content }: NewDashboard): Promise<DashboardRow | null> =>
    one(tx`
      insert into dashboard (id, name, published, published_version, origin)
      values (${id}, ${name}, ${JSON.stringify(content)}::jsonb, 1, 'api')
      on conflict (name) do nothing returning *`),

  /** Replaces the draft when the dashboard is still of that version; from then on it belongs to the API. */
  save: (tx: Sql, row: { id: string; version: number; content: object }): Promise<DashboardRow | null> =>
    one(tx`
      update dashboard set version = version + 1, draft = ${JSON.stringify(row.content)}::jsonb, origin = 'api',
        module = null, updated_at = now()
      where id = ${row.id} and version = ${row.version} returning *`),

  /** Makes the draft the published content when the dashboard is still of that version. */
  publish: (tx: Sql, { id, version }: Pick<DashboardRow, 'id' | 'version'>): Promise<DashboardRow | null> =>
    one(tx`
      update dashboard set published = draft, published_version = version, draft = null, origin = 'api', module = null,
        updated_at = now()
      where id = ${id} and version = ${version} and draft is not null returning *`),

  /** Removes the draft beside a published content when the dashboard is still of that version, which then is a new one. */
  discard: (tx: Sql, { id, version }: Pick<DashboardRow, 'id' | 'version'>): Promise<DashboardRow | null> =>
    one(tx`
      update dashboard set version = version + 1, draft = null, origin = 'api', module = null, updated_at = now()
      where id = ${id} and version = ${version} and draft is not null and published is not null returning *`),

  /** Another name, and a new version, which without a draft is the published one too. */
  rename: (tx: Sql, row: { id: string; version: number; name: string }): Promise<DashboardRow | null> =>
    one(tx`
      update dashboard set name = ${row.name}, version = version + 1, origin = 'api', module = null,
        published_version = case when draft is null then version + 1 else published_version end, updated_at = now()
      where id = ${row.id} and version = ${row.version} returning *`),

  /** Replaces both contents when the dashboard is still of that version, which then is a new one; see `rename`. */
  replace: (
    tx: Sql,
    row: DashboardContents & { readonly id: string; readonly version: number },
  ): Promise<DashboardRow | null> =>
    one(tx`
      update dashboard set version = version + 1,
        published_version = case when draft is null then version + 1 else published_version end,
        draft = ${jsonOrNull(row.draft)}::jsonb, published = ${jsonOrNull(row.published)}::jsonb, updated_at = now()
      where id = ${row.id} and version = ${row.version} returning *`),

  /**
   * Publishes a dashboard defined in code, with a new version when the content differs: `is_new` then. Null when the name
   * is that of one made through the API.
   */
  register: async (tx: Sql, { id, name, content, module }: NewDashboard & { readonly module: string }) =>
    (
      await tx<(DashboardRow & { is_new: boolean })[]>`
        with old as (select published from dashboard where name = ${name})
        insert into dashboard (id, name, published, published_version, origin, module)
        values (${id}, ${name}, ${JSON.stringify(content)}::jsonb, 1, 'code', ${module})
        on conflict (name) do update set module = excluded.module, published = excluded.published,
          version = dashboard.version + (dashboard.published <> excluded.published)::int,
          published_version = dashboard.version + (dashboard.published <> excluded.published)::int,
          updated_at = case when dashboard.published <> excluded.published then now() else dashboard.updated_at end
        where dashboard.origin = 'code'
        returning *, not exists (select from old where old.published = dashboard.published) as is_new`
    )[0] ?? null,

  remove: async (tx: Sql, id: string): Promise<void> => {
    affected(await tx`delete from dashboard where id = ${id}`, 1)
  },
})

async function one(rows: Promise<unknown>): Promise<DashboardRow | null> {
  return ((await rows) as DashboardRow[])[0] ?? null
}

const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))
