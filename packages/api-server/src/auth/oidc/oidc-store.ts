/**
 * SQL of the tables `identity`, `returned_sign_in` and `sign_in_code`, and of accounts that sign in by them.
 * @module
 */
import type { Sql } from '../../db/database.ts'

/** Who has signed in before, or may be the same person. */
export interface KnownAccount {
  readonly id: string
  readonly email: string
  readonly active: boolean
  readonly superuser: boolean
}

/** What a provider calls a person. */
interface Identity {
  readonly issuer: string
  readonly subject: string
}

const columns = (sql: Sql) => sql`account.id, email, is_active as "active", is_superuser as "superuser"`

/** The statements of OpenID Connect. */
export const createOidcStore = (sql: Sql) => ({
  /** Other transactions about the same person wait until this one ends. */
  async lockIdentity(tx: Sql, { issuer, subject }: Identity): Promise<void> {
    await tx`select pg_advisory_xact_lock(hashtextextended(${`identity ${issuer} ${subject}`}, 0))`
  },

  async findByIdentity({ issuer, subject }: Identity): Promise<KnownAccount | null> {
    const [row] = await sql<KnownAccount[]>`
      select ${columns(sql)} from identity join account on account.id = identity.account
      where issuer = ${issuer} and subject = ${subject} for update of account`
    return row ?? null
  },

  async findByEmail(email: string): Promise<KnownAccount | null> {
    const [row] = await sql<KnownAccount[]>`select ${columns(sql)} from account where email = ${email} for update`
    return row ?? null
  },

  async addIdentity({ issuer, subject }: Identity, account: string): Promise<void> {
    await sql`insert into identity (issuer, subject, account) values (${issuer}, ${subject}, ${account})`
  },

  /** Whether the account was added, without a password: `false` when the e-mail is taken. */
  async addAccount({ id, email, fullName }: { id: string; email: string; fullName: string | null }): Promise<boolean> {
    const { count } = await sql`
      insert into account (id, email, full_name, is_superuser) values (${id}, ${email}, ${fullName}, false)
      on conflict (email) do nothing`
    return count === 1
  },

  /** Active superusers, who stay such until the transaction ends. */
  async lockSuperusers(tx: Sql): Promise<string[]> {
    const rows = await tx<{ id: string }[]>`
      select id from account where is_superuser and is_active order by id for update`
    return rows.map(({ id }) => id)
  },

  /** Whether the account was not of that kind before. */
  async setSuperuser(id: string, superuser: boolean): Promise<boolean> {
    const { count } = await sql`
      update account set is_superuser = ${superuser} where id = ${id} and is_superuser <> ${superuser}`
    return count === 1
  },

  /** Whether it is the first time that a sign-in comes back; it is remembered for `seconds`. */
  async takeReturned(proof: Buffer, seconds: number): Promise<boolean> {
    const { count } = await sql`
      with expired as (delete from returned_sign_in where expires_at <= now())
      insert into returned_sign_in (proof, expires_at) values (${proof}, now() + make_interval(secs => ${seconds}))
      on conflict (proof) do nothing`
    return count === 1
  },

  /** Keeps a code for `seconds`, and forgets those that nobody used. */
  async addCode(proof: Buffer, account: string, seconds: number): Promise<void> {
    await sql`
      with expired as (delete from sign_in_code where expires_at <= now())
      insert into sign_in_code (proof, account, expires_at)
      values (${proof}, ${account}, now() + make_interval(secs => ${seconds}))`
  },

  /** Takes a code away, and tells whose it is; of several callers one gets it. */
  async takeCode(proof: Buffer): Promise<string | null> {
    const [row] = await sql<{ account: string }[]>`
      delete from sign_in_code where proof = ${proof} and expires_at > now() returning account`
    return row?.account ?? null
  },
})
