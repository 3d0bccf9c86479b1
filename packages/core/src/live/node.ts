/**
 * One node of a live flow: from a delivery to the values that its handler is called with, and from there to what it
 * publishes. Invariants node.N1-N9 of DESIGN.md.
 * @module
 */
import type { AnyNodeDefinition, NodeInstance, Values } from '@flow-service/connector-sdk'
import { accepts, type FlowNode, type Health, type NodeRetry as Retry, type NodeState } from '@flow-service/protocol'

import type { ContextOwner } from '../context-owner.ts'
import { type Failure, failureOf } from '../failure.ts'
import type { GraphNode } from '../graph.ts'
import type { CascadeBeginning, CascadeOrigin, DeadLetter } from '../host.ts'
import { type Arrivals, arrivalsIn, heldBy, lettersOf } from './arrivals.ts'
import type { Arrival, Consumer, DueTimer, OutputPort, What } from './bus.ts'
import { InputPort, TIMER, TRIGGER } from './bus.ts'
import type { Cause, WorkCause } from './cascade.ts'
import { foreignOutputs } from './foreign-outputs.ts'
import type { Loop } from './loop.ts'
import { type ConditionDeps, NodeCondition } from './node-condition.ts'
import { type ExecutingNode, NodeExecution } from './node-execution.ts'
import type { Handover, Home, KnownMessages, Waiting } from './node-home.ts'
import { Mailbox } from './node-mailbox.ts'
import { NodeOutputs } from './node-outputs.ts'
import { calledAgain, isOwn, lostWith, NodeRetry } from './node-retry.ts'
import { NodeTimers } from './node-timers.ts'

/** What a node needs beside its flow. */
export interface NodeDeps extends ConditionDeps {
  readonly graphNode: GraphNode
  readonly definition: AnyNodeDefinition
  readonly outputs: readonly OutputPort[]
  /** Whether an execution may be repeated. */
  readonly idempotent: boolean
  /** How often one that fails is tried again; null: it is not. */
  readonly retry: Retry | null
  /** Left out where nobody knows messages of other flows. */
  readonly messages?: KnownMessages | undefined
}

/** Executes one delivery at a time, in the order of arrival. */
export class LiveNode implements ExecutingNode, ContextOwner {
  // what each delivery needs comes first: the beginning of an object is one line of the processor's cache
  readonly loop: Loop<Consumer, What>
  readonly #execution: NodeExecution
  /** Takes each value alone, and may take it twice; false once another node is to take its place. */
  #isPlain: boolean
  readonly #only: OutputPort | null
  readonly #home: Home
  readonly key: string
  node: FlowNode
  readonly definition: AnyNodeDefinition
  /** What it has set off last began so. */
  #beginning: CascadeBeginning | null = null
  readonly inputs: readonly InputPort[]
  readonly #outputs: NodeOutputs
  /** Null until the node was busy when something came. */
  #mailbox: Mailbox | null = null
  /** Timers that outlive the engine. */
  readonly timers: NodeTimers
  readonly condition: NodeCondition
  /** Takes what comes, once another node is to take its place. */
  #handover: Handover | null = null
  /** Told when nothing executes any more. */
  #onRest: (() => void) | null = null
  /** What begins when the node publishes by itself. */
  #source: CascadeOrigin['kind'] = 'reading'

  constructor(home: Home, { graphNode, definition, outputs, idempotent, retry, messages, ...rest }: NodeDeps) {
    this.#home = home
    this.key = `${home.name}/${graphNode.node.id}`
    this.node = graphNode.node
    this.definition = definition
    this.loop = home.loop
    this.inputs = graphNode.inputs.map((port, index) => new InputPort(this, port, index))
    this.#isPlain = idempotent && definition.arrival === 'each'
    this.timers = new NodeTimers(home.timers, this)
    const again = retry === null ? null : new NodeRetry(home.timers, this, this.timers, retry)
    this.#execution = new NodeExecution(home, this, idempotent, again)
    this.condition = new NodeCondition(home.news, this, rest)
    this.#outputs = new NodeOutputs(home, this, outputs, foreignOutputs(home.name, outputs, messages, this.condition))
    this.#only = this.#outputs.only
  }

  get outputs(): ReadonlyMap<string, OutputPort> {
    return this.#outputs.ports
  }

  get run(): null {
    return null
  }

  get isDevice(): boolean {
    return this.definition.device !== undefined
  }

  open(instance: NodeInstance): void {
    this.#execution.open(instance)
  }

  close(): void {
    this.#execution.close(this.#handover)
  }

  /** Publishes what the intervals of its ports hold back: it is about to end. */
  flush(): void {
    this.#outputs.close()
  }

  /** Leaves what waits, and what comes, to the node that takes its place; settles when nothing executes. */
  hold(handover: Handover): Promise<void> {
    this.flush()
    this.#isPlain = false
    this.#handover = handover
    return this.#execution.cause === null ? Promise.resolve() : new Promise((resolve) => (this.#onRest = resolve))
  }

  /** The node has another document, in which it is equal. */
  follow(node: FlowNode): void {
    this.node = node
  }

  receive(what: What, value: unknown, cause: Cause): void {
    if (what.is === 'input' && this.#isPlain && this.#execution.cause === null) this.#takePlainly(what, value, cause)
    else if (this.#handover !== null) this.#handover.add(this, what, value, cause)
    else if (what.is === 'many' && this.definition.arrival === 'each') this.#receiveEach(value as Arrival[], cause)
    else if (this.#execution.cause !== null) this.#wait(what, value, cause)
    else this.#take(what, value, cause)
  }

  send(port: string, value: unknown, atMs?: number): void {
    const only = this.#only
    const { cause } = this.#execution
    const { bus } = this.#home
    // the way of nearly every value
    if (only !== null && only.port === port && cause !== null && bus !== null && accepts(only.dtype, value)) {
      bus.publish(only, value, cause.caused, atMs)
    } else this.#outputs.send(port, value, cause, atMs)
  }

  emit(values: Values, atMs?: number): void {
    this.#outputs.emit(values, this.#execution.cause, atMs)
  }

  async emitDurably(values: Values): Promise<void> {
    const { outputs, sent } = this.#outputs.checked(values)
    const within = this.#execution.cause?.cascade ?? null
    if (outputs.length > 0) await this.#home.publishKept(this, { outputs, values: sent, within })
  }

  apart(what: What, value: unknown, cause: Cause, hasBegun: boolean): WorkCause {
    return this.#home.work.apart(this, { what, value, hasBegun }, cause)
  }

  /** Where cascades begin from now on that the node sets off by itself. */
  from(source: CascadeOrigin['kind']): CascadeOrigin['kind'] {
    const before = this.#source
    this.#source = source
    return before
  }

  beginning(kind: CascadeOrigin['kind'] = this.#source): CascadeBeginning {
    const before = this.#beginning
    if (before?.origin.kind === kind) return before
    const origin = { kind, node: this.node.id, message: null }
    return (this.#beginning = { flow: this.#home.name, origin, run: null })
  }

  latest(port: string): unknown {
    return this.inputs.find((input) => input.port === port)?.latest ?? null
  }

  log(_stream: 'stdout' | 'stderr', text: string): void {
    this.#home.news.log(this.node.id, text)
  }

  get attempt(): number {
    return this.#execution.attempt
  }

  executionSignal(): AbortSignal | null {
    return this.#execution.signal()
  }

  /** Ends the execution, without a failure marker; answers how many there were. */
  cancel(): 0 | 1 {
    return this.#execution.cancel()
  }

  /** Takes up deliveries that have waited, until one goes on. */
  next(): void {
    const mailbox = this.#mailbox
    const { lease } = this.#home
    if (lease?.holds() === false && mailbox !== null && mailbox.size > 0)
      return void lease.held().then(() => this.next())
    while (mailbox !== null && this.#execution.cause === null && mailbox.size > 0) {
      const { what, value, cause } = mailbox.shift()
      this.#take(what, value, cause)
    }
    if (mailbox?.size === 0) this.condition.overflow('mailbox', false)
    if (this.#execution.cause === null) this.#onRest?.()
  }

  /** Empties the mailbox. */
  takeMailbox(): Waiting[] {
    this.condition.overflow('mailbox', false)
    return this.#mailbox?.takeAll() ?? []
  }

  /** Gives a delivery up, with one dead letter for each value of it. */
  discard(reason: DeadLetter['reason'], what: What, value: unknown, cause: Cause): void {
    if (reason === 'stopped') cause.cascade.abandon()
    this.deadLetters(reason, arrivalsIn(what, value), cause.cascade.id)
    cause.leave()
  }

  /** One entry for each value that is given up, or one for an execution without any. */
  deadLetters(reason: DeadLetter['reason'], arrivals: Arrivals, cascade: string): void {
    for (const letter of lettersOf(this, arrivals)) this.#home.news.deadLetter({ ...letter, reason, cascade })
  }

  /** Gives a timer up; one without data has nothing to lose. */
  giveUpTimer(reason: DeadLetter['reason'], timer: DueTimer, cascade: string): void {
    const lost = isOwn(timer) ? timer : lostWith(timer, this.inputs)
    if (!('key' in lost)) this.deadLetters(reason, lost, cascade)
    else if (lost.data !== null) this.deadLetters(reason, [heldBy(this.definition, lost)], cascade)
  }

  /** Sets the failure marker; the node goes on working. `cause` is that of the execution unless given. */
  fail(failure: Failure, cause: Cause | null = this.#execution.cause): void {
    this.#home.stats.errors++
    const { type, message } = this.condition.fail(failure)
    cause?.cascade.fail({ node: this.node.id, type, message })
  }

  reportHealth(status: Health, message: string | null): void {
    this.condition.report(status, message)
  }

  placed(place: { readonly waitingFor: string } | { readonly worker: string }): void {
    this.condition.placed(place)
  }

  state(): NodeState {
    return { flow: this.#home.name, node: this.node.id, ...this.condition.state(this.#execution.cause !== null) }
  }

  #receiveEach(arrivals: readonly Arrival[], cause: Cause): void {
    const parts = this.#home.work.parts(this, arrivals, cause)
    for (const [at, { input, value }] of arrivals.entries()) this.receive(input, value, parts[at]!)
  }

  /** The way of nearly every delivery: what `#takeOne` comes to for a plain node. */
  #takePlainly(input: InputPort, value: unknown, cause: Cause): void {
    if (!this.#fill(input, value, cause) || !input.trigger) cause.leave()
    else this.#execution.executePlainly(input, value, cause)
  }

  #take(what: What, value: unknown, cause: Cause): void {
    if (what.is === 'input') this.#takeOne(what, value, cause)
    else if (what.is === 'many') this.#takeMany(value as Arrival[], cause)
    else if (what.is === 'trigger') this.#act(cause)
    else if (!isOwn(value as DueTimer)) this.#takeAgain(value as DueTimer, cause)
    else if (this.#execution.instance?.onTimer !== undefined) this.#execution.execute(TIMER, value, cause)
    else {
      // an earlier form of the node has set it
      this.giveUpTimer('stopped', value as DueTimer, cause.cascade.id)
      cause.leave()
    }
  }

  #takeAgain(timer: DueTimer, cause: Cause): void {
    const called = calledAgain(this.inputs, timer)
    if (called !== null) this.#execution.execute(called.what, called.value, cause, timer.attempt)
    else {
      // it was for an earlier form of the node
      this.giveUpTimer('stopped', timer, cause.cascade.id)
      cause.leave()
    }
  }

  #takeOne(what: InputPort, value: unknown, cause: Cause): void {
    if (!this.#fill(what, value, cause) || !what.trigger) cause.leave()
    else if (this.definition.arrival === 'each') this.#execution.execute(what, value, cause)
    else if (this.definition.arrival === 'together') this.#execution.execute(null, { [what.port]: value }, cause)
    else this.#combine(cause)
  }

  #takeMany(arrivals: readonly Arrival[], cause: Cause): void {
    const accepted = arrivals.filter(({ input, value }) => this.#fill(input, value, cause))
    if (!accepted.some(({ input }) => input.trigger)) cause.leave()
    else if (this.definition.arrival === 'combine') this.#combine(cause)
    else
      this.#execution.execute(null, Object.fromEntries(accepted.map(({ input, value }) => [input.port, value])), cause)
  }

  #act(cause: Cause): void {
    if (this.#execution.instance?.onTrigger !== undefined) this.#execution.execute(TRIGGER, {}, cause)
    else if (this.definition.arrival === 'combine') this.#combine(cause)
    else cause.leave()
  }

  #combine(cause: Cause): void {
    const values = combined(this.inputs)
    if (values === null) cause.leave()
    else this.#execution.execute(null, values, cause)
  }

  /** Keeps the latest value of an input; false when the value is not what the port takes. */
  #fill(input: InputPort, value: unknown, cause: Cause): boolean {
    const violation = input.take(value)
    if (violation !== null) this.fail(failureOf(violation), cause)
    return violation === null
  }

  #wait(what: What, value: unknown, cause: Cause): void {
    this.#mailbox ??= new Mailbox(this)
    if (this.#mailbox.push(this.#home.ticket(), what, value, cause)) this.condition.overflow('mailbox', true)
  }
}

/** The latest value of every input; null while a triggering one has none. */
function combined(inputs: readonly InputPort[]): Values | null {
  const values: Values = {}
  for (const input of inputs) {
    if (input.trigger && !input.filled) return null
    values[input.port] = input.latest
  }
  return values
}
