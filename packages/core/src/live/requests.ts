/**
 * What is asked of a node from outside: to act, to take values, to take a dead letter again.
 * @module
 */
import type { Values } from '@flow-service/connector-sdk'

import { conform, namedPorts } from '../conform.ts'
import { type Arrival, deliverTogether, type InputPort, type OutputPort, TRIGGER } from './bus.ts'
import type { Cause } from './cascade.ts'
import { TriggerError } from './flow.ts'
import { assertTaken } from './foreign-outputs.ts'
import type { HomeNode, KnownMessages } from './node-home.ts'

/** What a request does once it has a cause: values for inputs, or for outputs. */
export type Request =
  | { readonly is: 'arrivals'; readonly arrivals: Arrival[] }
  | { readonly is: 'outputs'; readonly outputs: readonly OutputPort[]; readonly values: readonly unknown[] }

/** What is known of the messages of other flows; undefined where nobody knows them. */
type Messages = KnownMessages | undefined

/** Values by input port, or by output port, of a node. Throws a {@link TriggerError}. */
export function requestOf(node: HomeNode, values: Values, messages: Messages): Request {
  const ports = Object.keys(values).filter((port) => values[port] !== undefined)
  const inputs = new Map(node.inputs.map((input) => [input.port, input]))
  const strange = ports.find((port) => !inputs.has(port))
  if (strange === undefined) {
    if (node.isDevice) {
      const message = `node "${node.node.id}" stands for a device, and nothing of it is executed; name outputs of it, to publish for the device`
      throw new TriggerError(ports[0] ?? null, message)
    }
    const arrivals = ports.map((port) => arrivalAt(inputs.get(port)!, values[port]))
    return { is: 'arrivals', arrivals }
  }
  const unknown = ports.find((port) => !node.outputs.has(port))
  if (unknown !== undefined) {
    const port = node.outputs.has(strange) ? unknown : strange
    const known = [...inputs.keys(), ...node.outputs.keys()].map((name) => `"${name}"`).join(', ') || 'none'
    throw new TriggerError(
      port,
      `node "${node.node.id}" cannot be fed at "${port}"; name inputs, or outputs, of ${known}`,
    )
  }
  const outputs = namedPorts(values, node.outputs)
  return {
    is: 'outputs',
    outputs,
    values: outputs.map((output) => publishable(output, values[output.port], messages)),
  }
}

/** What a dead letter was: a value for every input that reads its message, or one that the node had to publish. */
export function replayOf(
  node: HomeNode,
  { message, value }: { readonly message: string | null; readonly value: unknown },
  messages: Messages,
): Request {
  if (message === null) return { is: 'arrivals', arrivals: [] }
  const inputs = node.inputs.filter((input) => input.message === message)
  if (inputs.length > 0) return { is: 'arrivals', arrivals: inputs.map((input) => arrivalAt(input, value)) }
  const output = [...node.outputs.values()].find(({ channel }) => channel.name === message)
  if (output !== undefined) {
    return { is: 'outputs', outputs: [output], values: [publishable(output, value, messages)] }
  }
  throw new TriggerError(null, `node "${node.node.id}" reads "${message}" no more`)
}

/** Delivers arrivals, or without any a request to act. */
export function feed(node: HomeNode, arrivals: Arrival[], cause: Cause): void {
  if (arrivals.length === 0) node.loop.deliver(node, TRIGGER, {}, cause)
  else deliverTogether(node, arrivals, cause)
}

const arrivalAt = (input: InputPort, value: unknown): Arrival => ({
  input,
  value: fitting(input, value, `input "${input.port}"`),
})

const fitting = ({ dtype, port }: InputPort, value: unknown, subject: string): unknown =>
  refusing(port, () => conform(dtype, value, subject))

/** Who asks is told of a value that nobody would take, where an execution can only drop it. */
const publishable = (output: OutputPort, value: unknown, messages: Messages): unknown =>
  refusing(output.port, () => {
    const sent = conform(output.dtype, value, output.subject)
    if (messages !== undefined) assertTaken(output, sent, messages)
    return sent
  })

function refusing<T>(port: string, check: () => T): T {
  try {
    return check()
  } catch (error) {
    throw new TriggerError(port, (error as Error).message)
  }
}
