/**
 * One run of a batch flow: every node once, after what it depends on (G16). Invariants batch.B1-B12 of DESIGN.md.
 * @module
 */
import type { Values } from '@flow-service/connector-sdk'
import type { FlowDocument } from '@flow-service/protocol'

import { append, buildGraph, dependenciesOf, type Graph, type GraphNode } from '../graph.ts'
import type { BatchContext, BatchOutcome, EarlierNode, NodeEnd } from './context.ts'
import { givers, inputsAt, valuesAtStart } from './inputs.ts'
import { executeNode } from './node.ts'

/**
 * Runs a checked document to its end. Does not reject for anything that a node does. What is made of a document serves
 * all its runs (batch.B12): it must not change any more.
 */
export function runBatch(document: FlowDocument, context: BatchContext): Promise<BatchOutcome> {
  return new Batch(document, context).run()
}

/** What all runs of a document know of it. */
interface Plan {
  readonly graph: Graph
  /** Ids of the nodes that each depends on. */
  readonly dependencies: ReadonlyMap<GraphNode, ReadonlySet<string>>
  /** The nodes that depend on each, by its id. */
  readonly consumers: ReadonlyMap<string, readonly GraphNode[]>
}

const plans = new WeakMap<FlowDocument, Plan>()

function planOf(document: FlowDocument): Plan {
  const known = plans.get(document)
  if (known !== undefined) return known
  const graph = buildGraph(document)
  const dependencies = new Map(graph.nodes.map((node) => [node, dependenciesOf(graph, node)]))
  const consumers = new Map<string, GraphNode[]>()
  for (const [node, ids] of dependencies) for (const id of ids) append(consumers, id, node)
  const plan = { graph, dependencies, consumers }
  plans.set(document, plan)
  return plan
}

/** A node waits for its dependencies, then for a slot; `failed` ones and their dependants block what depends on them. */
class Batch {
  readonly #document: FlowDocument
  readonly #context: BatchContext
  readonly #plan: Plan
  readonly #values: Map<string, unknown>
  /** How many of its dependencies have not ended, of each node. */
  readonly #waiting: Map<GraphNode, number>
  readonly #ready: GraphNode[] = []
  /** Ids of nodes that failed, and of their dependants. */
  readonly #blocked = new Set<string>()
  /** Nodes that take their slot again, before others begin. */
  readonly #returning: { readonly node: GraphNode; readonly goOn: () => void }[] = []
  /** Those of them, and of the ready ones, that are known to wait for a slot. */
  readonly #queued = new Set<GraphNode>()
  #running = 0
  /** Nodes that wait without a slot, or for one. */
  #aside = 0
  #error: BatchOutcome['error'] = null
  #finish: () => void = () => {}

  constructor(document: FlowDocument, context: BatchContext) {
    this.#document = document
    this.#context = context
    this.#plan = planOf(document)
    const { graph, dependencies } = this.#plan
    this.#values = valuesAtStart(document, graph, context)
    this.#waiting = new Map(graph.nodes.map((node) => [node, dependencies.get(node)!.size]))
    this.#takeOver()
    const goesOn = (node: GraphNode): boolean => this.#goesOn(node)
    const ready = graph.nodes.filter((node) => this.#waiting.get(node) === 0 && !this.#isOver(node))
    this.#ready.push(...ready.filter(goesOn), ...ready.filter((node) => !goesOn(node)))
  }

  /** Nodes that have ended before: each after what it depends on (batch.B10). */
  #takeOver(): void {
    const nodes = new Map(this.#plan.graph.nodes.map((node) => [node.node.id, node]))
    for (const [id, earlier] of this.#context.earlier ?? []) {
      const node = nodes.get(id)
      if (node === undefined || earlier.status === 'begun') continue
      // one that was skipped blocks others, or does not
      if (earlier.status === 'skipped') this.#inputsOf(node)
      else this.#keep(node, earlier)
      this.#release(node)
    }
  }

  #isOver({ node }: GraphNode): boolean {
    const earlier = this.#context.earlier?.get(node.id)
    return earlier !== undefined && earlier.status !== 'begun'
  }

  /** Its code executes already: it takes no slot from others, and waits for none. */
  #goesOn(node: GraphNode | undefined): boolean {
    const earlier = node && this.#context.earlier?.get(node.node.id)
    return earlier?.status === 'begun' && earlier.goingOn !== null
  }

  async run(): Promise<BatchOutcome> {
    const { signal } = this.#context
    await new Promise<void>((resolve) => {
      this.#finish = resolve
      this.#fill()
    })
    if (signal.aborted) return { status: 'cancelled', result: null, error: null }
    if (this.#error !== null) return { status: 'error', result: null, error: this.#error }
    const { name, outputs } = this.#document
    const result = outputs.map(({ name: message, port }) => [port, this.#values.get(`${name}.${message}`) ?? null])
    return { status: 'ok', result: Object.fromEntries(result), error: null }
  }

  /** Begins what may begin; ends the run when nothing is left. */
  #fill(): void {
    while (this.#running < this.#context.parallel || this.#goesOn(this.#ready[0])) {
      const returning = this.#returning.shift()
      const node = returning?.node ?? this.#ready.shift()
      if (node === undefined) break
      this.#running++
      this.#queued.delete(node)
      if (returning !== undefined) returning.goOn()
      else void this.#execute(node)
    }
    this.#tellQueued()
    if (this.#running === 0 && this.#aside === 0) this.#finish()
  }

  /** Tells of each node that waits for a slot. Those that will be skipped wait for nothing. */
  #tellQueued(): void {
    const context = this.#context
    if (context.signal.aborted) return
    for (const graphNode of [...this.#returning.map(({ node }) => node), ...this.#ready]) {
      if (this.#queued.has(graphNode)) continue
      this.#queued.add(graphNode)
      if (this.#inputsOf(graphNode) === null) continue
      const waits = { status: 'queued', waitingFor: 'process', inLine: true } as const
      context.observe({ kind: 'node', node: graphNode.node.id, atMs: context.host.clock.now(), ...waits })
    }
  }

  /** Gives the slot of a node to others while `work` goes on. */
  async #setAside(node: GraphNode, work: Promise<void>): Promise<void> {
    this.#aside++
    this.#running--
    this.#fill()
    await work
    await new Promise<void>((resolve) => {
      this.#returning.push({ node, goOn: resolve })
      this.#fill()
    })
    this.#aside--
  }

  async #execute(graphNode: GraphNode): Promise<void> {
    const end = await this.#end(graphNode)
    this.#record(graphNode, end)
    this.#ready.push(...this.#release(graphNode))
    this.#running--
    this.#fill()
  }

  /** A node has ended; gives those that waited for it alone. */
  #release({ node }: GraphNode): GraphNode[] {
    const consumers = this.#plan.consumers.get(node.id) ?? []
    for (const consumer of consumers) this.#waiting.set(consumer, this.#waiting.get(consumer)! - 1)
    return consumers.filter((consumer) => this.#waiting.get(consumer) === 0)
  }

  async #end(graphNode: GraphNode): Promise<NodeEnd> {
    if (this.#context.signal.aborted) return { status: 'cancelled' }
    const inputs = this.#inputsOf(graphNode)
    if (inputs === null) return { status: 'skipped' }
    const aside = (work: Promise<void>): Promise<void> => this.#setAside(graphNode, work)
    const from = givers(this.#plan.graph, graphNode)
    return executeNode({ graphNode, inputs, from, document: this.#document, context: this.#context, aside })
  }

  /** Values of the inputs that have one; null when the node is to be skipped. */
  #inputsOf(graphNode: GraphNode): Values | null {
    const { node } = graphNode
    if ([...this.#plan.dependencies.get(graphNode)!].some((id) => this.#blocked.has(id))) {
      this.#blocked.add(node.id)
      return null
    }
    return inputsAt(graphNode, this.#values, this.#context.registry)
  }

  #record(graphNode: GraphNode, end: NodeEnd): void {
    const context = this.#context
    this.#keep(graphNode, end)
    context.observe({ kind: 'node', node: graphNode.node.id, atMs: context.host.clock.now(), ...end })
  }

  #keep({ node: { id }, outputs }: GraphNode, end: NodeEnd | EarlierNode): void {
    if (end.status === 'ok') {
      for (const { port, message } of outputs) {
        if (end.outputs[port] !== undefined) this.#values.set(message, end.outputs[port])
      }
    } else if (end.status === 'error') {
      this.#blocked.add(id)
      this.#error ??= { node: id, type: end.error.type, message: end.error.message }
    }
  }
}
