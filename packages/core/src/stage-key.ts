/**
 * Names for what was executed: the key of one stage's result (G63), and the digest of a document (G64).
 * @module
 */
import { hash } from 'node:crypto'

import type { AnyNodeDefinition, Values } from '@flow-service/connector-sdk'
import { canonicalJson, type FlowDocument, type FlowNode, isArtifactRef } from '@flow-service/protocol'

/** Version of the key's ingredients; results stored under another one are never found. */
export const STAGE_KEY_SHAPE = 1

/**
 * The key under which a node's outputs are cached: `sha256:` over code, settings, ports and inputs, and nothing else,
 * so that the same stage in a copied flow hits. Stored bytes count by digest, whatever they are called.
 */
export function stageKey(node: FlowNode, definition: AnyNodeDefinition, inputs: Values): string {
  const code =
    definition.code === 'typescript'
      ? { module_digest: node.entry?.digest ?? null }
      : { source_digest: node.source === null ? null : sha256(node.source) }
  const ports = node.ports.map(({ direction, name, port, dtype, stream }) => ({ direction, name, port, dtype, stream }))
  return sha256(
    canonicalJson({ shape: STAGE_KEY_SHAPE, ...code, settings: node.settings, ports, inputs: withDigests(inputs) }),
  )
}

/** Digest of the executed document: everything but title, description, version and layout. */
export function documentDigest(document: FlowDocument): string {
  const { title: _title, description: _description, version: _version, layout: _layout, ...executed } = document
  return sha256(canonicalJson(executed))
}

const sha256 = (text: string): string => `sha256:${hash('sha256', text, 'hex')}`

function withDigests(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withDigests)
  if (isArtifactRef(value)) return value.digest
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withDigests(item)]))
}
