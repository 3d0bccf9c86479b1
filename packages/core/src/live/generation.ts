/**
 * Nodes of a live flow that start together: all of them when it starts, those that have changed when it is rebuilt. What
 * they publish is kept back until they are let go (flow.F1, rebuild.R3).
 * @module
 */
import { accepts, type FlowDocument } from '@flow-service/protocol'
import * as Effect from 'effect/Effect'

import type { GraphNode } from '../graph.ts'
import type { CascadeBeginning, Host, Lease } from '../host.ts'
import type { StartError } from '../node-life.ts'
import type { Arrivals } from './arrivals.ts'
import type { Bus, Consumer, OutputPort, What } from './bus.ts'
import { type Cascade, type Cause, WorkCause } from './cascade.ts'
import { EarlyPublications } from './early-publications.ts'
import type { ExecutionStats } from './execution-stats.ts'
import type { FlowNews } from './flow-news.ts'
import { type FlowDeps, Unit } from './flow-units.ts'
import type { FlowWork } from './flow-work.ts'
import type { Loop } from './loop.ts'
import type { Home, HomeNode, KeptPublication, TimersHome } from './node-home.ts'
import type { LiveNode } from './node.ts'

/** What the generations of a flow share. */
export interface GenerationFlow {
  readonly loop: Loop<Consumer, What>
  readonly stats: ExecutionStats
  readonly work: FlowWork
  readonly news: FlowNews
  readonly isStopping: boolean
  /** Whether what waits at the stop is kept for the next start. */
  readonly keeps: boolean
  /** The node of an id as it is now. */
  nodeOf(id: string): LiveNode | undefined
  ticket(): number
}

/** What a generation is made of. */
export interface GenerationPlan {
  readonly document: FlowDocument
  readonly nodes: readonly GraphNode[]
  /** The unit whose definition and secrets a node has, in place of what is registered and stored now. */
  readonly again?: (node: string) => Unit | undefined
}

/** One object a start, and one a rebuild. */
export class Generation implements Home {
  readonly name: string
  readonly loop: Loop<Consumer, What>
  readonly lease: Lease | undefined
  readonly stats: ExecutionStats
  readonly work: FlowWork
  readonly news: FlowNews
  bus: Bus | null = null
  /** In the order of the document. */
  readonly units: readonly Unit[]
  readonly #flow: GenerationFlow
  readonly #deps: FlowDeps
  readonly #early = new EarlyPublications()

  /** Builds the nodes and starts none. Throws a {@link StartError}; then nothing is left. */
  constructor(flow: GenerationFlow, deps: FlowDeps, { document, nodes, again = () => undefined }: GenerationPlan) {
    this.name = document.name
    this.#flow = flow
    this.#deps = deps
    this.loop = flow.loop
    this.lease = deps.host.lease
    this.stats = flow.stats
    this.work = flow.work
    this.news = flow.news
    const units: Unit[] = []
    try {
      for (const node of nodes) {
        const before = again(node.node.id)
        const host = withSecretsOf(deps.host, before?.secrets ?? null)
        const definition = before?.node.definition ?? deps.registry.get(node.node.type)
        units.push(new Unit(node, definition, { ...deps, host, home: this, document }))
      }
    } catch (error) {
      Unit.disconnect(units)
      throw error
    }
    this.units = units
  }

  /** Starts the nodes one after the other; the first that does not start is the last. */
  start(): Effect.Effect<void, StartError> {
    return Effect.forEach(this.units, (unit) => unit.start(), { discard: true })
  }

  /** Lets go of what the nodes have published while they started, and has timers and requests come in. */
  open(): void {
    this.bus = this.#deps.bus
    this.#early.publish()
    for (const { node } of this.units) node.timers.open()
  }

  /** Gives up what the nodes have published while they started. */
  drop(): void {
    this.#early.drop()
  }

  get keeps(): boolean {
    return this.#flow.keeps
  }

  newCascade(beginning: CascadeBeginning): Cascade {
    return this.#deps.cascades.begin(beginning)
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
    within?.enter(1)
    const cascade = within ?? this.newCascade(node.beginning())
    const atMs = this.#deps.host.clock.now()
    await this.work.arrival(node, outputs, { values, atMs, cascade }, (work) => {
      const now = this.#outputsNow(node, outputs, values)
      // at the end of the flow, or where nobody publishes it any more, the next start delivers it
      if (now === null || this.#flow.isStopping) cascade.suspend()
      else {
        this.publishMany(now, values, new WorkCause(cascade, work, 0), atMs)
        work.leave()
        cascade.leave()
      }
    })
  }

  /** The same outputs of the node that has taken the place of this one; null when it has no such. */
  #outputsNow(
    node: HomeNode,
    outputs: readonly OutputPort[],
    values: readonly unknown[],
  ): readonly OutputPort[] | null {
    const heir = this.bus === null ? node : this.#flow.nodeOf(node.node.id)
    if (heir === node) return outputs
    const now = outputs.flatMap(({ port }, at) => {
      const output = heir?.outputs.get(port)
      return output !== undefined && accepts(output.dtype, values[at]) ? [output] : []
    })
    return now.length === outputs.length ? now : null
  }

  intend(node: HomeNode, arrivals: Arrivals, cause: Cause): () => void {
    return this.work.intend(node, arrivals, cause)
  }

  get timers(): TimersHome {
    return this.work.timers
  }

  ticket(): number {
    return this.#flow.ticket()
  }
}

function withSecretsOf(host: Host, values: ReadonlyMap<string, string> | null): Host {
  if (values === null) return host
  const { secrets } = host
  return { ...host, secrets: { ...secrets, valueOf: (name) => values.get(name) ?? secrets.valueOf(name) } }
}
