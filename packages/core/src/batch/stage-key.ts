/**
 * Names for what was executed: the key of one stage's result (G63), and the digest of a document (G64).
 * @module
 */
import { hash } from 'node:crypto'

import type { AnyNodeDefinition, Values } from '@flow-service/connector-sdk'
import {
  canonicalJson,
  type CodeEntry,
  type FlowDocument,
  type FlowNode,
  isArtifactRef,
  pythonParts,
  STORED_VALUE_TYPE,
} from '@flow-service/protocol'

import { atOnce, endsStep, type Steps } from '../steps.ts'
import { StoredValue } from '../stored-value.ts'

/** Version of the key's ingredients; results stored under another one are never found. */
export const STAGE_KEY_SHAPE = 1

/**
 * The key under which a node's outputs are cached: `sha256:` over code, settings, ports and inputs, and nothing else,
 * so that the same stage in a copied flow hits. Stored bytes count by digest, whatever they are called.
 */
export function stageKey(node: FlowNode, definition: AnyNodeDefinition, inputs: Values): string {
  const { settings } = node
  const digest = codeDigest(node, definition)
  const code = definition.code === 'typescript' ? { module_digest: digest } : { source_digest: digest }
  return sha256(
    canonicalJson({ shape: STAGE_KEY_SHAPE, ...code, settings, ports: portsIn(node), inputs: withDigests(inputs) }),
  )
}

/** A setting or input by itself: its JSON text when that is short, else the digest of the text. */
export type StageValue = { readonly text: string } | { readonly digest: string }

/** Versions of the interpreter (`Python`) and of packages, by name (V16). No part of the key. */
export type StageEnvironment = Readonly<Record<string, string>>

/** What a key is made of, in a size that can be kept beside it. Secrets are references here as everywhere. */
export interface StageParts {
  /** Digest of the source or bundle. */
  readonly code: string | null
  /** Digests of the modules of a bundle, or of a Python source that brings some, by path; else empty. */
  readonly modules: Readonly<Record<string, string>>
  readonly settings: Readonly<Record<string, StageValue>>
  readonly inputs: Readonly<Record<string, StageValue>>
  /** Digest of the declarations. */
  readonly ports: string
  /** Of a Python stage, where it is known: what its source finds where it executes. */
  readonly environment?: StageEnvironment
  /** By input port the node that gives it; of what comes from outside none. */
  readonly from?: Readonly<Record<string, string>>
}

/** Where a Python stage executes, and what. */
export interface PythonStage extends Pick<FlowNode, 'worker' | 'worker_policy'> {
  readonly source: string
  /** Name of the interpreter; null for the usual one. */
  readonly interpreter: string | null
}

/** What a Python node executes, and where; null of other nodes. */
export const pythonOf = (
  { source, worker, worker_policy }: FlowNode,
  { code }: AnyNodeDefinition,
  { resources: { python } }: Pick<FlowDocument, 'resources'>,
): PythonStage | null =>
  code === 'python' && source !== null ? { source, worker, worker_policy, interpreter: python ?? null } : null

/** Names an entry: of one stage there is one for each environment. */
export const stageEntry = (key: string, environment: StageEnvironment | null): string =>
  `${key} ${environment === null ? '-' : sha256(canonicalJson(environment))}`

/** What {@link stageKey} is made of, in parts; `from` has the node behind each input of the run's own. */
export const stageParts = (
  node: FlowNode,
  definition: AnyNodeDefinition,
  inputs: Values,
  from: Readonly<Record<string, string>> = {},
): StageParts => ({
  code: codeDigest(node, definition),
  modules: Object.fromEntries(modulesOf(node, definition).map(({ path, digest }) => [path, digest])),
  from,
  settings: valuesOf(node.settings),
  inputs: valuesOf(inputs),
  ports: sha256(canonicalJson(portsIn(node))),
})

/** Digest of the executed document: everything but title, description, version, layout and the limit of its runs. */
export const documentDigest = (document: FlowDocument): string => atOnce(digestSteps(document))

/** As {@link documentDigest}, by steps: the canonical text a node at a time. */
export function* digestSteps(document: FlowDocument): Steps<string> {
  const { title: _title, description: _description, version: _version, ...rest } = document
  const { layout: _layout, concurrency: _concurrency, nodes, ...executed } = rest
  const texts: string[] = []
  for (const [at, node] of nodes.entries()) {
    texts.push(canonicalJson(node))
    if (endsStep(at)) yield
  }
  const others = Object.entries(executed).flatMap(([key, value]): [string, string][] =>
    value === undefined ? [] : [[key, canonicalJson(value)]],
  )
  const members = [...others, ['nodes', `[${texts.join(',')}]`] as const].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return sha256(`{${members.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`)
}

/** Longest JSON text that stands for itself, in UTF-16 code units. */
const SHORT_TEXT = 100

const valuesOf = (values: Values): Record<string, StageValue> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, valueOf(canonicalJson(withDigests(value)))]))

const valueOf = (text: string): StageValue => (text.length <= SHORT_TEXT ? { text } : { digest: sha256(text) })

function codeDigest({ source, entry }: FlowNode, { code }: AnyNodeDefinition): string | null {
  if (code === 'typescript') return entry?.digest ?? null
  return source === null ? null : sha256(source)
}

/** Stands for the text of a Python source among the modules that it brings. */
const OWN_TEXT = 'the source itself'

function modulesOf({ entry, source }: FlowNode, { code }: AnyNodeDefinition): CodeEntry['modules'] {
  if (code === 'typescript') return entry?.modules ?? []
  const { text: own, modules } = pythonParts(source ?? '')
  if (modules.length === 0) return []
  return [{ path: OWN_TEXT, text: own }, ...modules].map(({ path, text }) => ({ path, digest: sha256(text) }))
}

const portsIn = ({ ports }: FlowNode): object[] =>
  ports.map(({ direction, name, port, dtype, stream }) => ({ direction, name, port, dtype, stream }))

const sha256 = (text: string): string => `sha256:${hash('sha256', text, 'hex')}`

function withDigests(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withDigests)
  // code gets the value, and of a reference with the same digest the reference
  if (value instanceof StoredValue) return { [STORED_VALUE_TYPE]: value.ref.digest }
  if (isArtifactRef(value)) return value.digest
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withDigests(item)]))
}
