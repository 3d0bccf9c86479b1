/**
 * News that an agent is let in no more, to all engines of the database: what is open for it is looked at again.
 * @module
 */
import type { Database } from '../../db/database.ts'

const CHANNEL = 'agent_revoked'

/** Tells and hears of agents that are let in no more. */
export interface AgentNews {
  /** To be called once the change is committed. */
  revoked(grant: string): Promise<void>
  /** Hears the ids of grants, null when some may have been missed; the result ends that. */
  listen(onRevoked: (grant: string | null) => void): Promise<() => Promise<void>>
}

/** News over a database. */
export const createAgentNews = (database: Pick<Database, 'listen' | 'notify'>): AgentNews => ({
  revoked: (grant) => database.notify(CHANNEL, grant),
  listen: (onRevoked) => database.listen(CHANNEL, onRevoked, () => onRevoked(null)),
})
