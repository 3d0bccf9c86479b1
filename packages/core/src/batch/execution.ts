/**
 * One execution of a node of a run, and what it publishes: emissions as they come, and the outputs it ends with
 * (batch.B6, batch.B7).
 * @module
 */
import type { AnyNodeDefinition, NodeInstance, NodePort, Outcome, Values } from '@flow-service/connector-sdk'
import type { ArtifactRef, FlowNode } from '@flow-service/protocol'

import { conform, namedPorts } from '../conform.ts'
import type { ContextOwner, LastingTimers } from '../context-owner.ts'
import type { Failure } from '../failure.ts'
import type { GraphNode } from '../graph.ts'
import { CodeError } from '../host.ts'
import type { BatchContext } from './context.ts'

/** What an execution needs. */
export interface ExecutionDeps {
  readonly graphNode: GraphNode
  /** Values of the inputs that have one. */
  readonly inputs: Values
  readonly context: BatchContext
  /** Stage key of a node with code, else null. */
  readonly key: string | null
  /** From 1. */
  readonly attempt: number
  /** The last value of each streaming port that the execution has emitted before, when it goes on. */
  readonly emitted: Values
  /** A worker has begun to execute the node's code. */
  readonly onBegin: () => void
}

const noTimers: LastingTimers = {
  set() {
    throw new Error('a run sets no timers that outlive it; wait in the handler')
  },
  clear() {},
  dueMs: () => null,
  pending: () => [],
}

/** Runs a node's handlers once, and gathers what comes of it. */
export class BatchExecution implements ContextOwner {
  readonly node: FlowNode
  readonly run: string
  readonly timers = noTimers
  readonly attempt: number
  /** By port: what was returned, and the last emission of streaming ports. */
  readonly outputs: Values
  /** Rejects when a callback of the node fails. */
  readonly failed: Promise<never>
  readonly #reject: (error: unknown) => void
  readonly #graphNode: GraphNode
  readonly #inputs: Values
  readonly #context: BatchContext
  readonly #key: string | null
  readonly #onBegin: () => void
  readonly #ports: ReadonlyMap<string, NodePort>

  constructor({ graphNode, inputs, context, key, attempt, emitted, onBegin }: ExecutionDeps) {
    this.attempt = attempt
    this.outputs = { ...emitted }
    this.node = graphNode.node
    this.run = context.run
    this.#graphNode = graphNode
    this.#inputs = inputs
    this.#context = context
    this.#key = key
    this.#onBegin = onBegin
    this.#ports = new Map(graphNode.outputs.map((output) => [output.port, output]))
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(() => {})
    this.failed = promise
    this.#reject = reject
  }

  /** Calls the handlers one after the other: one for each triggering value, or one with all. */
  async handle(definition: AnyNodeDefinition, instance: NodeInstance): Promise<void> {
    const { inputs } = this.#graphNode
    if (definition.arrival !== 'each') {
      const values = definition.arrival === 'combine' ? withNulls(this.#graphNode, this.#inputs) : this.#inputs
      await this.#end(inputs.length === 0 && instance.onTrigger ? instance.onTrigger({}) : instance.onInput?.(values))
      return
    }
    const arrived = inputs.filter(({ port, trigger }) => trigger && Object.hasOwn(this.#inputs, port))
    for (const { port } of arrived) await this.#end(instance.onValue?.(port, this.#inputs[port]))
    if (arrived.length === 0) await this.#end(instance.onTrigger?.({}))
  }

  send(port: string, value: unknown): void {
    this.emit({ [port]: value })
  }

  emit(values: Values, atMs = this.#context.host.clock.now()): void {
    const outputs = namedPorts(values, this.#ports)
    for (const { port, stream } of outputs) {
      if (!stream) {
        const message = `output "${port}" does not stream; return its value, or set "stream" on the port`
        throw new Error(message)
      }
    }
    this.#publish(outputs, values, atMs)
  }

  behind(): Promise<void> | undefined {
    return this.#context.behind?.()
  }

  /** A run ends with its executions: nothing of it waits for a later life. */
  emitDurably(): Promise<never> {
    return Promise.reject(new Error('a run takes no arrivals from outside'))
  }

  from(): 'run' {
    return 'run'
  }

  latest(port: string): unknown {
    return this.#inputs[port] ?? null
  }

  /** One execution is the node's whole life. */
  executionSignal(): null {
    return null
  }

  seed(call: string): string {
    return this.#key ?? call
  }

  fail({ type, message, traceback }: Failure): void {
    this.#reject(new CodeError(type, message, traceback))
  }

  placed(place: { readonly waitingFor: string } | { readonly worker: string }): void {
    const atMs = this.#context.host.clock.now()
    const status = 'worker' in place ? 'running' : 'queued'
    if ('worker' in place) this.#onBegin()
    const where = 'worker' in place ? { worker: place.worker } : place
    this.#context.observe({ kind: 'node', node: this.node.id, status, atMs, ...where })
  }

  /** A run has no connections to report. */
  reportHealth(): void {}

  log(stream: 'stdout' | 'stderr', text: string): void {
    this.#context.observe({ kind: 'log', node: this.node.id, stream, text })
  }

  saved(ref: ArtifactRef): void {
    this.#context.observe({ kind: 'artifact', node: this.node.id, ref })
  }

  async #end(outcome: Outcome): Promise<void> {
    const values = await outcome
    // Code that does not look at its signal ends after its run has.
    if (values === undefined || values === null || this.#context.signal.aborted) return
    this.#publish(namedPorts(values, this.#ports), values, this.#context.host.clock.now())
  }

  /** Checks all values before it keeps one. A streaming port's value is an emission, the returned one too. */
  #publish(outputs: readonly NodePort[], values: Values, atMs: number): void {
    const sent = outputs.map(({ port, dtype }) => conform(dtype, values[port], `output "${port}"`))
    for (const [at, { port, message, dtype, stream }] of outputs.entries()) {
      const value = sent[at]
      this.outputs[port] = value
      if (stream) this.#context.observe({ kind: 'emit', node: this.node.id, port, message, dtype, value, atMs })
    }
  }
}

/** The inputs of a combining node: absent ones are null. */
export const withNulls = ({ inputs }: GraphNode, values: Values): Values =>
  Object.fromEntries(inputs.map(({ port }) => [port, values[port] ?? null]))
