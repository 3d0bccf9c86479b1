/**
 * The base class of connectors: node types that stand for a device, a service or an account outside of the engine.
 * `nodeTypeOf` makes a node type of a subclass; everything that the class does goes through `ctx`.
 *
 * An engine makes one object for each node, calls `start` when its flow starts or the node is built anew, and `stop` before
 * it is built anew and when the flow stops, also after a `start` that failed.
 * @module
 */
import type { ArtifactRef, Health } from '@flow-service/protocol'
import type { Router } from 'express'
import type * as z from 'zod'

import { ConnectorHealth } from './connector-health.ts'
import type { NodeContext, SaveOptions } from './context.ts'
import type { NodeFinding, NodePort, NodeShape, Values } from './node.ts'
import { ConnectorParams } from './params.ts'
import { PollLoop } from './poll-loop.ts'
import { type ConnectorPorts, type InputsOf, type OutputsOf, wanted } from './ports.ts'
import type { ConnectorStore } from './store.ts'

/** What an engine hands to the constructor of a connector. */
export interface ConnectorContext extends NodeContext {
  readonly settings: Readonly<Record<string, unknown>> & z.output<typeof ConnectorParams>
}

/**
 * A connector. A subclass declares `static contract = 1` itself, its settings as `static Params`, and implements `poll`,
 * `write`, or `start` and `inject`.
 * @typeParam P the schema of the settings, `typeof Meter.Params`: it types `config`.
 * @typeParam Ports the ports it declares, `typeof Meter.ports`: they type `poll`, `write` and `inject`.
 * @example
 * export default class Meter extends Connector<typeof Meter.Params, typeof Meter.ports> {
 *   static readonly contract = 1
 *   static override readonly title = 'Meter'
 *   static override readonly Params = ConnectorParams.extend({ url: z.url() })
 *   static override readonly ports = { outputs: { power: 'float' } } as const
 *   override async poll() {
 *     const response = await this.ctx.fetch(this.config.url, { signal: this.ctx.signal })
 *     const { watts } = (await response.json()) as { watts: number }
 *     return { power: watts }
 *   }
 * }
 */
export abstract class Connector<P extends z.ZodObject = typeof ConnectorParams, Ports extends ConnectorPorts = object> {
  /** What people read of the type; the name of its entry point unless given. */
  static readonly title: string = ''
  /** A sentence on what it does; may be empty. */
  static readonly description: string = ''
  /**
   * Whether a `write` that a crash has cut off may be called again with the same values, and one that fails may be tried
   * again: false for commands such as ringing a bell. What is cut off is a dead letter then.
   */
  static readonly idempotent: boolean = true
  /** The settings, an extension of {@link ConnectorParams}. Their descriptions and defaults are what forms show. */
  static readonly Params: z.ZodObject = ConnectorParams
  /** Ports that its nodes may have, of which the author of a flow takes those that are wanted; any unless given. */
  static readonly ports: ConnectorPorts = {}
  /**
   * Paths of the routes of `start(app)` that answer without sign-in, such as `/callback`; one that ends with `/` stands for
   * all below it. None unless given.
   */
  static readonly openRoutes: readonly string[] = []

  /**
   * Findings on a node beyond what its settings' schema and the declared ports say, such as ports that depend on settings.
   * It is asked before a flow is saved, opens nothing, and never throws.
   */
  static check(_shape: NodeShape): readonly NodeFinding[] {
    return []
  }

  /** The settings of the node with their defaults, and the values of the secrets that they name. */
  readonly config: z.output<P>
  /** Texts by key that outlive the engine, common to all nodes of the package; there from the constructor on. */
  readonly store: ConnectorStore
  /** Ports that the node has, in the order of its document. */
  readonly inputs: readonly NodePort[]
  readonly outputs: readonly NodePort[]
  /** All that a node may touch: `ctx.fetch`, `ctx.connect`, `ctx.log`, timers, files. Nothing else reaches the network. */
  protected readonly ctx: ConnectorContext
  readonly #health: ConnectorHealth
  readonly #loop: PollLoop
  #hasStarted = false

  /** A subclass that has a constructor of its own hands the context on: `super(context)`. */
  constructor(context: ConnectorContext) {
    this.ctx = context
    this.config = context.settings as z.output<P>
    this.store = context.store
    this.inputs = context.inputs
    this.outputs = context.outputs
    this.#health = new ConnectorHealth((status, message) => context.reportHealth(status, message))
    this.#loop = new PollLoop({
      ctx: context,
      intervalS: () => this.pollInterval,
      read: () => this.poll(),
      wanted: (values) => this.#wanted(values),
      health: this.#health,
    })
  }

  /**
   * Seconds between two readings, 0 for none: the setting `poll_interval`. A connector to which values come by themselves
   * under some of its settings says 0 then.
   */
  protected get pollInterval(): number {
    return this.ctx.settings.poll_interval
  }

  /**
   * Takes a reading: values by output port, or null when there is nothing new. It is called each `poll_interval` seconds,
   * never while it still runs, and only values that have changed are published, as one delivery. What it throws is a failed
   * reading: the connector is `degraded`, from the third in a row on `down`, and the next tick tries again. A port that is
   * neither the node's nor declared, or a value that is not of the port's dtype, fails the whole reading; values of declared
   * ports that the node does not have are left out.
   */
  async poll(): Promise<OutputsOf<Ports> | null> {
    return null
  }

  /**
   * Takes what has arrived at input ports at once, and may give values for output ports, which are published. Calls wait
   * for each other and for nothing else: readings go on meanwhile. What it throws is a failure of the node. A connector
   * that does not implement it has no input ports.
   */
  async write(_inputs: InputsOf<Ports>): Promise<OutputsOf<Ports> | null | void> {}

  /**
   * Begins: opens subscriptions and mounts routes on `app`, an Express router at
   * `{base_url}/connectors/{type}/{flow}/{node}`, which only a `start` that names the parameter gets. An override calls
   * `super.start(app)`, which begins the readings. Throwing refuses the start of the flow. It has 10 seconds.
   */
  async start(_app?: Router): Promise<void> {
    this.#hasStarted = true
    if (this.ctx.mode === 'live' && this.poll !== Connector.prototype.poll) this.#loop.start()
  }

  /**
   * Ends: leaves no timer, socket or subscription behind. It is called again after it has been called, and after a `start`
   * that failed, and does no harm then. An override calls `super.stop(app)`, which ends the readings.
   */
  async stop(_app?: Router): Promise<void> {
    this.#loop.stop()
  }

  /**
   * Publishes readings that come by themselves, as one delivery; changed or not. Throws for a port that the node lacks and
   * for a value that is not of the port's dtype; then nothing is published.
   */
  inject(values: OutputsOf<Ports>): void {
    const own = this.#wanted(values)
    this.ctx.emit(own)
    this.#loop.note(own)
  }

  /**
   * Stores bytes and gives a reference for a port of dtype `image`, `media` or `artifact`. Volatile bytes, such as frames of
   * a camera, stay in a ring in memory, where newer ones push out the oldest. Rejects before `start`.
   */
  async saveArtifact(data: Uint8Array, options: SaveOptions = {}): Promise<ArtifactRef> {
    if (!this.#hasStarted)
      throw new Error('artifacts can be stored once the connector has started: call super.start() before')
    return this.ctx.saveArtifact(data, options)
  }

  /**
   * Tells how the connection is: `degraded` still works, `down` is an issue of the flow. Equal states in a row are one event.
   * A reading that succeeds later says `ok`, unless `poll` has told something else while it was taken.
   */
  reportHealth(status: Health, message?: string): void {
    this.#health.report(status, message)
  }

  #wanted(values: Values): Values {
    return wanted(values, (this.constructor as typeof Connector).ports, this)
  }

  /** Takes a reading now, or waits for the one that goes on; what has changed is published. Never rejects. */
  readNow(): Promise<void> {
    return this.#loop.read()
  }
}
