/**
 * How the engines of a PostgreSQL server come to other keys (wire decision S6): the database forgets those that it knows,
 * and the next engine that starts has its own pinned.
 * @module
 */
import { resolveConfig, type ServiceConfig } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { forgetPinnedKeys } from '../db/pins.ts'
import { ConfigError } from '../process/setting.ts'

const quiet = { info() {}, warn() {}, error() {} }

/**
 * Has the database forget its session key and its signing key. Throws an Error, and has changed nothing, while an engine
 * is in contact with it, and `ConfigError` without `SERVICE_DATABASE_URL`. The key of secrets stays: they are sealed by it.
 */
export async function forgetKeys(options: Pick<ServiceConfig, 'databaseUrl'> = {}): Promise<void> {
  const { dataDir, databaseUrl } = resolveConfig(options)
  if (databaseUrl === null)
    throw new ConfigError(
      'SERVICE_DATABASE_URL is not set: without a PostgreSQL server the keys are files of the data folder; replace those',
    )
  const database = await openDatabase({ dataDir, databaseUrl, log: quiet })
  try {
    await forgetPinnedKeys(database.sql)
  } finally {
    await database.close()
  }
}
