/**
 * Flows: their documents, drafts and publication, and the runtime in which live ones run. In two layers: runs need the
 * first, and the second needs runs.
 * @module
 */
import { checkDocument, LiveRuntime, NodeRegistry, type Surroundings } from '@flow-service/core'
import { createCommandsNode, nodeTypes } from '@flow-service/node-types'
import type { CommandModel } from '@flow-service/protocol'
import { parsePython } from '@flow-service/worker-agent'

import { artifacts } from '../artifacts/slice.ts'
import { code, codeFolder, codeObjects, connectorPackages } from '../code/slice.ts'
import { commandsModel } from '../commands/slice.ts'
import { packageOf } from '../connectors/slice.ts'
import { database } from '../db/layer.ts'
import { deviceViews, deviceWiring } from '../devices/slice.ts'
import { fence, lease, links } from '../engines/slice.ts'
import { bus, eventLog } from '../events/slice.ts'
import { host } from '../host/slice.ts'
import { routes } from '../http/slice-api.ts'
import { catalogue, farMessages, lastValues, publisher, values, valuesElsewhere } from '../messages/slice.ts'
import { liveLogs } from '../node-logs/slice.ts'
import { clock, config, log } from '../process/given.ts'
import { begins, inOrder, makes, noun } from '../process/layer.ts'
import { secrets } from '../secrets/slice.ts'
import { adoptFlows, markers, work } from '../work/slice.ts'
import { agent, flavors, pythons } from '../workers/slice.ts'
import { Claims } from './claims.ts'
import { type CodeFlows, type CodeFlowsDeps, createCodeFlows } from './code-flows.ts'
import { LiveControl } from './control/live-control.ts'
import { liveEndpoints, liveHandlers, type LiveHandlersDeps } from './control/live-routes.ts'
import { publishElsewhere } from './far-publication.ts'
import { FarStates } from './far-states.ts'
import { type FarValues, lookElsewhere, openFarValues } from './far-values.ts'
import { FlowActivity } from './flow-activity.ts'
import { flowDevices } from './flow-devices.ts'
import { createFlowHomes, type FlowHomes } from './flow-homes.ts'
import { type FlowNews, openFlowNews } from './flow-news.ts'
import { FlowRows } from './flow-rows.ts'
import { rebuildUsers } from './flow-secrets.ts'
import { Flows, type FlowsDeps } from './flows.ts'
import { createFlowFollower } from './follow-flow.ts'
import { followHeld } from './held-news.ts'
import type { LiveFlows } from './live-flows.ts'
import { createLiveFlows } from './live.ts'
import { followLosses } from './lost-flows.ts'
import { createPlacementStore } from './placement-store.ts'
import { createPlacement, type Placement } from './placement.ts'
import { loadPublishedFlows, type PublishedFlowsOwner } from './published-flows.ts'
import { createPythonIssues, type PythonIssues } from './python-issues.ts'
import { flowsEndpoints, flowsHandlers } from './routes.ts'
import { createRunnableFlows, type RunnableFlows } from './runnable-flows.ts'
import { Library } from './sources/library.ts'
import { NodeSources } from './sources/node-source.ts'
import { libraryEndpoints, libraryHandlers, sourcesEndpoints, sourcesHandlers } from './sources/source-routes.ts'
import { Spares } from './spares.ts'
import { createFlowStore } from './store.ts'
import { FlowVersions } from './versions/flow-versions.ts'
import { versionsEndpoints, versionsHandlers } from './versions/version-routes.ts'

export const registry = noun<NodeRegistry>()('registry')
/** Who runs which flow, as it was told last. */
const flowNews = noun<FlowNews>()('flowNews')
export const published = noun<PublishedFlowsOwner>()('published')
export const runtime = noun<LiveRuntime>()('runtime')

/** What a node type lacks on this engine; null when nothing. */
export const missing = noun<NonNullable<Surroundings['missing']>>()('missing')

export const pythonIssues = noun<PythonIssues>()('pythonIssues')
const placement = noun<Placement>()('placement')

/** Who runs a flow, and has to be asked; null on the embedded database. */
export const flowHomes = noun<FlowHomes | null>()('flowHomes')
const farStates = noun<FarStates | null>()('farStates')
const farValues = noun<FarValues | null>()('farValues')

/** The share of this engine in the live flows of its database; null on the embedded one. */
export const claims = noun<Claims | null>()('claims')

export const live = noun<LiveFlows>()('live')
export const runnableFlows = noun<RunnableFlows>()('runnableFlows')

/** What flows ask of the runs that they have. */
export interface FlowRuns
  extends Pick<FlowsDeps, 'activeRuns' | 'newestRuns' | 'renameRuns'>, Pick<LiveHandlersDeps, 'submitDraft'> {}

export const flowRuns = noun<FlowRuns>()('flowRuns')

/** What flows ask of the dashboards that show them. */
export interface FlowDashboards {
  /** Has them follow a flow to another name, in the transaction that renames it. */
  readonly renameFlow: FlowsDeps['renameInDashboards']
  /** Registers those that modules of flows define. */
  readonly register: CodeFlowsDeps['registerDashboards']
}

export const flowDashboards = noun<FlowDashboards>()('flowDashboards')

const activity = noun<FlowActivity>()('activity')

/** What was published of flows. */
export const flowVersions = noun<FlowVersions>()('flowVersions')

export const flows = noun<Flows>()('flows')
const library = noun<Library>()('library')
const control = noun<LiveControl>()('control')
const sources = noun<NodeSources>()('sources')
export const codeFlows = noun<CodeFlows>()('codeFlows')

export const registryLayer = makes(
  registry,
  { commandsModel, connectorPackages },
  ({ commandsModel, connectorPackages }) => new NodeRegistry(builtIn(commandsModel), connectorPackages),
)

/** The built-in types; with a model of commands, the one that asks it stands before that of the optional package. */
const builtIn = (model: CommandModel | null) =>
  model === null ? nodeTypes : [createCommandsNode({ load: async () => model, missing: () => null }), ...nodeTypes]

export const packageOfLayer = makes(packageOf, { registry }, ({ registry }) => (type: string) => {
  const definition = registry.get(type)
  return definition === undefined ? null : (registry.originOf(definition)?.package ?? null)
})

export const publishedLayer = inOrder(
  // before anything is read of flows (flow-news.N2)
  makes(flowNews, { clock, database, log }, openFlowNews, (opened) => opened.close()),
  makes(published, { database }, ({ database }) => loadPublishedFlows(database)),
  makes(catalogue, { published }, ({ published }) => published),
)

export const runtimeLayer = inOrder(
  makes(
    runtime,
    { host, published, registry },
    ({ host, published, registry }) => new LiveRuntime(host, registry, published),
    (made) => made.close(),
  ),
  makes(deviceWiring, { bus, published, runtime }, flowDevices),
)

/** Known once the engine's own agent has looked for Python. */
export const missingLayer = makes(missing, { agent, registry }, async ({ agent, registry }) => {
  await agent.ready
  return (type) =>
    type === 'python' && agent.python === null ? 'Python 3.11 or newer' : (registry.get(type)?.missing?.() ?? null)
})

export const pythonIssuesLayer = makes(pythonIssues, { agent, code }, ({ agent, code }) =>
  createPythonIssues(
    async (source) => {
      await agent.ready
      return agent.python && (await parsePython(source, { python: agent.python.path }))
    },
    (flow, node) => code.pythonFile(flow, node),
  ),
)

/** Spare processes for what is published. */
const spares = noun<Spares>()('spares')

export const sparesLayer = makes(spares, { agent, published }, (deps) => new Spares(deps))

/** Begins when the engine has what it starts with: spares cost time that it needs itself before. */
export const followSpares = begins(
  { spares },
  ({ spares: opened }) => {
    opened.open()
    return opened
  },
  (opened) => opened.close(),
)

/** Live flows, and contents that runs can execute. */
export const liveLayer = inOrder(
  makes(valuesElsewhere, { fence, lastValues, lease, published }, lookElsewhere),
  makes(farStates, { lease, links }, ({ lease, links }) => links && new FarStates({ lease, links })),
  makes(
    farValues,
    { clock, fence, flowNews, lastValues, lease, links, log, published, runtime, secrets, work },
    openFarValues,
    (opened) => opened?.close(),
  ),
  makes(farMessages, { farValues }, ({ farValues }) => farValues),
  makes(
    placement,
    { adoptFlows, database, farStates, fence, lastValues, lease, log, work },
    ({ adoptFlows: adopt, database, lastValues, work, ...deps }) =>
      createPlacement({
        ...deps,
        store: createPlacementStore(database),
        flows: createFlowStore(database.sql),
        adopt,
        written: async () => {
          try {
            await work.written()
          } finally {
            await lastValues.written()
          }
        },
      }),
  ),
  makes(flowHomes, { clock, fence, flowNews, lease, published, runtime }, createFlowHomes),
  makes(publisher, { flowHomes, host, links, runtime, work }, ({ flowHomes, host, links, runtime, work }) => ({
    elsewhere: publishElsewhere(flowHomes, links),
    publish: (message, value, place) => runtime.publish(message, value, place === undefined ? {} : { place }),
    refused: (refusal) => host.payloadRefused?.(refusal),
    committed: () => work.written(),
  })),
  makes(
    live,
    {
      bus,
      database,
      deviceViews,
      farStates,
      farValues,
      flavors,
      log,
      missing,
      placement,
      published,
      pythons,
      registry,
      runtime,
      secrets,
      values,
      work,
    },
    ({ bus, deviceViews: devices, flavors, missing, published, pythons, registry, secrets, ...deps }) =>
      createLiveFlows({
        ...deps,
        events: bus,
        published: (name) => published.get(name),
        check: (document) =>
          checkDocument(document, registry, {
            message: (name) => published.dtypeOf(name),
            missing,
            flavors,
            pythons,
            secrets,
            devices,
          }),
      }),
  ),
  makes(claims, { clock, code, database, fence, lease, live, log, placement }, ({ code, fence, lease, ...deps }) =>
    lease.id === null
      ? null
      : new Claims({
          ...deps,
          store: createPlacementStore(deps.database),
          lease,
          running: () => fence.flows,
          // another engine may have registered it since this one did
          isMissing: ({ name, origin }) => origin === 'code' && !code.has(name),
          isOwn: (name) => code.has(name),
        }),
  ),
  makes(
    runnableFlows,
    { code, database, deviceViews, flavors, missing, published, pythonIssues, pythons, registry, secrets },
    createRunnableFlows,
  ),
)

const changing = { artifacts, code, database, eventLog, flowVersions, live, published, pythonIssues, registry }

export const flowsLayer = inOrder(
  makes(
    activity,
    { bus, lastValues },
    (deps) => new FlowActivity(deps),
    (made) => made.close(),
  ),
  makes(
    flowVersions,
    { artifacts, config, database, published },
    ({ config, ...deps }) => new FlowVersions({ ...deps, kept: config.flowVersions }),
  ),
  makes(
    flows,
    {
      ...changing,
      activity,
      deviceViews,
      deviceWiring,
      farStates,
      flavors,
      flowDashboards,
      flowRuns,
      lastValues,
      liveLogs,
      markers,
      missing,
      pythons,
      secrets,
      spares,
      work,
    },
    ({ flowDashboards: { renameFlow: renameInDashboards }, flowRuns, ...deps }) =>
      new Flows({ ...deps, ...flowRuns, renameInDashboards }),
  ),
  makes(library, { database, eventLog, flowVersions, live, published, pythonIssues }, (deps) => new Library(deps)),
  makes(sources, { ...changing, library }, ({ library, ...deps }) => new NodeSources(deps, library)),
  makes(
    control,
    { ...changing, deviceViews, flavors, host, liveLogs, markers, missing, pythons },
    (deps) => new LiveControl({ ...deps, rows: new FlowRows(deps) }),
  ),
  makes(
    codeFlows,
    { ...changing, codeFolder, connectorPackages, flowDashboards },
    ({ codeFolder, connectorPackages: { developed }, flowDashboards: { register: registerDashboards }, ...deps }) =>
      createCodeFlows(codeFolder, { ...deps, developed, registerDashboards }),
  ),
)

/** Registers the flows of the folder, and those that are objects. */
export const registerCode = begins(
  { codeFlows, codeFolder, codeObjects },
  async ({ codeFlows, codeFolder: { first }, codeObjects }) => {
    await codeFlows.open({
      ...first,
      flows: [...first.flows, ...codeObjects.flows],
      dashboards: [...first.dashboards, ...codeObjects.dashboards],
    })
    return codeFlows
  },
  (opened) => opened.close(),
)

/** Starts the flows that are wished to be active: those of one engine alone, or the share of this one. */
export const restoreFlows = begins(
  { claims, code, live },
  async ({ claims, code, live }) => {
    await (claims?.open() ?? live.restore((name) => code.isMissing(name)))
    return claims
  },
  (opened) => opened?.close(),
)

/** Tells what paused flows hold; before flows are restored, paused ones among them. */
export const followHeldWork = begins({ bus, clock, runtime }, followHeld, (end) => end())

/** Follows what other engines do with flows. */
export const followEngines = begins(
  {
    claims,
    code,
    database,
    farStates,
    fence,
    flowNews,
    lastValues,
    lease,
    live,
    liveLogs,
    log,
    markers,
    placement,
    published,
  },
  ({ claims, fence, flowNews, lease, ...deps }) => {
    const { farStates, live, placement } = deps
    farStates?.answer(() => live.states(fence.flows))
    flowNews.begin(createFlowFollower({ ...deps, changed: (id) => claims?.changed(id) }))
    const lost = (): void => {
      claims?.look()
      flowNews.look()
    }
    followLosses({ fence, lease, live, log: deps.log, lost, placement })
    return flowNews
  },
  (following) => following.end(),
)

/** Builds the users of changed secrets anew, first those of secrets that changed while flows were started. */
export const followSecrets = begins({ database, live, published, secrets }, (deps) =>
  deps.secrets.onChange((names) => rebuildUsers(names, deps)),
)

export const flowsApi = {
  tags: {
    flows: 'Flows: documents, publishing, live control, node types.',
    library: 'Source that nodes share.',
  },
  routes: [
    routes(flowsEndpoints, { eventLog, flows, missing, registry }, flowsHandlers),
    routes(liveEndpoints, { control, eventLog, flowRuns }, ({ flowRuns, ...deps }) =>
      liveHandlers({ ...deps, ...flowRuns }),
    ),
    routes(sourcesEndpoints, { sources }, sourcesHandlers),
    routes(libraryEndpoints, { library }, libraryHandlers),
    routes(versionsEndpoints, { flowVersions, flows }, versionsHandlers),
  ],
}
