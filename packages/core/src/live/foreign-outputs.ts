/**
 * Outputs of a node that publish under messages of other flows: only what a published flow declares takes values, and
 * only of its dtype (G12, G14 point 5).
 * @module
 */
import { flowPart } from '@flow-service/protocol'

import { conform } from '../conform.ts'
import type { OutputPort } from './bus.ts'
import type { NodeCondition } from './node-condition.ts'
import type { KnownMessages } from './node-home.ts'

/** Those of one node. */
export class ForeignOutputs {
  readonly #outputs: ReadonlySet<OutputPort>
  readonly #messages: KnownMessages
  readonly #condition: Pick<NodeCondition, 'undeclared'>
  /** Messages whose last value was dropped. */
  readonly #dropped = new Set<string>()

  constructor(outputs: ReadonlySet<OutputPort>, messages: KnownMessages, condition: Pick<NodeCondition, 'undeclared'>) {
    this.#outputs = outputs
    this.#messages = messages
    this.#condition = condition
  }

  /** Whether a value may be published now; throws a DtypeViolation when the message is of another dtype. */
  takes(output: OutputPort, value: unknown): boolean {
    if (!this.#outputs.has(output)) return true
    const { message } = output
    const dtype = this.#messages.dtypeOf(message)
    if (dtype !== undefined) conform(dtype, value, `message "${message}"`)
    this.#note(message, dtype !== undefined)
    return dtype !== undefined
  }

  #note(message: string, isTaken: boolean): void {
    const changes = isTaken ? this.#dropped.delete(message) : !this.#dropped.has(message)
    if (!changes) return
    if (!isTaken) this.#dropped.add(message)
    const [first] = this.#dropped
    this.#condition.undeclared(first ?? null)
  }
}

/** Throws when an output publishes under a message of another flow that takes no such value now. */
export function assertTaken({ flow, message }: OutputPort, value: unknown, messages: KnownMessages): void {
  if (flowPart(message) === flow) return
  const dtype = messages.dtypeOf(message)
  if (dtype === undefined) throw new Error(`no published flow declares "${message}": publish the one that does`)
  conform(dtype, value, `message "${message}"`)
}

/** Null for a node whose outputs all publish in its own flow, and where nobody knows the others. */
export function foreignOutputs(
  flow: string,
  outputs: readonly OutputPort[],
  messages: KnownMessages | undefined,
  condition: Pick<NodeCondition, 'undeclared'>,
): ForeignOutputs | null {
  const foreign = outputs.filter(({ message }) => flowPart(message) !== flow)
  return messages === undefined || foreign.length === 0
    ? null
    : new ForeignOutputs(new Set(foreign), messages, condition)
}
