/**
 * Whether a node goes on untouched when its flow gets another document (rebuild.R1), and keeps its failure marker.
 * @module
 */
import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'

import type { AnyNodeDefinition } from '@flow-service/connector-sdk'
import { canonicalJson, type FlowDocument, type FlowNode, flowPart, messagePart } from '@flow-service/protocol'

import type { Host } from '../host.ts'
import type { NodeRegistry } from '../registry.ts'
import { secretsNamed } from '../secrets.ts'

/** A node, and what it works with beside its own part of the document. */
export interface NodeForm {
  readonly node: FlowNode
  readonly document: FlowDocument
  readonly secrets: ReadonlyMap<string, string> | null
}

/** A node as it would be built now. */
export const formOf = (node: FlowNode, document: FlowDocument, host: Pick<Host, 'secrets'>): NodeForm => ({
  node,
  document,
  secrets: secretsNamed(node.settings, host.secrets),
})

/** Whether a running node does what the node of the next document would do, of which it has the definition. */
export const isEqual = (before: NodeForm, after: NodeForm, definition: AnyNodeDefinition): boolean =>
  isDeepStrictEqual(essenceOf(before, definition), essenceOf(after, definition))

/** The type of a node, and the version of the package that brings it: null of a built-in one. */
export interface NodeTyping {
  readonly definition: AnyNodeDefinition | undefined
  readonly version: string | null
}

/** A definition with its version. */
export const typingOf = (definition: AnyNodeDefinition | undefined, registry: NodeRegistry): NodeTyping => ({
  definition,
  version: (definition && registry.originOf(definition)?.version) ?? null,
})

/** Digest of what nodes are told by, the same when the flow has another name. It is made of values of secrets too. */
export function contentDigest(form: NodeForm, { definition, version }: NodeTyping): string {
  const { name: flow } = form.document
  const [node, ...rest] = essenceOf(form, definition)
  const ports = node.ports.map(({ name: _name, message, ...port }) => ({
    ...port,
    message: flowPart(message) === flow ? messagePart(message) : message,
  }))
  return hash('sha256', canonicalJson([{ ...node, ports }, ...rest, ...(version === null ? [] : [version])]), 'hex')
}

/** What a form of a node is told by: neither its title nor what only runs look at. */
function essenceOf({ node, document: { resources }, secrets }: NodeForm, definition: AnyNodeDefinition | undefined) {
  const { title: _title, cache: _cache, library: _library, entry, ...rest } = node
  const usesResources = definition?.code !== undefined || node.type === 'exec'
  const values = secrets && Object.fromEntries(secrets)
  return [rest, entry?.digest ?? null, values, usesResources ? resources : null] as const
}
