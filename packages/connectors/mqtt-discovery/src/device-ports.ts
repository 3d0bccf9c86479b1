/**
 * The ports of a node on the channels of its device: which message goes to which port, and what does not fit.
 * @module
 */
import type { NodePort } from '@flow-service/connector-sdk'

import type { Availability, Channel } from './channel.ts'

/** A port with what the device has for it. */
interface Bound {
  readonly port: NodePort
  readonly channel: Channel
}

/** Ports that are bound to channels. */
export interface DevicePorts {
  readonly inputs: ReadonlyMap<string, Channel>
  readonly outputs: readonly Bound[]
  /** What the ports ask for and the device does not have; null when all is there. */
  readonly fault: string | null
}

/** Binds the ports of a node to what a device has. */
export function bind(
  device: string,
  channels: readonly Channel[],
  inputs: readonly NodePort[],
  outputs: readonly NodePort[],
): DevicePorts {
  const faults: string[] = []
  const boundTo = (ports: readonly NodePort[], side: 'input' | 'output'): Bound[] =>
    ports.flatMap((port) => {
      const channel = channels.find(({ names }) => names.includes(port.port))
      const fault = faultOf(port, channel, side)
      if (fault !== null) faults.push(fault)
      return fault === null && channel !== undefined ? [{ port, channel }] : []
    })
  const [bound, heard] = [boundTo(inputs, 'input'), boundTo(outputs, 'output')]
  const [first] = faults
  const has = `it has ${listOf(channels, 'output')} to read and ${listOf(channels, 'input')} to set`
  return {
    inputs: new Map(bound.map(({ port, channel }) => [port.port, channel])),
    outputs: heard,
    fault: first === undefined ? null : `device "${device}": ${first}; ${has}`,
  }
}

function faultOf({ port, dtype }: NodePort, channel: Channel | undefined, side: 'input' | 'output'): string | null {
  if (channel === undefined) return `there is no "${port}"`
  const end = side === 'input' ? channel.command : channel.state
  if (end === null)
    return channel.fault === null
      ? `"${port}" cannot be ${side === 'input' ? 'set' : 'read'}`
      : `of "${port}" ${channel.fault}`
  const isNumber = (one: string): boolean => one === 'float' || one === 'int'
  const fits =
    dtype === 'any' ||
    channel.dtype === 'any' ||
    dtype === channel.dtype ||
    (isNumber(dtype) && isNumber(channel.dtype))
  return fits ? null : `the port "${port}" is ${dtype}, and the device has ${channel.dtype}`
}

/** Names that are listed; a device can have hundreds. */
const MOST_LISTED = 30

function listOf(channels: readonly Channel[], side: 'input' | 'output'): string {
  const usable = channels.filter(({ command, state }) => (side === 'input' ? command : state) !== null)
  const names = usable.slice(0, MOST_LISTED).map(({ dtype, names: [name] }) => `${name} (${dtype})`)
  return `${names.join(', ') || 'nothing'}${usable.length > MOST_LISTED ? ', …' : ''}`
}

/** Topics that are to be heard for the ports. */
export const topicsOf = ({ inputs, outputs }: DevicePorts): Set<string> =>
  new Set([
    ...outputs.flatMap(({ channel }) => channel.state?.topic ?? []),
    ...availabilitiesOf({ inputs, outputs }).flatMap(({ topics }) => topics.map(({ topic }) => topic)),
  ])

/** Where it is said whether the ports can be reached. */
export const availabilitiesOf = ({ inputs, outputs }: Pick<DevicePorts, 'inputs' | 'outputs'>): Availability[] =>
  [...inputs.values(), ...outputs.map(({ channel }) => channel)].flatMap(({ availability }) => availability ?? [])

/** Whether somebody is said to be away, by what was heard: topics in the order in which they spoke, the newest last. */
export function isAway({ topics, mode }: Availability, heard: ReadonlyMap<string, string>): boolean {
  const order = [...heard.keys()]
  const said = topics
    .toSorted((one, other) => order.indexOf(one.topic) - order.indexOf(other.topic))
    .flatMap(({ topic, read }) => {
      const payload = heard.get(topic)
      const isThere = payload === undefined ? null : read(payload)
      return isThere === null ? [] : [isThere]
    })
  if (said.length === 0) return false
  if (mode === 'all') return said.includes(false)
  return mode === 'any' ? !said.includes(true) : said.at(-1) === false
}
