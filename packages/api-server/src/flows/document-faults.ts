/**
 * Faults of a document that keep it from being stored at all (wire decision G20), beyond its schema.
 * @module
 */
import { canonicalJson, type CodeEntry, type FlowDocument, type ProblemItem } from '@flow-service/protocol'

/** Node ids given twice, a name other than the path's, and ports that only devices have. */
export function structuralFaults(document: FlowDocument, givenName: string | undefined): ProblemItem[] {
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
    if (node.type === 'device') continue
    for (const [port, { on_demand: onDemand }] of node.ports.entries()) {
      if (!onDemand) continue
      const message = 'only ports of device nodes can be on demand'
      faults.push({ path: `/nodes/${at}/ports/${port}/on_demand`, code: 'bad_setting', message })
    }
  }
  return faults
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
