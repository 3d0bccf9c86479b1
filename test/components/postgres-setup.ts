/**
 * One PostgreSQL for all suites of the test project `postgres`.
 * @module
 */
import type { TestProject } from 'vitest/node'

import { findPostgres, startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A database of the server, for making others. Provided in the project `postgres` alone. */
    postgresUrl: string
  }
}

/** Starts the server; the result ends it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres(findPostgres() ?? '')
  project.provide('postgresUrl', server.url)
  return () => server.stop()
}
