/**
 * A live flow from its start to its stop. The life of the nodes is a scope: whatever was begun is ended in reverse
 * order, also when a later node does not start. Invariants F1-F5 of DESIGN.md.
 * @module
 */
import type { Values } from '@flow-service/connector-sdk'
import { accepts, type FlowDocument, type NodeState, timestampOfMs } from '@flow-service/protocol'
import * as Cause from 'effect/Cause'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Scope from 'effect/Scope'

import {
  type Arrival,
  type Bus,
  type Channel,
  type Consumer,
  deliverTogether,
  type InputPort,
  type OutputPort,
  TRIGGER,
  type What,
} from './bus.ts'
import { Cascade } from './cascade.ts'
import { conform, namedPorts } from './conform.ts'
import { onClock } from './effect-clock.ts'
import { EngineContext } from './engine-context.ts'
import { append, buildGraph, type GraphNode } from './graph.ts'
import type { DeadLetter, Host } from './host.ts'
import { type LiveFlow, StartError, type StartOptions, TriggerError } from './live-flow.ts'
import { type Home, LiveNode } from './live-node.ts'
import { Loop } from './loop.ts'
import { parseSettings, startNode } from './node-life.ts'
import type { NodeRegistry } from './registry.ts'

/** How long executions may take to end once the flow stops. */
const LAST_MS = 10_000

/** What the flows of a runtime share. */
export interface Surrounding {
  readonly host: Host
  readonly registry: NodeRegistry
  readonly bus: Bus
}

interface Unit {
  readonly node: LiveNode
  readonly context: EngineContext
}

/** `starting` keeps publications back; they go out, in order, once every node has started. */
type Phase =
  | { readonly is: 'starting'; readonly kept: (() => void)[] }
  | { readonly is: 'active' }
  | { readonly is: 'stopping'; readonly done: Promise<void> }

/** Builds, runs and ends the nodes of one flow. */
export class RunningFlow implements LiveFlow, Home {
  readonly name: string
  readonly document: FlowDocument
  readonly loop = new Loop<Consumer, What>(
    (consumer, what, value, cascade) => (consumer as LiveNode).discard('overflow', what, value, cascade),
    (consumer, what, value, cascade) => (consumer as LiveNode).discard('stopped', what, value, cascade),
  )
  readonly #around: Surrounding
  readonly #units = new Map<string, Unit>()
  readonly #channels: Channel[] = []
  readonly #outputs: OutputPort[] = []
  readonly #scope = Scope.makeUnsafe()
  readonly #onEnd: () => void
  #phase: Phase = { is: 'starting', kept: [] }
  #tickets = 0

  /** Begins nothing. `onEnd` runs after the stop, or the failed start. */
  constructor(document: FlowDocument, around: Surrounding, onEnd: () => void) {
    this.name = document.name
    this.document = document
    this.#around = around
    this.#onEnd = onEnd
  }

  /** Builds and starts every node, in the document's order. Rejects with a {@link StartError}; then nothing is left. */
  async start(options: StartOptions): Promise<void> {
    try {
      this.#build(options)
      const all = Effect.forEach(this.#units.values(), (unit) => this.#startNode(unit), { discard: true })
      const exit = await Effect.runPromiseExit(onClock(this.#around.host.clock, Scope.provide(all, this.#scope)))
      if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
    } catch (error) {
      await this.#closeNodes()
      throw error
    }
    this.#subscribe()
    const { kept } = this.#phase as Extract<Phase, { is: 'starting' }>
    this.#phase = { is: 'active' }
    for (const publish of kept) publish()
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

  stop(): Promise<void> {
    if (this.#phase.is === 'stopping') return this.#phase.done
    const done = this.#stop()
    this.#phase = { is: 'stopping', done }
    return done
  }

  pause(): void {
    if (!this.active || this.paused) return
    const waiting = [...this.#units.values()].flatMap(({ node }) => node.takeMailbox())
    this.loop.hold(waiting.toSorted((a, b) => a.ticket - b.ticket))
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
    const cascade = this.newCascade()
    const ports = Object.keys(values).filter((port) => values[port] !== undefined)
    const inputs = new Map(node.inputs.map((input) => [input.port, input]))
    if (ports.length === 0) this.loop.deliver(node, TRIGGER, {}, cascade)
    else if (ports.every((port) => inputs.has(port))) {
      deliverTogether(node, arrivalsOf(inputs, values, ports), cascade)
    } else if (ports.every((port) => node.outputs.has(port))) {
      const outputs = namedPorts(values, node.outputs)
      const sent = outputs.map((output) => fitting(output, values[output.port], output.subject))
      this.publishMany(outputs, sent, cascade)
    } else {
      const unknown = ports.find((port) => !inputs.has(port)) ?? null
      throw new TriggerError(unknown, `node "${id}" has no input port "${unknown}"`)
    }
    return cascade.id
  }

  cancel(id: string): 0 | 1 {
    return this.#node(id).cancel()
  }

  acknowledge(id: string): NodeState {
    const node = this.#node(id)
    node.acknowledge()
    return node.state()
  }

  // What the nodes need of their flow.

  newCascade(): Cascade {
    return new Cascade(this.#around.host.newId())
  }

  publish(output: OutputPort, value: unknown, cascade: Cascade, atMs?: number): void {
    const { bus } = this.#around
    if (this.#phase.is === 'starting') this.#phase.kept.push(() => bus.publish(output, value, cascade, atMs))
    else bus.publish(output, value, cascade, atMs)
  }

  publishMany(outputs: readonly OutputPort[], values: readonly unknown[], cascade: Cascade, atMs?: number): void {
    const { bus } = this.#around
    if (this.#phase.is === 'starting') this.#phase.kept.push(() => bus.publishMany(outputs, values, cascade, atMs))
    else bus.publishMany(outputs, values, cascade, atMs)
  }

  ticket(): number {
    return this.#tickets++
  }

  timestamp(): string {
    return timestampOfMs(this.#around.host.clock.now())
  }

  deadLetter(entry: Omit<DeadLetter, 'flow'>): void {
    this.#around.host.deadLetter({ flow: this.name, ...entry })
  }

  log(node: string, text: string): void {
    this.#around.host.log({ flow: this.name, node, text })
  }

  changed(node: LiveNode): void {
    const { status, error } = node.state()
    const failure = error === null ? null : { type: error.type, message: error.message }
    const { host } = this.#around
    host.event({ type: 'node', flow: this.name, node: node.node.id, run: null, status, cached: false, error: failure })
  }

  healthChanged(node: LiveNode): void {
    const { health, message } = node.state()
    this.#around.host.event({ type: 'health', flow: this.name, node: node.node.id, status: health, message })
  }

  #node(id: string): LiveNode {
    const unit = this.#units.get(id)
    if (unit === undefined) throw new TriggerError(null, `flow "${this.name}" has no node "${id}"`)
    return unit.node
  }

  #build({ values }: StartOptions): void {
    for (const graphNode of buildGraph(this.document).nodes) this.#units.set(graphNode.node.id, this.#unit(graphNode))
    const initials = new Map(this.document.inputs.map(({ name, initial }) => [`${this.name}.${name}`, initial]))
    for (const { node } of this.#units.values()) {
      for (const input of node.inputs) {
        const value = values?.get(input.message) ?? initials.get(input.message) ?? null
        const counts = initials.has(input.message) || !input.trigger
        if (value !== null && counts && accepts(input.dtype, value)) input.fill(value)
      }
    }
  }

  #unit(graphNode: GraphNode): Unit {
    const { host, registry, bus } = this.#around
    const { id, type, ports } = graphNode.node
    const definition = registry.get(type)
    if (definition === undefined) throw new StartError(id, `there is no node type "${type}"`)
    const settings = parseSettings(registry, definition, graphNode.node)
    const outputs = ports
      .filter((port) => port.direction === 'output')
      .map(({ port, message, dtype, interval }): OutputPort => {
        const channel = this.#join(message)
        const subject = `output "${port}"`
        return { flow: this.name, node: id, port, dtype, subject, channel, gate: bus.gate(interval) }
      })
    this.#outputs.push(...outputs)
    const node = new LiveNode(this, graphNode, definition, outputs)
    return { node, context: new EngineContext(host, this.document, node, settings) }
  }

  #join(message: string): Channel {
    const channel = this.#around.bus.join(message)
    this.#channels.push(channel)
    return channel
  }

  #startNode({ node, context }: Unit): Effect.Effect<void, StartError, Scope.Scope> {
    const { host } = this.#around
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
      for (const [message, inputs] of byMessage) this.#join(message).readers.push({ consumer: node, inputs })
    }
  }

  async #stop(): Promise<void> {
    const { clock } = this.#around.host
    for (const { node, context } of this.#units.values()) {
      context.closeListeners()
      for (const { what, value, cascade } of node.takeMailbox()) node.discard('stopped', what, value, cascade)
    }
    this.loop.close()
    const ended = Effect.promise(() => this.loop.idle())
    await Effect.runPromise(onClock(clock, Effect.timeoutOption(ended, LAST_MS)))
    await this.#closeNodes()
  }

  async #closeNodes(): Promise<void> {
    await Effect.runPromise(onClock(this.#around.host.clock, Scope.close(this.#scope, Exit.void)))
    for (const { gate } of this.#outputs) gate?.close()
    const own = new Set<Consumer>([...this.#units.values()].map(({ node }) => node))
    for (const channel of new Set(this.#channels)) {
      channel.readers = channel.readers.filter(({ consumer }) => !own.has(consumer))
    }
    for (const channel of this.#channels) this.#around.bus.leave(channel)
    this.#onEnd()
  }
}

function arrivalsOf(inputs: ReadonlyMap<string, InputPort>, values: Values, ports: readonly string[]): Arrival[] {
  return ports.map((port) => {
    const input = inputs.get(port)!
    return { input, value: fitting(input, values[port], `input "${port}"`) }
  })
}

function fitting(
  { dtype, port }: { dtype: InputPort['dtype']; port: string },
  value: unknown,
  subject: string,
): unknown {
  try {
    return conform(dtype, value, subject)
  } catch (error) {
    throw new TriggerError(port, (error as Error).message)
  }
}
