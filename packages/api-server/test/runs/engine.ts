/** An engine that runs batch flows, for tests: the database of the project, the local agent, and flows kept in memory. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { checkDocument, type Clock, type CodeCall, type DeadLetter, type Host, NodeRegistry } from '@flow-service/core'
import { memoryHost } from '@flow-service/core/testing'
import { nodeTypes } from '@flow-service/node-types'
import {
  type EngineEvent,
  type FlowDocument,
  flowDocumentInputSchema,
  type FlowDocumentInput,
  isFinished,
  normalizeDocument,
  type Run,
} from '@flow-service/protocol'
import { v7 } from 'uuid'

import { type Artifacts, createArtifacts } from '../../src/artifacts/artifacts.ts'
import { openContentStore } from '../../src/artifacts/content-store.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { createEventBus } from '../../src/events/event-bus.ts'
import type { RunnableFlow, RunnableFlows } from '../../src/flows/runnable-flows.ts'
import { createRuns, type Runs } from '../../src/runs/runs.ts'
import { createDispatcher } from '../../src/workers/dispatch.ts'
import { startLocalAgent } from '../../src/workers/local-agent.ts'
import { WorkerPool } from '../../src/workers/pool.ts'
import { databaseAt } from '../backend.ts'
import { noFlavors } from '../workers/code-call.ts'

/** Executes nodes in the test's own process: by node id. */
export type Code = Record<string, (call: CodeCall) => Promise<Record<string, unknown>>>

export interface EngineOptions {
  /** Code of nodes that the test executes itself; the others go to the local agent. */
  readonly code?: Code
  readonly maxRuns?: number
  /** Start the local agent with real interpreters. */
  readonly agent?: boolean
  readonly dataDir?: string
  /** Leave the queue closed: submitted runs stay queued until `runs.open()`. */
  readonly closed?: boolean
  readonly flows?: TestFlows
  /** On a server: share the database of an engine with this data directory. */
  readonly databaseDir?: string
  /** A server's database, in place of that of the test project. */
  readonly databaseUrl?: string
  /** How the database is opened, in place of the usual way. */
  readonly open?: typeof openDatabase
  /** What the runs get for the database. */
  readonly wrap?: (database: Database) => Database
  /** In place of the machine's. */
  readonly clock?: Clock
}

export interface TestEngine extends AsyncDisposable {
  readonly dataDir: string
  readonly runs: Runs
  readonly database: Database
  readonly artifacts: Artifacts
  readonly events: EngineEvent[]
  readonly published: [message: string, value: unknown, run: string][]
  readonly deadLetters: DeadLetter[]
  readonly flows: TestFlows
  readonly code: Code
  /** Stores a flow as published content. */
  publish(name: string, document: FlowDocumentInput): Promise<void>
  /** Stores a flow's draft. */
  draft(name: string, document: FlowDocumentInput): Promise<void>
  /** Submits a run. */
  submit(flow: string, body?: Partial<Parameters<Runs['submit']>[1]>): Promise<Run>
  /** The run once it is finished. */
  finished(id: string): Promise<Run>
  /** Resolves with the next event that fits, or one that came before. */
  event(fits: (event: EngineEvent) => boolean): Promise<EngineEvent>
  /** Cancels every run that is not finished. */
  settle(): Promise<void>
  /** Drops everything in memory as a crash would, and keeps the data directory. */
  crash(): Promise<string>
}

interface TestFlow {
  readonly id: string
  version: number
  published: FlowDocument | null
  draft: FlowDocument | null
}
export type TestFlows = Map<string, TestFlow>

const log = { info() {}, warn() {}, error() {} }

export const realClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  setTimer(delayMs, run) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}

/** Opens an engine on a directory of its own, which is removed when it is disposed of. */
export async function openEngine(options: EngineOptions = {}): Promise<TestEngine> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'runs-')))
  const { databaseUrl } = options
  const place = databaseUrl ? { dataDir, databaseUrl } : await databaseAt(options.databaseDir ?? dataDir)
  const database = await (options.open ?? openDatabase)({ ...place, log })
  const content = await openContentStore(join(dataDir, 'artifacts'))
  const artifacts = createArtifacts({ database, content, onCorrupt: () => {} })
  const bus = createEventBus((error) => {
    throw error
  })
  const events: EngineEvent[] = []
  bus.subscribe((event) => void events.push(event))
  const pool = new WorkerPool({ clock: realClock, newId: v7, engineVersion: '0.0.0' })
  const code = { ...options.code }
  const dispatcher = createDispatcher({
    pool,
    bundleOf: () => Promise.reject(new Error('no bundles here')),
    inProcess: (call) => code[call.node.id]?.(call) ?? null,
    flavors: noFlavors,
  })
  const agent = options.agent ? startLocalAgent(pool, artifacts, { directory: dataDir, warm: true }) : null
  await agent?.ready
  const deadLetters: DeadLetter[] = []
  const host: Host = {
    ...memoryHost(),
    clock: options.clock ?? realClock,
    newId: v7,
    call: (call) => dispatcher.call(call),
    artifacts: {
      save: async (data, named) => (await artifacts.put(data, named)).ref,
      load: (digest) => artifacts.read(digest),
    },
    deadLetter: (entry) => void deadLetters.push(entry),
  }
  const registry = new NodeRegistry(nodeTypes)
  const flows: TestFlows = options.flows ?? new Map()
  const published: [message: string, value: unknown, run: string][] = []
  const runs = createRuns({
    database: options.wrap?.(database) ?? database,
    host,
    registry,
    flows: sourceOf(flows, registry),
    artifacts,
    publishEvent: (event, atMs) => bus.publish(event, atMs),
    publishMessage: (message, value, run) => void published.push([message, value, run]),
    lastValue: () => undefined,
    maxRuns: options.maxRuns ?? 4,
    maxParallelNodes: 4,
    log,
  })
  if (!options.closed) await runs.open()

  const keep = async (name: string, input: FlowDocumentInput, form: 'draft' | 'published'): Promise<void> => {
    const document = normalizeDocument(name, flowDocumentInputSchema.parse({ mode: 'batch', ...input }))
    const flow = flows.get(name) ?? { id: v7(), version: 0, published: null, draft: null }
    flow.version += 1
    flow[form] = document
    if (form === 'published') flow.draft = null
    flows.set(name, flow)
    await database.sql`
      insert into flow (id, name, version, draft, origin) values (${flow.id}, ${name}, 1, '{}', 'api')
      on conflict do nothing`
  }
  const event = (fits: (event: EngineEvent) => boolean): Promise<EngineEvent> =>
    new Promise((resolve) => {
      const before = events.find(fits)
      if (before) return resolve(before)
      const stop = bus.subscribe((next) => {
        if (!fits(next)) return
        stop()
        resolve(next)
      })
    })
  let open = true
  const close = async (): Promise<void> => {
    if (!open) return
    open = false
    await runs.close()
    await agent?.close()
    await database.close()
  }
  return {
    dataDir,
    runs,
    database,
    artifacts,
    events,
    published,
    deadLetters,
    flows,
    code,
    publish: (name, document) => keep(name, document, 'published'),
    draft: (name, document) => keep(name, document, 'draft'),
    async submit(flow, body = {}) {
      const { run } = await runs.submit(
        flow,
        { params: {}, draft: false, no_cache: false, priority: 0, ...body },
        'ann@example.org',
      )
      return run
    },
    async finished(id) {
      await event((next) => next.type === 'run' && next.run.id === id && isFinished(next.run.status))
      return runs.get(id)
    },
    event,
    async settle() {
      for (let left = await runs.active(); left.length > 0; left = await runs.active()) {
        await Promise.all(left.map(({ id }) => runs.cancel(id)))
      }
    },
    async crash() {
      open = false
      await database.close()
      await agent?.close()
      return dataDir
    },
    async [Symbol.asyncDispose]() {
      await close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

function sourceOf(flows: TestFlows, registry: NodeRegistry): RunnableFlows {
  const shown = (name: string, flow: TestFlow, form: 'draft' | 'published'): RunnableFlow => {
    const document = form === 'draft' ? (flow.draft ?? flow.published) : flow.published
    const mode = (document ?? flow.draft)?.mode ?? 'batch'
    return { id: flow.id, name, mode, document, version: flow.version, commit: null }
  }
  return {
    async byName(name, form) {
      const flow = flows.get(name)
      return flow ? shown(name, flow, form) : null
    },
    async draftOf(id) {
      const found = [...flows].find(([, flow]) => flow.id === id)
      return found ? shown(...found, 'draft') : null
    },
    nameOf: (_id, known) => known,
    issuesOf: async (document) => checkDocument(document, registry, { message: () => undefined }),
  }
}
