/**
 * Checks of a node's ports against the rules of its type (G13, G60, G66).
 * @module
 */
import type { AnyNodeDefinition, PortRules } from '@flow-service/connector-sdk'
import { compatible, type FlowNode, type Port } from '@flow-service/protocol'

import { isIdentifier } from '../identifier.ts'
import type { NodeCheck } from './report.ts'

/** Reports ports that are named twice, that the type does not have, or that its code cannot take. */
export function checkPorts({ document, node, at, report }: NodeCheck, definition: AnyNodeDefinition | undefined): void {
  const seen = new Set<string>()
  for (const [index, port] of node.ports.entries()) {
    const place = { node: node.id, path: `/nodes/${at}/ports/${index}` }
    const key = `${port.direction} ${port.port}`
    if (seen.has(key)) {
      report('duplicate_port', `two ${port.direction} ports are named "${port.port}"; rename one`, place)
    }
    seen.add(key)
    if (document.mode === 'batch' && port.interval !== null && !port.stream) {
      const message = `port "${port.port}" has an interval but does not stream; remove the interval, or let it stream`
      report('interval_on_batch_port', message, { ...place, path: `${place.path}/interval` })
    }
    const fault = definition === undefined ? null : portFault(definition, node, port)
    if (fault !== null) report(fault.code, fault.message, { ...place, path: place.path + fault.path })
  }
  for (const fixed of definition?.ports?.fixed ?? []) {
    if (seen.has(`${fixed.direction} ${fixed.port}`) || definition?.ports?.[`${fixed.direction}s`] !== 'fixed') continue
    const message = `nodes of type "${node.type}" need the ${fixed.direction} port "${fixed.port}"; add it`
    report('unsupported_ports', message, { node: node.id, path: `/nodes/${at}/ports` })
  }
}

/** `path` is relative to the port. */
interface PortFault {
  readonly code: 'unsupported_ports' | 'port_not_identifier' | 'name_collision' | 'dtype_mismatch'
  readonly message: string
  readonly path: string
}

const unsupported = (message: string, path = ''): PortFault => ({ code: 'unsupported_ports', message, path })

function portFault(definition: AnyNodeDefinition, node: FlowNode, port: Port): PortFault | null {
  const { ports, category, code } = definition
  const rule = ports?.[`${port.direction}s`] ?? 'any'
  if (rule === 'none')
    return unsupported(`nodes of type "${node.type}" have no ${port.direction} ports; remove "${port.port}"`)
  const fault = ports === undefined ? null : fixedFault(ports, rule, port)
  if (fault !== null) return fault
  if (port.on_demand && category !== 'device')
    return unsupported(
      `port "${port.port}" is on demand, which ports of devices can be only; set it to false`,
      '/on_demand',
    )
  if (port.on_demand && port.direction === 'input')
    return unsupported(
      `input "${port.port}" is on demand, which only what a device publishes can be; set it to false`,
      '/on_demand',
    )
  return code === undefined ? null : argumentFault(node, port)
}

/** Ports of code become names in it, inputs beside settings. */
function argumentFault({ settings }: FlowNode, { direction, port }: Port): PortFault | null {
  if (!isIdentifier(port)) {
    const message = `port "${port}" becomes a name in code; give it an identifier ("port") that is no reserved word`
    return { code: 'port_not_identifier', message, path: '/port' }
  }
  if (direction === 'output' || !Object.hasOwn(settings, port)) return null
  return { code: 'name_collision', message: `"${port}" is both an input port and a setting; rename one`, path: '/port' }
}

function fixedFault(rules: PortRules, rule: 'any' | 'fixed', port: Port): PortFault | null {
  const fixed = rules.fixed?.find((item) => item.direction === port.direction && item.port === port.port)
  if (fixed === undefined)
    return rule === 'fixed' ? unsupported(`the type has no ${port.direction} port "${port.port}"; remove it`) : null
  const fits = port.direction === 'output' ? compatible(fixed.dtype, port.dtype) : compatible(port.dtype, fixed.dtype)
  if (!fits) {
    const message = `port "${port.port}" is ${port.dtype}, but the type makes it ${fixed.dtype}; change its dtype`
    return { code: 'dtype_mismatch', message, path: '/dtype' }
  }
  if (port.direction === 'output' || fixed.trigger === undefined || fixed.trigger === port.trigger) return null
  const does = fixed.trigger ? 'runs its node' : 'does not run its node'
  return unsupported(`the type says that port "${port.port}" ${does}; set "trigger" to ${fixed.trigger}`, '/trigger')
}
