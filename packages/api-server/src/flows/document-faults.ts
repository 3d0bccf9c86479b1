/**
 * Faults of a document that keep it from being stored at all (wire decision G20), beyond its schema.
 * @module
 */
import type { NodeRegistry } from '@flow-service/core'
import {
  canonicalJson,
  type CodeEntry,
  type FlowDocument,
  type FlowNode,
  type ProblemItem,
} from '@flow-service/protocol'

/** Node ids given twice, a name other than the path's, and ports that no node of the type has (G13). */
export function structuralFaults(
  document: FlowDocument,
  givenName: string | undefined,
  registry: Pick<NodeRegistry, 'imposedTrigger'>,
): ProblemItem[] {
  const faults: ProblemItem[] = []
  if (givenName !== undefined && givenName !== document.name) {
    const message = `the path names the flow "${document.name}", the body "${givenName}"; rename a flow by its own operation`
    faults.push({ path: '/name', code: 'name_mismatch', message })
  }
  const ids = new Set<string>()
  for (const [at, node] of document.nodes.entries()) {
    if (ids.has(node.id)) {
      const message = `two nodes have the id "${node.id}"; rename one`
      faults.push({ path: `/nodes/${at}/id`, code: 'duplicate_node_id', message })
    }
    ids.add(node.id)
    faults.push(...portFaults(node, `/nodes/${at}/ports`, registry))
  }
  return faults
}

function portFaults(node: FlowNode, path: string, registry: Pick<NodeRegistry, 'imposedTrigger'>): ProblemItem[] {
  return node.ports.flatMap(({ direction, on_demand: onDemand, port, trigger }, at): ProblemItem[] => {
    const faults: ProblemItem[] = []
    const fault = (field: string, message: string) =>
      faults.push({ path: `${path}/${at}/${field}`, code: 'bad_setting', message })
    if (onDemand && node.type !== 'device') fault('on_demand', 'only ports of device nodes can be on demand')
    const imposed = direction === 'input' ? registry.imposedTrigger(node, port) : undefined
    if (imposed !== undefined && imposed !== trigger) {
      const does = imposed ? 'runs' : 'never runs'
      fault('trigger', `input "${port}" ${does} a "${node.type}" node; set its trigger to ${imposed}, or leave it out`)
    }
    return faults
  })
}

/**
 * Entries of code nodes come from registered code alone (wire decision S2): one is accepted only when the stored flow
 * has it already, or `isRegistered` knows it.
 */
export function unknownEntries(
  stored: FlowDocument | null,
  next: FlowDocument,
  isRegistered: (entry: CodeEntry) => boolean,
): ProblemItem[] {
  const kept = new Set(stored?.nodes.flatMap(({ entry }) => (entry === null ? [] : [canonicalJson(entry)])))
  return next.nodes.flatMap(({ type, entry }, at) => {
    const known = entry === null ? type !== 'code' : kept.has(canonicalJson(entry)) || isRegistered(entry)
    if (known) return []
    const message =
      entry === null
        ? 'a node of type "code" comes from a flow in TypeScript; it cannot be made through the API'
        : `no flow in TypeScript has the code ${entry.export} of ${entry.module}; leave the entry as it was read`
    return [{ path: `/nodes/${at}/entry`, code: 'bad_setting', message }]
  })
}
