/**
 * What the engine says of itself: executions, cascades, checks, metrics, and the state that event sockets begin with.
 * @module
 */
import { artifacts } from '../artifacts/slice.ts'
import { connectorPackages } from '../code/slice.ts'
import { engineVersion } from '../config.ts'
import { database } from '../db/layer.ts'
import { Roster } from '../engines/roster.ts'
import { fence, lease, links, roster } from '../engines/slice.ts'
import { bus, deadLetters, eventLog, eventSockets, shownState } from '../events/slice.ts'
import { codeFlows, flows, live, published, runtime } from '../flows/slice.ts'
import { cascadeEnded } from '../host/slice.ts'
import { routes } from '../http/slice-api.ts'
import { values, valuesElsewhere } from '../messages/slice.ts'
import { clock, log } from '../process/given.ts'
import { begins, type Deps, inOrder, makes, noun } from '../process/layer.ts'
import { executionRecords, runs } from '../runs/slice.ts'
import { work } from '../work/slice.ts'
import { agent, pool } from '../workers/slice.ts'
import { Observability, Observer } from './observability.ts'
import { observabilityEndpoints, observabilityHandlers, stateEndpoints, stateHandlers } from './routes.ts'
import { takeSnapshot } from './snapshot.ts'

const observer = noun<Observer>()('observer')

export const observability = noun<Observability>()('observability')

/** Notices everything from here on. */
export const observerLayer = inOrder(
  makes(
    observer,
    { bus, clock, database, deadLetters, eventLog, log, work },
    (deps) => new Observer({ ...deps, engineVersion }),
    (opened) => opened.close(),
  ),
  makes(cascadeEnded, { observer }, ({ observer }) => observer.cascadeEnded),
)

export const shownStateLayer = makes(
  shownState,
  { artifacts, flows, live, published, runs, values, valuesElsewhere },
  (deps) => ({
    snapshot: () => takeSnapshot({ ...deps, farValues: deps.valuesElsewhere }),
    isMessage: (name) => deps.published.dtypeOf(name) !== undefined,
    current: (message) => deps.values.get(message),
    frame: (digest) => deps.artifacts.frame(digest),
  }),
)

const running = { published, runtime }

/** Names of the live flows that this engine runs. */
const activeFlows = ({ published, runtime }: Deps<typeof running>): string[] =>
  published.all().flatMap(({ name }) => (runtime.get(name) ? [name] : []))

export const observabilityLayer = inOrder(
  makes(
    roster,
    { ...running, database, fence, lease, links },
    ({ published, runtime, ...deps }) =>
      new Roster({ ...deps, running: () => activeFlows({ published, runtime }), version: engineVersion }),
  ),
  makes(
    observability,
    {
      agent,
      artifacts,
      codeFlows,
      connectorPackages,
      eventSockets,
      flows,
      live,
      observer,
      pool,
      published,
      roster,
      runs,
      runtime,
    },
    ({
      agent,
      artifacts,
      codeFlows,
      connectorPackages,
      eventSockets,
      flows,
      live,
      observer,
      pool,
      published,
      roster,
      runs,
      runtime,
    }) =>
      new Observability(observer, {
        runtime,
        artifacts,
        engines: roster,
        activeRuns: () => runs.active(),
        activeFlows: () => activeFlows({ published, runtime }),
        assertFlow: (name) => flows.get(name, false),
        failedFlows: () => live.failed(),
        failedNodes: () =>
          published
            .all()
            .flatMap(({ name }) => live.nodeStates(name))
            .filter(({ status }) => status === 'failed').length,
        workers: () => ({
          attached: pool.list().filter(({ local }) => !local).length,
          needs_upgrade: pool.needingUpgrade().length,
        }),
        droppedResults: () => pool.droppedResults,
        eventSockets: () => eventSockets.count(),
        hasPython: agent.python !== null,
        loadErrors: () => [
          ...codeFlows.errors.map(({ file, message }) => ({ package: file ?? 'flows', reason: message })),
          ...connectorPackages.reports.flatMap(({ package: name, reason }) =>
            reason === null ? [] : [{ package: name, reason }],
          ),
        ],
      }),
  ),
  makes(executionRecords, { observability }, ({ observability }) => ({
    removeOf: (tx, flow) => observability.cascades.removeOf(tx, { flow }),
  })),
)

/** Writes what was noticed. */
export const observe = begins(
  { observer, runtime },
  ({ observer, runtime }) => {
    observer.open(() => runtime.takeStats())
    return observer
  },
  (opened) => opened.recorder.flush(),
)

/** Asked by probes too, whose user the database may not be able to tell now. */
export const stateApi = {
  tags: { utils: 'Whether the engine works.' },
  routes: [routes(stateEndpoints, { observability }, stateHandlers)],
}

export const observabilityApi = {
  tags: { observability: 'What the engine does: executions, cascades, events, dead letters.' },
  routes: [routes(observabilityEndpoints, { observability }, observabilityHandlers)],
}
