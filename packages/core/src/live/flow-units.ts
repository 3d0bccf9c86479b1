/**
 * The nodes of a live flow with all that belongs to them: ports, settings, context, life.
 * @module
 */
import type { AnyNodeDefinition, Cancel } from '@flow-service/connector-sdk'
import { accepts, type FlowDocument, type FlowNode } from '@flow-service/protocol'
import * as Effect from 'effect/Effect'

import { EngineContext } from '../engine-context.ts'
import { append, type GraphNode } from '../graph.ts'
import type { Host } from '../host.ts'
import { NodeLife, parseSettings, StartError } from '../node-life.ts'
import { takeOrRefuse } from '../refused-payload.ts'
import { isIdempotent, mayRetry, type NodeRegistry } from '../registry.ts'
import { secretsNamed } from '../secrets.ts'
import type { Bus, Channel, Consumer, InputPort, OutputPort } from './bus.ts'
import type { Cascades } from './cascades.ts'
import { contentDigest, type NodeForm, typingOf } from './equal-nodes.ts'
import type { StartOptions } from './flow.ts'
import type { Home, KnownMessages } from './node-home.ts'
import { NodeMarker } from './node-marker.ts'
import { LiveNode } from './node.ts'

/** What a flow needs; the flows of a runtime share it. */
export interface FlowDeps {
  readonly host: Host
  readonly registry: NodeRegistry
  readonly bus: Bus
  readonly cascades: Cascades
  /** Nothing comes in but what the flow is fed: no listeners, no schedules (G26). */
  readonly isPrivate: boolean
  /** Whether what is left may be what has ended an earlier engine. */
  readonly isFirst: boolean
  /** Left out where nobody knows the messages of other flows. */
  readonly messages?: KnownMessages | undefined
}

/** What building a node needs. */
export interface UnitDeps extends FlowDeps {
  readonly home: Home
  readonly document: FlowDocument
}

/** A node, what it may touch, and its life. */
export class Unit {
  readonly node: LiveNode
  readonly context: EngineContext
  /** What it was built of beside its node (rebuild.R1). */
  document: FlowDocument
  readonly secrets: ReadonlyMap<string, string> | null
  #content: string | null = null
  readonly #namespace: string
  /** How often something of its package had been forgotten when it was built. */
  readonly #knows: number
  readonly #bus: Bus
  readonly #registry: NodeRegistry
  readonly #host: Pick<Host, 'devices' | 'payloadRefused' | 'release' | 'stores'>
  readonly #life: NodeLife
  /** The device that the node stands for. */
  readonly #device: string | null
  /** Ends its seat there, while it has one. */
  #leave: Cancel | null = null
  readonly #outputs: readonly OutputPort[]
  readonly #read: Channel[] = []

  /** Throws a {@link StartError} without a definition of its type, or for settings that it does not take. */
  constructor(graphNode: GraphNode, definition: AnyNodeDefinition | undefined, deps: UnitDeps) {
    const { bus, home, document, host, registry, isPrivate, messages } = deps
    const { id, type } = graphNode.node
    if (definition === undefined) throw new StartError(id, registry.absence(type))
    const settings = parseSettings({ registry, host }, definition, graphNode.node)
    const { inputs, outputs: ports } = graphNode
    const shape = { id, mode: document.mode, settings, inputs, outputs: ports }
    const idempotent = isIdempotent(definition, shape)
    // who waits for a private run wants the first outcome
    const retry = !isPrivate && mayRetry(definition, shape) ? graphNode.node.retry : null
    const { mask } = host.secrets
    // readings and what devices send are thinned for their readers, too (G80)
    const isThinned = definition.category === 'connector' || definition.category === 'device'
    const outputs = outputPortsOf(graphNode.node, { flow: document.name, bus, isThinned })
    const marker = new NodeMarker(host.markers, { flow: document.name, node: id }, () => this.content)
    this.node = new LiveNode(home, { graphNode, definition, outputs, idempotent, retry, mask, marker, messages })
    const namespace = registry.namespaceOf(definition)
    this.context = new EngineContext({
      host,
      document,
      owner: this.node,
      ports: graphNode,
      settings,
      namespace,
      isPrivate,
    })
    this.#namespace = namespace
    this.#knows = host.stores.forgotten(namespace)
    this.document = document
    this.secrets = secretsNamed(graphNode.node.settings, host.secrets)
    this.#bus = bus
    this.#registry = registry
    this.#host = host
    this.#life = new NodeLife(definition, this.context)
    this.#device = definition.device?.(settings) ?? null
    this.#outputs = outputs
  }

  get form(): NodeForm {
    return { node: this.node.node, document: this.document, secrets: this.secrets }
  }

  /** Whether it has to learn anew what its package stores. */
  get isForgotten(): boolean {
    return this.#host.stores.forgotten(this.#namespace) !== this.#knows
  }

  /** Digest of what it was built of. */
  get content(): string {
    return (this.#content ??= contentDigest(this.form, typingOf(this.node.definition, this.#registry)))
  }

  /** Goes on in another document, in which the node is equal. */
  follow(document: FlowDocument, node: FlowNode): void {
    this.document = document
    this.context.follow(document)
    this.node.follow(node)
  }

  start(): Effect.Effect<void, StartError> {
    return Effect.map(this.#life.start(), (instance) => {
      this.node.open(instance)
      this.#sit()
    })
  }

  /** Has nothing come in any more; what executes goes on. */
  closeListeners(): void {
    this.#stand()
    this.context.closeListeners()
  }

  /** Ends executions and stops the node; never fails. */
  stop(): Effect.Effect<void> {
    const { definition, node } = this.node
    return this.#life.stop(() => {
      this.#stand()
      this.node.close()
      if (definition.code !== undefined) this.#host.release(this.context.flow, node.id)
    })
  }

  /** Takes the node's seat at its device (node.N9). */
  #sit(): void {
    if (this.#device === null) return
    const { flow, node } = this.context
    this.#leave = this.#host.devices.seat(this.#device, {
      flow,
      node,
      emit: (values) => takeOrRefuse(() => this.context.emit(values), this.#host, { flow, node }),
      presence: (online) => this.context.reportHealth(online ? 'ok' : 'degraded', online ? undefined : 'offline'),
    })
  }

  #stand(): void {
    this.#leave?.()
    this.#leave = null
  }

  /** Has the node read its messages. */
  connect(): void {
    const byMessage = new Map<string, InputPort[]>()
    for (const input of this.node.inputs) append(byMessage, input.message, input)
    for (const [message, inputs] of byMessage) {
      const channel = this.#bus.join(message)
      this.#read.push(channel)
      channel.connect(inputs)
    }
  }

  /** Has stopped nodes read nothing any more, and gives their channels back. */
  static disconnect(units: readonly Unit[]): void {
    const gone = new Set<Consumer>(units.map(({ node }) => node))
    for (const channel of new Set(units.flatMap((unit) => unit.#read))) channel.disconnect(gone)
    for (const unit of units) {
      for (const { channel, gate } of unit.#outputs) {
        gate?.close()
        unit.#bus.leave(channel)
      }
      for (const channel of unit.#read.splice(0)) unit.#bus.leave(channel)
    }
  }
}

interface OutputHome {
  readonly flow: string
  readonly bus: Bus
  /** Whether intervals hold for what is published, not only for what is shown. */
  readonly isThinned: boolean
}

/** The output ports of a node, each joined to its channel. */
const outputPortsOf = ({ id, ports }: FlowNode, { flow, bus, isThinned }: OutputHome): OutputPort[] =>
  ports
    .filter(({ direction }) => direction === 'output')
    .map(({ port, message, dtype, interval }) => {
      const [channel, gate] = [bus.join(message), isThinned ? null : bus.gate(interval)]
      const limit = isThinned && interval !== null && interval > 0 ? interval : null
      // what each value needs comes first, as in the objects of a node
      return {
        port,
        dtype,
        channel,
        memo: undefined,
        message,
        gate,
        flow,
        node: id,
        subject: `output "${port}"`,
        limit,
      }
    })

/** Gives inputs their last values, else the initial ones: passive inputs, and flow inputs with an initial value (G15). */
export function fillInputs(
  ports: readonly InputPort[],
  { name: flow, inputs }: FlowDocument,
  { values }: Pick<StartOptions, 'values'>,
): void {
  const declared = new Map(inputs.map((input) => [`${flow}.${input.name}`, input]))
  for (const input of ports) {
    const { dtype = 'any', initial } = declared.get(input.message) ?? {}
    const counts = declared.has(input.message) || !input.trigger
    const isTaken = (value: unknown): boolean => accepts(input.dtype, value) && accepts(dtype, value)
    // a last value of an earlier dtype makes way for the initial one
    const known = [values?.get(input.message), initial]
    const value = known.find((each) => each !== undefined && each !== null && isTaken(each))
    if (value !== undefined && counts) input.fill(value)
  }
}
