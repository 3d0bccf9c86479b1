/**
 * SQL of the table `password_link`. Times are those of the database.
 * @module
 */
import { affected } from '../../db/affected.ts'
import type { Sql } from '../../db/database.ts'

/** Why there is a link. */
export type LinkKind = 'invite' | 'recovery'

/** A link that was made. */
export interface NewLink {
  readonly proof: Buffer
  readonly account: string
  readonly kind: LinkKind
  readonly tokenVersion: number
  readonly seconds: number
}

/** A link that still opens an account. */
export interface LiveLink {
  readonly account: string
  readonly kind: LinkKind
}

/** The statements of links. */
export const createLinkStore = (sql: Sql) => ({
  /** Adds a link, and forgets those that nothing counts any more. */
  async add(tx: Sql, { proof, account, kind, tokenVersion, seconds }: NewLink): Promise<void> {
    await tx`delete from password_link where expires_at < now() and created_at < now() - interval '1 hour'`
    const added = await tx`
      insert into password_link (proof, account, kind, token_version, expires_at)
      values (${proof}, ${account}, ${kind}, ${tokenVersion}, now() + make_interval(secs => ${seconds}))`
    affected(added, 1)
  },

  /** How many links of the last hour an account has asked for. */
  async asked(tx: Sql, account: string): Promise<number> {
    const [row] = await tx<{ count: number }[]>`
      select count(*) from password_link
      where account = ${account} and kind = 'recovery' and created_at > now() - interval '1 hour'`
    return row?.count ?? 0
  },

  /** The link of a token; null when it is used, too old, of an account that is not active or has another password since. */
  async find(proof: Buffer): Promise<LiveLink | null> {
    const [row] = await sql<LiveLink[]>`
      select link.account, link.kind from password_link as link join account on account.id = link.account
      where link.proof = ${proof} and link.used_at is null and link.expires_at > now() and account.is_active
        and account.token_version = link.token_version`
    return row ?? null
  },

  /** Whether the link was used now; of several callers one hears that. */
  async use(tx: Sql, proof: Buffer, tokenVersion: number): Promise<boolean> {
    const { count } = await tx`
      update password_link set used_at = now()
      where proof = ${proof} and used_at is null and expires_at > now() and token_version = ${tokenVersion}`
    return count === 1
  },
})
