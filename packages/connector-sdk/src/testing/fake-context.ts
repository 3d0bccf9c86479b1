/**
 * Everything that a node may touch, in memory: tests of node types drive it and read what the node has done.
 * @module
 */
import type { Duplex } from 'node:stream'

import type { ArtifactRef, Dtype, FlowMode, Health } from '@flow-service/protocol'
import { cronFault } from '@flow-service/protocol'

import type { Command, CommandEnd } from '../command.ts'
import type { Cancel, FetchInit, HookRequest, HookRoute, NodeContext, PendingTimer, SaveOptions } from '../context.ts'
import type { Files } from '../files.ts'
import type { NodePort, Values } from '../node.ts'
import type { RouteHandler, RouteOptions } from '../routes.ts'
import type { ConnectTarget, SocketListener, SocketPeer, SocketRoute } from '../socket.ts'
import { FakeClock, settled } from './fake-clock.ts'
import { FakeNetwork, type FakeNetworkOptions, type Reach } from './fake-network.ts'
import { type AskOptions, FakeRoutes } from './fake-routes.ts'
import { FakeArtifacts, FakeFiles } from './fake-storage.ts'
import { FakeStore } from './fake-store.ts'
import { filledSettings } from './filled-settings.ts'
import { inside, outside } from './inside.ts'
import { delivered } from './published.ts'

/** Dtypes by port name. */
export type FakePorts = Readonly<Record<string, Dtype>>

/** What a fake context starts with. */
export interface FakeContextOptions extends FakeNetworkOptions {
  /** As the flow has them: secrets may be references, `{ $secret: name }`. */
  readonly settings?: Values
  /** Values of secrets by name. */
  readonly secrets?: Readonly<Record<string, string>>
  readonly inputs?: FakePorts
  readonly outputs?: FakePorts
  /** `flow` unless given. */
  readonly flow?: string
  /** `node` unless given. */
  readonly node?: string
  /** `live` unless given. */
  readonly mode?: FlowMode
  /** False as in a run of a draft; true unless given. */
  readonly listens?: boolean
  /** One of its own unless given: nodes of one package share theirs. */
  readonly store?: FakeStore
  /** One of its own unless given. */
  readonly clock?: FakeClock
  /** `UTC` unless given. */
  readonly timeZone?: string
  /** Latest values of input ports. */
  readonly latest?: Values
  /** Last values of the messages behind output ports, from before the node was made. */
  readonly current?: Values
  /** Answers `ctx.spawn`; without it every command fails. */
  readonly spawn?: (command: Command) => Promise<CommandEnd>
  /** Answers `ctx.call`; without it every call fails. */
  readonly call?: (inputs: Values) => Promise<Values>
}

/** How a node has said that its connections are. */
export interface ToldHealth {
  readonly status: Health
  readonly message: string | null
}

/** A timer of `ctx.setTimer`. */
export interface LastingTimer {
  readonly dueMs: number
  readonly data: unknown
}

/** A `NodeContext` for one node. @typeParam S the settings of the node. */
export class FakeContext<S = Values> implements NodeContext<S> {
  readonly flow: string
  readonly node: string
  readonly mode: FlowMode
  readonly run: string | null
  readonly settings: S
  readonly inputs: readonly NodePort[]
  readonly outputs: readonly NodePort[]
  readonly listens: boolean
  readonly store: FakeStore
  readonly clock: FakeClock
  readonly timeZone: string
  readonly files: Files = new FakeFiles()
  readonly network: FakeNetwork
  readonly artifacts = new FakeArtifacts()
  /** What the node has published: the values of each delivery by port, in order. */
  readonly sent: Values[] = []
  /** What it has told of its connections; equal states in a row once, as the engine tells them. */
  readonly health: ToldHealth[] = []
  /** Lines of its log. */
  readonly logs: string[] = []
  /** What its callbacks have thrown: in an engine the node would have failed. */
  readonly failures: unknown[] = []
  /** What it has tried to do after its end, in words; an engine ignores it. */
  readonly late: string[] = []
  /** Requests and connections that it has left open at its end. */
  readonly leftOpen: Reach[] = []
  /** Its timers that would outlive the engine, by key. */
  readonly timers = new Map<string, LastingTimer>()
  readonly #options: FakeContextOptions
  readonly #lifetime = new AbortController()
  readonly #cancels = new Set<Cancel>()
  readonly #crons = new Map<string, Set<() => void>>()
  readonly #hooks = new Map<string, (request: HookRequest) => void | Promise<void>>()
  readonly #sockets = new Map<string, (peer: SocketPeer) => SocketListener>()
  readonly #routes = new FakeRoutes()
  #state: 'open' | 'closing' | 'ended' = 'open'

  constructor(options: FakeContextOptions = {}) {
    this.#options = options
    this.flow = options.flow ?? 'flow'
    this.node = options.node ?? 'node'
    this.mode = options.mode ?? 'live'
    this.run = this.mode === 'batch' ? 'run' : null
    this.settings = filledSettings(options.settings ?? {}, options.secrets ?? {}) as S
    this.inputs = portsOf(this.flow, options.inputs, true)
    this.outputs = portsOf(this.flow, options.outputs, false)
    this.listens = options.listens ?? true
    this.store = options.store ?? new FakeStore()
    this.clock = options.clock ?? new FakeClock()
    this.timeZone = options.timeZone ?? 'UTC'
    this.network = new FakeNetwork(options)
  }

  /** Lets time pass: every timer that comes due runs at its time, and what follows from it before the next. */
  advance(ms: number): Promise<void> {
    return this.clock.advance(ms)
  }

  /** The values that were published on a port, in order. */
  values(port: string): unknown[] {
    return this.sent.filter((values) => Object.hasOwn(values, port)).map((values) => values[port])
  }

  /** Runs the schedules of this cron pattern, and what follows. */
  async tick(pattern: string): Promise<void> {
    for (const run of this.#crons.get(pattern) ?? []) run()
    await settled()
  }

  /** Brings a request to a webhook of the node; the default is a POST of JSON. Rejects with what the node throws. */
  async hook(
    path: string,
    { json, ...request }: Partial<HookRequest> & { readonly json?: unknown } = {},
  ): Promise<void> {
    const handler = this.#hooks.get(path)
    if (handler === undefined) throw new Error(`the node has no webhook "${path}"`)
    const body = new TextEncoder().encode(json === undefined ? '' : JSON.stringify(json))
    await inside(this, async () =>
      handler({ method: 'POST', mediaType: 'application/json', query: {}, body, ...request }),
    )
  }

  /** Connects a client to a served socket of the node. */
  plug(path: string, peer: SocketPeer): SocketListener {
    const serve = this.#sockets.get(path)
    if (serve === undefined) throw new Error(`the node serves no socket "${path}"`)
    return inside(this, () => serve(peer))
  }

  /**
   * Brings a request to the routes that the node has mounted; the path begins below the node. Answers 404 for what the node
   * has nothing at, and rejects with what it throws.
   * @example const answer = await ctx.request('GET', '/picture')
   */
  request(method: string, path: string, options: AskOptions = {}): Promise<Response> {
    return inside(this, () => this.#routes.ask(method, path, options))
  }

  /** As the engine before it stops the node: aborts the signal and ends timers, routes and publications. */
  close(): void {
    if (this.#state !== 'open') return
    this.#state = 'closing'
    for (const cancel of this.#cancels) cancel()
    this.#hooks.clear()
    this.#sockets.clear()
    this.#routes.clear()
    this.#lifetime.abort(new Error('the node stops'))
  }

  /** As the engine after it has stopped the node: ends its connections. What it does from now on is `late`. */
  end(): void {
    this.close()
    if (this.#state === 'closing') this.leftOpen.push(...this.network.open)
    this.#state = 'ended'
    this.network.disconnect()
  }

  get signal(): AbortSignal {
    return this.#lifetime.signal
  }

  send(port: string, value: unknown): void {
    this.emit({ [port]: value })
  }

  emit(values: Values): void {
    if (!this.#isOpen(`published ${Object.keys(values).join(', ')}`)) return
    const delivery = delivered(this.outputs, values)
    if (delivery !== null) this.sent.push(delivery)
  }

  async emitDurably(values: Values): Promise<void> {
    if (this.#state !== 'open') throw new Error('the node stops')
    this.emit(values)
  }

  latest(port: string): unknown {
    return this.#options.latest?.[port] ?? null
  }

  current(port: string): unknown {
    return this.values(port).at(-1) ?? this.#options.current?.[port] ?? null
  }

  now(): number {
    return this.clock.now()
  }

  after(seconds: number, run: () => void): Cancel {
    const cancel = this.#listen(
      this.clock.setTimer(seconds * 1000, () => {
        cancel()
        this.#guard(run)
      }),
    )
    return cancel
  }

  every(seconds: number, run: () => void): Cancel {
    if (!(seconds > 0)) throw new RangeError(`an interval of ${seconds} s never ends; give more than 0`)
    let stopTimer: Cancel = () => {}
    const plan = (): void => {
      stopTimer = this.clock.setTimer(seconds * 1000, () => {
        plan()
        this.#guard(run)
      })
    }
    plan()
    return this.#listen(() => stopTimer())
  }

  cron(pattern: string, run: () => void): Cancel {
    const fault = cronFault(pattern)
    if (fault !== null) throw new RangeError(fault)
    const runs = this.#crons.get(pattern) ?? new Set()
    const guarded = (): void => this.#guard(run)
    this.#crons.set(pattern, runs.add(guarded))
    return this.#listen(() => runs.delete(guarded))
  }

  setTimer(key: string, dueMs: number, data: unknown): void {
    if (!Number.isFinite(dueMs)) throw new RangeError(`${dueMs} is no point in time for the timer "${key}"`)
    if (this.#isOpen(`set the timer "${key}"`)) this.timers.set(key, { dueMs, data: structuredClone(data) })
  }

  clearTimer(key: string): void {
    this.timers.delete(key)
  }

  timerDue(key: string): number | null {
    return this.timers.get(key)?.dueMs ?? null
  }

  pendingTimers(): readonly PendingTimer[] {
    const timers = [...this.timers].map(([key, timer]) => ({ key, ...timer }))
    return timers.toSorted((a, b) => a.dueMs - b.dueMs)
  }

  webhook(route: HookRoute, handler: (request: HookRequest) => void | Promise<void>): void {
    if (this.#isOpen(`mounted the webhook "${route.path}"`)) this.#hooks.set(route.path, handler)
  }

  socketRoute(route: SocketRoute, serve: (peer: SocketPeer) => SocketListener): void {
    if (this.#isOpen(`served the socket "${route.path}"`)) this.#sockets.set(route.path, serve)
  }

  routes(handler: RouteHandler, options: RouteOptions = {}): void {
    if (this.#isOpen('mounted routes')) this.#routes.mount(handler, options)
  }

  async fetch(url: string, init?: FetchInit): Promise<Response> {
    if (this.#state === 'ended') this.late.push(`requested ${hostOf(url)}`)
    return this.network.fetch(url, init)
  }

  connect(target: ConnectTarget): Duplex {
    if (!this.#isOpen(`connected to ${target.host}:${target.port}`)) throw new Error('the node stops')
    return this.network.connect(target)
  }

  async spawn(command: Command): Promise<CommandEnd> {
    const { spawn } = this.#options
    if (spawn === undefined) throw new Error(`this context has no processes to run ${command.file}; give it "spawn"`)
    return outside(() => spawn(command))
  }

  async call(inputs: Values): Promise<Values> {
    const { call } = this.#options
    if (call === undefined) throw new Error('this context executes no code; give it "call"')
    return outside(() => call(inputs))
  }

  saveArtifact(data: Uint8Array, options?: SaveOptions): Promise<ArtifactRef> {
    return this.artifacts.save(data, options)
  }

  async loadArtifact(ref: ArtifactRef | string): Promise<Uint8Array> {
    return this.artifacts.load(typeof ref === 'string' ? ref : ref.digest)
  }

  reportHealth(status: Health, message?: string): void {
    if (!this.#isOpen(`reported its health as ${status}`)) return
    const before = this.health.at(-1)
    const told = { status, message: message ?? null }
    if (before?.status !== told.status || before.message !== told.message) this.health.push(told)
  }

  log(message: string): void {
    this.logs.push(message)
  }

  /** What is done after the end is noted, and nothing else. */
  #isOpen(deed: string): boolean {
    if (this.#state === 'ended') this.late.push(deed)
    return this.#state === 'open'
  }

  #listen(end: Cancel): Cancel {
    const cancel = (): void => {
      if (this.#cancels.delete(cancel)) end()
    }
    this.#cancels.add(cancel)
    if (this.#state !== 'open') cancel()
    return cancel
  }

  #guard(run: () => unknown): void {
    inside(this, () => {
      try {
        const result = run()
        if (result instanceof Promise) void result.catch((error: unknown) => this.failures.push(error))
      } catch (error) {
        this.failures.push(error)
      }
    })
  }
}

/** A context in memory for one node: a virtual clock, a store with its limits, and a network that goes nowhere. */
export const fakeContext = <S = Values>(options: FakeContextOptions = {}): FakeContext<S> => new FakeContext<S>(options)

const portsOf = (flow: string, ports: FakePorts = {}, isInput: boolean): NodePort[] =>
  Object.entries(ports).map(([port, dtype]) => ({
    port,
    message: `${flow}.${port}`,
    dtype,
    stream: false,
    trigger: isInput,
  }))

const hostOf = (url: string): string => URL.parse(url)?.host ?? url
