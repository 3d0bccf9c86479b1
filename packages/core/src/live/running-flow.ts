/**
 * A live flow from its start to its stop; `runtime.ts` makes one for each start. Nodes end in the reverse of their order,
 * also when a later one does not start. Another document for it is `rebuild.ts`. Invariants flow.F1-F7 of DESIGN.md.
 * @module
 */
import type { Values } from '@flow-service/connector-sdk'
import type { FlowDocument, NodeState } from '@flow-service/protocol'
import * as EffectCause from 'effect/Cause'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'

import { onClock } from '../effect-clock.ts'
import { buildGraph } from '../graph.ts'
import type { CascadeBeginning } from '../host.ts'
import type { Arrivals } from './arrivals.ts'
import { arrivalsAt, type Consumer, type OutputPort, TIMER, type What } from './bus.ts'
import type { Cascade, Cause } from './cascade.ts'
import { ExecutionStats } from './execution-stats.ts'
import { FlowNews } from './flow-news.ts'
import { fillInputs, type FlowDeps, Unit } from './flow-units.ts'
import { FlowWork } from './flow-work.ts'
import { type LiveFlow, type RebuildOptions, type Replayed, type StartOptions, TriggerError } from './flow.ts'
import { Generation } from './generation.ts'
import { type LeftHome, LeftWork } from './left-work.ts'
import { Loop } from './loop.ts'
import type { HomeNode, Waiting } from './node-home.ts'
import { clearOutdated } from './node-marker.ts'
import type { LiveNode } from './node.ts'
import { predecessorOf, Rebuild, type RebuildFlow } from './rebuild.ts'
import { feed, replayOf, type Request, requestOf } from './requests.ts'

/** How long executions may take to end once the flow stops. */
const LAST_MS = 10_000

type Phase =
  | { readonly is: 'starting' }
  | { readonly is: 'active' }
  | { readonly is: 'stopping'; readonly done: Promise<void> }

/** Builds, runs and ends the nodes of one flow. */
export class RunningFlow implements LiveFlow, LeftHome, RebuildFlow {
  readonly name: string
  readonly stats = new ExecutionStats()
  readonly work: FlowWork
  readonly news: FlowNews
  readonly loop: Loop<Consumer, What>
  readonly #deps: FlowDeps
  readonly #onChange: (document: FlowDocument | null) => void
  #document: FlowDocument
  #units: ReadonlyMap<string, Unit> = new Map()
  /** The nodes that the flow starts with, until they are let go. */
  #first: Generation | null = null
  #phase: Phase = { is: 'starting' }
  #rebuild: { readonly of: Rebuild; readonly done: Promise<unknown> } | null = null
  #tickets = 0
  readonly #over = Promise.withResolvers<void>()
  /** Whether messages reach its nodes: from the end of its start to the end of its stop. */
  reads = false
  /** What an earlier life has left, until it is taken up. */
  #left: LeftWork | null = null
  /** Whether what waits at the stop is kept for the next start. */
  keeps = false

  /** Begins nothing. `onChange` hears of another document, and of null after the stop or the failed start. */
  constructor(document: FlowDocument, deps: FlowDeps, onChange: (document: FlowDocument | null) => void) {
    this.name = document.name
    this.#document = document
    this.#deps = deps
    this.loop = new Loop(
      {
        held: (consumer, what, value, cause) => this.work.held(consumer as LiveNode, what, value, cause),
        overflow: (consumer, what, value, cause) => (consumer as LiveNode).discard('overflow', what, value, cause),
        closed: (consumer, what, value, cause) => this.#leave(consumer as LiveNode, what, value, cause),
      },
      deps.host.lease,
    )
    this.news = new FlowNews(document.name, deps.host)
    this.work = new FlowWork({
      flow: document.name,
      host: deps.host,
      cascades: deps.cascades,
      due: (node, timer, cause) => this.loop.deliver(node, TIMER, timer, cause),
      passOn: (node, arrivals, cascade, mayBeDone) => this.#passOn(node, arrivals, cascade, mayBeDone),
    })
    this.#onChange = onChange
  }

  get document(): FlowDocument {
    return this.#document
  }

  get units(): ReadonlyMap<string, Unit> {
    return this.#units
  }

  /** Builds and starts every node, in the document's order. Rejects with a {@link StartError}; then nothing is left. */
  async start(options: StartOptions): Promise<void> {
    const { host } = this.#deps
    let left: LeftWork
    try {
      this.#first = new Generation(this, this.#deps, {
        document: this.document,
        nodes: buildGraph(this.document).nodes,
      })
      this.become(this.document, this.#first.units)
      for (const { before, unit } of this.#continued(options)) unit.context.inherit(before.context)
      this.#fill(options)
      left = new LeftWork(this, await this.work.left())
      left.restoreTimers()
      const exit = await Effect.runPromiseExit(onClock(host.clock, this.#first.start()))
      if (Exit.isFailure(exit)) throw EffectCause.squash(exit.cause)
      if (options.paused !== true && this.#deps.isFirst) await left.count()
      await options.commit?.()
    } catch (error) {
      this.keeps = true
      this.#phase = { is: 'stopping', done: Promise.resolve() }
      this.#closeTimers()
      await this.#closeNodes()
      this.#first?.drop()
      throw error
    }
    // values that came while the nodes started
    this.#fill(options)
    for (const unit of this.#units.values()) unit.connect()
    this.reads = true
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
    this.#first?.open()
    this.#first = null
  }

  async rebuild(document: FlowDocument, options: RebuildOptions = {}): Promise<readonly string[]> {
    const rebuild = new Rebuild(this, this.#deps, document, options)
    const done = rebuild.run()
    this.#rebuild = { of: rebuild, done: done.catch(() => {}) }
    try {
      return await done
    } finally {
      this.#rebuild = null
    }
  }

  async ready(node: string): Promise<void> {
    if (this.#rebuild?.of.touches(node) === true) await this.#rebuild.done
  }

  become(document: FlowDocument, units: readonly Unit[]): void {
    this.#document = document
    this.#units = new Map(units.map((unit) => [unit.node.node.id, unit]))
    clearOutdated(this, this.#deps.host.markers)
    this.#onChange(document)
  }

  get isStopping(): boolean {
    return this.#phase.is === 'stopping'
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

  get isOutdated(): boolean {
    return [...this.#units.values()].some(({ isForgotten }) => isForgotten)
  }

  nodeStates(): NodeState[] {
    return [...this.#units.values()].map(({ node }) => node.state())
  }

  stop({ keep = false, graceMs = LAST_MS }: { keep?: boolean; graceMs?: number } = {}): Promise<void> {
    if (this.#phase.is === 'stopping') return this.#phase.done
    this.keeps = keep
    const done = this.#stop(graceMs)
    this.#phase = { is: 'stopping', done }
    return done
  }

  /** As `stop`, at the end of the engine: after a rebuild that goes on. */
  async close(): Promise<void> {
    await this.#rebuild?.done
    await this.stop({ keep: true })
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
    return this.#begin(node.beginning('trigger'), (cause) => this.#request(node, request, cause))
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

  #fill(options: StartOptions): void {
    const ports = [...this.#units.values()].flatMap(({ node }) => node.inputs)
    fillInputs(ports, this.document, options)
    for (const { before, unit } of this.#continued(options)) {
      for (const input of unit.node.inputs) {
        const same = before.node.inputs.find(({ port }) => port === input.port)
        if (same?.dtype === input.dtype && same.filled) input.fill(same.latest)
      }
    }
  }

  /** Nodes that go on where those of the flow of the earlier name have ended. */
  #continued({ after }: StartOptions): { readonly before: Unit; readonly unit: Unit }[] {
    if (!(after instanceof RunningFlow)) return []
    return [...this.#units.values()].flatMap((unit) => {
      const before = predecessorOf(unit.node, after.units)
      return before === undefined ? [] : [{ before, unit }]
    })
  }

  async #stop(graceMs: number): Promise<void> {
    const { clock } = this.#deps.host
    for (const unit of this.#units.values()) {
      unit.closeListeners()
      unit.node.flush()
    }
    this.work.noteAll()
    this.#closeTimers()
    for (const { node, what, value, cause } of this.#takeMailboxes()) this.#leave(node, what, value, cause)
    this.loop.close()
    const ended = Effect.promise(() => this.loop.idle())
    await Effect.runPromise(onClock(clock, Effect.timeoutOption(ended, graceMs)))
    this.#first?.drop()
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

  #begin(beginning: CascadeBeginning, act: (cause: Cause) => void): string {
    const cascade = this.#deps.cascades.begin(beginning)
    act(cascade)
    cascade.leave()
    return cascade.id
  }

  #request(node: LiveNode, request: Request, cause: Cause): void {
    if (request.is === 'arrivals') feed(node, request.arrivals, cause)
    else this.#deps.bus.publishMany(request.outputs, request.values, cause)
  }

  /** A delivery that the flow does not live to make. */
  #leave(node: HomeNode, what: What, value: unknown, cause: Cause): void {
    if (this.keeps) {
      this.work.held(node, what, value, cause)
      cause.suspend()
    } else node.discard('stopped', what, value, cause)
  }

  async #closeNodes(): Promise<void> {
    const units = [...this.#units.values()]
    const all = Effect.forEach(units.toReversed(), (unit) => unit.stop(), { discard: true })
    await Effect.runPromise(onClock(this.#deps.host.clock, all))
    Unit.disconnect(units)
    this.reads = false
    this.news.close()
    this.#onChange(null)
    this.#over.resolve()
  }

  async #passOn(node: HomeNode, arrivals: Arrivals, cascade: Cascade, mayBeDone: boolean): Promise<boolean> {
    await this.#over.promise
    const far = this.#deps.bus.far.get(this.name)
    const values = arrivalsAt(node.inputs, arrivals).map(({ input, value }) => ({ message: input.message, value }))
    const begun = mayBeDone ? [node.key] : []
    await far?.keep({ values, executions: cascade.executions, begun, ended: [] })
    return far !== undefined
  }
}
