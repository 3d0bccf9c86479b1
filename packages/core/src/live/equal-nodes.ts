/**
 * Whether a node goes on untouched when its flow gets another document (rebuild.R1).
 * @module
 */
import { isDeepStrictEqual } from 'node:util'

import type { FlowDocument, FlowNode } from '@flow-service/protocol'

import type { Host } from '../host.ts'
import { secretsNamed } from '../secrets.ts'
import type { Unit } from './flow-units.ts'

/** A node, and what it works with beside its own part of the document. */
interface Form {
  readonly node: FlowNode
  readonly document: FlowDocument
  readonly secrets: ReadonlyMap<string, string> | null
}

/** Whether a running node does what the node of the next document would do. */
export function isEqual(unit: Unit, node: FlowNode, document: FlowDocument, host: Host): boolean {
  const before: Form = { node: unit.node.node, document: unit.document, secrets: unit.secrets }
  const after: Form = {
    node,
    document,
    secrets: secretsNamed(node.settings, host.secrets),
  }
  const usesResources = unit.node.definition.code !== undefined || node.type === 'exec'
  return isDeepStrictEqual(essenceOf(before, usesResources), essenceOf(after, usesResources))
}

/** What a form of a node is told by: neither its title nor what only runs look at. */
function essenceOf({ node, document: { resources }, secrets }: Form, usesResources: boolean): unknown {
  const { title: _title, cache: _cache, library: _library, entry, ...rest } = node
  return [rest, entry?.digest ?? null, secrets, usesResources ? resources : null]
}
