/**
 * Tickets for the bytes of `/artifacts/{digest}` (wire decision V24).
 * @module
 */
import { timestampSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { endpoint, type Handlers, reply } from '../http/endpoint.ts'
import { type Artifacts, noArtifact } from './artifacts.ts'
import { digestParam } from './naming.ts'
import { type ArtifactTickets, fullDigest } from './tickets.ts'

const ticketSchema = z
  .object({
    ticket: z.string().meta({
      description: 'For `ticket=` in the query of `GET /artifacts/{digest}`. It is told this once.',
    }),
    url: z.url().meta({
      description: 'Where the bytes are shown with it: what a page of the service has as `src` or `href`.',
    }),
    expires_at: timestampSchema.describe('When it has to be used first. From then on it is good for 10 minutes.'),
  })
  .meta({ id: 'ArtifactTicket' })

export const ticketsEndpoints = {
  ticket: endpoint({
    id: 'artifacts.ticket',
    method: 'post',
    path: '/artifacts/{digest}/ticket',
    summary: 'Get a ticket for bytes',
    description:
      'For pages, which show videos and download files by an address alone. It is used first within 30 seconds, and then as often as wanted within 10 minutes: for these bytes, by this user, from this address, until the session or key ends that got it.',
    auth: 'user',
    scope: 'runs:read',
    params: z.object({ digest: digestParam }),
    replies: { 201: reply.json('The ticket.', ticketSchema) },
    problems: ['not_found'],
  }),
} as const

/** What the endpoint works on. */
export interface TicketsRoutesDeps {
  readonly artifacts: Pick<Artifacts, 'open'>
  readonly tickets: Pick<ArtifactTickets, 'issue'>
}

export const ticketsHandlers = ({ artifacts, tickets }: TicketsRoutesDeps): Handlers<typeof ticketsEndpoints> => ({
  async ticket({ params, principal, request }) {
    const digest = fullDigest(params.digest)
    if (!(await artifacts.open(digest))) throw noArtifact(digest)
    const issued = await tickets.issue(principal, { digest, address: request.address })
    const url = `${request.baseUrl}/artifacts/${digest}?ticket=${issued.ticket}`
    return { status: 201, value: { ...issued, url } }
  },
})
