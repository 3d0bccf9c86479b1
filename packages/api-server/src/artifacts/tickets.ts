/**
 * Tickets by which a browser shows the bytes of an artifact (wire decision V24): `<video src>` and a download by a link send
 * no header with a credential. The mount asks here for whoever comes with `ticket=` in place of one; without this file the
 * pages of clients would have to fetch whole videos before they can show them.
 *
 * - tickets.A1 A ticket lets in for one digest, from one address, as the user who got it. It is first used within 30 s,
 *   and then as often as wanted within 10 min: a player asks for range after range, several at a time.
 * - tickets.A2 It ends with the session, key or agent that got it: each use asks whether that would still be let in.
 * - tickets.A3 Only its hash is stored, and whoever is refused is not told why.
 * @module
 */
import type { IncomingMessage } from 'node:http'

import { ProblemError } from '../http/errors.ts'
import { type HomeOrigins, isShownAtHome } from '../http/page-origin.ts'
import type { Principal, UserPrincipal } from '../http/principal.ts'
import { guestOf, type SocketGuests } from '../http/socket-guests.ts'
import { FIRST_USE_SECONDS, newTicket, proofOf } from '../http/ticket-proof.ts'
import type { createTicketStore, TicketUse } from './ticket-store.ts'

/** How long a ticket is good from its first use on, in seconds: a seek later than that asks for another one. */
const USE_SECONDS = 600

/** Tickets of the artifacts of a database, so that any engine of it takes them. */
export interface ArtifactTickets {
  /** A ticket of a user for what they may read; `expires_at` is when it has to be used first. */
  issue(user: UserPrincipal, use: TicketUse): Promise<{ ticket: string; expires_at: string }>
  /** Whose ticket it is; undefined when it is unknown, too old, for something else, or of somebody who may not come in now. */
  redeem(ticket: string, use: TicketUse): Promise<UserPrincipal | undefined>
}

/** What tickets are made of. */
export interface ArtifactTicketsDeps {
  readonly store: ReturnType<typeof createTicketStore>
  readonly guests: Pick<SocketGuests, 'isWelcome'>
  /** The active user of an id, and null of nobody. */
  readonly find: (id: string) => Promise<{ readonly principal: UserPrincipal } | null>
}

export const createArtifactTickets = ({ store, guests, find }: ArtifactTicketsDeps): ArtifactTickets => ({
  async issue(user, use) {
    const { ticket, proof } = newTicket()
    const holder = { ...guestOf(user), user: user.id, via: user.grant.via }
    return { ticket, expires_at: await store.add(proof, use, holder, FIRST_USE_SECONDS) }
  },

  async redeem(ticket, use) {
    const proof = proofOf(ticket)
    const holder = (await store.opened(proof, use)) ?? (await store.open(proof, use, USE_SECONDS))
    if (!holder) return undefined
    const [isWelcome, user] = await Promise.all([guests.isWelcome(holder), find(holder.user)])
    if (!isWelcome || !user) return undefined
    const { id, via, version, endsAtMs = null } = holder
    const grantId = id === holder.user ? null : id
    const scopes = new Set(['runs:read'] as const)
    return { ...user.principal, grant: { via, id: grantId, name: null, scopes, version, endsAtMs } }
  },
})

/** A request with a ticket. */
export interface Ticketed {
  readonly ticket: string
  /** A digest with or without its prefix. */
  readonly subject: string
  /** Of the client. */
  readonly address: string
  readonly request: IncomingMessage
}

/** What {@link admission} asks. */
export interface AdmissionDeps {
  readonly tickets: Pick<ArtifactTickets, 'redeem'>
  readonly home: HomeOrigins
  /** The caller by the `Authorization` header; refuses with `unauthenticated`. */
  readonly authenticate: (request: IncomingMessage) => Promise<Principal>
}

/** The caller by a ticket; refuses with `unauthenticated`, also a page that is not at home, and another user. */
export const admission =
  ({ tickets, home, authenticate }: AdmissionDeps) =>
  async ({ ticket, subject, address, request }: Ticketed): Promise<Principal> => {
    // before the ticket is used: a foreign page must not even begin its time
    if (!isShownAtHome(request, home)) {
      const advice = 'let a page of SERVICE_CORS_ORIGINS ask with crossorigin="anonymous"'
      throw new ProblemError('unauthenticated', `tickets are for pages of the service: ${advice}`)
    }
    const other = request.headers.authorization === undefined ? null : await authenticate(request)
    const user = await tickets.redeem(ticket, { digest: fullDigest(subject), address })
    if (user && (other === null || (other.kind === 'user' && other.id === user.id))) return user
    throw new ProblemError(
      'unauthenticated',
      'the ticket is unknown, too old, or for other bytes, another user or another address: get another one',
    )
  }

/** A digest in full, of one that may lack its prefix. */
export const fullDigest = (digest: string): string => (digest.startsWith('sha256:') ? digest : `sha256:${digest}`)
