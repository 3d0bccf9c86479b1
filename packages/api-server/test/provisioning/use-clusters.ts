/** Engines on one database for the tests of a file, each test with a cluster of its own. */
import { onTestFinished } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import { useDatabase } from '../use-database.ts'
import { engineWith, type TestCluster } from './provisioned-engine.ts'

type Options = Partial<Parameters<typeof engineWith>[0]>

/** Ids of the jobs in the queue. */
export const jobsOf = (cluster: TestCluster): Promise<string[]> =>
  cluster.jobs().then((jobs) => jobs.map(({ job }) => job))

/** Starts engines; `open` starts a cluster with an empty queue. */
export function useClusters(open: () => Promise<TestCluster>) {
  let database: Database
  useDatabase((opened) => void (database = opened))
  let names = 0
  return {
    database: () => database,
    /** An engine on a cluster; `another` starts a further one on the same. */
    started: async (options: Options = {}) => {
      const cluster = await open()
      onTestFinished(() => cluster[Symbol.asyncDispose]())
      const name = `c${++names}`
      const shared = { database, cluster, name, ...options }
      const engine = await engineWith(shared)
      return { ...engine, cluster, name, another: (more: Options = {}) => engineWith({ ...shared, ...more }) }
    },
  }
}
