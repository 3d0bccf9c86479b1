/**
 * How a device publishes: by its socket or by a request, on the `in` ports that nodes of published flows wire, and on nothing
 * else (wire decisions G45, U16).
 * @module
 */
import { DtypeViolation } from '@flow-service/connector-sdk'
import type { DeviceBinding, Json, PublishedMessage } from '@flow-service/protocol'
import { accepts, describeValue } from '@flow-service/protocol'

import { invalid, ProblemError } from '../http/errors.ts'
import type { CurrentValues } from '../messages/current-values.ts'
import type { LastValues } from '../messages/last-values.ts'
import type { Messages } from '../messages/messages.ts'
import type { DeviceSeats } from './device-seats.ts'
import type { DeviceWiring } from './device-wiring.ts'

/** What publications go through. */
export interface DevicePublishingDeps {
  readonly wiring: Pick<DeviceWiring, 'of'>
  readonly seats: Pick<DeviceSeats, 'find'>
  readonly lastValues: Pick<LastValues, 'commit'>
  readonly values: Pick<CurrentValues, 'get'>
  readonly messages: Pick<Messages, 'publish'>
  /** Resolves once the work that active flows have kept so far is committed. */
  readonly committed: () => Promise<void>
}

/** What is published on: one message, or all that a port is wired to. */
export type Target = { readonly message: string } | { readonly port: string }

/** What has become of a value of one message. */
interface Published extends Omit<PublishedMessage, 'ts'> {
  /** Null while the interval of the port holds the value back. */
  readonly ts: string | null
}

/** Publications of devices. */
export class DevicePublishing {
  readonly #deps: DevicePublishingDeps

  constructor(deps: DevicePublishingDeps) {
    this.#deps = deps
  }

  /**
   * Publishes a value credited to the node that stands for the device, and resolves once it is committed; a port that is
   * wired several times publishes on each message. Refuses with `forbidden` what the device has no `in` port for, with
   * `message_not_declared` a port that no flow wires, and as publications of people are refused.
   */
  async publish(device: string, target: Target, value: Json): Promise<readonly [Published, ...Published[]]> {
    const [first, ...more] = this.targets(device, target)
    for (const { dtype, message } of [first, ...more]) {
      if (!accepts(dtype, value)) throw offDtype(`${message} takes ${dtype}, not ${describeValue(value)}`)
    }
    const publish = (binding: DeviceBinding): Promise<Published> => this.#publish(device, binding, value)
    return Promise.all([publish(first), ...more.map(publish)])
  }

  /** The wires that a target names; refuses as {@link DevicePublishing.publish} does. */
  targets(device: string, target: Target): readonly [DeviceBinding, ...DeviceBinding[]] {
    const own = this.#deps.wiring.of(device).filter(({ direction }) => direction === 'in')
    const found =
      'port' in target
        ? own.filter(({ port }) => port === target.port)
        : own.filter(({ message }) => message === target.message).slice(0, 1)
    const [first, ...more] = found
    if (first) return [first, ...more]
    throw 'port' in target ? unwired(target.port, own) : foreign(target.message, own)
  }

  async #publish(device: string, binding: DeviceBinding, value: Json): Promise<Published> {
    const { lastValues, messages, seats, values, committed } = this.#deps
    const { message, node, port } = binding
    const seat = seats.find(device, binding)
    // the node is not active here: as a publication from outside, which is refused when another engine runs the flow
    if (!seat) return messages.publish(message, value, { node, port })
    const before = values.get(message)?.ts
    emitChecked(() => seat.emit({ [port]: value }))
    const now = values.get(message)
    if (now === undefined || now.ts === before)
      return { name: message, value: value as PublishedMessage['value'], ts: null, cascade: null }
    await Promise.all([lastValues.commit(message), committed()])
    return { name: message, value: now.value as PublishedMessage['value'], ts: now.ts, cascade: null }
  }
}

function emitChecked(emit: () => void): void {
  try {
    emit()
  } catch (error) {
    throw error instanceof DtypeViolation ? offDtype(error.message) : error
  }
}

const offDtype = (message: string): ProblemError => invalid([{ path: '/value', code: 'off_dtype', message }])

/** A message that exists is not told from one that does not. */
function foreign(message: string, own: readonly DeviceBinding[]): ProblemError {
  const detail = `no "in" port of this device is wired to "${message}": ${listed(own.map((binding) => binding.message))}`
  return new ProblemError('forbidden', detail)
}

function unwired(port: string, own: readonly DeviceBinding[]): ProblemError {
  const detail = `no published flow wires the "in" port "${port}" of this device: ${listed(own.map((binding) => binding.port))}`
  return new ProblemError('message_not_declared', detail)
}

/** Names that a refusal lists. */
const MAX_NAMED = 20

function listed(names: readonly string[]): string {
  const unique = [...new Set(names)]
  if (unique.length === 0) return 'add a device node to a flow, and publish the flow'
  const more = unique.length > MAX_NAMED ? ` and ${unique.length - MAX_NAMED} more` : ''
  return `use ${unique.slice(0, MAX_NAMED).join(', ')}${more}`
}
