/**
 * SQL of the table `account`.
 * @module
 */
import { affected } from '../db/affected.ts'
import type { Sql } from '../db/database.ts'

/** A row of `account`. */
export interface Account {
  readonly id: string
  readonly email: string
  readonly fullName: string | null
  /** Null of who was invited and has chosen none, or signs in elsewhere. */
  readonly passwordHash: string | null
  readonly active: boolean
  readonly superuser: boolean
  readonly tokenVersion: number
  readonly createdAt: string
  readonly lastSignInAt: string | null
  /** Whether somebody signs in as it by OpenID Connect. */
  readonly linked: boolean
}

/** What superusers change of an account; what is missing stays. */
export interface AccountChange {
  readonly fullName?: string | null | undefined
  readonly active?: boolean | undefined
  readonly superuser?: boolean | undefined
  readonly passwordHash?: string | undefined
}

/** What a new row needs. */
export type NewAccount = Pick<Account, 'id' | 'email' | 'fullName' | 'passwordHash' | 'superuser'>

const columns = (sql: Sql) => sql`
  id, email, full_name as "fullName", password_hash as "passwordHash", is_active as "active",
  is_superuser as "superuser", token_version as "tokenVersion", created_at as "createdAt",
  last_sign_in_at as "lastSignInAt",
  exists(select from identity where identity.account = account.id) as "linked"`

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

  /** By e-mail. */
  async list(): Promise<Account[]> {
    return sql<Account[]>`select ${columns(sql)} from account order by email collate "C"`
  },

  /** The account, which nobody else changes until the end of the transaction. */
  async lock(tx: Sql, id: string): Promise<Account | null> {
    const [row] = await tx<Account[]>`select ${columns(tx)} from account where id = ${id} for update`
    return row ?? null
  },

  /** Ids of the superusers who may sign in; until the end of the transaction they stay so, and nobody else asks this. */
  async lockSuperusers(tx: Sql): Promise<string[]> {
    const rows = await tx<{ id: string }[]>`
      select id from account where is_superuser and is_active order by id for update`
    return rows.map(({ id }) => id)
  },

  /** Voids every token with a new password or a deactivation. */
  async update(tx: Sql, id: string, { fullName, active, superuser, passwordHash }: AccountChange): Promise<void> {
    const changed = await tx`
      update account set
        full_name = case when ${fullName !== undefined} then ${fullName ?? null}::text else full_name end,
        is_active = coalesce(${active ?? null}::boolean, is_active),
        is_superuser = coalesce(${superuser ?? null}::boolean, is_superuser),
        password_hash = coalesce(${passwordHash ?? null}::text, password_hash),
        token_version = token_version + ${passwordHash !== undefined || active === false ? 1 : 0}
      where id = ${id}`
    affected(changed, 1)
  },

  async remove(tx: Sql, id: string): Promise<void> {
    affected(await tx`delete from account where id = ${id}`, 1)
  },

  /** Somebody has signed in now. */
  async signedIn(id: string): Promise<void> {
    await sql`update account set last_sign_in_at = now() where id = ${id}`
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
