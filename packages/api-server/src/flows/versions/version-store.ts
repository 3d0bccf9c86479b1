/**
 * SQL of the table `flow_version`: what was published of flows, as JSON that nobody has checked yet.
 * @module
 */
import type { Sql } from '../../db/database.ts'

/** What a list shows of a version. Times in the engine's spelling. */
export interface VersionHead {
  readonly version: number
  /** Null until it is known; then {@link VersionStore.digested} is called. */
  readonly digest: string | null
  readonly origin: 'api' | 'code'
  readonly published_at: string
  readonly published_by: string | null
  /** How many runs of the flow have its digest. */
  readonly runs: number
}

/** A row of `flow_version`. */
export interface VersionRow extends VersionHead {
  readonly content: unknown
  /** Code of the library sources that the content names, by name. */
  readonly library: Readonly<Record<string, string>>
  /** Texts of the modules that the code of its nodes is in, by path. */
  readonly modules: Readonly<Record<string, string>>
}

/** What is kept beside a published content. */
export interface NewVersion extends Pick<VersionRow, 'library' | 'modules'> {
  readonly flow: string
  readonly digest: string
}

/** Statements on versions. */
export type VersionStore = ReturnType<typeof createVersionStore>

const columns = (sql: Sql) => sql`
  version, digest, origin, published_at, published_by,
  (select count(*) from run where run.flow = flow_version.flow and run.digest = flow_version.digest)::int as runs`

/** Statements on versions, on the database or in a transaction. */
export const createVersionStore = (sql: Sql) => ({
  /** Newest first. */
  list: (flow: string, page: { readonly before: number | null; readonly limit: number }): Promise<VersionHead[]> =>
    sql<VersionHead[]>`
      select ${columns(sql)} from flow_version
      where flow = ${flow} and (${page.before}::int is null or version < ${page.before}::int)
      order by version desc limit ${page.limit}`,

  async find(flow: string, version: number): Promise<VersionRow | null> {
    const [row] = await sql<VersionRow[]>`
      select ${columns(sql)}, content, library, modules from flow_version where flow = ${flow} and version = ${version}`
    return row ?? null
  },

  /** Versions of a flow whose digest nobody knows yet. */
  undigested: (flow: string): Promise<VersionRow[]> =>
    sql<VersionRow[]>`
      select ${columns(sql)}, content, library, modules from flow_version where flow = ${flow} and digest is null`,

  async digested(flow: string, { version, digest }: { version: number; digest: string }): Promise<void> {
    await sql`update flow_version set digest = ${digest} where flow = ${flow} and version = ${version}`
  },

  /**
   * Keeps the published content of a flow under its version, which this gives, in place of another one that was published
   * under the same. Null when it is there already.
   */
  async keep({ flow, digest, library, modules }: NewVersion): Promise<number | null> {
    const [row] = await sql<{ version: number }[]>`
      insert into flow_version (flow, version, digest, content, library, modules, origin, published_at, published_by)
      select id, published_version, ${digest}, published, ${JSON.stringify(library)}::json,
        ${JSON.stringify(modules)}::json, origin, now(), case when origin = 'api' then updated_by end
      from flow where id = ${flow}
      on conflict (flow, version) do update set digest = excluded.digest, content = excluded.content,
        library = excluded.library, modules = excluded.modules
        where flow_version.digest is null or flow_version.content <> excluded.content
      returning version`
    return row?.version ?? null
  },

  /** Drops all but the newest versions of a flow; gives those that are gone. */
  async prune(flow: string, kept: number): Promise<number[]> {
    const rows = await sql<{ version: number }[]>`
      delete from flow_version where flow = ${flow} and version <= (
        select version from flow_version where flow = ${flow} order by version desc offset ${kept} limit 1)
      returning version`
    return rows.map(({ version }) => version)
  },

  /** All versions of a flow that are kept. */
  async versions(flow: string): Promise<number[]> {
    const rows = await sql<{ version: number }[]>`select version from flow_version where flow = ${flow}`
    return rows.map(({ version }) => version)
  },
})
