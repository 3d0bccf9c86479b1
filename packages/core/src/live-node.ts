/**
 * One node of a live flow: its mailbox, its execution, its failure marker. Invariants N1-N6 of DESIGN.md.
 * @module
 */
import type { AnyNodeDefinition, NodeInstance, Outcome, Values } from '@flow-service/connector-sdk'
import { DtypeViolation } from '@flow-service/connector-sdk'
import {
  accepts,
  describeValue,
  type FlowNode,
  type Health,
  MAX_CASCADE_EXECUTIONS,
  MAX_MAILBOX,
  type NodeState,
} from '@flow-service/protocol'

import { type Arrival, type Consumer, InputPort, type OutputPort, TRIGGER, type What } from './bus.ts'
import type { Cascade } from './cascade.ts'
import { conform, namedPorts, unknownOutput } from './conform.ts'
import type { ContextOwner } from './engine-context.ts'
import { type Failure, failureOf } from './failure.ts'
import type { GraphNode } from './graph.ts'
import { type DeadLetter, CodeError } from './host.ts'
import type { Delivery, Loop } from './loop.ts'
import { Ring } from './ring.ts'

/** What a node needs of its flow. */
export interface Home {
  readonly name: string
  readonly loop: Loop<Consumer, What>
  newCascade(): Cascade
  publish(output: OutputPort, value: unknown, cascade: Cascade, atMs?: number): void
  publishMany(outputs: readonly OutputPort[], values: readonly unknown[], cascade: Cascade, atMs?: number): void
  /** Numbers the deliveries that wait for busy nodes, over all nodes of the flow. */
  ticket(): number
  deadLetter(entry: Omit<DeadLetter, 'flow'>): void
  log(node: string, text: string): void
  changed(node: LiveNode): void
  healthChanged(node: LiveNode): void
  timestamp(): string
}

/** A delivery taken back out of a mailbox. */
export interface Waiting extends Delivery<LiveNode, What> {
  readonly ticket: number
}

/** Executes one delivery at a time, in the order of arrival. */
export class LiveNode implements Consumer, ContextOwner {
  readonly node: FlowNode
  readonly definition: AnyNodeDefinition
  readonly run = null
  readonly loop: Loop<Consumer, What>
  readonly inputs: readonly InputPort[]
  readonly outputs: ReadonlyMap<string, OutputPort>
  readonly #home: Home
  readonly #arrival: AnyNodeDefinition['arrival']
  /** The output of a node that has one: spares the hot path a look-up. */
  readonly #onlyOutput: OutputPort | null
  readonly #mailbox = new Ring<number, What, Cascade>(4)
  /** Null before the start and after the stop. */
  #instance: NodeInstance | null = null
  /** Of the execution that runs; null while the node is idle. */
  #cascade: Cascade | null = null
  /** Of the execution that runs, once somebody has asked for its signal. */
  #controller: AbortController | null = null
  #cancelled = false
  #place: string | null = null
  #overflowing = false
  #reported: { status: Health; message: string | null } = { status: 'ok', message: null }
  #error: NodeState['error'] = null

  constructor(home: Home, graphNode: GraphNode, definition: AnyNodeDefinition, outputs: readonly OutputPort[]) {
    this.#home = home
    this.node = graphNode.node
    this.definition = definition
    this.loop = home.loop
    this.inputs = graphNode.inputs.map((port, index) => new InputPort(this, port, index))
    this.outputs = new Map(outputs.map((output) => [output.port, output]))
    this.#arrival = definition.arrival
    this.#onlyOutput = outputs.length === 1 ? outputs[0]! : null
  }

  open(instance: NodeInstance): void {
    this.#instance = instance
  }

  close(): void {
    this.#instance = null
    this.#controller?.abort(new CodeError('cancelled', 'the node stops', null))
  }

  receive(what: What, value: unknown, cascade: Cascade): void {
    if (what.is === 'many' && this.#arrival === 'each') {
      for (const arrival of value as Arrival[]) this.receive(arrival.input, arrival.value, cascade)
    } else if (this.#cascade === null) this.#take(what, value, cascade)
    else this.#wait(what, value, cascade)
  }

  /** Publishes one value in the cascade of the execution that runs, else in a new one. */
  send(port: string, value: unknown, atMs?: number): void {
    const only = this.#onlyOutput
    const output = only !== null && only.port === port ? only : this.outputs.get(port)
    if (output === undefined) throw unknownOutput(port, this.outputs)
    const sent = conform(output.dtype, value, output.subject)
    this.#home.publish(output, sent, this.#cascade ?? this.#home.newCascade(), atMs)
  }

  /** As `send`, for several values as one delivery; all are checked before one is published. */
  emit(values: Values, atMs?: number): void {
    let count = 0
    let last = ''
    for (const port in values) {
      last = port
      count++
    }
    if (count === 1 && values[last] !== undefined) this.send(last, values[last], atMs)
    else if (count > 1) this.#emitMany(values, atMs)
  }

  latest(port: string): unknown {
    return this.inputs.find((input) => input.port === port)?.latest ?? null
  }

  seed(call: string): string {
    return call
  }

  log(_stream: 'stdout' | 'stderr', text: string): void {
    this.#home.log(this.node.id, text)
  }

  executionSignal(): AbortSignal | null {
    if (this.#cascade === null) return null
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  /** Ends the execution that runs, without a failure marker. */
  cancel(): 0 | 1 {
    if (this.#cascade === null || this.#cancelled) return 0
    this.#cancelled = true
    this.#controller ??= new AbortController()
    this.#controller.abort(new CodeError('cancelled', 'the execution was cancelled', null))
    return 1
  }

  /** Empties the mailbox. */
  takeMailbox(): Waiting[] {
    const mailbox = this.#mailbox
    const taken: Waiting[] = []
    while (mailbox.size > 0) {
      const { receiver: ticket, what, value, cascade } = mailbox
      mailbox.drop()
      taken.push({ ticket, node: this, what, value, cascade })
    }
    this.#drained()
    return taken
  }

  /** Gives a delivery up, with one dead letter for each value of it. */
  discard(reason: DeadLetter['reason'], what: What, value: unknown, cascade: Cascade): void {
    const node = this.node.id
    const arrivals = what.is === 'many' ? (value as Arrival[]) : [{ input: what, value }]
    for (const arrival of arrivals) {
      const message = arrival.input.is === 'input' ? arrival.input.message : null
      this.#home.deadLetter({ node, message, value: arrival.value, reason, cascade: cascade.id })
    }
  }

  /** Sets the failure marker; the node goes on working. */
  fail(failure: Failure): void {
    const known = this.#error?.type === failure.type && this.#error.message === failure.message
    this.#error = { ...failure, ts: this.#home.timestamp() }
    if (!known) this.#home.changed(this)
  }

  acknowledge(): void {
    if (this.#error === null) return
    this.#error = null
    this.#home.changed(this)
  }

  reportHealth(status: Health, message: string | null): void {
    if (this.#reported.status === status && this.#reported.message === message) return
    this.#reported = { status, message }
    this.#home.healthChanged(this)
  }

  /** Where the execution that runs waits for a worker; null once it has one. */
  placed(place: { readonly waitingFor: string } | { readonly worker: string }): void {
    const waitingFor = 'waitingFor' in place ? place.waitingFor : null
    if (this.#place === waitingFor) return
    this.#place = waitingFor
    this.#home.changed(this)
  }

  state(): NodeState {
    const { status, message } = this.#health()
    const waiting = this.#place === null ? null : `waits for a worker: ${this.#place}`
    return {
      flow: this.#home.name,
      node: this.node.id,
      status:
        this.#error !== null ? 'failed' : this.#cascade === null ? 'idle' : waiting === null ? 'running' : 'queued',
      health: status,
      message: message ?? waiting,
      error: this.#error,
    }
  }

  #emitMany(values: Values, atMs: number | undefined): void {
    const outputs = namedPorts(values, this.outputs)
    const sent = outputs.map((output) => conform(output.dtype, values[output.port], output.subject))
    if (outputs.length > 0) this.#home.publishMany(outputs, sent, this.#cascade ?? this.#home.newCascade(), atMs)
  }

  #health(): { status: Health; message: string | null } {
    if (!this.#overflowing || this.#reported.status === 'down') return this.#reported
    return { status: 'degraded', message: `more than ${MAX_MAILBOX} deliveries wait; the oldest are dropped` }
  }

  #take(what: What, value: unknown, cascade: Cascade): void {
    if (what.is === 'trigger') this.#act(cascade)
    else if (what.is === 'many') this.#takeMany(value as Arrival[], cascade)
    else if (this.#fill(what, value) && what.trigger) {
      if (this.#arrival === 'each') this.#execute(what, value, cascade)
      else if (this.#arrival === 'together') this.#execute(null, { [what.port]: value }, cascade)
      else this.#combine(cascade)
    }
  }

  #takeMany(arrivals: readonly Arrival[], cascade: Cascade): void {
    const accepted = arrivals.filter(({ input, value }) => this.#fill(input, value))
    if (!accepted.some(({ input }) => input.trigger)) return
    if (this.#arrival === 'combine') this.#combine(cascade)
    else this.#execute(null, Object.fromEntries(accepted.map(({ input, value }) => [input.port, value])), cascade)
  }

  #act(cascade: Cascade): void {
    if (this.#instance?.onTrigger !== undefined) this.#execute(TRIGGER, {}, cascade)
    else if (this.#arrival === 'combine') this.#combine(cascade)
  }

  #combine(cascade: Cascade): void {
    const values: Values = {}
    for (const input of this.inputs) {
      if (input.trigger && !input.filled) return
      values[input.port] = input.latest
    }
    this.#execute(null, values, cascade)
  }

  /** Keeps the latest value of an input; false when the value is not what the port takes. */
  #fill(input: InputPort, value: unknown): boolean {
    if (input.dtype !== 'any' && !accepts(input.dtype, value)) {
      const message = `input "${input.port}" is ${input.dtype}, which ${describeValue(value)} of "${input.message}" is not`
      this.fail(failureOf(new DtypeViolation(message)))
      return false
    }
    input.filled = true
    input.latest = value
    return true
  }

  /** Runs the handler: of one port's value, of a trigger, or (null) of values by port. */
  #execute(what: InputPort | typeof TRIGGER | null, value: unknown, cascade: Cascade): void {
    const instance = this.#instance
    if (instance === null) return
    if (++cascade.executions > MAX_CASCADE_EXECUTIONS) {
      this.#limit(what, value, cascade)
      return
    }
    this.#cascade = cascade
    try {
      const outcome =
        what !== null && what.is === 'input' ? instance.onValue?.(what.port, value) : this.#call(instance, what, value)
      if (outcome !== undefined && outcome !== null && this.#goesOn(outcome)) return
    } catch (error) {
      this.fail(failureOf(error))
    }
    this.#cascade = null
    if (this.#controller !== null) this.#controller = null
  }

  #call(instance: NodeInstance, what: typeof TRIGGER | null, value: unknown): Outcome {
    return what === null ? instance.onInput?.(value as Values) : instance.onTrigger?.(value as Values)
  }

  #goesOn(outcome: Values | Promise<Values | undefined | void>): boolean {
    if (outcome instanceof Promise) {
      void this.#finish(outcome)
      return true
    }
    this.emit(outcome)
    return false
  }

  /** Waits for an execution that went on after its delivery; never rejects. */
  async #finish(outcome: Promise<Awaited<Outcome>>): Promise<void> {
    this.loop.begin()
    this.#home.changed(this)
    try {
      const values = await outcome
      if (values !== undefined && values !== null && !this.#cancelled && this.#instance !== null) this.emit(values)
    } catch (error) {
      if (!this.#cancelled && this.#instance !== null) this.fail(failureOf(error))
    }
    this.#ended()
    this.#home.changed(this)
    this.#next()
    this.loop.end()
  }

  #ended(): void {
    this.#cascade = null
    this.#controller = null
    this.#cancelled = false
    this.#place = null
  }

  #wait(what: What, value: unknown, cascade: Cascade): void {
    const mailbox = this.#mailbox
    mailbox.push(this.#home.ticket(), what, value, cascade)
    if (mailbox.size <= MAX_MAILBOX) return
    const { what: oldest, value: lost, cascade: cause } = mailbox
    mailbox.drop()
    this.discard('overflow', oldest, lost, cause)
    if (this.#overflowing) return
    this.#overflowing = true
    this.#home.healthChanged(this)
  }

  #next(): void {
    const mailbox = this.#mailbox
    while (mailbox.size > 0 && this.#cascade === null) {
      const { what, value, cascade } = mailbox
      mailbox.drop()
      this.#take(what, value, cascade)
    }
    if (mailbox.size === 0) this.#drained()
  }

  #drained(): void {
    if (!this.#overflowing) return
    this.#overflowing = false
    this.#home.healthChanged(this)
  }

  #limit(what: InputPort | typeof TRIGGER | null, value: unknown, cascade: Cascade): void {
    const message = what === null || what.is === 'trigger' ? null : what.message
    this.#home.deadLetter({ node: this.node.id, message, value, reason: 'loop_limit', cascade: cascade.id })
    // The first refused execution marks its node; the cascade's other deliveries only end.
    if (cascade.executions > MAX_CASCADE_EXECUTIONS + 1) return
    const text = `the cascade passed ${MAX_CASCADE_EXECUTIONS} executions and was stopped; break the loop with a passive input`
    this.fail({ type: 'loop_limit', message: text, traceback: null })
  }
}
