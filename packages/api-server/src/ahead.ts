/**
 * `@flow-service/api-server/ahead`: what a program starts before it loads the engine, and is then ready sooner. It loads next to
 * nothing itself. The command line uses it; a host that starts slowly may as well.
 * @module
 */
import type { ServiceConfig } from './config.ts'

export { prepareDatabase } from './db/embedded-thread.ts'

/**
 * Begins to open the database that `createService` with the same options opens; to be called before the engine is loaded. Does
 * nothing for a database on a server, and where there is none yet. Only for a process that opens the service next: the data
 * directory is held from here on. Rejects with a `ConfigError` when a setting is not usable; what else stands in the way is
 * told by `createService`.
 */
export async function openDatabaseAhead(options: ServiceConfig = {}): Promise<void> {
  const { resolveConfig } = await import('./config.ts')
  const { dataDir, databaseUrl } = resolveConfig(options)
  if (databaseUrl !== null) return
  const { beginAhead } = await import('./db/opening.ts')
  beginAhead(dataDir)
}

/**
 * Closes what {@link openDatabaseAhead} has opened; for a process that opens no service after all. A `createService` that fails
 * does the same. Never rejects.
 */
export async function closeDatabaseAhead(): Promise<void> {
  const { abandonAhead } = await import('./db/opening.ts')
  await abandonAhead()
}
