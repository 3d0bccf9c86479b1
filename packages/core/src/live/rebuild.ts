/**
 * Another document for a flow that runs: nodes that are equal go on, the others make way for new ones. Invariants
 * rebuild.R1-R6 of DESIGN.md.
 * @module
 */
import { isDeepStrictEqual } from 'node:util'

import { accepts, type FlowDocument, flowPart, messagePart } from '@flow-service/protocol'
import * as EffectCause from 'effect/Cause'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'

import { onClock } from '../effect-clock.ts'
import { buildGraph, type GraphNode } from '../graph.ts'
import { StartError } from '../node-life.ts'
import type { InputPort } from './bus.ts'
import { formOf, isEqual } from './equal-nodes.ts'
import { fillInputs, type FlowDeps, Unit } from './flow-units.ts'
import type { NewName, RebuildOptions } from './flow.ts'
import { Generation, type GenerationFlow } from './generation.ts'
import { HandoverQueue, type Left, passedOn } from './handover.ts'
import type { HomeNode } from './node-home.ts'
import type { LiveNode } from './node.ts'

/** How long executions may take to end once their node is to be made anew. */
const LAST_MS = 10_000
/** How long all new nodes together may take to start. */
const START_MS = 30_000

/** The flow that is rebuilt. */
export interface RebuildFlow extends GenerationFlow {
  readonly document: FlowDocument
  readonly units: ReadonlyMap<string, Unit>
  /** Gives the flow another document and its nodes, in the order of the document. */
  become(document: FlowDocument, units: readonly Unit[]): void
  stop(options: { readonly keep: boolean }): Promise<void>
}

/** One rebuild of one flow. */
export class Rebuild {
  readonly #flow: RebuildFlow
  readonly #deps: FlowDeps
  readonly #options: RebuildOptions
  readonly #next: FlowDocument
  /** Nodes that end: changed ones, and those that the next document does not have. */
  readonly #old: readonly Unit[]
  readonly #oldById: ReadonlyMap<string, Unit>
  /** Nodes that are made. */
  readonly #fresh: readonly GraphNode[]
  readonly #queue = new HandoverQueue()

  constructor(flow: RebuildFlow, deps: FlowDeps, next: FlowDocument, options: RebuildOptions) {
    this.#flow = flow
    this.#deps = deps
    this.#options = options
    this.#next = next
    const { nodes } = buildGraph(next)
    const { restart = false } = options
    const isRestarted = typeof restart === 'function' ? restart : () => restart
    const kept = new Set(nodes.filter((node) => !isRestarted(node.node) && this.#isEqual(node)).map(idOf))
    this.#old = [...flow.units.values()].filter(({ node }) => !kept.has(node.node.id))
    this.#oldById = byId(this.#old)
    this.#fresh = nodes.filter((node) => !kept.has(idOf(node)))
  }

  /**
   * Ids of the nodes that were made anew or have gone, in the order of the documents. Rejects with a {@link StartError}
   * when a new node does not start, and with what `commit` rejects with: then the old nodes are there again.
   */
  async run(): Promise<readonly string[]> {
    // what cannot be built disturbs nothing
    const made = new Generation(this.#flow, this.#deps, { document: this.#next, nodes: this.#fresh })
    await this.#end()
    try {
      await this.#start(made, this.#next, this.#oldById)
      await this.#options.commit?.(this.#rebuilt())
    } catch (error) {
      await this.#goBack(made)
      throw error
    }
    this.#swap(this.#next, made)
    return this.#rebuilt()
  }

  #rebuilt(): string[] {
    const fresh = new Set(this.#fresh.map(idOf))
    const gone = this.#old.map(({ node }) => node.node.id).filter((id) => !fresh.has(id))
    return [...this.#next.nodes.map(({ id }) => id).filter((id) => fresh.has(id)), ...gone]
  }

  /** Whether an id is one of a node that ends or is made. */
  touches(id: string): boolean {
    return this.#oldById.has(id) || this.#fresh.some((node) => idOf(node) === id)
  }

  #isEqual({ node }: GraphNode): boolean {
    const unit = this.#flow.units.get(node.id)
    if (unit === undefined || unit.isForgotten) return false
    // by identity: a definition says nothing of the code behind it
    if (unit.node.definition !== this.#deps.registry.get(node.type)) return false
    return isEqual(unit.form, formOf(node, this.#next, this.#deps.host), unit.node.definition)
  }

  /** Has what comes wait, lets executions end, and ends the old nodes. */
  async #end(): Promise<void> {
    const waited = this.#old.flatMap(({ node }) => node.takeMailbox())
    const rests = this.#old.map(({ node }) => node.hold(this.#queue))
    for (const { node, what, value, cause } of waited.toSorted((a, b) => a.ticket - b.ticket)) {
      this.#queue.add(node, what, value, cause)
    }
    const ended = Effect.promise(async () => {
      await Promise.all(rests)
      // only now: an execution may wait for the answer to a request that it makes to its own flow
      await this.#hold()
    })
    await Effect.runPromise(onClock(this.#deps.host.clock, Effect.timeoutOption(ended, LAST_MS)))
    void this.#hold()
    await this.#stop(this.#old)
  }

  /** Has requests, schedules and timers wait; settles when those that are being taken are taken. */
  async #hold(): Promise<void> {
    for (const { context, node } of this.#old) {
      context.hold()
      node.timers.hold()
    }
    await Promise.all(this.#old.map(({ context }) => context.taken()))
  }

  async #stop(units: readonly Unit[]): Promise<void> {
    const all = Effect.forEach(units.toReversed(), (unit) => unit.stop(), { discard: true })
    await Effect.runPromise(onClock(this.#deps.host.clock, all))
  }

  /** Starts nodes of a document with what they take over of earlier ones, the latest that fits. */
  async #start(made: Generation, document: FlowDocument, ...earlier: ReadonlyMap<string, Unit>[]): Promise<void> {
    for (const { context, node } of made.units) {
      const before = earlier.map((units) => predecessorOf(node, units)).find((unit) => unit !== undefined)
      if (before === undefined) continue
      context.inherit(before.context)
      node.timers.takeOver(before.node.timers)
    }
    this.#fill(made, document)
    const bounded = Effect.timeoutOrElse(made.start(), {
      duration: START_MS,
      orElse: () => Effect.fail(new StartError(null, `the nodes took longer than ${START_MS / 1000} s to start`)),
    })
    const exit = await Effect.runPromiseExit(onClock(this.#deps.host.clock, bounded))
    if (Exit.isFailure(exit)) throw EffectCause.squash(exit.cause)
  }

  /** Last values, else initial ones; inputs that are what they were keep what they had. */
  #fill({ units }: Generation, document: FlowDocument): void {
    fillInputs(
      units.flatMap(({ node }) => node.inputs),
      document,
      this.#options,
    )
    for (const { node } of units) {
      const before = predecessorOf(node, this.#oldById)
      for (const input of before === undefined ? [] : node.inputs) {
        const same = before?.node.inputs.find(({ port }) => port === input.port)
        if (same === undefined || !this.#isSame(same, input)) continue
        if (same.filled && !this.#isOutdated(same, document)) input.fill(same.latest)
      }
    }
  }

  #isSame(before: InputPort, { dtype, message }: InputPort): boolean {
    const messages = [before.message, follow(before.message, this.#options.renamed)]
    return before.dtype === dtype && messages.includes(message)
  }

  /**
   * Whether an input has nothing but the initial value of the document before, and the next one has another; or a value
   * that its message does not take any more.
   */
  #isOutdated({ message, filled, latest }: InputPort, next: FlowDocument): boolean {
    const [before, after] = [this.#flow.document, next].map(({ inputs, name }) =>
      inputs.find((input) => `${name}.${input.name}` === message),
    )
    if (before === undefined || after === undefined) return false
    if (filled && before.dtype !== after.dtype && !accepts(after.dtype, latest)) return true
    return !isDeepStrictEqual(before.initial, after.initial) && isDeepStrictEqual(latest, before.initial)
  }

  /** Starts nodes with the old content in place of those that have ended. */
  async #goBack(made: Generation): Promise<void> {
    for (const { context, node } of made.units) {
      context.hold()
      node.timers.hold()
    }
    await this.#stop(made.units)
    made.drop()
    try {
      const { document } = this.#flow
      const nodes = buildGraph(document).nodes.filter((node) => this.#oldById.has(idOf(node)))
      const again = new Generation(this.#flow, this.#deps, {
        document,
        nodes,
        again: (id) => this.#oldById.get(id),
      })
      await this.#start(again, document, byId(made.units), this.#oldById).catch(async (error: unknown) => {
        await this.#stop(again.units)
        Unit.disconnect(again.units)
        throw error
      })
      this.#swap(document, again)
    } catch {
      await this.#fail()
    } finally {
      Unit.disconnect(made.units)
      for (const { context } of [...made.units, ...this.#old]) context.unmount()
    }
  }

  /** Neither the new nodes nor the old ones start: the flow ends, and keeps what waits. */
  async #fail(): Promise<void> {
    const { document, units, work } = this.#flow
    this.#flow.become(
      document,
      [...units].flatMap(([id, unit]) => (this.#oldById.has(id) ? [] : [unit])),
    )
    Unit.disconnect(this.#old)
    for (const { node, what, value, cause } of this.#queue.takeAll()) work.held(node, what, value, cause).suspend()
    await this.#flow.stop({ keep: true })
  }

  /** Puts new nodes in the place of the old ones, all at once. */
  #swap(document: FlowDocument, made: Generation): void {
    const flow = this.#flow
    const fresh = byId(made.units)
    Unit.disconnect(this.#old)
    const units = buildGraph(document).nodes.map(({ node }) => {
      const unit = (fresh.get(node.id) ?? flow.units.get(node.id))!
      if (!fresh.has(node.id)) unit.follow(document, node)
      return unit
    })
    const kept = units.filter(({ node }) => !fresh.has(node.node.id)).flatMap(({ node }) => node.inputs)
    const outdated = kept.filter((input) => this.#isOutdated(input, document))
    for (const input of outdated) input.empty()
    fillInputs(outdated, document, this.#options)
    this.#fill(made, document)
    flow.become(document, units)
    for (const unit of made.units) unit.connect()
    for (const { node } of this.#old) {
      for (const { timer, cascade } of node.timers.close(false)) node.giveUpTimer('stopped', timer, cascade)
    }
    // clients of sockets are there when values come for them
    for (const { context } of made.units) context.opened()
    this.#deliver(new Map(this.#old.map(({ node }) => [node, fresh.get(node.node.id)?.node])))
    made.open()
    for (const { context } of this.#old) context.unmount()
  }

  /** Hands over what waits: held deliveries stay held in their order, all others go on. */
  #deliver(places: ReadonlyMap<HomeNode, LiveNode | undefined>): void {
    const { loop } = this.#flow
    const late: Left[] = []
    loop.change(({ node: consumer, ...rest }) => {
      const left: Left = { node: consumer as LiveNode, ...rest }
      if (!places.has(left.node)) return left
      if (loop.paused) return passedOn(left, places.get(left.node))
      late.push(left)
      return null
    })
    for (const left of [...this.#queue.takeAll(), ...late]) {
      const passed = passedOn(left, places.get(left.node))
      if (passed === null) continue
      const { node, what, value } = passed
      // what a step has released stays released
      if (loop.paused) node.receive(what, value, left.cause)
      else {
        loop.deliver(node, what, value, left.cause)
        left.cause.leave()
      }
    }
  }
}

const idOf = ({ node }: GraphNode): string => node.id

const byId = (units: readonly Unit[]): ReadonlyMap<string, Unit> =>
  new Map(units.map((unit) => [unit.node.node.id, unit]))

/** A message as it is called once a flow has another name. */
const follow = (message: string, names: NewName | undefined): string =>
  names !== undefined && flowPart(message) === names.from ? `${names.to}.${messagePart(message)}` : message

/** The node whose place a node takes, if it takes over what that one leaves: they have one id, and one type. */
export function predecessorOf({ node, definition }: LiveNode, units: ReadonlyMap<string, Unit>): Unit | undefined {
  const before = units.get(node.id)
  return before?.node.definition.type === definition.type ? before : undefined
}
