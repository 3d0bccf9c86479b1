/**
 * SQL of the table `artifact_ticket`.
 * @module
 */
import type { ActorVia } from '@flow-service/protocol'

import type { Sql } from '../db/database.ts'
import type { Guest } from '../http/socket-guests.ts'

/** Who has a ticket: a user, and what they were signed in with when they got it. */
export interface TicketHolder extends Guest {
  readonly user: string
  readonly via: ActorVia
}

/** For what a ticket is good. */
export interface TicketUse {
  readonly digest: string
  /** Of the client. */
  readonly address: string
}

const holderColumns = (sql: Sql) => sql`
  user_id as "user", guest_id as id, via, version, ends_at_ms as "endsAtMs"`

/** Statements on tickets of artifacts. */
export const createTicketStore = (sql: Sql) => ({
  /** Keeps a ticket that has to be used within `seconds`, and forgets those that have ended; the time it ends. */
  async add(proof: Buffer, { digest, address }: TicketUse, holder: TicketHolder, seconds: number): Promise<string> {
    const { user, id, via, version, endsAtMs = null } = holder
    const [row] = await sql<{ expires_at: string }[]>`
      with expired as (delete from artifact_ticket where expires_at <= now())
      insert into artifact_ticket (proof, digest, address, user_id, guest_id, via, version, ends_at_ms, expires_at)
      values (${proof}, ${digest}, ${address}, ${user}, ${id}, ${via}, ${version}, ${endsAtMs},
        now() + make_interval(secs => ${seconds}))
      returning expires_at`
    if (!row) throw new Error('a ticket wrote no row')
    return row.expires_at
  },

  /** Whose a ticket is that was used before; undefined when it was not, and for another use. */
  async opened(proof: Buffer, { digest, address }: TicketUse): Promise<TicketHolder | undefined> {
    const [row] = await sql<TicketHolder[]>`
      select ${holderColumns(sql)} from artifact_ticket
      where proof = ${proof} and digest = ${digest} and address = ${address} and opened and expires_at > now()`
    return row
  },

  /**
   * Whose a ticket is that was not used before, and is good for `seconds` from now on. Of several callers at the same
   * moment the first one moves its end, and the others find it moved.
   */
  async open(proof: Buffer, { digest, address }: TicketUse, seconds: number): Promise<TicketHolder | undefined> {
    const [row] = await sql<TicketHolder[]>`
      update artifact_ticket set opened = true,
        expires_at = case when opened then expires_at else now() + make_interval(secs => ${seconds}) end
      where proof = ${proof} and digest = ${digest} and address = ${address} and expires_at > now()
      returning ${holderColumns(sql)}`
    return row
  },
})
