/**
 * The document of a flow object, as the engine would register it.
 * @module
 */
import { checkDocument, type NodeRegistry, noSecrets, type Surroundings } from '@flow-service/core'
import { type AnyFlow, type FlowDocument, flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'

/** Throws an Error with everything that would keep the engine from starting the flow. */
export function documentOf(
  flow: AnyFlow,
  registry: NodeRegistry,
  secrets: Readonly<Record<string, string>>,
): FlowDocument {
  const parsed = flowDocumentInputSchema.parse(flow.document)
  const nodes = parsed.nodes.map((node) => {
    const definition = flow.definitions.get(node.id)
    if (definition === undefined) return node
    // code is called by its definition; these stand for it where a document is checked
    if (definition.kind === 'python') return { ...node, source: 'def run(**inputs): ...' }
    return {
      ...node,
      entry: { module: '(test)', export: definition.id, digest: `sha256:${'0'.repeat(64)}`, modules: [] },
    }
  })
  const document = normalizeDocument(flow.name, { ...parsed, nodes })
  const around: Surroundings = {
    message: () => undefined,
    missing: () => null,
    secrets: { ...noSecrets, valueOf: (name) => secrets[name] },
  }
  const errors = checkDocument(document, registry, around).filter(({ severity }) => severity === 'error')
  if (errors.length === 0) return document
  throw new Error(`flow "${flow.name}" would not start:\n${errors.map(({ message }) => `- ${message}`).join('\n')}`)
}
