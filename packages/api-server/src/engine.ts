/**
 * The engine behind the API: stores, runtime, flows and runs, opened in the order of their dependencies.
 * @module
 */
import { join } from 'node:path'

import { checkDocument, type Clock, LiveRuntime, NodeRegistry } from '@flow-service/core'
import { nodeTypes } from '@flow-service/node-types'
import { environmentBeside, parsePython, withoutCredentials, type Worker } from '@flow-service/worker-agent'
import type { Logger } from 'pino'

import { type Artifacts, createArtifacts } from './artifacts/artifacts.ts'
import { openContentStore } from './artifacts/content-store.ts'
import { Sweeper } from './artifacts/sweeper.ts'
import { createAccountNews } from './auth/account-news.ts'
import { openUsers } from './auth/users.ts'
import type { LoadResult } from './code/loader.ts'
import { type CodeObjects, createCodeObjects } from './code/objects.ts'
import { type CodeRegistry, createCodeRegistry } from './code/registry.ts'
import { engineVersion, type ResolvedConfig } from './config.ts'
import { type Database, openDatabase } from './db/database.ts'
import { AddressRules } from './egress/address-rules.ts'
import { createDialer } from './egress/dialer.ts'
import { createOutgoingFetch } from './egress/outgoing-fetch.ts'
import { loadTrust } from './egress/trust.ts'
import { createDeadLetters } from './events/dead-letters.ts'
import { createEventBus } from './events/event-bus.ts'
import { createEventLog, type EventLog } from './events/event-log.ts'
import { createEventSockets, type EventSockets } from './events/event-socket.ts'
import { createTickets, type Tickets } from './events/tickets.ts'
import { type CodeFlows, openCodeFlows } from './flows/code-flows.ts'
import { LiveControl } from './flows/control/live-control.ts'
import { FlowRows } from './flows/flow-rows.ts'
import { rebuildUsers } from './flows/flow-secrets.ts'
import { Flows, type FlowsDeps } from './flows/flows.ts'
import { createLiveFlows, type LiveFlows } from './flows/live.ts'
import { loadPublishedFlows, type PublishedFlows } from './flows/published-flows.ts'
import { createPythonIssues, type PythonIssues } from './flows/python-issues.ts'
import { createRunnableFlows } from './flows/runnable-flows.ts'
import { Library } from './flows/sources/library.ts'
import { NodeSources } from './flows/sources/node-source.ts'
import { createHooks, type Hooks } from './hooks/hooks.ts'
import { ServedSockets } from './hooks/served-sockets.ts'
import { createClock, createHost } from './host/host.ts'
import { openMachine } from './host/machine.ts'
import { nodeLogOf } from './host/node-report.ts'
import { SocketGuests } from './http/socket-guests.ts'
import { createCurrentValues, type CurrentValues } from './messages/current-values.ts'
import { type LastValues, openLastValues } from './messages/last-values.ts'
import { createMessages, type Messages } from './messages/messages.ts'
import { Observability, Observer } from './observability/observability.ts'
import { takeSnapshot } from './observability/snapshot.ts'
import type { Lifecycle } from './process/lifecycle.ts'
import { newId } from './process/new-id.ts'
import { createRuns, type Runs } from './runs/runs.ts'
import type { Redactor } from './secrets/redactor.ts'
import { openSecrets, type Secrets } from './secrets/secrets.ts'
import { createWork } from './work/work.ts'
import { createDispatcher } from './workers/dispatch.ts'
import { type Flavors, openFlavors } from './workers/flavors.ts'
import { startLocalAgent } from './workers/local-agent.ts'
import { WorkerPool } from './workers/pool.ts'
import { openWorkers, type Workers } from './workers/workers.ts'

/** Everything that the API shows. */
export interface Engine {
  readonly database: Database
  readonly artifacts: Artifacts
  readonly control: LiveControl
  readonly codeFlows: CodeFlows
  readonly eventLog: EventLog
  readonly flavors: Flavors
  readonly flows: Flows
  readonly hooks: Hooks
  readonly servedSockets: ServedSockets
  /** Where nodes may connect to. */
  readonly addressRules: AddressRules
  readonly library: Library
  readonly messages: Messages
  readonly observability: Observability
  readonly registry: NodeRegistry
  readonly runs: Runs
  readonly secrets: Secrets
  readonly sockets: EventSockets
  readonly sources: NodeSources
  readonly tickets: Tickets
  readonly workers: Workers
  readonly missing: FlowsDeps['missing']
}

/** What an engine is opened with. */
export interface EngineSetting {
  readonly config: ResolvedConfig
  readonly log: Logger
  readonly lifecycle: Lifecycle
  /** Gets to know the values of secrets. */
  readonly redactor: Redactor
}

/** Opens the engine: afterwards live flows are restored and queued runs are being executed. */
export async function openEngine(setting: EngineSetting): Promise<Engine> {
  const { config, log, lifecycle } = setting
  // the longest parts of a start, side by side
  const [loaded, stores] = await Promise.all([loadFlows(config), openStores(setting)])
  const { artifacts, bus, database, flavors, lastValues, secrets } = stores
  const code = createCodeRegistry(stores)
  const objects = createCodeObjects(objectsOf(config), artifacts)
  const published = await loadPublishedFlows(database)
  const opened = await openRuntime(setting, stores, { code, objects, published })
  const { addressRules, host, registry, live: runtime, missing, worker } = opened
  await stores.work.recover((values) => {
    for (const { source, value, atMs } of values) lastValues.recover(source, host.secrets.mask(value), atMs)
  })
  // before work is done that this life lets go of
  await lastValues.flush()
  const values = createCurrentValues(lastValues, published)
  const live = createLiveFlows({
    runtime,
    database,
    values,
    events: bus,
    work: stores.work,
    check: (document) =>
      checkDocument(document, registry, { message: (name) => published.dtypeOf(name), missing, flavors, secrets }),
    log,
  })
  const pythonIssues = pythonIssuesOf(worker, code)
  const runs = runsOf(setting, stores, opened, { code, published, pythonIssues, values })
  // another content may let more runs of its flow execute at once
  bus.subscribe((event) => event.type === 'flow' && runs.wake(), { quiet: true })
  const parts = { registry, code, live, published, missing, flavors, pythonIssues }
  const flows = new Flows({
    ...stores,
    ...parts,
    activeRuns: (tx, id) => runs.activeOf(tx, id),
    renameRuns: (tx, id, name) => runs.rename(tx, id, name),
  })
  const library = new Library({ ...stores, live, published, pythonIssues })
  const source = { directory: directoryOf(config), load: () => loadFlows(config) }
  const found = { ...loaded, flows: [...loaded.flows, ...objects.flows] }
  const codeFlows = await lifecycle.open(
    () => openCodeFlows(source, found, { ...stores, code, live, published }),
    (opened) => opened.close(),
  )
  await live.restore((name) => code.isMissing(name))
  // what has changed while flows were started, too
  await secrets.onChange((names) => rebuildUsers(names, { secrets, database, live, published }))
  await lifecycle.open(
    () => runs.open(),
    () => runs.close(),
  )
  await openSweeper(setting, stores, { clock: host.clock, code })
  const snapshot = () => takeSnapshot({ flows, runs, runtime, published, values })
  const isMessage = (name: string) => published.dtypeOf(name) !== undefined
  const guests = await openGuests(setting, database)
  const sockets = createEventSockets({ bus, engineVersion, snapshot, isMessage, guests, log })
  return {
    ...stores,
    addressRules,
    registry,
    missing,
    codeFlows,
    flows,
    library,
    control: new LiveControl({ ...parts, rows: new FlowRows({ ...stores, live }), host }),
    sources: new NodeSources({ ...stores, code, live, published, registry }, library),
    runs,
    messages: createMessages({
      lastValues,
      catalogue: published,
      publish: (message, value) => runtime.publish(message, value),
      committed: () => stores.work.written(),
    }),
    observability: observabilityOf(opened, { runs, published, live, sockets, codeFlows }),
    sockets,
    workers: opened.workers,
  }
}

/** Watches over the users of event sockets. */
async function openGuests({ log, lifecycle }: EngineSetting, database: Database): Promise<SocketGuests> {
  const users = openUsers(database)
  const guests = new SocketGuests({
    versionsOf: (ids) => users.tokenVersions(ids),
    ending: { code: 1008, reason: 'the sign-in has ended; sign in again' },
    log,
  })
  await lifecycle.open(
    () => createAccountNews(database).listen((id) => void guests.review(id === null ? undefined : [id])),
    (stop) => stop(),
  )
  return guests
}

const objectsOf = ({ flows }: ResolvedConfig) => (flows === null || typeof flows === 'string' ? [] : flows)

const directoryOf = ({ flows }: ResolvedConfig) => (typeof flows === 'string' ? flows : null)

async function loadFlows(config: ResolvedConfig): Promise<LoadResult> {
  const directory = directoryOf(config)
  if (directory === null) return { flows: [], errors: [], sound: [], files: [] }
  // with it comes the bundler, which an engine without flows in TypeScript does without
  const { createCodeLoader } = await import('./code/loader.ts')
  return createCodeLoader({ env: withoutCredentials(process.env) }).load(directory)
}

/** Takes away what nothing needs, every hour. */
async function openSweeper(
  { log, lifecycle }: EngineSetting,
  stores: Stores,
  { clock, code }: { clock: Clock; code: CodeRegistry },
): Promise<void> {
  const sweeper = new Sweeper({ ...stores, clock, expireCode: () => code.expire(), log })
  await lifecycle.open(
    async () => sweeper.open(),
    () => sweeper.close(),
  )
}

const artifactsDirOf = ({ artifactsDir, dataDir }: ResolvedConfig) => artifactsDir ?? join(dataDir, 'artifacts')

async function openStores({ config, log, lifecycle, redactor }: EngineSetting) {
  const { dataDir, databaseUrl } = config
  const database = await lifecycle.open(
    () => openDatabase({ dataDir, log, ...(databaseUrl === null ? {} : { databaseUrl }) }),
    (opened) => opened.close(),
  )
  const secrets = await lifecycle.open(
    () => openSecrets({ config, database, redactor, log }),
    (opened) => opened.close(),
  )
  const flavors = await openFlavors({ database, lifecycle, log })
  const eventLog = createEventLog({ database, log })
  const artifacts = createArtifacts({
    database,
    content: await openContentStore(artifactsDirOf(config), { shared: databaseUrl !== null }),
    maxBytes: config.artifactMaxBytes,
    ringBytes: config.mediaRingBytes,
    onCorrupt(digest) {
      log.error({ digest }, 'stored bytes are not what they were; they are set aside')
      eventLog.report({ kind: 'engine', level: 'error', action: 'artifact.corrupt', detail: { digest } })
    },
  })
  const deadLetters = await lifecycle.open(
    async () => createDeadLetters({ database, log }),
    (opened) => opened.flush(),
  )
  const work = await lifecycle.open(
    async () =>
      createWork({
        database,
        log,
        seals: secrets,
        beforeDrops: () => deadLetters.flush(),
        recorded: () => lastValues.written(),
      }),
    (opened) => opened.close(),
  )
  const lastValues: LastValues = await lifecycle.open(
    () => openLastValues({ database, artifacts, log, waits: () => work.isWriting }),
    (opened) => opened.close(),
  )
  const bus = createEventBus((error) => log.error({ err: error }, 'a listener of events failed'))
  const tickets = createTickets({ database })
  const own = { bus, tickets, hooks: createHooks(), servedSockets: new ServedSockets() }
  return { database, secrets, flavors, artifacts, eventLog, deadLetters, work, lastValues, ...own }
}

type Stores = Awaited<ReturnType<typeof openStores>>

/** The runtime with the engine's own agent. Closed after the flows and runs that use it. */
async function openRuntime(
  { config, log, lifecycle, redactor }: EngineSetting,
  stores: Stores,
  { code, objects, published }: { code: CodeRegistry; objects: CodeObjects; published: PublishedFlows },
) {
  const clock = createClock()
  const { eventLog } = stores
  const pool = new WorkerPool({ clock, newId, engineVersion, report: (news) => eventLog.report(news) })
  const dispatcher = createDispatcher({
    pool,
    bundleOf: ({ digest }) => code.bundleText(digest),
    inProcess: (call) => objects.call(call),
    flavors: stores.flavors,
  })
  const observer = await lifecycle.open(
    async () => new Observer({ ...stores, clock, engineVersion, artifactsDir: artifactsDirOf(config), log }),
    (opened) => opened.close(),
  )
  const { cascadeEnded } = observer
  const machine = await openMachine(join(config.dataDir, 'files'), environmentBeside(config.dataDir))
  const { addressRules, egress } = await openEgress(config, lifecycle)
  const parts = { ...stores, clock, dispatcher, egress, events: stores.bus, machine, redactor, cascadeEnded }
  const host = createHost({ ...parts, log: nodeLogOf({ ...config, ...stores, log }), timeZone: config.timeZone })
  const worker = await lifecycle.open(
    async () =>
      startLocalAgent(pool, stores.artifacts, {
        id: config.dataDir,
        warm: true,
        ...(config.python === null ? {} : { python: config.python }),
      }),
    (agent) => agent.close(),
  )
  const workers = await openWorkers(pool, { config, log, lifecycle, database: stores.database })
  const registry = new NodeRegistry(nodeTypes)
  const live = await lifecycle.open(
    async () => new LiveRuntime(host, registry, published),
    (opened) => opened.close(),
  )
  await lifecycle.open(
    async () => observer.open(() => live.takeStats()),
    () => observer.recorder.flush(),
  )
  await worker.ready
  const missing = (type: string) =>
    type === 'python' && worker.python === null ? 'Python 3.11 or newer' : (registry.get(type)?.missing?.() ?? null)
  return { addressRules, host, registry, live, observer, pool, worker, workers, missing }
}

/** The way out for nodes. */
async function openEgress({ caFile, egressAllow, environment }: ResolvedConfig, lifecycle: Lifecycle) {
  const addressRules = new AddressRules({ isProduction: environment === 'production', allow: egressAllow })
  const dial = createDialer({ rules: addressRules, trust: await loadTrust(caFile) })
  const outgoing = await lifecycle.open(
    async () => createOutgoingFetch(dial),
    (opened) => opened.close(),
  )
  return { addressRules, egress: { dial, fetch: outgoing.fetch } }
}

const pythonIssuesOf = (worker: Worker, code: CodeRegistry) =>
  createPythonIssues(
    async (source) => {
      await worker.ready
      return worker.python && (await parsePython(source, { python: worker.python.path }))
    },
    (flow, node) => code.pythonFile(flow, node),
  )

type Opened = Awaited<ReturnType<typeof openRuntime>>

interface Runnable {
  readonly code: CodeRegistry
  readonly published: PublishedFlows
  readonly pythonIssues: PythonIssues
  readonly values: CurrentValues
}

function runsOf(
  { config, log }: EngineSetting,
  { artifacts, bus, database, flavors, secrets }: Stores,
  { host, registry, live: runtime, missing }: Opened,
  { code, published, pythonIssues, values }: Runnable,
): Runs {
  return createRuns({
    database,
    host,
    registry,
    artifacts,
    flows: createRunnableFlows({ database, registry, code, published, pythonIssues, missing, flavors, secrets }),
    publishEvent: (event, atMs) => bus.publish(event, atMs),
    publishMessage: (message, value, run) => void runtime.publish(message, value, run),
    lastValue: (message) => values.get(message)?.value,
    maxRuns: config.maxRuns,
    maxParallelNodes: config.maxParallelNodes,
    lease: { seconds: config.runLeaseS, renewSeconds: config.runRenewS },
    log,
  })
}

interface Observed {
  readonly runs: Runs
  readonly published: PublishedFlows
  readonly live: LiveFlows
  readonly sockets: EventSockets
  readonly codeFlows: CodeFlows
}

/** What the engine answers about itself. */
const observabilityOf = (
  { live: runtime, observer, pool, worker }: Opened,
  { runs, published, live, sockets, codeFlows }: Observed,
): Observability =>
  new Observability(observer, {
    runtime,
    activeRuns: () => runs.active(),
    activeFlows: () => published.all().flatMap(({ name }) => (runtime.get(name) ? [name] : [])),
    failedFlows: () => live.failed(),
    workers: () => ({
      attached: pool.list().filter(({ local }) => !local).length,
      needs_upgrade: pool.needingUpgrade().length,
    }),
    droppedResults: () => pool.droppedResults,
    eventSockets: () => sockets.count(),
    hasPython: worker.python !== null,
    loadErrors: () => codeFlows.errors.map(({ file, message }) => ({ package: file ?? 'flows', reason: message })),
  })
