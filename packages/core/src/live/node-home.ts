/**
 * What a live node needs of its flow.
 * @module
 */
import type { AnyNodeDefinition, NodeInstance, Outcome, Values } from '@flow-service/connector-sdk'
import type { FlowNode, NodeState } from '@flow-service/protocol'

import type { GraphNode } from '../graph.ts'
import type { CascadeOrigin, DeadLetter } from '../host.ts'
import type { Secrets } from '../secrets.ts'
import type { Arrival, Bus, Consumer, DueTimer, InputPort, OutputPort, TIMER, TRIGGER, What } from './bus.ts'
import type { Cascade, Cause, WorkCause } from './cascade.ts'
import type { ExecutionStats } from './execution-stats.ts'
import type { KnownMessages } from './foreign-outputs.ts'
import type { Delivery, Loop } from './loop.ts'
import type { NodeCondition } from './node-condition.ts'
import type { TimersHome } from './node-timers.ts'

/** Values by the input port where they arrive. */
export type Arrivals = readonly (readonly [port: string, value: unknown])[]

/** A node as its flow sees it. */
export interface HomeNode extends Consumer {
  readonly node: FlowNode
  readonly inputs: readonly InputPort[]
  readonly outputs: ReadonlyMap<string, OutputPort>
  /** What begins when the node sets something off. */
  origin(kind?: CascadeOrigin['kind']): CascadeOrigin
  state(): NodeState
  readonly condition: NodeCondition
  /** Gives a timer up, with a dead letter when it carries data. */
  giveUpTimer(reason: DeadLetter['reason'], timer: DueTimer, cascade: string): void
  /** Gives a delivery up, with one dead letter for each value of it. */
  discard(reason: DeadLetter['reason'], what: What, value: unknown, cause: Cause): void
}

/** The kept work of the flow, as its nodes use it. */
export interface HomeWork {
  /** The cause of a delivery that is kept by itself, whatever is behind it; the caller lets go of the work. */
  apart(node: HomeNode, what: What, value: unknown, cause: Cause): WorkCause
  /** The cause with which a stop cuts an execution off. */
  cutOff(node: HomeNode, cut: { arrivals: Arrivals; isOver: boolean }, cause: Cause): Cause
  /** The causes of values that come together to a node which handles one after the other. Lets go of the cause. */
  parts(node: HomeNode, arrivals: readonly Arrival[], cause: Cause): Cause[]
}

/** Reports to the host of the flow. */
export interface HomeNews {
  deadLetter(entry: Omit<DeadLetter, 'flow'>): void
  log(node: string, text: string): void
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
  readonly stats: ExecutionStats
  /** Whether the flow stops and leaves what is not done for its next start. */
  readonly keeps: boolean
  /** Null until every node has started. */
  readonly bus: Bus | null
  /** A cascade that its caller lets go of. */
  newCascade(origin: CascadeOrigin): Cascade
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

/** An arrival that is to be kept. */
export interface KeptPublication {
  readonly outputs: readonly OutputPort[]
  readonly values: readonly unknown[]
  /** The cascade of the execution that publishes it; null when none runs. */
  readonly within: Cascade | null
}

/** What a node is made of. */
export interface NodeParts {
  readonly graphNode: GraphNode
  readonly definition: AnyNodeDefinition
  readonly outputs: readonly OutputPort[]
  /** Whether an execution may be repeated. */
  readonly idempotent: boolean
  /** What the node tells, as it may be shown. */
  readonly mask: Secrets['mask']
  /** Left out where nobody knows messages of other flows. */
  readonly messages?: KnownMessages | undefined
}

/** A delivery taken back out of a mailbox. */
export interface Waiting extends Delivery<HomeNode, What> {
  readonly ticket: number
}

/** What a handler is called for: one port's value, a trigger or timer, or (null) values by port. */
export type Handled = InputPort | typeof TRIGGER | typeof TIMER | null

/** An execution that goes on after its delivery. */
export interface Going {
  readonly arrivals: Arrivals
  cause: Cause
  readonly onEnd: (() => void) | null
  /** By `performance.now()`; null before its note is committed. */
  readonly startedMs: number | null
}

/** What a delivery brings to input ports. */
export function arrivalsIn(what: What, value: unknown): Arrivals {
  if (what.is === 'input') return [[what.port, value]]
  return what.is === 'many' ? (value as Arrival[]).map((arrival) => [arrival.input.port, arrival.value]) : []
}

/** What is told of values that are given up, one entry each; one for an execution that no value feeds. */
export function lettersOf(
  { node, inputs, outputs }: Pick<HomeNode, 'node' | 'inputs' | 'outputs'>,
  arrivals: Arrivals,
): Pick<DeadLetter, 'node' | 'message' | 'value'>[] {
  if (arrivals.length === 0) return [{ node: node.id, message: null, value: null }]
  const messages = new Map([...outputs.values()].map(({ port, message }) => [port, message]))
  for (const { port, message } of inputs) messages.set(port, message)
  return arrivals.map(([port, value]) => ({ node: node.id, message: messages.get(port) ?? null, value }))
}

/** The latest value of every input; null while a triggering one has none. */
export function combined(inputs: readonly InputPort[]): Values | null {
  const values: Values = {}
  for (const input of inputs) {
    if (input.trigger && !input.filled) return null
    values[input.port] = input.latest
  }
  return values
}

/** Calls the handler of an execution that is not of one port's value. */
export function handle(
  instance: NodeInstance | null,
  what: typeof TRIGGER | typeof TIMER | null,
  value: unknown,
): Outcome {
  if (what === null) return instance?.onInput?.(value as Values)
  if (what.is === 'trigger') return instance?.onTrigger?.(value as Values)
  const { key, data, dueMs } = value as DueTimer
  return instance?.onTimer?.(key, data, dueMs)
}

/** What a timer holds: of the port that the node names, else of its key. */
export const heldBy = (definition: AnyNodeDefinition, { key, data }: DueTimer): Arrivals[number] =>
  definition.holds?.(key, data) ?? [key, data]

/** What feeds an execution: the values of its triggering inputs. */
export function fedBy(inputs: readonly InputPort[], what: Handled, value: unknown): Arrivals {
  if (what !== null) return what.is === 'input' ? [[what.port, value]] : []
  const values = value as Values
  const fed: (readonly [port: string, value: unknown])[] = []
  for (const { port, trigger } of inputs) if (trigger && port in values) fed.push([port, values[port]])
  return fed
}
