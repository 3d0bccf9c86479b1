/**
 * SQL of the table `account`.
 * @module
 */
import type { Sql } from '../db/database.ts'

/** A row of `account`. */
export interface Account {
  readonly id: string
  readonly email: string
  readonly fullName: string | null
  readonly passwordHash: string
  readonly active: boolean
  readonly superuser: boolean
  readonly tokenVersion: number
}

/** What a new row needs. */
export type NewAccount = Pick<Account, 'id' | 'email' | 'fullName' | 'passwordHash' | 'superuser'>

const columns = (sql: Sql) => sql`
  id, email, full_name as "fullName", password_hash as "passwordHash", is_active as "active",
  is_superuser as "superuser", token_version as "tokenVersion"`

/** The statements of the auth slice. */
export type AuthStore = ReturnType<typeof createAuthStore>

/** The statements of the auth slice. */
export const createAuthStore = (sql: Sql) => ({
  async find(id: string): Promise<Account | null> {
    const [row] = await sql<Account[]>`select ${columns(sql)} from account where id = ${id}`
    return row ?? null
  },

  async findByEmail(email: string): Promise<Account | null> {
    const [row] = await sql<Account[]>`select ${columns(sql)} from account where email = ${email}`
    return row ?? null
  },

  /** The superuser who was created first and may still sign in. */
  async firstSuperuser(): Promise<Account | null> {
    const [row] = await sql<Account[]>`
      select ${columns(sql)} from account where is_superuser and is_active order by created_at, id limit 1`
    return row ?? null
  },

  async isEmpty(): Promise<boolean> {
    const rows = await sql`select from account limit 1`
    return rows.length === 0
  },

  /** Whether the row was added: `false` when the e-mail is taken. */
  async insert(account: NewAccount): Promise<boolean> {
    const { id, email, fullName, passwordHash, superuser } = account
    const { count } = await sql`
      insert into account (id, email, full_name, password_hash, is_superuser)
      values (${id}, ${email}, ${fullName}, ${passwordHash}, ${superuser})
      on conflict (email) do nothing`
    return count === 1
  },

  /** Replaces the hash of an unchanged password: tokens stay valid. */
  async rehash(id: string, from: string, to: string): Promise<void> {
    await sql`update account set password_hash = ${to} where id = ${id} and password_hash = ${from}`
  },

  /** Sets a new password and voids every token; the id of the account, `null` when there is none. */
  async changePassword(email: string, passwordHash: string): Promise<string | null> {
    const [row] = await sql<{ id: string }[]>`
      update account set password_hash = ${passwordHash}, token_version = token_version + 1 where email = ${email}
      returning id`
    return row?.id ?? null
  },

  /** The versions that the tokens of active accounts must have. */
  async tokenVersions(ids: readonly string[]): Promise<Map<string, number>> {
    const rows = await sql<{ id: string; version: number }[]>`
      select id, token_version as version from account where id = any(${[...ids]}::uuid[]) and is_active`
    return new Map(rows.map(({ id, version }) => [id, version]))
  },
})
