/** Engines on a PostgreSQL server instead of their embedded database. */
import { afterAll, beforeAll } from 'vitest'

import { newSigningKey } from '../packages/api-server/test/auth/new-signing-key.ts'
import { findPostgres, type PostgresServer, startPostgres } from './components/postgres.ts'

const signingKey = newSigningKey()

/** A server for the tests of a suite. */
export function useServerDatabases() {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres(findPostgres() ?? '')
  })
  afterAll(() => server.stop())
  return {
    server: () => server,
    /** The environment of engines on a new database of that name. */
    env: async (name: string): Promise<NodeJS.ProcessEnv> => ({
      SERVICE_DATABASE_URL: await server.createDatabase(name),
      SERVICE_SESSION_KEY: 'a session key of at least 32 bytes',
      SERVICE_SECRET_KEY: 'a key for secrets of at least 32 bytes',
      SERVICE_OAUTH_SIGNING_KEY: signingKey,
      SERVICE_FIRST_SUPERUSER: 'root@example.org',
      SERVICE_FIRST_SUPERUSER_PASSWORD: 'correct horse',
    }),
  }
}
