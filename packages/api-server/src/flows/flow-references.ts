/**
 * Qualified messages in stored contents: which flows they name, and how they follow a flow to another name (wire
 * decision G21). Whatever of a document names a message of another flow is known here alone.
 * @module
 */
import type { NewName } from '@flow-service/core'
import { type FlowDocument, flowPart } from '@flow-service/protocol'

import { mapStoredNodes } from './stored-content.ts'

/** Messages of other flows that a document reads and publishes; qualified, in the document's order. */
export function foreignMessages({ name, nodes }: FlowDocument): { reads: Set<string>; publishes: Set<string> } {
  const foreign = nodes.flatMap(({ ports }) => ports).filter(({ message }) => flowPart(message) !== name)
  const of = (side: 'input' | 'output') => foreign.filter(({ direction }) => direction === side)
  return {
    reads: new Set(of('input').map(({ message }) => message)),
    publishes: new Set(of('output').map(({ message }) => message)),
  }
}

/** A stored content whose qualified messages of `from` are messages of `to`; the very same one when it has none. */
export function renameReferences(content: unknown, { from, to }: NewName): unknown {
  let isNamed = false
  const follow = (message: unknown): unknown => {
    if (typeof message !== 'string' || !message.startsWith(`${from}.`)) return message
    isNamed = true
    return `${to}${message.slice(from.length)}`
  }
  const followPort = (port: unknown): unknown => {
    if (typeof port !== 'object' || port === null) return port
    const name = 'name' in port ? { name: follow(port.name) } : {}
    const message = 'message' in port ? { message: follow(port.message) } : {}
    return { ...port, ...name, ...message }
  }
  const next = mapStoredNodes(content, (node) =>
    'ports' in node && Array.isArray(node.ports) ? { ...node, ports: node.ports.map(followPort) } : node,
  )
  return isNamed ? next : content
}
