/**
 * An engine with its flows on a server, for the tests of flows: the slices of the product up to flows, on the database of
 * the test project, without runs.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { AnyNodeDefinition } from '@flow-service/connector-sdk'
import { NodeRegistry } from '@flow-service/core'
import { nodeTypes } from '@flow-service/node-types'
import type { AnyFlow, EngineEvent, Flow, FlowDocumentInput, Problem } from '@flow-service/protocol'
import * as Layer from 'effect/Layer'
import pino from 'pino'

import { artifacts, artifactsLayer } from '../../src/artifacts/slice.ts'
import type { RegisteredFlow } from '../../src/code/registry.ts'
import {
  code,
  codeFolder,
  codeFolderLayer,
  connectorPackagesLayer,
  codeLayer,
  codeObjects,
} from '../../src/code/slice.ts'
import { resolveConfig } from '../../src/config.ts'
import { connectorStateLayer } from '../../src/connectors/slice.ts'
import type { Database } from '../../src/db/database.ts'
import { database, databaseLayer } from '../../src/db/layer.ts'
import {
  devicePresence,
  deviceSeats,
  deviceSeatsLayer,
  deviceViews,
  deviceWiring,
  knownDevices,
} from '../../src/devices/slice.ts'
import { egressLayer } from '../../src/egress/layer.ts'
import { enginesLayer, links } from '../../src/engines/slice.ts'
import { bus, eventLog, eventsLayer } from '../../src/events/slice.ts'
import { registerFlows } from '../../src/flows/code-registration.ts'
import {
  codeFlows,
  type FlowDashboards,
  flowDashboards,
  type FlowRuns,
  flowRuns,
  flowVersions,
  flows,
  flowsApi,
  flowsLayer,
  followEngines,
  live,
  liveLayer,
  missing,
  missingLayer,
  published,
  publishedLayer,
  pythonIssues,
  pythonIssuesLayer,
  registry,
  restoreFlows,
  runnableFlows,
  runtime,
  runtimeLayer,
  sparesLayer,
} from '../../src/flows/slice.ts'
import { hooks, hooksLayer } from '../../src/hooks/slice.ts'
import { cascadeEnded, host, hostLayer } from '../../src/host/slice.ts'
import { bindingsOf } from '../../src/http/slice-api.ts'
import { lastValues, valuesLayer } from '../../src/messages/slice.ts'
import { nodeLogsLayer } from '../../src/node-logs/slice.ts'
import { createClock } from '../../src/process/clock.ts'
import { clock, config, log } from '../../src/process/given.ts'
import { begins, contextOf, inOrder, makes, nounsOf, opens } from '../../src/process/layer.ts'
import { Lifecycle } from '../../src/process/lifecycle.ts'
import { Redactor } from '../../src/secrets/redactor.ts'
import { redactor, secrets, secretsLayer } from '../../src/secrets/slice.ts'
import { adoptionLayer, workLayer } from '../../src/work/slice.ts'
import { startLocalAgent } from '../../src/workers/local-agent.ts'
import { agent, dispatcherLayer, flavors, flavorsLayer, pool, poolLayer } from '../../src/workers/slice.ts'
import { databaseAt } from '../backend.ts'
import { serve, user } from '../http/server.ts'

export interface EngineOptions {
  /** Keep an earlier engine's data. */
  readonly dataDir?: string
  readonly objects?: readonly AnyFlow[]
  readonly registered?: readonly RegisteredFlow[]
  readonly activeRuns?: () => string[]
  /** Node types beside the built-in ones. */
  readonly types?: readonly AnyNodeDefinition[]
  /** What a node type lacks. */
  readonly missing?: (type: string) => string | null
  /** What flows see of the database. */
  readonly flowsDatabase?: (database: Database) => Pick<Database, 'sql' | 'transaction'>
}

export type Engine = Awaited<ReturnType<typeof openEngine>>

const given = { clock, config, log, redactor }
const shown = {
  artifacts,
  bus,
  code,
  codeFlows,
  database,
  devicePresence,
  deviceSeats,
  deviceViews,
  deviceWiring,
  eventLog,
  flavors,
  flowVersions,
  flows,
  hooks,
  host,
  knownDevices,
  lastValues,
  live,
  published,
  pythonIssues,
  registry,
  runnableFlows,
  runtime,
  secrets,
}

/** The slices of the product, but for what an option replaces. */
function slicesOf({ activeRuns = () => [], types = [], missing: lacks, flowsDatabase: wrap }: EngineOptions) {
  const noRuns: FlowRuns = {
    activeRuns: async () => activeRuns(),
    renameRuns: async () => {},
    newestRuns: async () => new Map(),
    submitDraft: () => Promise.reject(new Error('there are no runs here')),
  }
  const noDashboards: FlowDashboards = {
    renameFlow: async () => {},
    register: async () => ({ names: [], changed: [], removed: [], errors: [] }),
  }
  const seen = makes(database, { database }, ({ database }) => (wrap?.(database) ?? database) as Database)
  return inOrder(
    Layer.mergeAll(databaseLayer, codeFolderLayer, connectorPackagesLayer),
    ...([enginesLayer, eventsLayer, secretsLayer, flavorsLayer, artifactsLayer] as const),
    ...([workLayer, adoptionLayer, hooksLayer] as const),
    ...([egressLayer, poolLayer, codeLayer, dispatcherLayer, connectorStateLayer, deviceSeatsLayer] as const),
    // engines of a test meet in the database alone
    makes(links, {}, () => null),
    makes(cascadeEnded, {}, () => () => {}),
    ...([nodeLogsLayer, hostLayer] as const),
    // no spare process: few tests execute code
    makes(
      agent,
      { artifacts, config, pool },
      ({ artifacts, config, pool }) => startLocalAgent(pool, artifacts, { directory: config.dataDir }),
      (started) => started.close(),
    ),
    makes(registry, {}, () => new NodeRegistry([...nodeTypes, ...types])),
    ...([publishedLayer, valuesLayer, runtimeLayer] as const),
    lacks ? makes(missing, {}, () => lacks) : missingLayer,
    ...([pythonIssuesLayer, sparesLayer, liveLayer] as const),
    makes(flowRuns, {}, () => noRuns),
    makes(flowDashboards, {}, () => noDashboards),
    wrap ? Layer.provide(flowsLayer, seen) : flowsLayer,
  )
}

/** Starts an engine; `close` keeps the data, disposing removes it. */
export async function openEngine(options: EngineOptions = {}) {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'flows-')))
  const lifecycle = new Lifecycle()
  const settings = { ...(await databaseAt(dataDir)), environment: 'local', timeZone: 'UTC' } as const
  const first = begins({ codeFlows, codeFolder, codeObjects }, ({ codeFlows, codeFolder, codeObjects }) =>
    codeFlows.open({ ...codeFolder.first, flows: [...codeObjects.flows, ...(options.registered ?? [])] }),
  )
  const engine = await lifecycle.openAll(
    opens(
      contextOf(given, {
        clock: createClock(),
        config: resolveConfig({ ...settings, flows: options.objects ?? [] }),
        log: pino({ level: 'silent' }),
        redactor: new Redactor(),
      }),
      slicesOf(options),
      [first, restoreFlows, followEngines],
    ),
  )
  const nouns = nounsOf(engine, shown)
  const events: EngineEvent[] = []
  nouns.bus.subscribe((event) => void events.push(event))
  const server = await serve(bindingsOf([flowsApi], engine), {
    authenticate: async ({ headers }) =>
      headers.authorization === 'Bearer root' ? { ...user, email: 'root@example.org', superuser: true } : user,
  })
  const close = async (): Promise<void> => {
    await server[Symbol.asyncDispose]()
    await lifecycle.close()
  }
  return {
    ...nouns,
    dataDir,
    events,
    errors: nouns.codeFlows.errors,
    register: (loaded: readonly RegisteredFlow[], earlier?: readonly RegisteredFlow[]) =>
      registerFlows(loaded, nouns, earlier),
    runnable: nouns.runnableFlows,
    logged: server.logged,
    ...clientOf(server.url),
    close,
    async [Symbol.asyncDispose]() {
      await close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

interface Answer<T = Flow> {
  readonly status: number
  readonly headers: Headers
  /** The body as a success; null when there is none. */
  readonly value: T
  /** The body as a refusal. */
  readonly problem: Problem
}

function clientOf(url: string) {
  const send =
    (credential: string) =>
    async <T = Flow>(method: string, path: string, body?: unknown): Promise<Answer<T>> => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      const value = text === '' ? null : JSON.parse(text)
      return { status: response.status, headers: response.headers, value, problem: value }
    }
  const root = send('root')
  const publish = async (name: string, document: FlowDocumentInput): Promise<Answer> => {
    const saved = await root('PUT', `/flows/${name}`, document)
    return saved.status < 300 ? await root('POST', `/flows/${name}/publish`, { version: saved.value.version }) : saved
  }
  return { url, root, ann: send('ann'), publish }
}

/** A document of two nodes that executes no code: values of `on` leave as `off`. */
export const relay: FlowDocumentInput = {
  inputs: [{ name: 'on' }],
  nodes: [
    {
      id: 'pass',
      type: 'change',
      settings: {},
      ports: [
        { direction: 'input', name: 'on' },
        { direction: 'output', name: 'off' },
      ],
    },
  ],
}

/** A document whose node has the values of another flow's message, which leave as `seen`. */
export const reader = (message: string): FlowDocumentInput => ({
  nodes: [
    {
      id: 'watch',
      type: 'change',
      ports: [
        { direction: 'input', name: message },
        { direction: 'output', name: 'seen' },
      ],
    },
  ],
})
