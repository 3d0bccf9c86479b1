/**
 * Checks of one node: its type, mode, code, settings and ports.
 * @module
 */
import type { AnyNodeDefinition, NodeShape, PortRules } from '@flow-service/connector-sdk'
import { compatible, type FlowNode, type Port } from '@flow-service/protocol'

import type { NodeCheck } from './check-report.ts'
import { checkSettings } from './check-settings.ts'
import { portsOf } from './graph.ts'
import { modesOf } from './registry.ts'

/** Reports everything about a node that can be told without its neighbours. */
export function checkNode(check: NodeCheck): void {
  const { node, at, registry, around, report, document } = check
  const place = (path: string, severity: 'error' | 'warning' | 'advisory' = 'error') => ({
    node: node.id,
    path: `/nodes/${at}${path}`,
    severity,
  })
  const definition = registry.get(node.type)
  if (definition === undefined) {
    report(
      'unknown_type',
      `there is no node type "${node.type}"; install its package or change the type`,
      place('/type'),
    )
    checkPorts(check, undefined)
    return
  }
  const missing = around?.missing?.(node.type) ?? null
  if (missing !== null) {
    report('missing_dependency', `nodes of type "${node.type}" need ${missing}, which is not installed`, place('/type'))
  }
  checkPorts(check, definition)
  checkCode(check, definition)
  const settings = checkSettings(check, definition)
  if (settings === undefined) return
  const shape: NodeShape = {
    id: node.id,
    mode: document.mode,
    settings,
    inputs: portsOf(node, 'input'),
    outputs: portsOf(node, 'output'),
  }
  if (!modesOf(definition, shape).includes(document.mode)) {
    const other = document.mode === 'batch' ? 'live' : 'batch'
    const message = `this "${node.type}" node works in ${other} flows only`
    report(document.mode === 'batch' ? 'live_only_node' : 'unknown_type', message, place('/type'))
  }
  for (const { code, message, severity, path = '' } of definition.check?.(shape) ?? []) {
    report(code, message, place(path, severity))
  }
}

function checkCode({ node, at, report }: NodeCheck, definition: AnyNodeDefinition): void {
  const place = (key: string) => ({ node: node.id, path: `/nodes/${at}/${key}` })
  if (node.library !== null) {
    report('unknown_library', `the library has no source "${node.library}"`, place('library'))
  } else if (definition.code === 'python' && node.source === null) {
    report('missing_source', `node "${node.id}" has no source; write its code`, place('source'))
  } else if (definition.code === 'typescript' && node.entry === null) {
    report('missing_source', `node "${node.id}" has no code; register the flow that defines it`, place('entry'))
  }
  if (node.worker !== null && definition.code === undefined) {
    const message = `nodes of type "${node.type}" run in the engine; "worker" has no effect`
    report('worker_ignored', message, { ...place('worker'), severity: 'warning' })
  }
}

function checkPorts({ document, node, at, report }: NodeCheck, definition: AnyNodeDefinition | undefined): void {
  const seen = new Set<string>()
  for (const [index, port] of node.ports.entries()) {
    const place = { node: node.id, path: `/nodes/${at}/ports/${index}` }
    const key = `${port.direction} ${port.port}`
    if (seen.has(key)) {
      report('duplicate_port', `two ${port.direction} ports are named "${port.port}"; rename one`, place)
    }
    seen.add(key)
    if (document.mode === 'batch' && port.interval !== null && !port.stream) {
      const message = `port "${port.port}" has an interval but does not stream; remove the interval or stream`
      report('interval_on_batch_port', message, { ...place, path: `${place.path}/interval` })
    }
    const fault = definition === undefined ? null : portFault(definition, node, port)
    if (fault !== null) report(fault.code, fault.message, place)
  }
  for (const fixed of definition?.ports?.fixed ?? []) {
    if (seen.has(`${fixed.direction} ${fixed.port}`) || definition?.ports?.[`${fixed.direction}s`] !== 'fixed') continue
    const message = `nodes of type "${node.type}" need the ${fixed.direction} port "${fixed.port}"`
    report('unsupported_ports', message, { node: node.id, path: `/nodes/${at}/ports` })
  }
}

interface PortFault {
  readonly code: 'unsupported_ports' | 'port_not_identifier' | 'name_collision'
  readonly message: string
}

function portFault(definition: AnyNodeDefinition, node: FlowNode, port: Port): PortFault | null {
  const unsupported = (message: string): PortFault => ({ code: 'unsupported_ports', message })
  const rule = definition.ports?.[`${port.direction}s`] ?? 'any'
  if (rule === 'none') return unsupported(`nodes of type "${node.type}" have no ${port.direction} ports`)
  const fixed = definition.ports === undefined ? null : fixedFault(definition.ports, rule, port)
  if (fixed !== null) return unsupported(fixed)
  if (port.on_demand && definition.category !== 'device') return unsupported('only ports of devices are "on_demand"')
  if (definition.code === undefined) return null
  if (!isIdentifier(port.port)) {
    const message = `"${port.port}" becomes an argument of code, so it has to be an identifier and no keyword`
    return { code: 'port_not_identifier', message }
  }
  if (port.direction === 'input' && Object.hasOwn(node.settings, port.port)) {
    const message = `"${port.port}" is both an input port and a setting; rename one`
    return { code: 'name_collision', message }
  }
  return null
}

function fixedFault(rules: PortRules, rule: 'any' | 'fixed', port: Port): string | null {
  const fixed = rules.fixed?.find((item) => item.direction === port.direction && item.port === port.port)
  if (fixed === undefined) return rule === 'fixed' ? `there is no ${port.direction} port "${port.port}"` : null
  const fits = port.direction === 'output' ? compatible(fixed.dtype, port.dtype) : compatible(port.dtype, fixed.dtype)
  if (!fits) return `port "${port.port}" is ${fixed.dtype}, not ${port.dtype}`
  if (port.direction === 'output' || fixed.trigger === undefined || fixed.trigger === port.trigger) return null
  return `port "${port.port}" has "trigger": ${fixed.trigger}`
}

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/
/** Words that neither Python 3 nor JavaScript (strict mode) takes as a name. */
const keywords: ReadonlySet<string> = new Set(
  `False None True and as assert async await break case catch class const continue debugger def default del delete do
  elif else enum except export extends false finally for from function global if implements import in instanceof
  interface is lambda let new nonlocal not null or package pass private protected public raise return static super
  switch this throw true try typeof var void while with yield`.split(/\s+/),
)
const isIdentifier = (name: string): boolean => identifier.test(name) && !keywords.has(name)
