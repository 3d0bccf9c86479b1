/** An engine that runs batch flows, for tests: the database of the project, the local agent, and flows kept in memory. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import {
  checkDocument,
  type Clock,
  type CodeCall,
  type DeadLetter,
  type LiveRuntime,
  NodeRegistry,
  openValues,
  type StageEnvironment,
  storedKinds,
} from '@flow-service/core'
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
import type { Worker } from '@flow-service/worker-agent'
import * as Layer from 'effect/Layer'
import pino from 'pino'
import { v7 } from 'uuid'

import type { Artifacts } from '../../src/artifacts/artifacts.ts'
import { artifacts, artifactsLayer } from '../../src/artifacts/slice.ts'
import { resolveConfig } from '../../src/config.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { database, pins } from '../../src/db/layer.ts'
import { alone } from '../../src/engines/lease.ts'
import { lease } from '../../src/engines/slice.ts'
import type { EventLog } from '../../src/events/event-log.ts'
import { bus, eventLog, eventsLayer } from '../../src/events/slice.ts'
import type { RunnableFlow, RunnableFlows } from '../../src/flows/runnable-flows.ts'
import { registry, runnableFlows, runtime } from '../../src/flows/slice.ts'
import { host } from '../../src/host/slice.ts'
import { values } from '../../src/messages/slice.ts'
import { clock, config, log } from '../../src/process/given.ts'
import { begins, contextOf, inOrder, makes, nounsOf, opens } from '../../src/process/layer.ts'
import { Lifecycle } from '../../src/process/lifecycle.ts'
import type { CurveComparison } from '../../src/runs/reports/comparison.ts'
import type { CurveColumnsReader } from '../../src/runs/reports/curve-columns.ts'
import type { RunExports } from '../../src/runs/reports/run-export.ts'
import type { Runs } from '../../src/runs/runs.ts'
import {
  comparison,
  curveColumns,
  reportsLayer,
  runExports,
  runs,
  runsLayer,
  stageEnvironments,
} from '../../src/runs/slice.ts'
import { startLocalAgent } from '../../src/workers/local-agent.ts'
import type { RunCalls } from '../../src/workers/run-calls.ts'
import {
  dispatcher,
  dispatcherLayer,
  flavorsLayer,
  nodeCode,
  pool,
  poolLayer,
  runCalls,
} from '../../src/workers/slice.ts'
import { databaseAt } from '../backend.ts'

/** Executes nodes in the test's own process: by node id. */
export type Code = Record<string, (call: CodeCall) => Promise<Record<string, unknown>>>

export interface EngineOptions {
  /** Code of nodes that the test executes itself; the others go to the local agent. */
  readonly code?: Code
  /** Of all classes together; unless {@link maxLightRuns} is given. */
  readonly maxRuns?: number
  readonly maxLightRuns?: number
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
  /** What Python stages find, in place of nothing that is known. */
  readonly environment?: () => readonly StageEnvironment[] | null
  /** How long runs wait for their workers after their engine; not at all unless given. */
  readonly resumeS?: number
  /** In place of the machine's. */
  readonly clock?: Clock
}

export interface TestEngine extends AsyncDisposable {
  readonly dataDir: string
  readonly runs: Runs
  readonly runCalls: RunCalls
  readonly comparison: CurveComparison
  readonly curveColumns: CurveColumnsReader
  readonly runExports: RunExports
  readonly database: Database
  readonly eventLog: EventLog
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

export const realClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  setTimer(delayMs, run) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}

type Published = [message: string, value: unknown, run: string][]

/** What the test sees of its engine, and what stands in place of the slices around runs. */
interface Around {
  readonly code: Code
  readonly flows: TestFlows
  readonly published: Published
  readonly deadLetters: DeadLetter[]
}

/** Runs on the slices that they stand on; the host, the flows and the messages are the test's own. */
function slicesOf(options: EngineOptions, around: Around) {
  const { databaseUrl, databaseDir, open = openDatabase, wrap, environment = () => null } = options
  const { code, flows, published, deadLetters } = around
  const publish = (message: string, value: unknown, { run }: { readonly run: string }) =>
    void published.push([message, value, run])
  const wrapped = makes(database, { database }, ({ database }) => wrap?.(database) ?? database)
  return inOrder(
    makes(
      database,
      { config, log },
      async ({ config: { dataDir }, log }) => {
        const place = databaseUrl ? { dataDir, databaseUrl } : await databaseAt(databaseDir ?? dataDir)
        return open({ ...place, log })
      },
      (opened) => opened.close(),
    ),
    // engines of a test have folders of their own
    makes(pins, {}, () => null),
    makes(lease, {}, () => alone(null)),
    ...([eventsLayer, artifactsLayer, flavorsLayer, poolLayer] as const),
    makes(nodeCode, { artifacts }, ({ artifacts }) => ({
      bundleOf: () => Promise.reject(new Error('no bundles here')),
      inProcess(call) {
        const own = code[call.node.id]
        if (own === undefined || storedKinds(call.inputs) === null) return own?.(call) ?? null
        return openValues(call.inputs, (digest) => artifacts.read(digest)).then((inputs) => own({ ...call, inputs }))
      },
    })),
    dispatcherLayer,
    makes(host, { artifacts, clock, dispatcher }, ({ artifacts, clock, dispatcher }) => ({
      ...memoryHost(),
      clock,
      newId: v7,
      call: (call) => dispatcher.call(call),
      artifacts: {
        save: async (data, named) => (await artifacts.put(data, named)).ref,
        load: (digest) => artifacts.read(digest),
      },
      deadLetter: (entry) => void deadLetters.push(entry),
    })),
    makes(registry, {}, () => new NodeRegistry(nodeTypes)),
    makes(runnableFlows, { registry }, ({ registry }) => sourceOf(flows, registry)),
    makes(runtime, {}, () => ({ publish }) as unknown as LiveRuntime),
    makes(values, {}, () => ({ get: () => undefined, all: () => [] })),
    makes(stageEnvironments, {}, () => ({ of: async () => environment() })),
    wrap ? Layer.provide(runsLayer, wrapped) : runsLayer,
    reportsLayer,
  )
}

/** Opens an engine on a directory of its own, which is removed when it is disposed of. */
export async function openEngine(options: EngineOptions = {}): Promise<TestEngine> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'runs-')))
  const flows: TestFlows = options.flows ?? new Map()
  const code = { ...options.code }
  const published: Published = []
  const deadLetters: DeadLetter[] = []
  let agent: Worker | null = null
  const attach = begins(
    { artifacts, pool },
    async ({ artifacts, pool }) => {
      if (!options.agent) return
      agent = startLocalAgent(pool, artifacts, { directory: dataDir, parallel: 8, warm: true })
      await agent.ready
    },
    () => agent?.close(),
  )
  const events: EngineEvent[] = []
  const listen = begins(
    { bus },
    ({ bus }) => bus.subscribe((event) => void events.push(event)),
    (stop) => stop(),
  )
  const execute = begins(
    { runs },
    async ({ runs }) => {
      if (!options.closed) await runs.open()
      return runs
    },
    (opened) => opened.close(),
  )
  const given = contextOf(
    { clock, config, log },
    {
      clock: options.clock ?? realClock,
      config: {
        ...resolveConfig({ dataDir, maxParallelNodes: 4 }),
        maxRuns: options.maxRuns ?? 4,
        maxLightRuns: options.maxLightRuns ?? null,
        workerResumeS: options.resumeS ?? 0,
      },
      log: pino({ level: 'silent' }),
    },
  )
  const lifecycle = new Lifecycle()
  const slices = slicesOf(options, { code, flows, published, deadLetters })
  const engine = nounsOf(await lifecycle.openAll(opens(given, slices, [attach, listen, execute])), {
    artifacts,
    bus,
    comparison,
    curveColumns,
    database,
    eventLog,
    runCalls,
    runExports,
    runs,
  })
  const keep = async (name: string, input: FlowDocumentInput, form: 'draft' | 'published'): Promise<void> => {
    const document = normalizeDocument(name, flowDocumentInputSchema.parse({ mode: 'batch', ...input }))
    const flow = flows.get(name) ?? { id: v7(), version: 0, published: null, draft: null }
    flow.version += 1
    flow[form] = document
    if (form === 'published') flow.draft = null
    flows.set(name, flow)
    await engine.database.sql`
      insert into flow (id, name, version, draft, origin) values (${flow.id}, ${name}, 1, '{}', 'api')
      on conflict do nothing`
  }
  const event = (fits: (event: EngineEvent) => boolean): Promise<EngineEvent> =>
    new Promise((resolve) => {
      const before = events.find(fits)
      if (before) return resolve(before)
      const stop = engine.bus.subscribe((next) => {
        if (!fits(next)) return
        stop()
        resolve(next)
      })
    })
  let open = true
  const close = async (): Promise<void> => {
    if (!open) return
    open = false
    await lifecycle.close()
  }
  return {
    dataDir,
    ...engine,
    events,
    published,
    deadLetters,
    flows,
    code,
    publish: (name, document) => keep(name, document, 'published'),
    draft: (name, document) => keep(name, document, 'draft'),
    async submit(flow, body = {}) {
      const { run } = await engine.runs.submit(
        flow,
        { params: {}, draft: false, no_cache: false, priority: 0, ...body },
        'ann@example.org',
      )
      return run
    },
    async finished(id) {
      await event((next) => next.type === 'run' && next.run.id === id && isFinished(next.run.status))
      return engine.runs.get(id)
    },
    event,
    async settle() {
      for (let left = await engine.runs.active(); left.length > 0; left = await engine.runs.active()) {
        await Promise.all(left.map(({ id }) => engine.runs.cancel(id)))
      }
    },
    async crash() {
      open = false
      await engine.database.close()
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
    // the flows of these tests have rows that say nothing of them
    readLast: () => null,
    async draftOf(id) {
      const found = [...flows].find(([, flow]) => flow.id === id)
      return found ? shown(...found, 'draft') : null
    },
    nameOf: (_id, known) => known,
    issuesOf: async (document) => checkDocument(document, registry, { message: () => undefined }),
  }
}
