/**
 * `/engines`: who lives on the database, and what each of them runs.
 * @module
 */
import { engineListSchema } from '@flow-service/protocol'

import { endpoint, type Handlers, reply } from '../http/endpoint.ts'
import type { Roster } from './roster.ts'

export const enginesEndpoints = {
  list: endpoint({
    id: 'engines.list',
    method: 'get',
    path: '/engines',
    summary: 'List engines',
    description:
      'Those that live on the database of the engine that is asked, each with the live flows that it runs. An embedded ' +
      'database has one.',
    auth: 'user',
    scope: 'observability:read',
    replies: { 200: reply.json('The engines, and what none of them runs.', engineListSchema) },
  }),
} as const

/** What the endpoints work on. */
interface Deps {
  readonly roster: Pick<Roster, 'list'>
}

/** The handlers of {@link enginesEndpoints}. */
export const enginesHandlers = ({ roster }: Deps): Handlers<typeof enginesEndpoints> => ({
  list: async () => ({ status: 200, value: await roster.list() }),
})
