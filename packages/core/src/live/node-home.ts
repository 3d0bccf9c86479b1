/**
 * A live flow as its nodes see it, and a node as its flow sees it. The parts of a node know each other and their flow by
 * these interfaces alone.
 * @module
 */
import type { Dtype, FlowNode, NodeState } from '@flow-service/protocol'

import type { Failure } from '../failure.ts'
import type { CascadeBeginning, CascadeOrigin, Clock, DeadLetter, Lease, WorkHost } from '../host.ts'
import type { Arrivals } from './arrivals.ts'
import type { Arrival, Bus, Consumer, DueTimer, InputPort, OutputPort, What } from './bus.ts'
import type { Cascade, Cause, WorkCause } from './cascade.ts'
import type { ExecutionStats } from './execution-stats.ts'
import type { Delivery, Loop } from './loop.ts'
import type { NodePace } from './node-pace.ts'

/** A node as its flow sees it. */
export interface HomeNode extends Consumer {
  readonly node: FlowNode
  readonly inputs: readonly InputPort[]
  readonly outputs: ReadonlyMap<string, OutputPort>
  /** Whether it stands for a device: then nothing of it is executed. */
  readonly isDevice: boolean
  /** What begins when the node sets something off. */
  beginning(kind?: CascadeOrigin['kind']): CascadeBeginning
  state(): NodeState
  readonly condition: HomeCondition
  /** Gives a timer up, with a dead letter when it carries data. */
  giveUpTimer(reason: DeadLetter['reason'], timer: DueTimer, cascade: string): void
  /** Gives a delivery up, with one dead letter for each value of it. */
  discard(reason: DeadLetter['reason'], what: What, value: unknown, cause: Cause): void
  /** One entry for each value that is given up, or one for an execution without any. */
  deadLetters(reason: DeadLetter['reason'], arrivals: Arrivals, cascade: string): void
}

/** The condition of a node, as those report to it that keep its deliveries and timers. */
export interface HomeCondition {
  /** Whether its mailbox, or its timers, have dropped the oldest and are not drained since. */
  overflow(of: 'mailbox' | 'timers', isOverflowing: boolean): void
}

/** The kept work of the flow, as its nodes use it. */
export interface HomeWork {
  /**
   * The cause of a delivery that is kept by itself, whatever is behind it, and as begun where the node has begun it in an
   * earlier life; the caller lets go of the work.
   */
  apart(node: HomeNode, delivery: { what: What; value: unknown; hasBegun: boolean }, cause: Cause): WorkCause
  /** The cause with which a stop cuts an execution off. */
  cutOff(node: HomeNode, cut: { arrivals: Arrivals; isOver: boolean }, cause: Cause): Cause
  /** The causes of values that come together to a node which handles one after the other. Lets go of the cause. */
  parts(node: HomeNode, arrivals: readonly Arrival[], cause: Cause): Cause[]
}

/** Reports to the host of the flow. */
export interface HomeNews {
  deadLetter(entry: Omit<DeadLetter, 'flow'>): void
  failed(node: string, failure: Failure): void
  log(node: string, text: string): void
  /** Whether anybody is shown events now. */
  isWatched(): boolean
  /** When the states of the node with this id are told. */
  paceOf(node: string): NodePace
  /** The state of a node may have changed. */
  changed(node: HomeNode): void
  healthChanged(node: HomeNode): void
  /** The time now, as states carry it. */
  timestamp(): string
}

/** The flow as its nodes see it. */
export interface Home {
  readonly name: string
  readonly loop: Loop<Consumer, What>
  /** Left out where no other engine can run the flow. */
  readonly lease: Lease | undefined
  readonly stats: ExecutionStats
  /** Whether the flow stops and leaves what is not done for its next start. */
  readonly keeps: boolean
  /** Null until every node has started. */
  readonly bus: Bus | null
  /** A cascade that its caller lets go of. */
  newCascade(beginning: CascadeBeginning): Cascade
  publish(output: OutputPort, value: unknown, cause: Cause, atMs?: number): void
  publishMany(outputs: readonly OutputPort[], values: readonly unknown[], cause: Cause, atMs?: number): void
  /** Publishes an arrival that is kept until the executions that it directly causes have ended. */
  publishKept(node: HomeNode, { outputs, values, within }: KeptPublication): Promise<void>
  readonly work: HomeWork
  /** Keeps that an execution which must not be repeated has begun; the result takes it back. */
  intend(node: HomeNode, arrivals: Arrivals, cause: Cause): () => void
  /** For the timers of its nodes. */
  readonly timers: TimersHome
  /** Numbers the deliveries that wait for busy nodes, over all nodes of the flow. */
  ticket(): number
  readonly news: HomeNews
}

/** What a node leaves to the one that takes its place. */
export interface Handover {
  /** A delivery that has come since; the caller's count of its cause goes along. */
  add(node: HomeNode, what: What, value: unknown, cause: Cause): void
  /** The delivery of an execution that was cut off. */
  addCut(node: HomeNode, what: What, value: unknown, cause: Cause): void
}

/** What timers need of their flow. */
export interface TimersHome {
  readonly flow: string
  readonly clock: Clock
  readonly work: WorkHost
  newId(): string
  newCascade(node: HomeNode, id: string): Cascade
  /** Delivers a timer to its node. */
  due(node: HomeNode, timer: DueTimer, cause: Cause): void
}

/** What is known of the messages of all published flows. */
export interface KnownMessages {
  /** Undefined for a message that none of them declares. */
  dtypeOf(message: string): Dtype | undefined
}

/** An arrival that is to be kept. */
export interface KeptPublication {
  readonly outputs: readonly OutputPort[]
  readonly values: readonly unknown[]
  /** The cascade of the execution that publishes it; null when none runs. */
  readonly within: Cascade | null
}

/** A delivery taken back out of a mailbox. */
export interface Waiting extends Delivery<HomeNode, What> {
  readonly ticket: number
}
