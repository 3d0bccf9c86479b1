/**
 * What a node may touch (`ctx`), in live flows and in runs.
 * @module
 */
import type { Duplex } from 'node:stream'

import {
  type Cancel,
  type Command,
  type CommandEnd,
  type ConnectorStore,
  type ConnectTarget,
  type FetchInit,
  type Files,
  HookRefusal,
  type HookRequest,
  type HookRoute,
  type NodeContext,
  type NodePort,
  type PendingTimer,
  type RouteHandler,
  type RouteOptions,
  type SaveOptions,
  type SocketListener,
  type SocketPeer,
  type SocketRoute,
  type Values,
} from '@flow-service/connector-sdk'
import { accepts, type ArtifactRef, type FlowDocument, type FlowMode, type Health } from '@flow-service/protocol'

import { codeCall } from './code-call.ts'
import type { ContextOwner } from './context-owner.ts'
import { failureOf } from './failure.ts'
import type { GraphNode } from './graph.ts'
import { type CascadeOrigin, CodeError, type Host, type Mount } from './host.ts'
import { NodeActs, stops } from './node-acts.ts'
import { routesOf } from './node-routes.ts'
import { NodeSchedules, oneWaiting } from './node-schedules.ts'
import { checkedStore } from './package-stores.ts'
import { passRefusal } from './refused-payload.ts'
import { type Repetition, startCron, startInterval, startTimer } from './timers.ts'
import { mayBeKept } from './unkept.ts'

/** What a context needs. */
export interface ContextDeps {
  readonly host: Host
  readonly document: FlowDocument
  readonly owner: ContextOwner
  /** The node's ports. */
  readonly ports: Pick<GraphNode, 'inputs' | 'outputs'>
  readonly settings: Values
  /** Names what the nodes of its package store. */
  readonly namespace: string
  /** Nothing comes in by itself, and what is set while the node starts never fires (G26). */
  readonly isPrivate?: boolean
}

/** One object a node, for its whole life. After `close` its timers, routes and publications do nothing. */
export class EngineContext implements NodeContext {
  // what each value needs comes first: the beginning of an object is one line of the processor's cache
  readonly #owner: ContextOwner
  /** As the signal tells, without the cost of asking it for each value. */
  #closed = false
  readonly flow: string
  readonly node: string
  readonly mode: FlowMode
  readonly timeZone: string
  readonly run: string | null
  readonly settings: Values
  readonly inputs: readonly NodePort[]
  readonly outputs: readonly NodePort[]
  readonly #host: Host
  #document: FlowDocument
  readonly #namespace: string
  readonly #acts: NodeActs
  /** Made when somebody asks for it: most nodes never do. */
  #store: ConnectorStore | null = null
  #lifetime: AbortController | null = null
  #listeners: Set<Cancel> | null = null
  #mounts: Mount[] | null = null
  #hasRoutes = false
  #schedules: NodeSchedules | null = null
  #connections: Set<Duplex> | null = null
  readonly #isPrivate: boolean
  #listening = true
  #isHeld = false
  #isOpen = false

  constructor({ host, document, owner, ports, settings, namespace, isPrivate = false }: ContextDeps) {
    this.#isPrivate = isPrivate
    this.flow = document.name
    this.node = owner.node.id
    this.mode = document.mode
    this.timeZone = host.timeZone
    this.run = owner.run
    this.settings = settings
    this.inputs = ports.inputs
    this.outputs = ports.outputs
    this.#namespace = namespace
    this.#host = host
    // runs have leases of their own, and what is run by itself nobody takes over
    this.#acts = new NodeActs(isPrivate || owner.run !== null ? undefined : host.lease, this)
    this.#document = document
    this.#owner = owner
  }

  get signal(): AbortSignal {
    return this.#owner.executionSignal() ?? this.#lifetimeSignal()
  }

  get closed(): boolean {
    return this.#closed
  }

  get listens(): boolean {
    return !this.#isPrivate
  }

  send(port: string, value: unknown): void {
    if (!this.#closed) this.#owner.send(port, value)
  }

  emit(values: Values): void {
    if (!this.closed) this.#owner.emit(values)
  }

  async emitDurably(values: Values): Promise<void> {
    if (this.#closed || !this.#listening) throw new CodeError('cancelled', 'the node stops', null)
    await this.#acts.take(() => this.#owner.emitDurably(values))
  }

  setTimer(key: string, dueMs: number, data: unknown): void {
    if (!this.#closed && !this.#isSchedule) this.#owner.timers.set(key, dueMs, data)
  }

  clearTimer(key: string): void {
    if (!this.#closed) this.#owner.timers.clear(key)
  }

  timerDue(key: string): number | null {
    return this.#owner.timers.dueMs(key)
  }

  pendingTimers(): readonly PendingTimer[] {
    return this.#owner.timers.pending()
  }

  latest(port: string): unknown {
    return this.#owner.latest(port)
  }

  get store(): ConnectorStore {
    return (this.#store ??= checkedStore(this.#host.stores.of(this.#namespace)))
  }

  current(port: string): unknown {
    const output = this.outputs.find((candidate) => candidate.port === port)
    const value = output === undefined ? null : this.#host.current(output.message)
    // a value of an earlier dtype is none
    return output !== undefined && value !== null && accepts(output.dtype, value) ? value : null
  }

  now(): number {
    return this.#host.clock.now()
  }

  /** The flow has another document, in which the node is equal. */
  follow(document: FlowDocument): void {
    this.#document = document
  }

  /** The flow has started: requests come in. */
  opened(): void {
    this.#isOpen = true
    for (const mount of this.#mounts ?? []) mount.open()
  }

  after(seconds: number, run: () => void): Cancel {
    if (this.#isSchedule) return () => {}
    // what the node has set while it started is what the start of the flow sets off
    const source = this.#isOpen ? 'timer' : 'start'
    const cancel = this.#listen(
      startTimer(this.#host.clock, seconds * 1000, () => {
        cancel()
        this.#guard(run, source)
      }),
    )
    return cancel
  }

  every(seconds: number, run: () => void): Cancel {
    if (!(seconds > 0)) throw new RangeError(`an interval of ${seconds} s never ends; give more than 0`)
    if (this.#isPrivate) return () => {}
    const { clock } = this.#host
    const tick = oneWaiting(this.#acts.lease, () => this.#guard(run))
    return this.#repeat(`every ${seconds}`, (firstMs) => startInterval(clock, seconds * 1000, tick, firstMs))
  }

  cron(pattern: string, run: () => void): Cancel {
    if (this.#isPrivate) return () => {}
    const tick = oneWaiting(this.#acts.lease, () => this.#guard(run))
    return this.#repeat(`cron ${pattern}`, (firstMs) => startCron(this.#host, pattern, tick, firstMs))
  }

  webhook(route: HookRoute, handler: (request: HookRequest) => void | Promise<void>): void {
    if (this.#isPrivate) return
    if (this.mode === 'batch') throw new Error('a run listens to no webhook; use one in a live flow')
    const answer = async (request: HookRequest): Promise<void> => {
      try {
        await this.#acts.take(async () => handler(request))
      } catch (error) {
        passRefusal(error, this.#host, this)
        // what the stop cuts off is nobody's failure, and free for another engine unless it may be kept here
        if (!this.#listening)
          throw mayBeKept(error) ? error : new HookRefusal('the flow stopped before the request was taken')
        this.#owner.fail(failureOf(error))
        throw error
      }
    }
    this.#owner.from('webhook')
    this.#mount(this.#host.webhook(this.flow, route, answer))
  }

  socketRoute(
    route: SocketRoute,
    serve: (peer: SocketPeer) => SocketListener,
    full: (clients: number) => void = () => {},
  ): void {
    if (this.#isPrivate) return
    if (this.mode === 'batch') throw new Error('a run serves no socket; use one in a live flow')
    this.#mount(this.#host.socketRoute(this.flow, route, serve, full))
  }

  routes(handler: RouteHandler, options: RouteOptions = {}): void {
    if (this.#isPrivate) return
    if (this.#hasRoutes) throw new Error('the node has mounted its routes already; mount one handler for all of them')
    const { flow, mode } = this
    const routes = routesOf({ owner: this.#owner, flow, mode, ended: this.#lifetimeSignal() }, handler, options)
    this.#hasRoutes = true
    this.#mount(this.#host.routes(routes))
  }

  fetch(url: string, init?: FetchInit): Promise<Response> {
    return this.#acts.act(() => this.#host.fetch(url, init))
  }

  connect(target: ConnectTarget): Duplex {
    if (this.#closed || !this.#acts.mayAct) throw stops()
    const connection = this.#host.connect(target)
    const connections = (this.#connections ??= new Set())
    connections.add(connection)
    connection.once('close', () => connections.delete(connection))
    return connection
  }

  get files(): Files {
    return this.#host.files
  }

  spawn(command: Command): Promise<CommandEnd> {
    return this.#acts.act(() => this.#host.spawn(command, this.#document.resources.env))
  }

  call(inputs: Values): Promise<Values> {
    const call = codeCall(inputs, {
      host: this.#host,
      document: this.#document,
      owner: this.#owner,
      signal: this.signal,
      isClosed: () => this.closed,
    })
    return this.#acts.act(() => this.#host.call(call))
  }

  async saveArtifact(
    data: Uint8Array,
    { name = '', mediaType = 'application/octet-stream', volatile = false }: SaveOptions = {},
  ): Promise<ArtifactRef> {
    const ref = await this.#host.artifacts.save(data, { name, mediaType, volatile })
    this.#owner.saved?.(ref)
    return ref
  }

  loadArtifact(ref: ArtifactRef | string): Promise<Uint8Array> {
    return this.#host.artifacts.load(typeof ref === 'string' ? ref : ref.digest)
  }

  reportHealth(status: Health, message?: string): void {
    if (!this.closed) this.#owner.reportHealth(status, message ?? null)
  }

  log(text: string): void {
    this.#owner.log('stdout', text)
  }

  /** A text of the node's code as it may be shown. */
  mask(text: string): string {
    return this.#host.secrets.mask(text)
  }

  /** Goes on with the schedules of the node before this one, where they are equal; before the start. */
  inherit(earlier: EngineContext): void {
    if (earlier.#schedules !== null) (this.#schedules ??= new NodeSchedules()).inherit(earlier.#schedules)
  }

  /** Ends schedules and has requests wait: another node is to take them. What executes goes on, and may wait. */
  hold(): void {
    this.#isHeld = true
    for (const mount of this.#mounts ?? []) mount.hold()
    this.#schedules?.hold()
  }

  /** Settles when no request and no durable arrival is being taken. */
  taken(): Promise<void> {
    return this.#acts.taken()
  }

  /** Ends timers and routes, so that nothing comes in any more; what executes goes on. */
  closeListeners(): void {
    this.#listening = false
    this.#schedules?.hold()
    for (const cancel of this.#listeners ?? []) cancel()
    this.unmount()
  }

  /** Ends the routes, but for what another node has taken over. */
  unmount(): void {
    for (const mount of this.#mounts ?? []) mount.unmount()
    this.#mounts = null
  }

  /** Ends everything, but for routes that are held: {@link EngineContext.unmount} does. */
  close(): void {
    this.#listening = false
    for (const cancel of this.#listeners ?? []) cancel()
    if (!this.#isHeld) this.unmount()
    this.#closed = true
    this.#lifetime?.abort(stops())
  }

  /** Ends the connections that the stop of the node has left. */
  disconnect(): void {
    for (const connection of this.#connections ?? []) connection.destroy()
  }

  #lifetimeSignal(): AbortSignal {
    if (this.#lifetime === null) {
      this.#lifetime = new AbortController()
      if (this.#closed) this.#lifetime.abort(stops())
    }
    return this.#lifetime.signal
  }

  /** Whether a timer that is set now is a schedule, which a private run does not keep: no arrival has asked for it. */
  get #isSchedule(): boolean {
    return this.#isPrivate && !this.#isOpen
  }

  #listen(end: Cancel): Cancel {
    const listeners = (this.#listeners ??= new Set())
    const cancel = (): void => {
      if (listeners.delete(cancel)) end()
    }
    listeners.add(cancel)
    if (!this.#listening) cancel()
    return cancel
  }

  #mount(mount: Mount): void {
    ;(this.#mounts ??= []).push(mount)
    if (!this.#listening) mount.unmount()
    else if (this.#isOpen) mount.open()
  }

  #repeat(key: string, start: (firstMs: number | undefined) => Repetition): Cancel {
    return this.#listen((this.#schedules ??= new NodeSchedules()).make(key, start))
  }

  /** Callbacks are the node's code: what they throw, now or later, is the node's failure. */
  #guard(run: () => unknown, source: CascadeOrigin['kind'] = 'timer'): void {
    if (!this.#acts.mayAct) return void this.#acts.lease?.held().then(() => this.#guard(run, source))
    if (!this.#listening) return
    const before = this.#owner.from(source)
    try {
      const result = run()
      if (result instanceof Promise) void result.catch((error: unknown) => this.#owner.fail(failureOf(error)))
    } catch (error) {
      this.#owner.fail(failureOf(error))
    } finally {
      this.#owner.from(before)
    }
  }
}
