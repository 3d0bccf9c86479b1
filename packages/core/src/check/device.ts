/**
 * Checks of a node against the paired device that it stands for, by what that has reported (U17). All of them warn only: a
 * device that goes, or reports something else after its next update, must not keep a published flow from starting.
 * @module
 */
import { compatible, type DevicePort, nearName, type Port } from '@flow-service/protocol'

import type { KnownDevice, NodeCheck } from './report.ts'

type ReportedPort = Pick<DevicePort, 'name' | 'direction' | 'dtype'>

/** Reports a device that is not known or not connected, and ports that it does not have as the node has them. */
export function checkDevice({ document, node, at, around, report }: NodeCheck, id: string | null): void {
  if (id === null || document.mode === 'batch' || around?.devices === undefined) return
  const path = `/nodes/${at}/settings/device`
  const warn = (code: Parameters<typeof report>[0], message: string, place: string): void =>
    report(code, message, { node: node.id, path: place, severity: 'warning' })
  const device = around.devices.find(id)
  if (device === undefined) {
    warn('unknown_device', `there is no device "${id}"; pair one under this id, or choose another one`, path)
    return
  }
  if (!device.online) {
    const message = `device "${id}" is not connected; the node has no news of it, and it follows nothing, until it is back`
    warn('device_offline', message, path)
  }
  for (const [index, port] of node.ports.entries()) {
    const fault = portFault(id, device, port)
    if (fault !== null) warn(fault.code, fault.message, `/nodes/${at}/ports/${index}${fault.path}`)
  }
}

/** `path` is relative to the port. */
interface PortFault {
  readonly code: 'device_port_unknown' | 'dtype_mismatch'
  readonly message: string
  readonly path: string
}

function portFault(id: string, { ports }: KnownDevice, port: Port): PortFault | null {
  // a report may say nothing of ports
  if (ports === null || ports.length === 0) return null
  // the node stands on the other side: what it puts out has come in from the device
  const isOutput = port.direction === 'output'
  const found = ports.find(({ name, direction }) => name === port.port && direction === (isOutput ? 'in' : 'out'))
  if (found === undefined) return { code: 'device_port_unknown', message: strangeness(id, ports, port), path: '/port' }
  if (isOutput ? compatible(found.dtype, port.dtype) : compatible(port.dtype, found.dtype)) return null
  const does = isOutput ? 'publishes' : 'follows'
  const message = `${port.direction} "${port.port}" is ${port.dtype}, but device "${id}" ${does} it as ${found.dtype}; change its dtype`
  return { code: 'dtype_mismatch', message, path: '/dtype' }
}

function strangeness(id: string, ports: readonly ReportedPort[], { port, direction }: Port): string {
  const [wanted, does] = direction === 'output' ? ['in', 'publishes'] : ['out', 'follows']
  const other =
    direction === 'output' ? 'follows, so it is an input of the node' : 'publishes, so it is an output of the node'
  if (ports.some(({ name }) => name === port))
    return `"${port}" is a port that device "${id}" ${other}; change its direction`
  const names = ports.filter((each) => each.direction === wanted).map(({ name }) => name)
  const meant = nearName(port, names)
  const hint = meant === null ? '' : `; did you mean "${meant}"?`
  return `device "${id}" reports no port "${port}" that it ${does}; correct the name, or update the device${hint}`
}
