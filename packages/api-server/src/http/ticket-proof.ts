/**
 * Tickets of browsers, which cannot set headers on what they open by an address alone: the event socket and artifacts ask
 * here for new ones. A ticket is 256 random bits, and only its hash is kept, so that whoever reads the database has none.
 * @module
 */
import { hash, randomBytes } from 'node:crypto'

/** Within how many seconds a ticket has to be used first. */
export const FIRST_USE_SECONDS = 30

/** A ticket, and what is kept of it. */
export function newTicket(): { readonly ticket: string; readonly proof: Buffer } {
  const ticket = randomBytes(32).toString('base64url')
  return { ticket, proof: proofOf(ticket) }
}

/** What is kept of a ticket: its SHA-256. */
export const proofOf = (ticket: string): Buffer => hash('sha256', ticket, 'buffer')
