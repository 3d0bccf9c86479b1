/**
 * Remote workers of an engine: who may attach, and who has.
 * @module
 */
import { loadSigningKey } from '../auth/signing-key.ts'
import type { ResolvedConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { SocketGuests, type SocketGuestsDeps } from '../http/socket-guests.ts'
import type { Lifecycle } from '../process/lifecycle.ts'
import type { WorkerPool } from './pool.ts'
import { WorkerTokens } from './tokens.ts'

const TOKEN_REVOKED = 4003

/** What the addresses of workers need. */
export interface Workers {
  readonly pool: WorkerPool
  readonly tokens: WorkerTokens
  readonly guests: SocketGuests
}

/** What workers are opened with. */
export interface WorkersSetting {
  readonly config: ResolvedConfig
  readonly database: Database
  readonly lifecycle: Lifecycle
  readonly log: SocketGuestsDeps['log']
}

/**
 * Opens the way in to a pool; throws `ConfigError` when the signing key is none. Closed after the flows and runs whose calls
 * workers execute.
 */
export async function openWorkers(pool: WorkerPool, setting: WorkersSetting): Promise<Workers> {
  const { config, database, lifecycle, log } = setting
  const tokens = new WorkerTokens({ key: await loadSigningKey(config), database })
  const guests = await lifecycle.open(
    async () =>
      new SocketGuests({
        versionsOf: (jtis) => tokens.versionsOf(jtis),
        ending: { code: TOKEN_REVOKED, reason: 'the token was revoked or has expired' },
        log,
      }),
    (opened) => opened.close(),
  )
  await lifecycle.open(
    () => tokens.onRevoked((jti) => void guests.review(jti === null ? undefined : [jti])),
    (stop) => stop(),
  )
  return { pool, tokens, guests }
}
