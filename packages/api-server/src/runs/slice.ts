/**
 * Runs of batch flows, from submission to reports.
 * @module
 */
import { PythonListings } from '@flow-service/worker-agent'

import { artifacts } from '../artifacts/slice.ts'
import type { Sql } from '../db/database.ts'
import { database } from '../db/layer.ts'
import { bus, eventLog } from '../events/slice.ts'
import { flowRuns, registry, runnableFlows, runtime } from '../flows/slice.ts'
import { host } from '../host/slice.ts'
import { routes } from '../http/slice-api.ts'
import { values } from '../messages/slice.ts'
import { config, log } from '../process/given.ts'
import { begins, inOrder, makes, noun } from '../process/layer.ts'
import type { Log } from '../process/log.ts'
import { agent, pool, pythons, runCalls } from '../workers/slice.ts'
import { createCurveStore } from './curves/curve-store.ts'
import { createPackedStore } from './curves/packed-store.ts'
import { historyEndpoints, historyHandlers } from './history-routes.ts'
import { createKnownRunsStore } from './known-runs-store.ts'
import type { KnownRuns } from './known-runs.ts'
import { listEndpoints, listHandlers } from './lists/routes.ts'
import { comparisonEndpoints, comparisonHandlers } from './reports/comparison-routes.ts'
import { CurveComparison } from './reports/comparison.ts'
import { CurveColumnsReader } from './reports/curve-columns.ts'
import { exportEndpoints, exportHandlers } from './reports/export-routes.ts'
import { createExportStore } from './reports/export-store.ts'
import { RunExports } from './reports/run-export.ts'
import { runsEndpoints, runsHandlers } from './routes.ts'
import { createRuns, type Runs } from './runs.ts'
import { runNumbers } from './settings.ts'
import { PythonEnvironments, type StageEnvironments } from './stages/environments.ts'
import { submissionEndpoints, submissionHandlers } from './submission-routes.ts'
import { trackingEndpoints, trackingHandlers } from './tracking/routes.ts'

export const runs = noun<Runs>()('runs')

/** What Python stages find on this engine. */
export const stageEnvironments = noun<StageEnvironments>()('stageEnvironments')

export const stageEnvironmentsLayer = makes(
  stageEnvironments,
  { agent, log, pool, pythons },
  ({ agent, log, pool, pythons: { environments: named } }) =>
    new PythonEnvironments({ agent, named, pool, listings: new PythonListings({ onProblem: untold(log) }) }),
)

const untold =
  (log: Pick<Log, 'warn'>) =>
  (python: string, error: unknown): void =>
    log.warn({ err: error, python }, 'the packages of an interpreter are not known: results of stages may be of others')

/** Curves of several runs beside each other. */
export const comparison = noun<CurveComparison>()('comparison')

/** Curves as columns. */
export const curveColumns = noun<CurveColumnsReader>()('curveColumns')

/** Runs and their points as text. */
export const runExports = noun<RunExports>()('runExports')

/** Which of the runs and curves that others name there are. */
export const knownRuns = noun<KnownRuns>()('knownRuns')

/** Removes what is kept of the executions of a flow, with its runs. */
export const executionRecords = noun<{ removeOf(tx: Sql, flow: string): Promise<void> }>()('executionRecords')

export const runsLayer = makes(
  runs,
  {
    artifacts,
    bus,
    calls: runCalls,
    config,
    database,
    environments: stageEnvironments,
    eventLog,
    flows: runnableFlows,
    host,
    log,
    registry,
    runtime,
    values,
  },
  ({ bus, calls, config, eventLog, runtime, values, ...deps }) =>
    createRuns({
      ...deps,
      publishEvent: (event, atMs) => bus.publish(event, atMs),
      publishMessage: (message, value, run) => void runtime.publish(message, value, { run }),
      lastValue: (message) => values.get(message)?.value,
      maxRuns: runNumbers(config),
      maxParallelNodes: config.maxParallelNodes,
      lease: { seconds: config.runLeaseS, renewSeconds: config.runRenewS },
      kept: config.workerResumeS === 0 ? null : { waitS: config.workerResumeS, calls },
      report: (news) => eventLog.report(news),
    }),
)

/** What reads many runs at once. */
export const reportsLayer = inOrder(
  makes(comparison, { database, host, runs }, ({ database, host: { secrets }, runs }) => {
    const store = createCurveStore(database.sql)
    return new CurveComparison({ store, secrets, flush: (id) => runs.flush(id) })
  }),
  makes(curveColumns, { database, host, runs }, ({ database, host: { secrets }, runs }) => {
    const stores = { store: createCurveStore(database.sql), packed: createPackedStore(database.sql) }
    return new CurveColumnsReader({ ...stores, secrets, flush: (id) => runs.flush(id) })
  }),
  makes(runExports, { database, host, runs }, ({ database, host: { secrets }, runs }) => {
    const stores = { store: createExportStore(database.sql), curves: createCurveStore(database.sql) }
    return new RunExports({ ...stores, secrets, flush: (id) => runs.flush(id) })
  }),
  makes(knownRuns, { database }, ({ database }) => createKnownRunsStore(database.sql)),
)

export const flowRunsLayer = makes(flowRuns, { runs }, ({ runs }) => ({
  activeRuns: (tx, id) => runs.activeOf(tx, id),
  renameRuns: (tx, id, name) => runs.rename(tx, id, name),
  newestRuns: () => runs.history.newest(),
  submitDraft: async (flow, params, by) =>
    (await runs.submit(flow, { params, draft: true, no_cache: false, priority: 0 }, by.email)).run,
}))

/** Another content may let more runs of its flow execute at once. */
export const followFlows = begins(
  { bus, runs },
  ({ bus, runs }) => bus.subscribe((event) => event.type === 'flow' && runs.wake(), { quiet: true }),
  (stop) => stop(),
)

/** Gives up the runs of a dead engine, and executes those that are queued. */
export const executeRuns = begins(
  { runs },
  async ({ runs }) => {
    await runs.open()
    return runs
  },
  (opened) => opened.close(),
)

export const runsApi = {
  tags: {
    runs: 'Runs of batch flows and their metrics.',
    metrics: 'Metrics of several runs: names, comparison, export.',
  },
  routes: [
    routes(runsEndpoints, { eventLog, runs, columns: curveColumns }, runsHandlers),
    routes(listEndpoints, { runs }, listHandlers),
    routes(trackingEndpoints, { runs }, ({ runs }) => trackingHandlers(runs.tracked)),
    routes(submissionEndpoints, { runs }, ({ runs }) => submissionHandlers(runs)),
    routes(historyEndpoints, { eventLog, executionRecords, runs }, ({ eventLog, executionRecords, runs }) =>
      historyHandlers({
        eventLog,
        history: runs.history,
        removeExecutions: (tx, flow) => executionRecords.removeOf(tx, flow),
      }),
    ),
    routes(comparisonEndpoints, { curves: comparison, columns: curveColumns }, comparisonHandlers),
    routes(exportEndpoints, { exports: runExports }, exportHandlers),
  ],
}
