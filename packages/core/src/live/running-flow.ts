/**
 * A live flow from its start to its stop. The life of the nodes is a scope: whatever was begun is ended in reverse
 * order, also when a later node does not start. Invariants flow.F1-F6 of DESIGN.md.
 * @module
 */
import type { Values } from '@flow-service/connector-sdk'
import type { FlowDocument, NodeState } from '@flow-service/protocol'
import * as EffectCause from 'effect/Cause'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Scope from 'effect/Scope'

import { onClock } from '../effect-clock.ts'
import { append, buildGraph, type GraphNode } from '../graph.ts'
import type { CascadeOrigin } from '../host.ts'
import { type StartError, startNode } from '../node-life.ts'
import type { Arrivals } from './arrivals.ts'
import { type Bus, type Channel, type Consumer, type InputPort, type OutputPort, TIMER, type What } from './bus.ts'
import { type Cascade, type Cause, WorkCause } from './cascade.ts'
import { EarlyPublications } from './early-publications.ts'
import { ExecutionStats } from './execution-stats.ts'
import { FlowNews } from './flow-news.ts'
import { fillInputs, outputPortsOf, type FlowDeps, type Unit, unitOf } from './flow-units.ts'
import { FlowWork } from './flow-work.ts'
import { type LiveFlow, type Replayed, type StartOptions, TriggerError } from './flow.ts'
import { type LeftHome, LeftWork } from './left-work.ts'
import { Loop } from './loop.ts'
import type { Home, HomeNode, KeptPublication, TimersHome, Waiting } from './node-home.ts'
import type { LiveNode } from './node.ts'
import { feed, replayOf, type Request, requestOf } from './requests.ts'

/** How long executions may take to end once the flow stops. */
const LAST_MS = 10_000

/** `starting` keeps publications back; they go out, in order, once every node has started. */
type Phase =
  | { readonly is: 'starting' }
  | { readonly is: 'active' }
  | { readonly is: 'stopping'; readonly done: Promise<void> }

/** Builds, runs and ends the nodes of one flow. */
export class RunningFlow implements LiveFlow, Home, LeftHome {
  readonly name: string
  readonly document: FlowDocument
  readonly stats = new ExecutionStats()
  readonly work: FlowWork
  readonly news: FlowNews
  readonly loop = new Loop<Consumer, What>({
    held: (consumer, what, value, cause) => this.work.held(consumer as LiveNode, what, value, cause),
    overflow: (consumer, what, value, cause) => (consumer as LiveNode).discard('overflow', what, value, cause),
    closed: (consumer, what, value, cause) => this.#leave(consumer as LiveNode, what, value, cause),
  })
  bus: Bus | null = null
  readonly #deps: FlowDeps
  readonly #units = new Map<string, Unit>()
  readonly #channels: Channel[] = []
  readonly #outputs: OutputPort[] = []
  readonly #scope = Scope.makeUnsafe()
  readonly #onEnd: () => void
  #phase: Phase = { is: 'starting' }
  readonly #early = new EarlyPublications()
  #tickets = 0
  /** What an earlier life has left, until it is taken up. */
  #left: LeftWork | null = null
  /** Whether what waits at the stop is kept for the next start. */
  keeps = false

  /** Begins nothing. `onEnd` runs after the stop, or the failed start. */
  constructor(document: FlowDocument, deps: FlowDeps, onEnd: () => void) {
    this.name = document.name
    this.document = document
    this.#deps = deps
    this.news = new FlowNews(document.name, deps.host)
    this.work = new FlowWork({
      flow: document.name,
      host: deps.host,
      cascades: deps.cascades,
      due: (node, timer, cause) => this.loop.deliver(node, TIMER, timer, cause),
    })
    this.#onEnd = onEnd
  }

  /** Builds and starts every node, in the document's order. Rejects with a {@link StartError}; then nothing is left. */
  async start(options: StartOptions): Promise<void> {
    const { host } = this.#deps
    let left: LeftWork
    try {
      this.#build(options)
      left = new LeftWork(this, await this.work.left())
      left.restoreTimers()
      const all = Effect.forEach(this.#units.values(), (unit) => this.#startNode(unit), { discard: true })
      const exit = await Effect.runPromiseExit(onClock(host.clock, Scope.provide(all, this.#scope)))
      if (Exit.isFailure(exit)) throw EffectCause.squash(exit.cause)
      if (options.paused !== true && this.#deps.isFirst) await left.count()
    } catch (error) {
      this.keeps = true
      this.#phase = { is: 'stopping', done: Promise.resolve() }
      this.#closeTimers()
      await this.#closeNodes()
      this.#early.drop()
      throw error
    }
    // values that came while the nodes started
    fillInputs(this.#units.values(), this.document, options)
    this.#subscribe()
    if (options.paused === true) this.loop.hold([])
    this.#phase = { is: 'active' }
    this.#left = left
    if (options.deferred !== true) this.takeUp()
    for (const { context } of this.#units.values()) context.opened()
  }

  takeUp(): void {
    if (this.#left === null) return
    this.#left.deliver()
    this.#left = null
    this.bus = this.#deps.bus
    this.#early.publish()
    for (const { node } of this.#units.values()) node.timers.open()
  }

  get active(): boolean {
    return this.#phase.is === 'active'
  }

  get held(): number {
    return this.loop.held
  }

  get paused(): boolean {
    return this.loop.paused
  }

  nodeStates(): NodeState[] {
    return [...this.#units.values()].map(({ node }) => node.state())
  }

  stop({ keep = false }: { keep?: boolean } = {}): Promise<void> {
    if (this.#phase.is === 'stopping') return this.#phase.done
    this.keeps = keep
    const done = this.#stop()
    this.#phase = { is: 'stopping', done }
    return done
  }

  pause(): void {
    if (!this.active || this.paused) return
    this.loop.hold(this.#takeMailboxes())
  }

  resume(): void {
    this.loop.release()
  }

  step(): 0 | 1 {
    return this.loop.step()
  }

  idle(): Promise<void> {
    return this.loop.idle()
  }

  trigger(id: string, values: Values): string {
    const node = this.#node(id)
    const request = requestOf(node, values, this.#deps.messages)
    return this.#begin(node.origin('trigger'), (cause) => this.#request(node, request, cause))
  }

  replay({ node: id, message, value }: { node: string; message: string | null; value: unknown }): Replayed {
    const node = this.#node(id)
    const request = replayOf(node, { message, value }, this.#deps.messages)
    const work = this.work.replayed(node, request, { kind: 'trigger', node: id, message })
    const deliver = (): void => {
      // after a stop the next start takes it up
      if (this.active) this.work.resume(work, 0, (cause) => this.#request(node, request, cause))
    }
    return { work, deliver }
  }

  /** Asks a node to act. */
  act(id: string, cause: Cause): void {
    feed(this.#node(id), [], cause)
  }

  cancel(id: string): 0 | 1 {
    return this.#node(id).cancel()
  }

  acknowledge(id: string): NodeState {
    const node = this.#node(id)
    node.condition.acknowledge()
    return node.state()
  }

  // What the nodes need of their flow.

  newCascade(origin: CascadeOrigin): Cascade {
    return this.#deps.cascades.begin({ flow: this.name, origin, run: null })
  }

  publish(output: OutputPort, value: unknown, cause: Cause, atMs?: number): void {
    if (this.bus === null) this.#early.add(cause, () => this.#deps.bus.publish(output, value, cause, atMs))
    else this.#deps.bus.publish(output, value, cause, atMs)
  }

  publishMany(outputs: readonly OutputPort[], values: readonly unknown[], cause: Cause, atMs?: number): void {
    const { bus } = this.#deps
    if (this.bus === null) this.#early.add(cause, () => bus.publishMany(outputs, values, cause, atMs))
    else bus.publishMany(outputs, values, cause, atMs)
  }

  async publishKept(node: HomeNode, { outputs, values, within }: KeptPublication): Promise<void> {
    within?.enter()
    const cascade = within ?? this.newCascade(node.origin())
    const atMs = this.nowMs()
    await this.work.arrival(node, outputs, { values, atMs, cascade }, (work) => {
      // one that arrives at the end of the flow is delivered when it starts again
      if (this.#phase.is === 'stopping') cascade.suspend()
      else {
        this.publishMany(outputs, values, new WorkCause(cascade, work, 0), atMs)
        work.leave()
        cascade.leave()
      }
    })
  }

  intend(node: HomeNode, arrivals: Arrivals, cause: Cause): () => void {
    return this.work.intend(node, arrivals, cause)
  }

  get timers(): TimersHome {
    return this.work.timers
  }

  publishAgain(outputs: readonly OutputPort[], values: readonly unknown[], cause: Cause, atMs: number): void {
    this.#deps.bus.publishAgain(outputs, values, cause, atMs)
  }

  nodeOf(id: string): LiveNode | undefined {
    return this.#units.get(id)?.node
  }

  nowMs(): number {
    return this.#deps.host.clock.now()
  }

  ticket(): number {
    return this.#tickets++
  }

  #node(id: string): LiveNode {
    const unit = this.#units.get(id)
    if (unit === undefined) throw new TriggerError(null, `flow "${this.name}" has no node "${id}"`)
    return unit.node
  }

  #build(options: StartOptions): void {
    for (const graphNode of buildGraph(this.document).nodes) this.#units.set(graphNode.node.id, this.#unit(graphNode))
    fillInputs(this.#units.values(), this.document, options)
  }

  #unit(graphNode: GraphNode): Unit {
    const { document } = this
    const outputs = outputPortsOf(graphNode.node, this.name, this.#deps.bus)
    for (const output of outputs) {
      this.#outputs.push(output)
      this.#channels.push(output.channel)
    }
    return unitOf(graphNode, { ...this.#deps, home: this, document, outputs })
  }

  #join(message: string): Channel {
    const channel = this.#deps.bus.join(message)
    this.#channels.push(channel)
    return channel
  }

  #startNode({ node, context }: Unit): Effect.Effect<void, StartError, Scope.Scope> {
    const { host } = this.#deps
    const { definition } = node
    const { id } = node.node
    const ended = (): void => {
      node.close()
      if (definition.code !== undefined) host.release(this.name, id)
    }
    return Effect.map(startNode({ definition, context, ended }), (instance) => node.open(instance))
  }

  #subscribe(): void {
    for (const { node } of this.#units.values()) {
      const byMessage = new Map<string, InputPort[]>()
      for (const input of node.inputs) append(byMessage, input.message, input)
      for (const [message, inputs] of byMessage) this.#join(message).connect({ consumer: node, inputs })
    }
  }

  async #stop(): Promise<void> {
    const { clock } = this.#deps.host
    for (const { context } of this.#units.values()) context.closeListeners()
    this.work.noteAll()
    this.#closeTimers()
    for (const { node, what, value, cause } of this.#takeMailboxes()) this.#leave(node, what, value, cause)
    this.loop.close()
    const ended = Effect.promise(() => this.loop.idle())
    await Effect.runPromise(onClock(clock, Effect.timeoutOption(ended, LAST_MS)))
    this.#early.drop()
    await this.#closeNodes()
  }

  #takeMailboxes(): Waiting[] {
    return [...this.#units.values()].flatMap(({ node }) => node.takeMailbox()).toSorted((a, b) => a.ticket - b.ticket)
  }

  #closeTimers(): void {
    for (const { node } of this.#units.values()) {
      for (const { timer, cascade } of node.timers.close(this.keeps)) {
        node.giveUpTimer('stopped', timer, cascade)
      }
    }
  }

  #begin(origin: CascadeOrigin, act: (cause: Cause) => void): string {
    const cascade = this.newCascade(origin)
    act(cascade)
    cascade.leave()
    return cascade.id
  }

  #request(node: LiveNode, request: Request, cause: Cause): void {
    if (request.is === 'arrivals') feed(node, request.arrivals, cause)
    else this.publishMany(request.outputs, request.values, cause)
  }

  /** A delivery that the flow does not live to make. */
  #leave(node: HomeNode, what: What, value: unknown, cause: Cause): void {
    if (this.keeps) {
      this.work.held(node, what, value, cause)
      cause.suspend()
    } else node.discard('stopped', what, value, cause)
  }

  async #closeNodes(): Promise<void> {
    await Effect.runPromise(onClock(this.#deps.host.clock, Scope.close(this.#scope, Exit.void)))
    for (const { gate } of this.#outputs) gate?.close()
    const own = new Set<Consumer>([...this.#units.values()].map(({ node }) => node))
    for (const channel of new Set(this.#channels)) channel.disconnect(own)
    for (const channel of this.#channels) this.#deps.bus.leave(channel)
    this.#onEnd()
  }
}
