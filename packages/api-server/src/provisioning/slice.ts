/**
 * Workers that the engine starts itself, by schedulers of clusters, when calls wait for them.
 * @module
 */
import { database } from '../db/layer.ts'
import { operatorOutgoing } from '../egress/layer.ts'
import { lease } from '../engines/slice.ts'
import { eventLog } from '../events/slice.ts'
import { ProblemError } from '../http/errors.ts'
import { routes } from '../http/slice-api.ts'
import { clock, config, log } from '../process/given.ts'
import { begins, inOrder, makes, noun } from '../process/layer.ts'
import { ConfigError } from '../process/setting.ts'
import { agent, dispatcher, pool, pythons, workerTokens } from '../workers/slice.ts'
import { Attachments } from './attachments.ts'
import { provisionersFile } from './provisioners-file.ts'
import { Provisioners } from './provisioners.ts'
import { rayScheduler } from './ray.ts'
import { provisioningEndpoints, provisioningHandlers } from './routes.ts'
import { slurmScheduler } from './slurm.ts'
import { timingsAt } from './timings.ts'
import { Trials } from './trials.ts'

const attachments = noun<Attachments>()('attachments')
export const provisioners = noun<Provisioners>()('provisioners')
const trials = noun<Trials>()('trials')

/** What the file says; nobody is asked for a worker yet. */
export const provisioningLayer = inOrder(
  makes(attachments, { clock, database, log, pool }, (deps) => new Attachments(deps)),
  makes(
    provisioners,
    { attachments, clock, config, lease, database, dispatcher, eventLog, log, operatorOutgoing, pool, workerTokens },
    async ({ config, lease, eventLog, operatorOutgoing: { fetch }, workerTokens: tokens, ...deps }) => {
      const made = new Provisioners({
        ...deps,
        tokens,
        path: provisionersFile(config.dataDir),
        engine: lease.id,
        report: (news) => eventLog.report(news),
        timings: timingsAt(config.provisioningPace),
        schedulerOf: (provisioner) =>
          provisioner.type === 'ray'
            ? rayScheduler(provisioner, { fetch, clock: deps.clock })
            : slurmScheduler(provisioner, deps.clock),
      })
      await made.load().catch((error: unknown) => {
        throw error instanceof ProblemError ? new ConfigError(error.message) : error
      })
      return made
    },
  ),
  makes(
    trials,
    { clock, config, log, pool, provisioners, workerTokens },
    ({ config, workerTokens: tokens, ...deps }) =>
      new Trials({ ...deps, tokens, timings: timingsAt(config.provisioningPace) }),
  ),
)

/** Asks for workers, until the engine stops: what is pending then is cancelled while flows and runs still go on. */
export const provision = begins(
  { attachments, provisioners, trials },
  async (nouns) => {
    nouns.attachments.open()
    await nouns.provisioners.open()
    return nouns
  },
  async (nouns) => {
    await Promise.all([nouns.provisioners.close(), nouns.trials.close()])
    await nouns.attachments.close()
  },
)

export const provisioningApi = {
  tags: {},
  routes: [
    routes(provisioningEndpoints, { pool, agent, pythons, provisioners, trials, eventLog }, provisioningHandlers),
  ],
}
