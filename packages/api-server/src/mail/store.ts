/**
 * SQL of the table `mail`. Times are those of the database, which all engines share.
 * @module
 */
import { affected } from '../db/affected.ts'
import type { Sql } from '../db/database.ts'
import type { Mail } from './mailer.ts'

/** A mail that this engine has taken to send it. */
export interface TakenMail extends Mail {
  readonly id: string
  /** The number of this attempt: who has taken the mail is known by it. */
  readonly attempt: number
  readonly isExpired: boolean
}

/** The statements of the mail slice. */
export type MailStore = ReturnType<typeof createMailStore>

/** The statements of the mail slice. */
export const createMailStore = (sql: Sql) => ({
  /** Adds a mail that is worth sending for `seconds`. */
  async add(tx: Sql, id: string, { to, subject, text }: Mail, seconds: number): Promise<void> {
    const added = await tx`
      insert into mail (id, recipient, subject, body, expires_at)
      values (${id}, ${to}, ${subject}, ${text}, now() + make_interval(secs => ${seconds}))`
    affected(added, 1)
  },

  /** Takes mails that are due, for as long as the lease lasts; of several engines one gets each. */
  async take(limit: number, leaseS: number): Promise<TakenMail[]> {
    return sql<TakenMail[]>`
      update mail set attempts = attempts + 1, due_at = now() + make_interval(secs => ${leaseS})
      where id in (select id from mail where due_at <= now() order by due_at limit ${limit} for update skip locked)
      returning id, recipient as "to", subject, body as "text", attempts as "attempt", expires_at <= now() as "isExpired"`
  },

  /** Whether a mail that was taken is gone now; not when another engine has taken it since. */
  async remove({ id, attempt }: Pick<TakenMail, 'id' | 'attempt'>): Promise<boolean> {
    const { count } = await sql`delete from mail where id = ${id} and attempts = ${attempt}`
    return count === 1
  },

  /** Gives a mail back, which is due again in `seconds`, unless another engine has taken it since. */
  async giveBack({ id, attempt }: Pick<TakenMail, 'id' | 'attempt'>, seconds: number): Promise<void> {
    await sql`
      update mail set due_at = now() + make_interval(secs => ${seconds}) where id = ${id} and attempts = ${attempt}`
  },
})
