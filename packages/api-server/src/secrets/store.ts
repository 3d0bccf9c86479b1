/**
 * The tables `secret` and `secret_key`: one function a statement.
 * @module
 */
import type { Sql } from '../db/database.ts'

/** A secret as it is stored. Times in the engine's spelling. */
export interface SecretRow {
  readonly name: string
  readonly sealed: Uint8Array
  readonly key_id: string
}

/** A secret without its value. */
export interface SecretEntry {
  readonly name: string
  readonly created_at: string
  readonly updated_at: string
}

/** A node whose draft or published form refers to a secret. */
export interface SecretUser {
  readonly secret: string
  readonly flow_id: string
  readonly flow: string
  readonly node: string
  readonly draft: boolean
  readonly published: boolean
}

/** Statements on secrets. */
export type SecretStore = ReturnType<typeof createSecretStore>

/** Statements on secrets, on the database or in a transaction. */
export const createSecretStore = (sql: Sql) => ({
  /** Fingerprint of the key that the database has; null before the first start. */
  async keyId(): Promise<string | null> {
    const [row] = await sql<{ id: string }[]>`select id from secret_key`
    return row?.id ?? null
  },

  /** Gives the database its key if it has none; the one that it has then. */
  async pinKey(id: string): Promise<string> {
    const [row] = await sql<{ id: string }[]>`
      insert into secret_key (id) values (${id})
      on conflict (one) do update set one = true returning id`
    return row?.id ?? id
  },

  list: (): Promise<SecretEntry[]> =>
    sql<SecretEntry[]>`select name, created_at, updated_at from secret order by name collate "C"`,

  /** One secret, or all of them. */
  read: (name: string | null): Promise<SecretRow[]> =>
    sql<SecretRow[]>`select name, sealed, key_id from secret where ${name}::text is null or name = ${name}`,

  async put({ name, sealed, key_id: keyId }: SecretRow, by: string): Promise<void> {
    await sql`
      insert into secret (name, sealed, key_id, updated_by)
      values (${name}, ${Buffer.from(sealed)}, ${keyId}, ${by})
      on conflict (name) do update set sealed = excluded.sealed, key_id = excluded.key_id,
        updated_at = now(), updated_by = excluded.updated_by`
  },

  /** Whether there was one. */
  async remove(name: string): Promise<boolean> {
    const { count } = await sql`delete from secret where name = ${name}`
    return count === 1
  },

  /** The nodes that refer to one of these secrets, or to any, by flow and node. */
  users: (names: readonly string[] | null): Promise<SecretUser[]> =>
    sql<SecretUser[]>`
      select ref ->> '$secret' as secret, flow_id, flow, node,
        bool_or(form = 'draft') as draft, bool_or(form = 'published') as published
      from (
        select flow.id as flow_id, name collate "C" as flow, item ->> 'id' collate "C" as node, form,
          jsonb_path_query(item -> 'settings', 'strict $.** ? (@.type() == "object" && exists(@."$secret"))') as ref
        from flow, (values ('draft'), ('published')) as forms (form),
          jsonb_path_query(case form when 'draft' then draft else published end,
            '$.nodes[*] ? (@.settings.type() == "object" && @.id.type() == "string")') as items (item)
      ) as refs
      where jsonb_typeof(ref -> '$secret') = 'string' and ref - '$secret' = '{}'
        and (${names}::text[] is null or ref ->> '$secret' = any(${names}::text[]))
      group by 1, 2, 3, 4
      order by 1, 3, 4`,
})
