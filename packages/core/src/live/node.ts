/**
 * One node of a live flow: its mailbox, its execution, its failure marker. Invariants node.N1-N6 of DESIGN.md.
 * @module
 */
import type { AnyNodeDefinition, NodeInstance, Outcome, Values } from '@flow-service/connector-sdk'
import { accepts, type FlowNode, type Health, MAX_CASCADE_EXECUTIONS, type NodeState } from '@flow-service/protocol'

import type { ContextOwner } from '../engine-context.ts'
import { type Failure, failureOf, loopLimit } from '../failure.ts'
import type { CascadeOrigin, DeadLetter } from '../host.ts'
import type { Arrival, Consumer, DueTimer, OutputPort, What } from './bus.ts'
import { InputPort, TIMER, TRIGGER } from './bus.ts'
import { type Cause, type Work, WorkCause } from './cascade.ts'
import { ExecutionSignal } from './execution-signal.ts'
import { foreignOutputs } from './foreign-outputs.ts'
import type { Loop } from './loop.ts'
import { NodeCondition } from './node-condition.ts'
import {
  type Arrivals,
  arrivalsIn,
  combined,
  fedBy,
  type Going,
  handle,
  heldBy,
  type Handled,
  lettersOf,
  type Home,
  type HomeNode,
  type NodeParts,
  type Waiting,
} from './node-home.ts'
import { Mailbox } from './node-mailbox.ts'
import { NodeOutputs } from './node-outputs.ts'
import { NodeTimers } from './node-timers.ts'

/** Executes one delivery at a time, in the order of arrival. */
export class LiveNode implements HomeNode, ContextOwner {
  readonly key: string
  readonly node: FlowNode
  readonly definition: AnyNodeDefinition
  readonly run = null
  readonly loop: Loop<Consumer, What>
  readonly inputs: readonly InputPort[]
  readonly #home: Home
  readonly #outputs: NodeOutputs
  readonly #only: OutputPort | null
  /** Null until the node was busy when something came. */
  #mailbox: Mailbox | null = null
  /** Timers that outlive the engine. */
  readonly timers: NodeTimers
  readonly condition: NodeCondition
  readonly #idempotent: boolean
  /** Takes each value alone, and may take it twice. */
  readonly #isPlain: boolean
  /** Null before the start and after the stop. */
  #instance: NodeInstance | null = null
  /** Of the execution that runs; null while the node is idle. */
  #cause: Cause | null = null
  /** The execution that goes on after its delivery. */
  #going: Going | null = null
  /** What begins when the node publishes by itself. */
  #source: CascadeOrigin['kind'] = 'reading'
  /** Null until somebody has asked for the signal of an execution. */
  #signal: ExecutionSignal | null = null

  constructor(home: Home, { graphNode, definition, outputs, idempotent, mask, messages }: NodeParts) {
    this.#home = home
    this.key = `${home.name}/${graphNode.node.id}`
    this.node = graphNode.node
    this.definition = definition
    this.loop = home.loop
    this.inputs = graphNode.inputs.map((port, index) => new InputPort(this, port, index))
    this.#idempotent = idempotent
    this.#isPlain = idempotent && definition.arrival === 'each'
    this.timers = new NodeTimers(home.timers, this)
    this.condition = new NodeCondition(home.news, this, mask)
    this.#outputs = new NodeOutputs(home, this, outputs, foreignOutputs(home.name, outputs, messages, this.condition))
    this.#only = this.#outputs.only
  }

  get outputs(): ReadonlyMap<string, OutputPort> {
    return this.#outputs.ports
  }

  open(instance: NodeInstance): void {
    this.#instance = instance
  }

  close(): void {
    this.#instance = null
    const going = this.#going
    if (going !== null && this.#home.keeps) {
      const isOver = going.startedMs !== null && !this.#idempotent
      going.cause = this.#home.work.cutOff(this, { arrivals: going.arrivals, isOver }, going.cause)
    }
    this.#signal?.stop()
  }

  receive(what: What, value: unknown, cause: Cause): void {
    if (what.is === 'many' && this.definition.arrival === 'each') this.#receiveEach(value as Arrival[], cause)
    else if (this.#cause !== null) this.#wait(what, value, cause)
    else if (what.is === 'input' && this.#isPlain && this.#instance !== null) this.#takePlainly(what, value, cause)
    else this.#take(what, value, cause)
  }

  send(port: string, value: unknown, atMs?: number): void {
    const only = this.#only
    const cause = this.#cause
    const { bus } = this.#home
    // the way of nearly every value
    if (only !== null && only.port === port && cause !== null && bus !== null && accepts(only.dtype, value)) {
      bus.publish(only, value, cause.caused, atMs)
    } else this.#outputs.send(port, value, cause, atMs)
  }

  emit(values: Values, atMs?: number): void {
    this.#outputs.emit(values, this.#cause, atMs)
  }

  async emitDurably(values: Values): Promise<void> {
    const { outputs, sent } = this.#outputs.checked(values)
    const within = this.#cause?.cascade ?? null
    if (outputs.length > 0) await this.#home.publishKept(this, { outputs, values: sent, within })
  }

  apart(what: What, value: unknown, cause: Cause): WorkCause {
    return this.#home.work.apart(this, what, value, cause)
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

  log(_stream: 'stdout' | 'stderr', text: string): void {
    this.#home.news.log(this.node.id, text)
  }

  executionSignal(): AbortSignal | null {
    if (this.#cause === null) return null
    return (this.#signal ??= new ExecutionSignal()).signal
  }

  /** Ends the execution that runs, without a failure marker. */
  cancel(): 0 | 1 {
    return this.#cause !== null && (this.#signal ??= new ExecutionSignal()).cancel() ? 1 : 0
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
    if (timer.data !== null) this.deadLetters(reason, [heldBy(this.definition, timer)], cascade)
  }

  /** Sets the failure marker; the node goes on working. `cause` is that of the execution that runs unless given. */
  fail(failure: Failure, cause: Cause | null = this.#cause): void {
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
    return { flow: this.#home.name, node: this.node.id, ...this.condition.state(this.#cause !== null) }
  }

  #receiveEach(arrivals: readonly Arrival[], cause: Cause): void {
    const parts = this.#home.work.parts(this, arrivals, cause)
    for (const [at, { input, value }] of arrivals.entries()) this.receive(input, value, parts[at]!)
  }

  /** The way of nearly every delivery: what `#takeOne` and `#execute` come to for a node that takes each value alone. */
  #takePlainly(input: InputPort, value: unknown, cause: Cause): void {
    if (!this.#fill(input, value, cause) || !input.trigger) cause.leave()
    else if (++cause.cascade.executions > MAX_CASCADE_EXECUTIONS) this.#limit(input, value, cause)
    else this.#run(input, value, cause, null)
  }

  #take(what: What, value: unknown, cause: Cause): void {
    if (what.is === 'input') this.#takeOne(what, value, cause)
    else if (what.is === 'many') this.#takeMany(value as Arrival[], cause)
    else if (what.is === 'trigger') this.#act(cause)
    else if (this.#instance?.onTimer !== undefined) this.#execute(TIMER, value, cause)
    else {
      // an earlier form of the node has set it
      this.giveUpTimer('stopped', value as DueTimer, cause.cascade.id)
      cause.leave()
    }
  }

  #takeOne(what: InputPort, value: unknown, cause: Cause): void {
    if (!this.#fill(what, value, cause) || !what.trigger) cause.leave()
    else if (this.definition.arrival === 'each') this.#execute(what, value, cause)
    else if (this.definition.arrival === 'together') this.#execute(null, { [what.port]: value }, cause)
    else this.#combine(cause)
  }

  #takeMany(arrivals: readonly Arrival[], cause: Cause): void {
    const accepted = arrivals.filter(({ input, value }) => this.#fill(input, value, cause))
    if (!accepted.some(({ input }) => input.trigger)) cause.leave()
    else if (this.definition.arrival === 'combine') this.#combine(cause)
    else this.#execute(null, Object.fromEntries(accepted.map(({ input, value }) => [input.port, value])), cause)
  }

  #act(cause: Cause): void {
    if (this.#instance?.onTrigger !== undefined) this.#execute(TRIGGER, {}, cause)
    else if (this.definition.arrival === 'combine') this.#combine(cause)
    else cause.leave()
  }

  #combine(cause: Cause): void {
    const values = combined(this.inputs)
    if (values === null) cause.leave()
    else this.#execute(null, values, cause)
  }

  /** Keeps the latest value of an input; false when the value is not what the port takes. */
  #fill(input: InputPort, value: unknown, cause: Cause): boolean {
    const violation = input.take(value)
    if (violation !== null) this.fail(failureOf(violation), cause)
    return violation === null
  }

  /** Runs the handler: of one port's value, of a trigger or timer, or (null) of values by port. */
  #execute(what: Handled, value: unknown, cause: Cause): void {
    const { cascade } = cause
    if (this.#instance === null) cause.leave()
    else if (++cascade.executions > MAX_CASCADE_EXECUTIONS) this.#limit(what, value, cause)
    else if (this.#idempotent) this.#run(what, value, cause, null)
    else this.#runOnce(what, value, cause)
  }

  #run(what: Handled, value: unknown, cause: Cause, onEnd: (() => void) | null): void {
    const { stats } = this.#home
    const isTimed = stats.count()
    const startedMs = isTimed ? performance.now() : 0
    this.#cause = cause
    try {
      const outcome =
        what !== null && what.is === 'input'
          ? this.#instance?.onValue?.(what.port, value)
          : handle(this.#instance, what, value)
      if (outcome !== undefined && outcome !== null) {
        if (outcome instanceof Promise) {
          const arrivals = fedBy(this.inputs, what, value)
          const ended = onEnd ?? this.#intend(arrivals, cause)
          this.#going = { arrivals, cause, onEnd: ended, startedMs: isTimed ? startedMs : performance.now() }
          void this.#finish(outcome, this.#going)
          return
        }
        this.emit(outcome)
      }
    } catch (error) {
      this.fail(failureOf(error))
    }
    if (isTimed) stats.took(performance.now() - startedMs)
    this.#cause = null
    this.#signal?.reset()
    onEnd?.()
    cause.leave()
  }

  /** Notes an execution that goes on and must not be repeated; one that was over at once has nothing to note. */
  #intend(arrivals: Arrivals, cause: Cause): (() => void) | null {
    return this.#idempotent || cause.work !== null ? null : this.#home.intend(this, arrivals, cause)
  }

  /** Runs the handler of a node that must not do the same twice: what has begun is known after a crash. */
  #runOnce(what: Handled, value: unknown, cause: Cause): void {
    const { work } = cause
    if (work === null) this.#run(what, value, cause, null)
    else if (work.hasBegun(this.key + cause.mark)) this.#giveUp('crash', what, value, cause)
    else if (work.hasEnded(this.key + cause.mark)) cause.leave()
    else {
      // what its tick sends is kept by itself: the tick is not made again
      const own = what === TIMER ? new WorkCause(cause.cascade, work, cause.depth, { isApart: true }) : cause
      this.#cause = own
      void this.#runNoted(work, what, value, own)
    }
  }

  async #runNoted(work: Work, what: Handled, value: unknown, cause: Cause): Promise<void> {
    const reader = this.key + cause.mark
    const going: Going = { arrivals: fedBy(this.inputs, what, value), cause, onEnd: null, startedMs: null }
    this.#going = going
    this.loop.begin()
    let failure: Failure | null = null
    try {
      await work.begin(reader)
    } catch (error) {
      failure = failureOf(error)
    }
    const isStopped = this.#instance === null
    const isCancelled = this.#signal?.isCancelled === true
    if (failure !== null) this.fail(failure)
    this.#ended()
    if (isStopped && this.#home.keeps) going.cause.suspend()
    else if (failure !== null || isStopped) this.#giveUp(isStopped ? 'stopped' : 'crash', what, value, cause)
    else if (isCancelled) {
      work.end(reader)
      cause.leave()
    } else this.#run(what, value, cause, () => work.end(reader))
    this.#next()
    this.loop.end()
  }

  /** As `discard`, for an execution. */
  #giveUp(reason: DeadLetter['reason'], what: Handled, value: unknown, cause: Cause): void {
    this.deadLetters(reason, fedBy(this.inputs, what, value), cause.cascade.id)
    cause.leave()
  }

  /** Waits for an execution that went on after its delivery; never rejects. */
  async #finish(outcome: Promise<Awaited<Outcome>>, going: Going): Promise<void> {
    this.loop.begin()
    this.#home.news.changed(this)
    try {
      const values = await outcome
      if (values !== undefined && values !== null && this.#signal?.isCancelled !== true && this.#instance !== null)
        this.emit(values)
    } catch (error) {
      if (this.#signal?.isCancelled !== true && this.#instance !== null) this.fail(failureOf(error))
    }
    this.#home.stats.took(performance.now() - (going.startedMs ?? 0))
    this.#ended()
    this.#home.news.changed(this)
    const { cause, onEnd } = going
    const isCutOff = this.#instance === null
    if (isCutOff && this.#home.keeps) cause.suspend()
    else {
      if (isCutOff) cause.cascade.abandon()
      onEnd?.()
      cause.leave()
    }
    this.#next()
    this.loop.end()
  }

  #ended(): void {
    this.#cause = null
    this.#going = null
    this.#signal?.reset()
    this.condition.ended()
  }

  #wait(what: What, value: unknown, cause: Cause): void {
    this.#mailbox ??= new Mailbox(this)
    if (this.#mailbox.push(this.#home.ticket(), what, value, cause)) this.condition.overflow('mailbox', true)
  }

  #next(): void {
    const mailbox = this.#mailbox
    while (mailbox !== null && this.#cause === null && mailbox.size > 0) {
      const { what, value, cause } = mailbox.shift()
      this.#take(what, value, cause)
    }
    if (mailbox?.size === 0) this.condition.overflow('mailbox', false)
  }

  #limit(what: Handled, value: unknown, cause: Cause): void {
    // The first refused execution marks its node; the cascade's other deliveries only end.
    if (cause.cascade.executions === MAX_CASCADE_EXECUTIONS + 1) this.fail(loopLimit, cause)
    this.#giveUp('loop_limit', what, value, cause)
  }
}
