/**
 * Values by the input port of a live node where they arrive: those of a delivery, of an execution and of a timer, and
 * the dead letters that they become when they are given up.
 * @module
 */
import type { AnyNodeDefinition, Values } from '@flow-service/connector-sdk'
import type { FlowNode } from '@flow-service/protocol'

import type { DeadLetter } from '../host.ts'
import type { Arrival, DueTimer, InputPort, OutputPort, TIMER, TRIGGER, What } from './bus.ts'

/** Values by the input port where they arrive. */
export type Arrivals = readonly (readonly [port: string, value: unknown])[]

/** What a handler is called for: one port's value, a trigger or timer, or (null) values by port. */
export type Handled = InputPort | typeof TRIGGER | typeof TIMER | null

/** What a delivery brings to input ports. */
export function arrivalsIn(what: What, value: unknown): Arrivals {
  if (what.is === 'input') return [[what.port, value]]
  return what.is === 'many' ? (value as Arrival[]).map((arrival) => [arrival.input.port, arrival.value]) : []
}

/** What feeds an execution: the values of its triggering inputs. */
export function fedBy(inputs: readonly InputPort[], what: Handled, value: unknown): Arrivals {
  if (what !== null) return what.is === 'input' ? [[what.port, value]] : []
  const values = value as Values
  const fed: (readonly [port: string, value: unknown])[] = []
  for (const { port, trigger } of inputs) if (trigger && port in values) fed.push([port, values[port]])
  return fed
}

/** What a timer holds: of the port that the node names, else of its key. */
export const heldBy = (definition: AnyNodeDefinition, { key, data }: DueTimer): Arrivals[number] =>
  definition.holds?.(key, data) ?? [key, data]

/** The node that a value was for, and its ports. */
interface Addressee {
  readonly node: FlowNode
  readonly inputs: readonly InputPort[]
  readonly outputs: ReadonlyMap<string, OutputPort>
}

/** Dead letters of values that are given up, one each; one for an execution that no value feeds. */
export function lettersOf(
  { node, inputs, outputs }: Addressee,
  arrivals: Arrivals,
): Pick<DeadLetter, 'node' | 'message' | 'value'>[] {
  if (arrivals.length === 0) return [{ node: node.id, message: null, value: null }]
  const messages = new Map([...outputs.values()].map(({ port, message }) => [port, message]))
  for (const { port, message } of inputs) messages.set(port, message)
  return arrivals.map(([port, value]) => ({ node: node.id, message: messages.get(port) ?? null, value }))
}
