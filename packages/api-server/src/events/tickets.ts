/**
 * Tickets: how a browser, which cannot set headers on a WebSocket, opens the event socket (wire decision G46).
 * @module
 */
import type { Database } from '../db/database.ts'
import type { Guest } from '../http/socket-guests.ts'
import { FIRST_USE_SECONDS, newTicket, proofOf } from '../http/ticket-proof.ts'
import { createEventStore } from './store.ts'

/** Single-use admissions to the event socket; only their hashes are kept. */
export interface Tickets {
  issue(guest: Guest): Promise<{ ticket: string; expires_at: string }>
  /** Whose ticket it is; undefined when it is unknown, used or too old. Of concurrent callers one gets it. */
  redeem(ticket: string): Promise<Guest | undefined>
}

/** Tickets on a database, so that any engine of it takes them. */
export function createTickets(deps: { readonly database: Database }): Tickets {
  const store = createEventStore(deps.database.sql)
  return {
    async issue(guest) {
      const { ticket, proof } = newTicket()
      return { ticket, expires_at: await store.addTicket(proof, guest, FIRST_USE_SECONDS) }
    },
    redeem: (ticket) => store.takeTicket(proofOf(ticket)),
  }
}
