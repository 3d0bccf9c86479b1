/**
 * Machines that run node code: the pool of attached workers, the engine's own agent among them, and their tokens.
 * @module
 */
import { findInterpreter, type Interpreter, type Worker } from '@flow-service/worker-agent'

import { artifacts } from '../artifacts/slice.ts'
import { signingKey } from '../auth/slice.ts'
import { engineVersion, modulesDirOf } from '../config.ts'
import { database } from '../db/layer.ts'
import { lease } from '../engines/slice.ts'
import { eventLog } from '../events/slice.ts'
import { routes } from '../http/slice-api.ts'
import { SocketGuests } from '../http/socket-guests.ts'
import { clock, config, log } from '../process/given.ts'
import { begins, inOrder, makes, noun } from '../process/layer.ts'
import { newId } from '../process/new-id.ts'
import { createDispatcher, type Dispatcher, type DispatchDeps } from './dispatch.ts'
import { EnginePythons } from './engine-pythons.ts'
import { flavorsEndpoints, flavorsHandlers } from './flavor-routes.ts'
import { Flavors } from './flavors.ts'
import { pythonOfModules, startLocalAgent } from './local-agent.ts'
import { WorkerPool } from './pool.ts'
import { workersEndpoints, workersHandlers } from './routes.ts'
import { RunCalls } from './run-calls.ts'
import { WorkerTokens } from './tokens.ts'

export const flavors = noun<Flavors>()('flavors')
export const pool = noun<WorkerPool>()('pool')

/** The executable forms of `code` nodes. */
export const nodeCode = noun<
  Pick<DispatchDeps, 'bundleOf' | 'inProcess'> & {
    /** The file that the source of a Python node was read from; null where there is none. */
    readonly pythonFileOf?: (flow: string, node: string) => string | null
  }
>()('nodeCode')

/** Calls of runs that outlive their engine. */
export const runCalls = noun<RunCalls>()('runCalls')

export const dispatcher = noun<Dispatcher>()('dispatcher')

/** Which Python the engine's own worker has; it is looked for while the database opens. */
const enginePython = noun<{ readonly path: string | null; readonly found: Promise<Interpreter | null> }>()(
  'enginePython',
)

/** The engine's own worker. */
export const agent = noun<Worker>()('agent')

export const workerTokens = noun<WorkerTokens>()('workerTokens')

/** Whose sockets are attached from elsewhere. */
export const workerGuests = noun<SocketGuests>()('workerGuests')

export const flavorsLayer = makes(
  flavors,
  { database, log },
  async (deps) => {
    const opened = new Flavors(deps)
    await opened.open()
    return opened
  },
  (opened) => opened.close(),
)

/** Interpreters by name. */
export const pythons = noun<EnginePythons>()('pythons')

export const poolLayer = inOrder(
  makes(runCalls, {}, () => new RunCalls()),
  makes(
    pool,
    { clock, config, lease, eventLog, runCalls },
    ({ clock, config, lease: engines, eventLog, runCalls: kept }) =>
      new WorkerPool({
        clock,
        engines,
        newId,
        engineVersion,
        kept,
        resumeS: config.workerResumeS,
        // where engines share a database, the next one has to wait until the lease of the last is over
        toldResumeS: config.workerResumeS + (config.databaseUrl && config.workerResumeS > 0 ? config.runLeaseS : 0),
        report: (news) => eventLog.report(news),
      }),
  ),
  makes(pythons, { config, pool }, (deps) => new EnginePythons(deps)),
)

export const dispatcherLayer = makes(
  dispatcher,
  { artifacts, config, pool, nodeCode, flavors, runCalls },
  ({ artifacts, config, nodeCode, ...deps }) =>
    createDispatcher({
      ...deps,
      ...nodeCode,
      load: (digest) => artifacts.read(digest),
      // code that a debugger has paused says nothing for long
      isUntimed: config.inspectNodes !== null,
    }),
)

export const enginePythonLayer = makes(enginePython, { config }, async ({ config }) => {
  const path = config.python ?? (await pythonOfModules(modulesDirOf(config)))
  return { path, found: findInterpreter({ python: path ?? undefined, env: process.env }) }
})

/** Takes calls from its `ready` on. */
export const agentLayer = makes(
  agent,
  { artifacts, config, enginePython, nodeCode, pool, pythons },
  ({ artifacts, config, enginePython: { path: python, found: interpreter }, nodeCode, pool, pythons }) => {
    const { dataDir, inspectNodes, maxProcesses: parallel } = config
    return startLocalAgent(pool, artifacts, {
      id: dataDir,
      parallel,
      pythons: pythons.environments,
      interpreter,
      ...(python === null ? {} : { python }),
      ...(inspectNodes && {
        inspect: { ...inspectNodes, pythonFileOf: (flow, node) => nodeCode.pythonFileOf?.(flow, node) ?? null },
      }),
    })
  },
  (started) => started.close(),
)

/** The way in for workers of other machines; closed after the flows and runs whose calls they execute. */
export const attachmentLayer = inOrder(
  makes(
    workerTokens,
    { database, signingKey },
    ({ database, signingKey }) => new WorkerTokens({ key: signingKey, database }),
  ),
  makes(
    workerGuests,
    { log, workerTokens },
    ({ log, workerTokens }) =>
      new SocketGuests({
        versionsOf: (jtis) => workerTokens.versionsOf(jtis),
        ending: { code: TOKEN_REVOKED, reason: 'the token was revoked or has expired' },
        log,
      }),
    (opened) => opened.close(),
  ),
)

const TOKEN_REVOKED = 4003

/** Ends the sockets of tokens that are revoked, at whichever engine. */
export const followTokens = begins(
  { pool, workerGuests, workerTokens },
  ({ pool, workerGuests, workerTokens }) =>
    workerTokens.onRevoked((jti) => {
      if (jti !== null) pool.revoked(jti)
      void workerGuests.review(jti === null ? undefined : [jti])
    }),
  (stop) => stop(),
)

export const workersApi = {
  tags: {
    workers: 'Machines that run node code for the engine, and their tokens.',
    flavors: 'Named sizes of what a call of node code takes.',
  },
  routes: [
    routes(workersEndpoints, { pool, tokens: workerTokens, eventLog }, workersHandlers),
    routes(flavorsEndpoints, { flavors, eventLog }, flavorsHandlers),
  ],
}
