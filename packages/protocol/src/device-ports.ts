/**
 * The ports of a device, from the report in which it tells what it has (wire decision G44).
 * @module
 */
import type { DeviceDirection, DevicePort } from './device.ts'
import { type Dtype, type DtypeInput, dtypeInputSchema, normalDtype } from './dtype.ts'

/**
 * Reads the ports of a report leniently: `io`, or else `ports`, is a list of them; what has no name or no direction is
 * passed over, what is unknown is kept as options, and of several of one name the last one counts. A device that has not
 * reported has none.
 */
export function devicePorts(report: unknown): DevicePort[] {
  if (!isObject(report)) return []
  const listed = Array.isArray(report.io) ? report.io : report.ports
  if (!Array.isArray(listed)) return []
  const ports = listed.flatMap((entry) => portOf(entry) ?? [])
  return [...new Map(ports.map((port) => [port.name, port])).values()]
}

function portOf(entry: unknown): DevicePort | null {
  if (!isObject(entry) || typeof entry.name !== 'string' || !isDirection(entry.direction)) return null
  const { name, direction, dtype, on_demand: onDemand, title, options, ...others } = entry
  return {
    name,
    direction,
    dtype: dtypeOf(dtype),
    on_demand: onDemand === true,
    title: typeof title === 'string' ? title : null,
    // a report comes as JSON, and so do its parts
    options: { ...(isObject(options) ? options : {}), ...others } as DevicePort['options'],
  }
}

const dtypeNames: ReadonlySet<unknown> = new Set(dtypeInputSchema.options)

const dtypeOf = (said: unknown): Dtype => (dtypeNames.has(said) ? normalDtype(said as DtypeInput) : 'any')

const isDirection = (said: unknown): said is DeviceDirection => said === 'in' || said === 'out'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
