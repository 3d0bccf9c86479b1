/**
 * The ports of devices as types of TypeScript: what `interface Devices` of `@flow-service/node-types/flow` gets, so that
 * `device(…)` in flows is checked against what devices report. The same devices make the same text.
 * @module
 */
import { type DevicePort, devicePorts } from '@flow-service/protocol'

/** First line of a file that may be written over. */
export const TYPES_HEADER = '// Ports of devices as they report them, written by "service devices types".'

/** The module whose `interface Devices` is added to. */
const CONSTRUCTORS = '@flow-service/node-types/flow'

/** A device that has reported ports. */
export interface ReportedDevice {
  readonly id: string
  readonly ports: readonly DevicePort[]
}

/** Those of the devices that have reported ports, by id. */
export const reportedDevices = (
  devices: readonly { readonly id: string; readonly report: unknown }[],
): ReportedDevice[] =>
  devices
    .map(({ id, report }) => ({ id, ports: devicePorts(report) }))
    .filter(({ ports }) => ports.length > 0)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))

/** The file, as text. */
export const deviceTypes = (devices: readonly ReportedDevice[]): string => `${TYPES_HEADER}
import type {} from '${CONSTRUCTORS}'

declare module '${CONSTRUCTORS}' {
  interface Devices {${devices.map(member).join('')}
  }
}
`

const member = ({ id, ports }: ReportedDevice): string => `
    ${key(id)}: {
      in: ${direction(ports, 'in')}
      out: ${direction(ports, 'out')}
    }`

function direction(ports: readonly DevicePort[], wanted: DevicePort['direction']): string {
  const members = ports
    .filter((port) => port.direction === wanted)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, dtype }) => `${key(name)}: '${dtype}'`)
  return members.length === 0 ? '{}' : `{ ${members.join('; ')} }`
}

/** A name of a member: as it stands, or in quotes. */
function key(name: string): string {
  if (/^[A-Za-z_$][\w$]*$/.test(name)) return name
  return /^[\w -]+$/.test(name) ? `'${name}'` : JSON.stringify(name)
}
