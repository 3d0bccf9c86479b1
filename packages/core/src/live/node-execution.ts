/**
 * The executions of a live node, one at a time. Its node hands over the values of a delivery; the handler is called at
 * once, and its end awaited when it goes on after the delivery. Then the node is asked for its next delivery. Invariants
 * node.N1, node.N6 and flow-work.K3 of DESIGN.md.
 * @module
 */
import type { NodeInstance, Outcome, Values } from '@flow-service/connector-sdk'
import { MAX_CASCADE_EXECUTIONS } from '@flow-service/protocol'

import { type Failure, failureOf, loopLimit } from '../failure.ts'
import type { DeadLetter } from '../host.ts'
import { type Arrivals, fedBy, type Handled } from './arrivals.ts'
import { arrivalsAt, type DueTimer, type InputPort, MANY, TIMER, type TRIGGER } from './bus.ts'
import { type Cause, type Work, WorkCause } from './cascade.ts'
import { ExecutionSignal } from './execution-signal.ts'
import type { ExecutionStats } from './execution-stats.ts'
import type { NodeCondition } from './node-condition.ts'
import type { Handover, Home, HomeCondition, HomeNode } from './node-home.ts'
import type { NodePace } from './node-pace.ts'
import type { NodeRetry } from './node-retry.ts'

/** The node that executes. */
export interface ExecutingNode extends HomeNode {
  readonly condition: HomeCondition & Pick<NodeCondition, 'ended'>
  /** Publishes outputs of the execution. */
  emit(values: Values): void
  /** Sets the failure marker; `cause` is that of the execution unless given. */
  fail(failure: Failure, cause?: Cause | null): void
  /** Takes up the deliveries that have waited. */
  next(): void
}

/** The promise of the handler is pending, or the commit of its note before it is called. */
interface Going {
  readonly what: Handled
  readonly value: unknown
  cause: Cause
  readonly onEnd: (() => void) | null
  /** By `performance.now()`; null before its note is committed. */
  readonly startedMs: number | null
  signal: ExecutionSignal | null
  /** Its delivery was handed over: it is executed again. */
  isHandedOver: boolean
}

/** One object a node. */
export class NodeExecution {
  // what each execution needs comes first: the beginning of an object is one line of the processor's cache
  /** Of the execution; null: there is none. One whose handler has not returned yet is this field and the signal. */
  #cause: Cause | null = null
  /** Null before the start and after the stop. */
  #instance: NodeInstance | null = null
  /** Of the execution, or the last one. */
  #attempt = 1
  readonly #stats: ExecutionStats
  readonly #home: Home
  /** The execution, when it goes on after its handler has returned. */
  #going: Going | null = null
  /** Of one whose handler has not returned yet; null until somebody has asked for it. */
  #signal: ExecutionSignal | null = null
  readonly #node: ExecutingNode
  /** Null until an execution was watched: most nodes of a large flow wait for theirs. */
  #pace: NodePace | null = null
  readonly #idempotent: boolean
  readonly #retry: NodeRetry | null

  constructor(home: Home, node: ExecutingNode, idempotent: boolean, retry: NodeRetry | null) {
    this.#home = home
    this.#node = node
    this.#stats = home.stats
    this.#idempotent = idempotent
    this.#retry = retry
  }

  /** How often the execution was begun, this time included. */
  get attempt(): number {
    return this.#cause === null ? 1 : this.#attempt
  }

  get instance(): NodeInstance | null {
    return this.#instance
  }

  /** The cause of the execution; null while there is none. */
  get cause(): Cause | null {
    return this.#cause
  }

  open(instance: NodeInstance): void {
    this.#instance = instance
  }

  /** The node stops: an execution that goes on is cut off. Without a `handover` no other node takes its place. */
  close(handover: Handover | null): void {
    this.#instance = null
    const going = this.#going
    if (going !== null) this.#cutOff(going, handover)
    ;(going === null ? this.#signal : going.signal)?.stop()
  }

  /** Notes what becomes of an execution that its node does not live to finish. */
  #cutOff(going: Going, handover: Handover | null): void {
    const { keeps, work } = this.#home
    const { what, value, cause } = going
    const isOver = going.startedMs !== null && !this.#idempotent
    if (keeps) {
      going.cause = work.cutOff(this.#node, { arrivals: this.#fedBy(going), isOver }, cause)
      this.#cause = going.cause
    } else if (handover !== null && isOver) this.#node.deadLetters('stopped', this.#fedBy(going), cause.cascade.id)
    else if (handover !== null) {
      going.isHandedOver = true
      cause.enter(1)
      if (what !== null) handover.addCut(this.#node, what, value, cause)
      else handover.addCut(this.#node, MANY, arrivalsAt(this.#node.inputs, this.#fedBy(going)), cause)
    }
  }

  #fedBy({ what, value }: Going): Arrivals {
    return fedBy(this.#node.inputs, what, value)
  }

  /** The signal of the execution; null while there is none. */
  signal(): AbortSignal | null {
    return this.#signalled()?.signal ?? null
  }

  /** Ends the execution without a failure marker; answers how many there were. */
  cancel(): 0 | 1 {
    return this.#signalled()?.cancel() === true ? 1 : 0
  }

  /** Runs the handler: of one port's value, of a trigger or timer, or (null) of values by port. */
  execute(what: Handled, value: unknown, cause: Cause, attempt = 1): void {
    this.#attempt = attempt
    if (this.#instance === null) cause.leave()
    else if (++cause.cascade.executions > MAX_CASCADE_EXECUTIONS) this.#limit(what, value, cause)
    else if (this.#idempotent) this.#run(what, value, cause, null)
    else this.#runOnce(what, value, cause)
  }

  /** As `execute`, for a node that may execute the same twice: the way of nearly every delivery. */
  executePlainly(what: InputPort, value: unknown, cause: Cause): void {
    this.#attempt = 1
    if (this.#instance === null) cause.leave()
    else if (++cause.cascade.executions > MAX_CASCADE_EXECUTIONS) this.#limit(what, value, cause)
    else this.#run(what, value, cause, null)
  }

  #run(what: Handled, value: unknown, cause: Cause, onEnd: (() => void) | null): void {
    const stats = this.#stats
    const isTimed = stats.count()
    if (this.#home.news.isWatched()) {
      this.#pace ??= this.#home.news.paceOf(this.#node.node.id)
      this.#pace.executed(this.#node)
    }
    const startedMs = isTimed ? performance.now() : 0
    this.#cause = cause
    try {
      const outcome =
        what !== null && what.is === 'input'
          ? this.#instance?.onValue?.(what.port, value)
          : handle(this.#instance, what, value)
      if (outcome !== undefined && outcome !== null) {
        if (outcome instanceof Promise) {
          const ended = onEnd ?? this.#intend(what, value, cause)
          const began = isTimed ? startedMs : performance.now()
          void this.#finish(outcome, this.#go({ what, value, cause, onEnd: ended, startedMs: began }))
          return
        }
        this.#node.emit(outcome)
      }
    } catch (error) {
      this.#fail(error, what, value)
    }
    if (isTimed) stats.took(performance.now() - startedMs)
    this.#rest()
    onEnd?.()
    cause.leave()
  }

  /** Runs the handler of a node that must not do the same twice: what has begun is known after a crash. */
  #runOnce(what: Handled, value: unknown, cause: Cause): void {
    const { work } = cause
    if (work === null) this.#run(what, value, cause, null)
    else if (work.hasBegun(this.#node.key + cause.mark)) this.#giveUp('crash', what, value, cause)
    else if (work.hasEnded(this.#node.key + cause.mark)) cause.leave()
    else {
      // what its tick sends is kept by itself: the tick is not made again
      const own = what === TIMER ? new WorkCause(cause.cascade, work, cause.depth, { isApart: true }) : cause
      void this.#runNoted(work, what, value, own)
    }
  }

  async #runNoted(work: Work, what: Handled, value: unknown, cause: Cause): Promise<void> {
    const reader = this.#node.key + cause.mark
    const going = this.#go({ what, value, cause, onEnd: null, startedMs: null })
    this.#node.loop.begin()
    let failure: Failure | null = null
    try {
      await work.begin(reader)
    } catch (error) {
      failure = failureOf(error)
    }
    const isStopped = this.#instance === null
    if (failure !== null) this.#node.fail(failure)
    this.#ended()
    if (isStopped && this.#home.keeps) going.cause.suspend()
    else if (going.isHandedOver) cause.leave()
    else if (failure !== null || isStopped) this.#giveUp(isStopped ? 'stopped' : 'crash', what, value, cause)
    else if (going.signal?.isCancelled === true) {
      work.end(reader)
      cause.leave()
    } else this.#run(what, value, cause, () => work.end(reader))
    this.#node.next()
    this.#node.loop.end()
  }

  /** Notes an execution that goes on and must not be repeated; one that was over at once has nothing to note. */
  #intend(what: Handled, value: unknown, cause: Cause): (() => void) | null {
    if (this.#idempotent || cause.work !== null) return null
    return this.#home.intend(this.#node, fedBy(this.#node.inputs, what, value), cause)
  }

  /** Waits for an execution that went on after its delivery; never rejects. */
  async #finish(outcome: Promise<Awaited<Outcome>>, going: Going): Promise<void> {
    const { news } = this.#home
    this.#node.loop.begin()
    news.changed(this.#node)
    try {
      const values = await outcome
      if (values !== undefined && values !== null && this.#counts(going)) this.#node.emit(values)
    } catch (error) {
      if (this.#counts(going)) this.#fail(error, going.what, going.value)
    }
    this.#stats.took(performance.now() - (going.startedMs ?? 0))
    this.#ended()
    news.changed(this.#node)
    const { cause, onEnd } = going
    const isCutOff = this.#instance === null
    if (isCutOff && this.#home.keeps) cause.suspend()
    else {
      if (isCutOff && !going.isHandedOver) cause.cascade.abandon()
      onEnd?.()
      cause.leave()
    }
    this.#node.next()
    this.#node.loop.end()
  }

  #fail(error: unknown, what: Handled, value: unknown): void {
    const failure = failureOf(error)
    if (this.#retry?.again(failure, { what, value }, this.#attempt) !== true) this.#node.fail(failure)
  }

  /** Whether the outcome of an execution is still wanted. */
  #counts({ signal }: Going): boolean {
    return signal?.isCancelled !== true && this.#instance !== null
  }

  #signalled(): ExecutionSignal | null {
    const going = this.#going
    if (going !== null) return (going.signal ??= new ExecutionSignal())
    return this.#cause === null ? null : (this.#signal ??= new ExecutionSignal())
  }

  #go({ what, value, cause, onEnd, startedMs }: Omit<Going, 'signal' | 'isHandedOver'>): Going {
    const signal = startedMs === null ? null : this.#signal
    const going: Going = { what, value, cause, onEnd, startedMs, signal, isHandedOver: false }
    this.#rest()
    this.#cause = going.cause
    this.#going = going
    return going
  }

  #ended(): void {
    this.#rest()
    this.#node.condition.ended()
  }

  #rest(): void {
    this.#cause = null
    if (this.#signal !== null) this.#signal = null
    if (this.#going !== null) this.#going = null
  }

  #limit(what: Handled, value: unknown, cause: Cause): void {
    // The first refused execution marks its node; the cascade's other deliveries only end.
    if (cause.cascade.executions === MAX_CASCADE_EXECUTIONS + 1) this.#node.fail(loopLimit, cause)
    this.#giveUp('loop_limit', what, value, cause)
  }

  /** Gives an execution up, with one dead letter for each value that feeds it. */
  #giveUp(reason: DeadLetter['reason'], what: Handled, value: unknown, cause: Cause): void {
    this.#node.deadLetters(reason, fedBy(this.#node.inputs, what, value), cause.cascade.id)
    cause.leave()
  }
}

/** Calls the handler of an execution that is not of one port's value. */
function handle(instance: NodeInstance | null, what: typeof TRIGGER | typeof TIMER | null, value: unknown): Outcome {
  if (what === null) return instance?.onInput?.(value as Values)
  if (what.is === 'trigger') return instance?.onTrigger?.(value as Values)
  const { key, data, dueMs } = value as DueTimer
  return instance?.onTimer?.(key, data, dueMs)
}
