/**
 * SQL of the catalogue of PostgreSQL, as far as moving has to know it: which tables there are, what they refer to, and how
 * far their numbers have come.
 * @module
 */
import type { Sql } from '../db/database.ts'

/** A column of a table. */
export interface CatalogColumn {
  readonly table: string
  readonly name: string
  /** It is computed of others, and never written. */
  readonly isGenerated: boolean
  /** It has the next number of a sequence, unless told otherwise. */
  readonly isCounted: boolean
}

/** A table has a foreign key to another one. */
export interface CatalogReference {
  readonly table: string
  readonly target: string
}

/** How far a sequence has come; it belongs to a column. */
export interface SequenceState {
  readonly table: string
  readonly column: string
  /** In decimal digits. */
  readonly last: string
  /** Whether somebody has got the last one. */
  readonly isUsed: boolean
}

/** A name as it stands in a statement. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Statements on the catalogue. */
export const createCatalogStore = (sql: Sql) => ({
  /** Columns, in order, of the tables that a crash of the database does not empty. */
  async columns(): Promise<CatalogColumn[]> {
    return sql<CatalogColumn[]>`
      select relname as table, attname as name, attgenerated <> '' as "isGenerated", attidentity <> '' as "isCounted"
      from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and relpersistence = 'p'
      order by relname, attnum`
  },

  async references(): Promise<CatalogReference[]> {
    return sql<CatalogReference[]>`
      select distinct owner.relname as table, target.relname as target
      from pg_constraint
      join pg_class as owner on owner.oid = conrelid
      join pg_class as target on target.oid = confrelid
      where contype = 'f' and owner.relnamespace = current_schema()::regnamespace`
  },

  /** The relations of the schema, but those of extensions. */
  async relations(): Promise<string[]> {
    const rows = await sql<{ name: string }[]>`
      select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
        and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
      order by relname`
    return rows.map(({ name }) => name)
  },

  /** Whether there is a table of that name. */
  async has(table: string): Promise<boolean> {
    const [row] = await sql<{ known: boolean }[]>`select to_regclass(${quoted(table)}) is not null as known`
    return row?.known ?? false
  },

  /** What the database is, and what its user may do there. */
  async facts(): Promise<{ encoding: string; schema: string | null; mayCreate: boolean; user: string }> {
    const [row] = await sql<{ encoding: string; schema: string | null; mayCreate: boolean | null; user: string }[]>`
      select current_setting('server_encoding') as encoding, current_schema() as schema, current_user as user,
        has_schema_privilege(current_schema(), 'create') as "mayCreate"`
    if (!row) throw new Error('the database says nothing about itself: it answered with no row')
    return { ...row, mayCreate: row.mayCreate ?? false }
  },

  /** Of these columns, each of which is counted. */
  async sequences(columns: readonly CatalogColumn[]): Promise<SequenceState[]> {
    return Promise.all(
      columns.map(async ({ table, name: column }) => {
        const [place] = await sql<
          { name: string }[]
        >`select pg_get_serial_sequence(${quoted(table)}, ${column}) as name`
        const [row] = await sql.unsafe<{ last: string; isUsed: boolean }[]>(
          `select last_value::text as last, is_called as "isUsed" from ${place?.name}`,
        )
        return { table, column, last: row?.last ?? '1', isUsed: row?.isUsed ?? false }
      }),
    )
  },

  async setSequence({ table, column, last, isUsed }: SequenceState): Promise<void> {
    await sql`select setval(pg_get_serial_sequence(${quoted(table)}, ${column}), ${last}::int8, ${isUsed})`
  },

  /** Has the triggers of the service act on a table, or not. */
  async setTriggers(table: string, state: 'enable' | 'disable'): Promise<void> {
    await sql.unsafe(`alter table ${quoted(table)} ${state} trigger user`)
  },

  /** Makes the schema anew, without a table; `tx` is that of the caller. */
  async clearSchema(tx: Sql, schema: string): Promise<void> {
    await tx.unsafe(`drop schema ${quoted(schema)} cascade`)
    await tx.unsafe(`create schema ${quoted(schema)}`)
  },

  /** Has the planner know how much there is. */
  async analyze(table: string): Promise<void> {
    await sql.unsafe(`analyze ${quoted(table)}`)
  },
})
/** The statements of {@link createCatalogStore}. */
export type CatalogStore = ReturnType<typeof createCatalogStore>
