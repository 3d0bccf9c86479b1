/**
 * Devices for people: how they are, their ports, and what to write into a flow.
 * @module
 */
import type { Device, DeviceDetail, Message } from '@flow-service/client-sdk'

import { oneLine, table } from './table.ts'
import { bold, dim, green, shortTime, yellow } from './terminal.ts'

/** Whether a device is online, and since when not. */
export function presence({ paired, online, last_seen: seen }: Pick<Device, 'paired' | 'online' | 'last_seen'>): string {
  if (!paired) return yellow('not paired')
  if (online) return green('online')
  return dim(seen === null ? 'never seen' : `seen ${shortTime(seen)}`)
}

/** A device: head line, what it says of itself, a line for each port and message. */
export function describeDevice(device: DeviceDetail, messages: readonly Message[]): string {
  const { id, name, board, firmware, reported_at: reported } = device
  const facts = [
    board === null ? '' : `board ${oneLine(board)}`,
    firmware === null ? '' : `firmware ${oneLine(firmware)}`,
    reported === null ? 'has not said what ports it has' : `reported ${shortTime(reported)}`,
  ]
  const none = 'no ports, and no node of a published flow stands for it'
  return [
    `${bold(id)}  ${oneLine(name)}  ${presence(device)}`,
    dim(facts.filter((fact) => fact !== '').join(', ')),
    table(['  PORT', 'DIRECTION', 'DTYPE', 'WIRED TO', 'VALUE', 'AT'], portRows(device, messages), none),
  ].join('\n')
}

function portRows({ io, bindings }: DeviceDetail, messages: readonly Message[]): string[][] {
  const last = new Map(messages.map((message) => [message.name, message]))
  const wiredTo = (port: string, direction: string): string[][] =>
    bindings
      .filter((binding) => binding.port === port && binding.direction === direction)
      .map(({ message }) => {
        const { value = null, ts = null } = last.get(message) ?? {}
        return [message, ts === null && value === null ? '-' : oneLine(value, 40), shortTime(ts)]
      })
  const rows = io.flatMap(({ name, direction, dtype, on_demand: onDemand }) => {
    const wired = wiredTo(name, direction)
    const head = [`  ${oneLine(name, 40)}`, direction, onDemand ? `${dtype} (on demand)` : dtype]
    return (wired.length > 0 ? wired : [['-', '-', '-']]).map((cells) => [...head, ...cells])
  })
  const known = new Set(io.map(({ name, direction }) => `${direction} ${name}`))
  const strangers = bindings.filter(({ port, direction }) => !known.has(`${direction} ${port}`))
  const missing = [...new Map(strangers.map((binding) => [`${binding.direction} ${binding.port}`, binding])).values()]
  return [
    ...rows,
    ...missing.flatMap(({ port, direction, dtype }) =>
      wiredTo(port, direction).map((cells) => [
        `  ${port}`,
        direction,
        `${dtype} ${yellow('(not reported)')}`,
        ...cells,
      ]),
    ),
  ]
}

/** Ports of a direction that {@link nodeLine} shows. */
const MOST_PORTS = 6

/** The statement that places a device in a flow in TypeScript. */
export function nodeLine({ id, io }: Pick<DeviceDetail, 'id' | 'io'>): string {
  const of = (wanted: string) =>
    io.filter(({ name, direction }) => direction === wanted && /^[A-Za-z_]\w*$/.test(name)).slice(0, MOST_PORTS)
  const [published, followed] = [of('in'), of('out')]
  if (published.length + followed.length === 0) return `use(device('${id}', { out: { lux: t.float } }))`
  const typed = (ports: typeof io): string => ports.map(({ name, dtype }) => `${name}: t.${dtype}`).join(', ')
  const names = (ports: typeof io, text: (name: string) => string): string =>
    ports.map(({ name }) => text(name)).join(', ')
  const onDemand = published.filter((port) => port.on_demand)
  const options = [
    published.length > 0 ? `out: { ${typed(published)} }` : '',
    followed.length > 0 ? `in: { ${typed(followed)} }` : '',
    onDemand.length > 0 ? `onDemand: [${names(onDemand, (name) => `'${name}'`)}]` : '',
  ]
  const node = `device('${id}', { ${options.filter((option) => option !== '').join(', ')} })`
  const wired = followed.length > 0 ? `, { ${names(followed, (name) => `${name}: m.${name}`)} }` : ''
  const results = published.length > 0 ? `const { ${names(published, (name) => name)} } = ` : ''
  return `${results}use(${node}${wired})`
}
