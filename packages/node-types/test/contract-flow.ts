/** One node in a live flow of the engine's runtime, with peers that take everything and answer when they are told to. */
import { Duplex } from 'node:stream'

import {
  type AnyNodeDefinition,
  type CommandEnd,
  defineNode,
  type HookRequest,
  type SocketListener,
  type SocketPeer,
  type Values,
} from '@flow-service/connector-sdk'
import {
  type FlowDocument,
  flowDocumentInputSchema,
  type Issue,
  type NodeState,
  normalizeDocument,
} from '@flow-service/protocol'
import * as z from 'zod'

import { checkDocument, type LiveFlow, LiveRuntime, type Mount, NodeRegistry } from '../../core/src/index.ts'
import { type MemoryHost, memoryHost } from '../../core/src/testing.ts'
import type { Setup } from './test-kit.ts'

const DOES_NOT_START = 'it does not start, on purpose'
const broken = defineNode({
  type: 'broken',
  title: 'Broken',
  description: 'Does not start.',
  category: 'system',
  settings: z.strictObject({}),
  arrival: 'each',
  start() {
    throw new Error(DOES_NOT_START)
  },
})

/** A client of a served socket that takes everything. */
const peer: SocketPeer = { waiting: 0, send: (_frame, sent) => sent?.(), cut() {} }

type Deliver = (brought: unknown) => void | Promise<void>

/** The flow is called `f`, the node `n`, and each of its messages as the port. */
export class ContractFlow {
  /** What was thrown at who brought a request. */
  readonly refusals: string[] = []
  readonly #definition: AnyNodeDefinition
  readonly #setup: Setup
  readonly #host: MemoryHost
  readonly #connections = new Set<Duplex>()
  readonly #answered = Promise.withResolvers<unknown>()
  /** Mounted hooks and sockets. */
  readonly #routes = new Set<Deliver>()
  #records = 0
  #executed = 0
  #runtime: LiveRuntime | null = null
  #flow: LiveFlow | null = null

  constructor(definition: AnyNodeDefinition, setup: Setup) {
    this.#definition = definition
    this.#setup = setup
    const host = memoryHost({
      fetch: async (_url, init) => {
        const answer = await this.#ask(init?.signal)
        return new Response(typeof answer === 'string' ? answer : JSON.stringify(answer))
      },
      spawn: async ({ signal }) => (await this.#ask(signal)) as CommandEnd,
      call: async ({ signal }) => (await this.#ask(signal)) as Values,
      connect: () => this.#connect(),
    })
    host.devices.seat = (_device, seat) => {
      const names = Object.keys(this.#setup.outputs ?? {})
      const mount = this.#mount((brought) => seat.emit(Object.fromEntries(names.map((name) => [name, brought]))))
      mount.open()
      return () => mount.unmount()
    }
    this.#host = {
      ...host,
      files: { ...host.files, append: (path, data) => ((this.#records += 1), host.files.append(path, data)) },
      webhook: (_flow, _route, handler) => this.#mount((brought) => handler(requestOf(brought))),
      socketRoute: (_flow, _route, serve) => {
        let client: SocketListener | null = null
        return this.#mount((brought) => (client ??= serve(peer)).heard(JSON.stringify(brought)))
      },
    }
  }

  /** What the engine finds before the flow is published, but for advice. */
  issues(): readonly Issue[] {
    const all = checkDocument(this.#document({}), new NodeRegistry([this.#definition]))
    return all.filter(({ severity }) => severity === 'error')
  }

  /** `dtype`: of all inputs; `fails`: a later node of the flow does not start. */
  async start(options: { readonly dtype?: string; readonly fails?: boolean } = {}): Promise<void> {
    await this.#start(this.#definition, options)
  }

  /** Starts a node of the type that does its work, and then fails. */
  async startBroken(): Promise<void> {
    const definition = this.#definition
    const failing: AnyNodeDefinition['start'] = async (ctx) => {
      await definition.start(ctx)
      throw new Error(DOES_NOT_START)
    }
    await this.#start({ ...definition, start: failing }, {})
  }

  /** Brings something in by every way that the node has, and lets ten seconds pass. */
  async use(brought: unknown = 1): Promise<void> {
    await this.publish(1)
    for (const deliver of this.#routes) {
      await Promise.resolve(brought)
        .then(deliver)
        .catch((error: Error) => this.refusals.push(error.message))
    }
    await this.advance(10)
  }

  /** Publishes a value to each input. */
  async publish(value: unknown): Promise<void> {
    for (const name of Object.keys(this.#setup.inputs ?? {})) this.#runtime?.publish(`f.${name}`, value)
    await this.advance(0)
  }

  /** Answers everything that was asked for, and that will be. */
  async answer(answer: unknown): Promise<void> {
    this.#answered.resolve(answer)
    await this.advance(0)
  }

  async advance(seconds: number): Promise<void> {
    await this.#host.advance(seconds * 1000)
  }

  /** Lets executions that do not end be cut off. */
  async stop(): Promise<void> {
    const stopped = this.#flow?.stop()
    await this.advance(10)
    await stopped
  }

  get state(): NodeState {
    return this.#flow!.nodeStates()[0]!
  }

  /** What the node has published. */
  get published(): readonly unknown[] {
    return this.#host.records.filter(({ node }) => node === 'n').map(({ value }) => value)
  }

  /** What the node has done so far. */
  get done(): number {
    this.#executed += this.#runtime!.takeStats().reduce((sum, { executions }) => sum + executions, 0)
    return this.#executed + this.published.length + this.#records
  }

  /** What has to be gone after the stop. */
  get left(): readonly string[] {
    return [
      ...Array.from({ length: this.#host.clock.pending }, () => 'timer'),
      ...[...this.#connections].map(() => 'connection'),
      ...[...this.#routes].map(() => 'route'),
    ]
  }

  /** What is kept for the next start of the flow. */
  get kept(): number {
    return this.#host.work.items.size
  }

  async #start(definition: AnyNodeDefinition, options: { dtype?: string; fails?: boolean }): Promise<void> {
    await this.#host.files.write('given.txt', new TextEncoder().encode('1'))
    this.#runtime = new LiveRuntime(this.#host, new NodeRegistry([definition, broken]))
    this.#flow = await this.#runtime.start(this.#document(options))
  }

  #document({ dtype, fails = false }: { dtype?: string; fails?: boolean }): FlowDocument {
    const { settings = {}, inputs = {}, outputs = {} } = this.#setup
    const { code, type } = this.#definition
    const ports = [
      ...Object.entries(inputs).map(([name, own]) => ({ direction: 'input', name, dtype: dtype ?? own })),
      ...Object.entries(outputs).map(([name, own]) => ({ direction: 'output', name, dtype: own })),
    ]
    const source = code === 'python' ? { source: 'def run(**given): return {}' } : {}
    const node = { id: 'n', type, settings, ports, ...(code === 'typescript' ? { entry } : source) }
    const given = {
      mode: 'live',
      nodes: fails ? [node, { id: 'later', type: 'broken' }] : [node],
      inputs: Object.keys(inputs).map((name) => ({ name, dtype: 'any' })),
    }
    const registry = new NodeRegistry([this.#definition])
    const parsed = flowDocumentInputSchema.parse(given)
    return normalizeDocument('f', parsed, undefined, (of, port) => registry.imposedTrigger(of, port))
  }

  /** As the engine does, gives a question up when it is told to. */
  #ask(signal: AbortSignal | null | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error))
      void this.#answered.promise.then(resolve)
    })
  }

  /** A connection that takes everything and answers nothing. */
  #connect(): Duplex {
    const connection = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
    this.#connections.add(connection)
    connection.once('close', () => this.#connections.delete(connection))
    return connection
  }

  #mount(deliver: Deliver): Mount {
    return {
      hold() {},
      open: () => void this.#routes.add(deliver),
      unmount: () => void this.#routes.delete(deliver),
    }
  }
}

const entry = { module: 'flow.ts', export: 'run', digest: `sha256:${'0'.repeat(64)}`, modules: [] }

const requestOf = (brought: unknown): HookRequest => ({
  method: 'POST',
  mediaType: 'application/json',
  query: {},
  body: new TextEncoder().encode(JSON.stringify(brought)),
})
