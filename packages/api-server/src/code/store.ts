/**
 * Statements of the code registry: the table of bundles, and which flows the rows say are defined in code. The registry
 * alone calls them; without the first, a flow could not execute before its modules are loaded again.
 * @module
 */
import type { Sql } from '../db/database.ts'

/** A flow that was defined in code when it was last changed, and where; `project` is null for a flow object. */
export interface CodeDefined {
  readonly name: string
  readonly module: string
  readonly project: string | null
}

/** A row of `code_bundle`: digests of the artifacts that hold the text of the bundle and of its source map. */
export interface BundleRow {
  readonly digest: string
  readonly bundle: string
  readonly source_map: string
  /** Native addons that stayed outside of it. */
  readonly addons: readonly string[]
}

/** Statements on bundles. */
export type CodeStore = ReturnType<typeof createCodeStore>

/** Statements on bundles; those that take a `tx` belong to a transaction of the caller. */
export const createCodeStore = (sql: Sql) => ({
  /** The flows that were defined in code when they were last changed, with the place of their module. */
  defined: (): Promise<CodeDefined[]> =>
    sql`select name, code ->> 'module' as module, code ->> 'project' as project from flow where origin = 'code'`,

  /** The bundles of these digests, as far as there are any: they are spared for an hour, and about to be referred to. */
  touch: (digests: readonly string[]): Promise<BundleRow[]> =>
    sql<BundleRow[]>`
      update code_bundle set touched_at = now() where digest = any(${[...digests]})
      returning digest, bundle, source_map, addons`,

  byDigest: async (digest: string): Promise<BundleRow | null> =>
    (await sql<BundleRow[]>`select digest, bundle, source_map, addons from code_bundle where digest = ${digest}`)[0] ??
    null,

  keep: async (tx: Sql, row: BundleRow): Promise<void> => {
    await tx`
      insert into code_bundle (digest, bundle, source_map, addons)
      values (${row.digest}, ${row.bundle}, ${row.source_map}, ${[...row.addons]})
      on conflict (digest) do update set
        bundle = excluded.bundle, source_map = excluded.source_map, addons = excluded.addons, touched_at = now()`
  },

  /** Drops the bundles that no flow names, and no run's document; gives their digests. Young ones are spared. */
  expire: async (tx: Sql): Promise<string[]> => {
    const idle = await tx<{ digest: string }[]>`
      select digest from code_bundle
      where touched_at < now() - interval '1 hour' and digest not in (
        select entry #>> '{}' from flow, jsonb_path_query(jsonb_build_array(draft, published),
          '$[*].nodes[*].entry.digest') entry)
      order by digest for update skip locked`
    if (idle.length === 0) return []
    // documents without code are told by their text, which costs less than reading them
    const rows = await tx<{ digest: string }[]>`
      delete from code_bundle
      where digest = any(${idle.map(({ digest }) => digest)}::text[]) and digest not in (
        select node -> 'entry' ->> 'digest' from run_document, json_array_elements(document -> 'nodes') node
        where document::text ~ '"entry"\s*:\s*[{]' and json_typeof(node -> 'entry') = 'object'
          and exists (select from run where run.flow = run_document.flow and run.digest = run_document.digest))
      returning digest`
    return rows.map(({ digest }) => digest)
  },
})
