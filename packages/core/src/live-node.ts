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

import {
  type Arrival,
  type Consumer,
  type DueTimer,
  InputPort,
  type OutputPort,
  TIMER,
  TRIGGER,
  type What,
} from './bus.ts'
import type { Cascade, Cause, Work } from './cascade.ts'
import { conform, namedPorts, unknownOutput } from './conform.ts'
import type { ContextOwner } from './engine-context.ts'
import type { ExecutionStats } from './execution-stats.ts'
import { type Failure, failureOf } from './failure.ts'
import type { GraphNode } from './graph.ts'
import { type CascadeOrigin, type DeadLetter, CodeError } from './host.ts'
import type { Delivery, Loop } from './loop.ts'
import { NodeTimers, type TimersHome } from './node-timers.ts'
import { Ring } from './ring.ts'

/** What a node needs of its flow. */
export interface Home {
  readonly name: string
  readonly loop: Loop<Consumer, What>
  readonly stats: ExecutionStats
  /** A cascade that its caller lets go of. */
  newCascade(origin: CascadeOrigin): Cascade
  publish(output: OutputPort, value: unknown, cause: Cause, atMs?: number): void
  publishMany(outputs: readonly OutputPort[], values: readonly unknown[], cause: Cause, atMs?: number): void
  /** Publishes an arrival that is kept until the executions that it directly causes have ended. */
  publishKept(node: LiveNode, outputs: readonly OutputPort[], values: readonly unknown[]): Promise<void>
  /** Keeps that an execution which must not be repeated has begun; the result takes it back. */
  intend(node: LiveNode, arrivals: WorkArrivals, cause: Cause): () => void
  timersOf(node: LiveNode): TimersHome
  /** Numbers the deliveries that wait for busy nodes, over all nodes of the flow. */
  ticket(): number
  deadLetter(entry: Omit<DeadLetter, 'flow'>): void
  log(node: string, text: string): void
  changed(node: LiveNode): void
  healthChanged(node: LiveNode): void
  timestamp(): string
}

/** What a node is made of. */
export interface NodeParts {
  readonly graphNode: GraphNode
  readonly definition: AnyNodeDefinition
  readonly outputs: readonly OutputPort[]
  /** Whether an execution may be repeated. */
  readonly idempotent: boolean
}

/** What a handler is called for: one port's value, a trigger or timer, or (null) values by port. */
type Handled = InputPort | typeof TRIGGER | typeof TIMER | null

type WorkArrivals = readonly (readonly [port: string, value: unknown])[]

/** What a delivery brings to input ports. */
export function arrivalsIn(what: What, value: unknown): [port: string, value: unknown][] {
  if (what.is === 'input') return [[what.port, value]]
  return what.is === 'many' ? (value as Arrival[]).map((arrival) => [arrival.input.port, arrival.value]) : []
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
  readonly #mailbox = new Ring<number, What, Cause>(4)
  readonly #timers: NodeTimers
  readonly #idempotent: boolean
  /** Null before the start and after the stop. */
  #instance: NodeInstance | null = null
  /** Of the execution that runs; null while the node is idle. */
  #cause: Cause | null = null
  /** What begins when the node publishes by itself. */
  #source: CascadeOrigin['kind'] = 'reading'
  /** Of the execution that runs, once somebody has asked for its signal. */
  #controller: AbortController | null = null
  #cancelled = false
  #place: string | null = null
  #overflowing = false
  #reported: { status: Health; message: string | null } = { status: 'ok', message: null }
  #error: NodeState['error'] = null

  constructor(home: Home, { graphNode, definition, outputs, idempotent }: NodeParts) {
    this.#home = home
    this.node = graphNode.node
    this.definition = definition
    this.loop = home.loop
    this.inputs = graphNode.inputs.map((port, index) => new InputPort(this, port, index))
    this.outputs = new Map(outputs.map((output) => [output.port, output]))
    this.#arrival = definition.arrival
    this.#idempotent = idempotent
    this.#timers = new NodeTimers(home.timersOf(this))
    this.#onlyOutput = outputs.length === 1 ? outputs[0]! : null
  }

  open(instance: NodeInstance): void {
    this.#instance = instance
  }

  close(): void {
    this.#instance = null
    this.#controller?.abort(new CodeError('cancelled', 'the node stops', null))
  }

  receive(what: What, value: unknown, cause: Cause): void {
    if (what.is === 'many' && this.#arrival === 'each') {
      for (const arrival of value as Arrival[]) {
        cause.enter()
        this.receive(arrival.input, arrival.value, cause)
      }
      cause.leave()
    } else if (this.#cause === null) this.#take(what, value, cause)
    else this.#wait(what, value, cause)
  }

  /** Publishes one value in the cascade of the execution that runs, else in a new one. */
  send(port: string, value: unknown, atMs?: number): void {
    const only = this.#onlyOutput
    const output = only !== null && only.port === port ? only : this.outputs.get(port)
    if (output === undefined) throw unknownOutput(port, this.outputs)
    const sent = conform(output.dtype, value, output.subject)
    if (this.#cause !== null) this.#home.publish(output, sent, this.#cause.caused, atMs)
    else this.#begin((cause) => this.#home.publish(output, sent, cause, atMs))
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

  async emitDurably(values: Values): Promise<void> {
    const outputs = namedPorts(values, this.outputs)
    const sent = outputs.map((output) => conform(output.dtype, values[output.port], output.subject))
    if (outputs.length > 0) await this.#home.publishKept(this, outputs, sent)
  }

  setTimer(key: string, dueMs: number, data: unknown): void {
    this.#timers.set(key, dueMs, data)
  }

  clearTimer(key: string): void {
    this.#timers.clear(key)
  }

  timerDue(key: string): number | null {
    return this.#timers.dueMs(key)
  }

  get timers(): NodeTimers {
    return this.#timers
  }

  /** Where cascades begin from now on that the node sets off by itself. */
  from(source: CascadeOrigin['kind']): CascadeOrigin['kind'] {
    const before = this.#source
    this.#source = source
    return before
  }

  origin(kind: CascadeOrigin['kind'] = this.#source): CascadeOrigin {
    return { kind, node: this.node.id, message: null }
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
    if (this.#cause === null) return null
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  /** Ends the execution that runs, without a failure marker. */
  cancel(): 0 | 1 {
    if (this.#cause === null || this.#cancelled) return 0
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
      const { receiver: ticket, what, value, cause } = mailbox
      mailbox.drop()
      taken.push({ ticket, node: this, what, value, cause })
    }
    this.#drained()
    return taken
  }

  /** Gives a delivery up, with one dead letter for each value of it. */
  discard(reason: DeadLetter['reason'], what: What, value: unknown, cause: Cause): void {
    if (reason === 'stopped') cause.cascade.abandon()
    this.deadLetters(reason, arrivalsIn(what, value), cause.cascade.id)
    cause.leave()
  }

  /** One entry for each value that is given up, or one for an execution without any. */
  deadLetters(reason: DeadLetter['reason'], arrivals: WorkArrivals, cascade: string): void {
    const node = this.node.id
    const messages = new Map(this.inputs.map(({ port, message }) => [port, message]))
    if (arrivals.length === 0) this.#home.deadLetter({ node, message: null, value: null, reason, cascade })
    for (const [port, value] of arrivals) {
      this.#home.deadLetter({ node, message: messages.get(port) ?? null, value, reason, cascade })
    }
  }

  /** Sets the failure marker; the node goes on working. */
  fail(failure: Failure): void {
    this.#home.stats.errors++
    this.#cause?.cascade.fail({ node: this.node.id, type: failure.type, message: failure.message })
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
      status: this.#error !== null ? 'failed' : this.#cause === null ? 'idle' : waiting === null ? 'running' : 'queued',
      health: status,
      message: message ?? waiting,
      error: this.#error,
    }
  }

  #emitMany(values: Values, atMs: number | undefined): void {
    const outputs = namedPorts(values, this.outputs)
    const sent = outputs.map((output) => conform(output.dtype, values[output.port], output.subject))
    if (outputs.length === 0) return
    if (this.#cause !== null) this.#home.publishMany(outputs, sent, this.#cause.caused, atMs)
    else this.#begin((cause) => this.#home.publishMany(outputs, sent, cause, atMs))
  }

  #begin(publish: (cause: Cause) => void): void {
    const cascade = this.#home.newCascade(this.origin())
    publish(cascade.cause)
    cascade.leave()
  }

  #health(): { status: Health; message: string | null } {
    if (!this.#overflowing || this.#reported.status === 'down') return this.#reported
    return { status: 'degraded', message: `more than ${MAX_MAILBOX} deliveries wait; the oldest are dropped` }
  }

  #take(what: What, value: unknown, cause: Cause): void {
    if (what.is === 'input') this.#takeOne(what, value, cause)
    else if (what.is === 'many') this.#takeMany(value as Arrival[], cause)
    else if (what.is === 'trigger') this.#act(cause)
    else if (this.#instance?.onTimer !== undefined) this.#execute(TIMER, value, cause)
    else cause.leave()
  }

  #takeOne(what: InputPort, value: unknown, cause: Cause): void {
    if (!this.#fill(what, value, cause) || !what.trigger) cause.leave()
    else if (this.#arrival === 'each') this.#execute(what, value, cause)
    else if (this.#arrival === 'together') this.#execute(null, { [what.port]: value }, cause)
    else this.#combine(cause)
  }

  #takeMany(arrivals: readonly Arrival[], cause: Cause): void {
    const accepted = arrivals.filter(({ input, value }) => this.#fill(input, value, cause))
    if (!accepted.some(({ input }) => input.trigger)) cause.leave()
    else if (this.#arrival === 'combine') this.#combine(cause)
    else this.#execute(null, Object.fromEntries(accepted.map(({ input, value }) => [input.port, value])), cause)
  }

  #act(cause: Cause): void {
    if (this.#instance?.onTrigger !== undefined) this.#execute(TRIGGER, {}, cause)
    else if (this.#arrival === 'combine') this.#combine(cause)
    else cause.leave()
  }

  #combine(cause: Cause): void {
    const values: Values = {}
    for (const input of this.inputs) {
      if (input.trigger && !input.filled) {
        cause.leave()
        return
      }
      values[input.port] = input.latest
    }
    this.#execute(null, values, cause)
  }

  /** Keeps the latest value of an input; false when the value is not what the port takes. */
  #fill(input: InputPort, value: unknown, { cascade }: Cause): boolean {
    if (input.dtype !== 'any' && !accepts(input.dtype, value)) {
      const message = `input "${input.port}" is ${input.dtype}, which ${describeValue(value)} of "${input.message}" is not`
      const failure = failureOf(new DtypeViolation(message))
      cascade.fail({ node: this.node.id, type: failure.type, message })
      this.fail(failure)
      return false
    }
    input.filled = true
    input.latest = value
    return true
  }

  /** Runs the handler: of one port's value, of a trigger or timer, or (null) of values by port. */
  #execute(what: Handled, value: unknown, cause: Cause): void {
    const instance = this.#instance
    const { cascade } = cause
    if (instance === null) cause.leave()
    else if (++cascade.executions > MAX_CASCADE_EXECUTIONS) this.#limit(what, value, cause)
    else if (this.#idempotent) this.#run(instance, what, value, cause, null)
    else this.#runOnce(instance, what, value, cause)
  }

  #run(instance: NodeInstance, what: Handled, value: unknown, cause: Cause, onEnd: (() => void) | null): void {
    const { stats } = this.#home
    const isTimed = stats.count()
    const startedMs = isTimed ? performance.now() : 0
    this.#cause = cause
    try {
      const outcome =
        what !== null && what.is === 'input' ? instance.onValue?.(what.port, value) : this.#call(instance, what, value)
      if (outcome !== undefined && outcome !== null) {
        if (outcome instanceof Promise) {
          void this.#finish(outcome, { cause, onEnd, startedMs: isTimed ? startedMs : performance.now() })
          return
        }
        this.emit(outcome)
      }
    } catch (error) {
      this.fail(failureOf(error))
    }
    if (isTimed) stats.took(performance.now() - startedMs)
    this.#cause = null
    if (this.#controller !== null) this.#controller = null
    onEnd?.()
    cause.leave()
  }

  #call(instance: NodeInstance, what: typeof TRIGGER | typeof TIMER | null, value: unknown): Outcome {
    if (what === null) return instance.onInput?.(value as Values)
    if (what.is === 'trigger') return instance.onTrigger?.(value as Values)
    const { key, data, dueMs } = value as DueTimer
    return instance.onTimer?.(key, data, dueMs)
  }

  /** Runs the handler of a node that must not do the same twice: what has begun is known after a crash. */
  #runOnce(instance: NodeInstance, what: Handled, value: unknown, cause: Cause): void {
    const { work } = cause
    if (work === null) {
      const done = this.#home.intend(this, this.#fedBy(what, value), cause)
      this.#run(instance, what, value, cause, done)
    } else if (work.hasBegun(this.node.id)) this.#giveUp('crash', what, value, cause)
    else {
      this.#cause = cause
      void this.#runNoted(work, what, value, cause)
    }
  }

  async #runNoted(work: Work, what: Handled, value: unknown, cause: Cause): Promise<void> {
    const { id } = this.node
    this.loop.begin()
    let failure: Failure | null = null
    try {
      await work.begin(id)
    } catch (error) {
      failure = failureOf(error)
    }
    const instance = this.#instance
    if (failure !== null) this.fail(failure)
    this.#ended()
    if (failure !== null || instance === null) this.#giveUp(instance === null ? 'stopped' : 'crash', what, value, cause)
    else this.#run(instance, what, value, cause, () => work.end(id))
    this.#next()
    this.loop.end()
  }

  /** What feeds an execution: the values of its triggering inputs. */
  #fedBy(what: Handled, value: unknown): [port: string, value: unknown][] {
    if (what === null) {
      const values = value as Values
      return this.inputs.flatMap(({ port, trigger }) => (trigger && port in values ? [[port, values[port]]] : []))
    }
    return what.is === 'input' ? [[what.port, value]] : []
  }

  /** As `discard`, for an execution. */
  #giveUp(reason: DeadLetter['reason'], what: Handled, value: unknown, cause: Cause): void {
    this.deadLetters(reason, this.#fedBy(what, value), cause.cascade.id)
    cause.leave()
  }

  /** Waits for an execution that went on after its delivery; never rejects. */
  async #finish(
    outcome: Promise<Awaited<Outcome>>,
    { cause, onEnd, startedMs }: { cause: Cause; onEnd: (() => void) | null; startedMs: number },
  ): Promise<void> {
    this.loop.begin()
    this.#home.changed(this)
    try {
      const values = await outcome
      if (values !== undefined && values !== null && !this.#cancelled && this.#instance !== null) this.emit(values)
    } catch (error) {
      if (!this.#cancelled && this.#instance !== null) this.fail(failureOf(error))
    }
    this.#home.stats.took(performance.now() - startedMs)
    this.#ended()
    this.#home.changed(this)
    onEnd?.()
    cause.leave()
    this.#next()
    this.loop.end()
  }

  #ended(): void {
    this.#cause = null
    this.#controller = null
    this.#cancelled = false
    this.#place = null
  }

  #wait(what: What, value: unknown, cause: Cause): void {
    const mailbox = this.#mailbox
    mailbox.push(this.#home.ticket(), what, value, cause)
    if (mailbox.size <= MAX_MAILBOX) return
    const { what: oldest, value: lost, cause: why } = mailbox
    mailbox.drop()
    this.discard('overflow', oldest, lost, why)
    if (this.#overflowing) return
    this.#overflowing = true
    this.#home.healthChanged(this)
  }

  #next(): void {
    const mailbox = this.#mailbox
    while (mailbox.size > 0 && this.#cause === null) {
      const { what, value, cause } = mailbox
      mailbox.drop()
      this.#take(what, value, cause)
    }
    if (mailbox.size === 0) this.#drained()
  }

  #drained(): void {
    if (!this.#overflowing) return
    this.#overflowing = false
    this.#home.healthChanged(this)
  }

  #limit(what: Handled, value: unknown, cause: Cause): void {
    const { cascade } = cause
    // The first refused execution marks its node; the cascade's other deliveries only end.
    if (cascade.executions === MAX_CASCADE_EXECUTIONS + 1) {
      const message = `the cascade passed ${MAX_CASCADE_EXECUTIONS} executions and was stopped; break the loop with a passive input`
      const failure = { type: 'loop_limit', message, traceback: null }
      cascade.fail({ node: this.node.id, type: failure.type, message })
      this.fail(failure)
    }
    this.#giveUp('loop_limit', what, value, cause)
  }
}
