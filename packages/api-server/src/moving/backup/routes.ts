/**
 * `/backup`: all that the engine keeps, as one file.
 * @module
 */
import * as z from 'zod'

import { actorOf, type EventLog } from '../../events/event-log.ts'
import { endpoint, type Handlers, reply } from '../../http/endpoint.ts'
import { flag } from '../../http/query.ts'
import type { Backups } from './backups.ts'

const TYPE = 'application/octet-stream'

/** The endpoints of backups. */
export const backupEndpoints = {
  make: endpoint({
    id: 'backup.make',
    method: 'get',
    path: '/backup',
    summary: 'Make a backup',
    description:
      'All of the database as of the moment of the first byte, while the engine goes on, and the artifacts that it refers to: a file for `service restore`. It has password hashes, and secrets as they are sealed, but no key. One that does not come to its end is of no use.',
    auth: 'superuser',
    scope: 'admin',
    query: z.object({
      artifacts: flag
        .optional()
        .meta({ description: 'Whether the bytes of artifacts are in it; those of a folder unless given.' }),
    }),
    replies: {
      200: reply.stream('The backup.', [TYPE], z.object({ 'content-disposition': z.string() })),
    },
    problems: ['in_use', 'unavailable', 'validation_failed'],
  }),
} as const

/** What the endpoints work on. */
export interface BackupHandlersDeps {
  readonly backups: Backups
  readonly eventLog: Pick<EventLog, 'audit'>
}

/** The handlers of {@link backupEndpoints}. */
export const backupHandlers = ({ backups, eventLog }: BackupHandlersDeps): Handlers<typeof backupEndpoints> => ({
  make({ query, principal }) {
    const entry = { action: 'backup.make', actor: actorOf(principal) }
    return {
      status: 200,
      type: TYPE,
      headers: { 'content-disposition': 'attachment; filename="flow-service.backup"' },
      body: backups.make({ artifacts: query.artifacts }, (tx) => eventLog.audit(tx, entry)),
    }
  },
})
