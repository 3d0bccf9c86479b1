/**
 * The table of library sources: one function a statement.
 * @module
 */
import { affected } from '../db/affected.ts'
import type { Sql } from '../db/database.ts'

/** A row of `library`. Times in the engine's spelling. */
export interface LibraryRow {
  readonly name: string
  readonly code: string
  readonly version: number
  readonly updated_at: string
}

/** A node whose draft or published form names a library source. */
export interface LibraryUser {
  readonly library: string
  readonly flow_id: string
  readonly flow: string
  readonly node: string
  readonly draft: boolean
  readonly published: boolean
}

/** New content of a library source. */
interface NewSource {
  readonly name: string
  readonly code: string
  readonly by: string
}

/** Statements on the library. */
export type LibraryStore = ReturnType<typeof createLibraryStore>

/**
 * Statements on the library, on the database or in a transaction. `null` answers mean that the condition of the statement
 * met no row.
 */
export const createLibraryStore = (sql: Sql) => ({
  list: (): Promise<LibraryRow[]> =>
    sql<LibraryRow[]>`select name, code, version, updated_at from library order by name collate "C"`,

  /** Which writing each source comes from, by name; any change of one changes it. */
  written: async (): Promise<ReadonlyMap<string, string>> => {
    const rows = await sql<{ name: string; written: string }[]>`select name, xmin::text as written from library`
    return new Map(rows.map(({ name, written }) => [name, written]))
  },

  byName: (name: string): Promise<LibraryRow | null> =>
    one(sql<LibraryRow[]>`select name, code, version, updated_at from library where name = ${name}`),

  /** The users of one source, or of all, by flow and node. */
  users: (name: string | null): Promise<LibraryUser[]> =>
    sql<LibraryUser[]>`
      select item ->> 'library' as library, id as flow_id, name collate "C" as flow,
        item ->> 'id' collate "C" as node,
        bool_or(form = 'draft') as draft, bool_or(form = 'published') as published
      from flow, (values ('draft'), ('published')) as forms (form),
        jsonb_path_query(case form when 'draft' then draft else published end,
          '$.nodes[*] ? (@.library.type() == "string" && @.id.type() == "string")') as items (item)
      where ${name}::text is null or item ->> 'library' = ${name}
      group by 1, 2, 3, 4
      order by 3, 4`,

  /** Keeps others from changing the library and the contents of flows until the transaction ends. */
  lock: async (): Promise<void> => {
    await sql`lock table flow, library in exclusive mode`
  },

  /** Null when the name is taken. */
  create: ({ name, code, by }: NewSource): Promise<LibraryRow | null> =>
    one(sql<LibraryRow[]>`
      insert into library (name, code, version, updated_by) values (${name}, ${code}, 1, ${by})
      on conflict (name) do nothing returning name, code, version, updated_at`),

  update: ({ name, code, by }: NewSource): Promise<LibraryRow | null> =>
    one(sql<LibraryRow[]>`
      update library set code = ${code}, version = version + 1, updated_at = now(), updated_by = ${by}
      where name = ${name} returning name, code, version, updated_at`),

  remove: async (name: string): Promise<void> => {
    affected(await sql`delete from library where name = ${name}`, 1)
  },
})

async function one(rows: Promise<LibraryRow[]>): Promise<LibraryRow | null> {
  return (await rows)[0] ?? null
}
