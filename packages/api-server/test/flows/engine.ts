/** The flows slice with everything to its left, on a real port, for its tests. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { AnyNodeDefinition } from '@flow-service/connector-sdk'
import { checkDocument, LiveRuntime, NodeRegistry } from '@flow-service/core'
import { nodeTypes } from '@flow-service/node-types'
import type { AnyFlow, EngineEvent, Flow, FlowDocument, FlowDocumentInput, Problem } from '@flow-service/protocol'
import { createWorker, findPython, memoryTransport, parsePython } from '@flow-service/worker-agent'
import { v7 } from 'uuid'

import { createArtifacts } from '../../src/artifacts/artifacts.ts'
import { openContentStore } from '../../src/artifacts/content-store.ts'
import { createCodeObjects } from '../../src/code/objects.ts'
import { createCodeRegistry, type RegisteredFlow } from '../../src/code/registry.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { AddressRules } from '../../src/egress/address-rules.ts'
import { createDialer } from '../../src/egress/dialer.ts'
import { createDeadLetters } from '../../src/events/dead-letters.ts'
import { createEventBus } from '../../src/events/event-bus.ts'
import { createEventLog } from '../../src/events/event-log.ts'
import { registerFlows } from '../../src/flows/code-registration.ts'
import { Flows } from '../../src/flows/flows.ts'
import { createLiveFlows } from '../../src/flows/live.ts'
import { loadPublishedFlows } from '../../src/flows/published-flows.ts'
import { createPythonIssues } from '../../src/flows/python-issues.ts'
import { flowsEndpoints, flowsHandlers } from '../../src/flows/routes.ts'
import { createRunnableFlows } from '../../src/flows/runnable-flows.ts'
import { Library } from '../../src/flows/sources/library.ts'
import { NodeSources } from '../../src/flows/sources/node-source.ts'
import {
  libraryEndpoints,
  libraryHandlers,
  sourcesEndpoints,
  sourcesHandlers,
} from '../../src/flows/sources/source-routes.ts'
import { createHooks } from '../../src/hooks/hooks.ts'
import { ServedSockets } from '../../src/hooks/served-sockets.ts'
import { createClock, createHost } from '../../src/host/host.ts'
import { openMachine } from '../../src/host/machine.ts'
import { bind } from '../../src/http/mount.ts'
import { createCurrentValues } from '../../src/messages/current-values.ts'
import { openLastValues } from '../../src/messages/last-values.ts'
import { Redactor } from '../../src/secrets/redactor.ts'
import { openSecrets } from '../../src/secrets/secrets.ts'
import { createWork } from '../../src/work/work.ts'
import { createDispatcher } from '../../src/workers/dispatch.ts'
import { Flavors } from '../../src/workers/flavors.ts'
import { WorkerPool } from '../../src/workers/pool.ts'
import { databaseAt } from '../backend.ts'
import { serve, user } from '../http/server.ts'

const quiet = { info() {}, warn() {}, error() {} }

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
  /** Attach a worker that executes code. */
  readonly worker?: boolean
}

export type Engine = Awaited<ReturnType<typeof openEngine>>

/** Starts an engine; `close` keeps the data, disposing removes it. */
export async function openEngine(options: EngineOptions = {}) {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'flows-')))
  const database = await openDatabase({ ...(await databaseAt(dataDir)), log: quiet })
  const content = await openContentStore(join(dataDir, 'artifacts'))
  const artifacts = createArtifacts({ database, content, onCorrupt() {} })
  const redactor = new Redactor()
  const secretConfig = { dataDir, environment: 'local', secretKey: null } as const
  const secrets = await openSecrets({ config: secretConfig, database, redactor, log: quiet })
  const eventLog = createEventLog({ database, log: quiet })
  const bus = createEventBus()
  const events: EngineEvent[] = []
  bus.subscribe((event) => void events.push(event))
  const lastValues = await openLastValues({ database, artifacts, log: quiet })
  const hooks = createHooks()
  const work = createWork({ database, log: quiet, seals: secrets })
  const registry = new NodeRegistry([...nodeTypes, ...(options.types ?? [])])
  const code = createCodeRegistry({ database, artifacts })
  const objects = createCodeObjects(options.objects ?? [], artifacts)
  const flavors = new Flavors({ database, log: quiet })
  await flavors.open()
  const pool = new WorkerPool({ clock: clockOf(), newId: v7, engineVersion: '0.0.0' })
  const dispatcher = createDispatcher({
    pool,
    bundleOf: ({ digest }) => code.bundleText(digest),
    inProcess: (call) => objects.call(call),
    flavors,
  })
  const host = createHost({
    clock: createClock(),
    artifacts,
    deadLetters: createDeadLetters({ database, log: quiet }),
    dispatcher,
    egress: {
      dial: createDialer({ rules: new AddressRules({ isProduction: false, allow: [] }) }),
      fetch: (url, init) => fetch(url, init),
    },
    events: bus,
    hooks,
    servedSockets: new ServedSockets(),
    lastValues,
    log: quiet,
    redactor,
    secrets,
    machine: await openMachine(join(dataDir, 'files'), {}),
    timeZone: 'UTC',
    work,
  })
  const published = await loadPublishedFlows(database)
  const runtime = new LiveRuntime(host, registry, published)
  const missing = options.missing ?? (() => null)
  const check = (document: FlowDocument) =>
    checkDocument(document, registry, { message: (name) => published.dtypeOf(name), missing, flavors, secrets })
  const values = createCurrentValues(lastValues, published)
  const live = createLiveFlows({ runtime, database, values, events: bus, work, check, log: quiet })
  const python = await findPython(process.env)
  const pythonIssues = createPythonIssues(async (source) =>
    python === null ? null : await parsePython(source, { python: python.path }),
  )
  const flows = new Flows({
    database: options.flowsDatabase?.(database) ?? database,
    registry,
    artifacts,
    eventLog,
    lastValues,
    code,
    live,
    published,
    pythonIssues,
    missing,
    flavors,
    secrets,
    work,
    activeRuns: async () => options.activeRuns?.() ?? [],
    renameRuns: async () => {},
  })
  const worker = options.worker ? attach(pool, artifacts, dataDir) : null
  await worker?.ready
  const register = (loaded: readonly RegisteredFlow[]) =>
    registerFlows(loaded, { database, artifacts, eventLog, code, live, published })
  const { errors } = await register([...objects.flows, ...(options.registered ?? [])])
  await live.restore((name) => code.isMissing(name))
  const library = new Library({ database, eventLog, live, published, pythonIssues })
  const sources = new NodeSources({ code, database, eventLog, live, published, registry }, library)
  const bindings = [
    ...bind(flowsEndpoints, flowsHandlers({ flows, registry, missing })),
    ...bind(sourcesEndpoints, sourcesHandlers({ sources })),
    ...bind(libraryEndpoints, libraryHandlers({ library })),
  ]
  const server = await serve(bindings, {
    authenticate: async ({ headers }) =>
      headers.authorization === 'Bearer root' ? { ...user, email: 'root@example.org', superuser: true } : user,
  })

  const close = async (): Promise<void> => {
    await server[Symbol.asyncDispose]()
    await runtime.close()
    await work.close()
    await worker?.close()
    await lastValues.close()
    await flavors.close()
    await secrets.close()
    await database.close()
  }
  return {
    dataDir,
    database,
    artifacts,
    events,
    hooks,
    lastValues,
    runtime,
    flavors,
    registry,
    secrets,
    flows,
    published,
    code,
    errors,
    register,
    live,
    host,
    libraryDeps: { database, eventLog, live, published, pythonIssues },
    runnable: createRunnableFlows({ database, registry, code, published, pythonIssues, missing, flavors, secrets }),
    logged: server.logged,
    ...clientOf(server.url),
    close,
    async [Symbol.asyncDispose]() {
      await close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

const clockOf = () => ({
  now: () => Date.now(),
  setTimer(delayMs: number, run: () => void) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
})

function attach(pool: WorkerPool, artifacts: ReturnType<typeof createArtifacts>, directory: string) {
  const link = memoryTransport({
    get: (digest) => artifacts.read(digest),
    put: async (data, named) => (await artifacts.put(data, named)).ref,
  })
  pool.attach(link.engine, null)
  return createWorker(link.worker, { name: 'engine', directory })
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
