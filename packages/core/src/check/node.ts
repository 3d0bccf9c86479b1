/**
 * Checks of one node: its type, mode, code and settings.
 * @module
 */
import type { AnyNodeDefinition, NodeShape } from '@flow-service/connector-sdk'
import { type FlowNode, UNROUTED_FLOW_NAME } from '@flow-service/protocol'

import { portsOf } from '../graph.ts'
import { isReserved } from '../identifier.ts'
import { mayRetry, modesOf } from '../registry.ts'
import { secretRefs } from '../secrets.ts'
import { checkDevice } from './device.ts'
import { checkPorts } from './ports.ts'
import type { NodeCheck } from './report.ts'
import { checkSettings } from './settings.ts'

/** Reports everything about a node that can be told without its neighbours. */
export function checkNode(check: NodeCheck): void {
  const { node, at, registry, around, report } = check
  const place = { node: node.id, path: `/nodes/${at}/type` }
  const definition = registry.get(node.type)
  if (definition === undefined) {
    report('unknown_type', registry.absence(node.type), place)
    checkPorts(check, undefined)
    return
  }
  // what runs on another machine needs it there
  const isElsewhere = definition.code !== undefined && node.worker !== null && node.worker_policy === 'require'
  const missing = isElsewhere ? null : (around?.missing?.(node.type) ?? null)
  if (missing !== null) {
    const message = `nodes of type "${node.type}" need ${missing}, which is not installed; install it or remove the node`
    report('missing_dependency', message, place)
  }
  checkPorts(check, definition)
  checkCode(check, definition)
  checkRoutes(check, definition)
  try {
    const settings = checkSettings(check, definition)
    if (settings === undefined) return
    const shape: NodeShape = {
      id: node.id,
      mode: check.document.mode,
      settings,
      inputs: portsOf(node, 'input'),
      outputs: portsOf(node, 'output'),
    }
    checkByType(check, definition, shape)
    checkDevice(check, definition.device?.(settings) ?? null)
    checkRetry(check, definition, shape)
    checkClaims(check, definition.claims?.(shape) ?? [])
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `the type "${node.type}" fails to check this node: ${reason}; correct its settings, or update its package`
    report('bad_setting', message, { ...place, path: `/nodes/${at}` })
  }
}

/** What the type itself says, once its settings are known to fit the schema. */
function checkByType({ document, node, at, report }: NodeCheck, definition: AnyNodeDefinition, shape: NodeShape): void {
  if (!modesOf(definition, shape).includes(document.mode)) {
    const other = document.mode === 'batch' ? 'live' : 'batch'
    const message = `this "${node.type}" node works in ${other} flows only; remove it, or make this a ${other} flow`
    const place = { node: node.id, path: `/nodes/${at}/type` }
    report(document.mode === 'batch' ? 'live_only_node' : 'unknown_type', message, place)
  }
  const referred = new Set(secretRefs(node.settings).map(({ pointer }) => `/settings${pointer}`))
  for (const { code, message, severity = 'error', path = '' } of definition.check?.(shape) ?? []) {
    // the type may have been asked with the values of secrets
    if (code === 'plain_credential' && referred.has(path)) continue
    report(code, message, { node: node.id, path: `/nodes/${at}${inDocument(node, path)}`, severity })
  }
}

/** Where a retry has no effect. */
function checkRetry({ node, at, report }: NodeCheck, definition: AnyNodeDefinition, shape: NodeShape): void {
  if (node.retry === null) return
  const isDevice = definition.device !== undefined
  if (!isDevice && mayRetry(definition, shape)) return
  const message = isDevice
    ? `nothing of a "${node.type}" node is executed; remove "retry"`
    : `a "${node.type}" node is executed once only, as a repetition may do harm; remove "retry"`
  report('retry_ignored', message, { node: node.id, path: `/nodes/${at}/retry`, severity: 'warning' })
}

/** Whether requests would reach its routes. */
function checkRoutes({ document, node, at, report }: NodeCheck, { routes = false }: AnyNodeDefinition): void {
  if (!routes || document.mode === 'batch' || document.name !== UNROUTED_FLOW_NAME) return
  const message =
    `requests to a "${node.type}" node of a flow named "${document.name}" would not reach it, as that word stands for ` +
    'the state of the node type there; give the flow another name, or remove the node'
  report('shadowed_route', message, { node: node.id, path: `/nodes/${at}/type` })
}

/** Of what a node claims, no other one of the flow has any. */
function checkClaims({ node, at, claims, report }: NodeCheck, claimed: readonly string[]): void {
  for (const claim of new Set(claimed)) {
    const owner = claims.get(claim)
    if (owner === undefined) claims.set(claim, node.id)
    else {
      const message = `nodes "${owner}" and "${node.id}" have the same ${claim}, and a flow has one of it; change either`
      report('bad_setting', message, { node: node.id, path: `/nodes/${at}/settings` })
    }
  }
}

/** A place of a finding: types see ports by direction, which are one list in the document. */
const inDocument = ({ ports }: FlowNode, path: string): string =>
  path.replace(/^\/(input|output)s\/(\d+)/, (_place, direction, nth) => {
    const places = ports.flatMap((port, index) => (port.direction === direction ? [index] : []))
    return `/ports/${places[Number(nth)] ?? ''}`
  })

function checkCode({ node, at, report }: NodeCheck, definition: AnyNodeDefinition): void {
  const place = (key: string) => ({ node: node.id, path: `/nodes/${at}/${key}` })
  if (definition.code !== 'python') {
    const given = node.library === null ? 'source' : 'library'
    const message = `nodes of type "${node.type}" have no source, so "${given}" has no effect; remove it`
    if (node[given] !== null) report('source_ignored', message, { ...place(given), severity: 'warning' })
  } else if (node.source === null) {
    if (node.library === null)
      report('missing_source', `node "${node.id}" has no source; write its code`, place('source'))
    else report('unknown_library', noLibrary(node.library), place('library'))
  }
  if (definition.code === 'typescript' && node.entry === null) {
    report('no_entry', `node "${node.id}" has no code; register the flow that defines it`, place('entry'))
  }
  if (node.worker !== null && definition.code === undefined) {
    const message = `nodes of type "${node.type}" run in the engine, so "worker" has no effect; remove it`
    report('worker_ignored', message, { ...place('worker'), severity: 'warning' })
  }
  if (definition.code === undefined) return
  for (const name of Object.keys(node.settings)) {
    if (!isReserved(name)) continue
    report('bad_setting', `the setting "${name}" becomes an argument of code, and is a reserved word; rename it`, {
      node: node.id,
      path: `/nodes/${at}/settings/${name}`,
    })
  }
}

const noLibrary = (name: string): string =>
  `the library has no source "${name}"; name another one, share code under that name, or remove "library"`
