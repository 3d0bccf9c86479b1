/**
 * The document that a run was submitted with.
 * @module
 */
import { type FlowDocument, qualify } from '@flow-service/protocol'

/** The document under the name that its flow has now: a pinned document keeps the name it was published under. */
export function underName(name: string, document: FlowDocument): FlowDocument {
  if (document.name === name) return document
  const nodes = document.nodes.map((node) => ({
    ...node,
    ports: node.ports.map((port) => ({ ...port, message: qualify(name, port.name) })),
  }))
  return { ...document, name, nodes }
}
