/**
 * The checks of a flow document outside of an engine, for tools: those of a save and those of a publication.
 * @module
 */
import { checkDocument, missingSecret, NodeRegistry, secretRefs } from '@flow-service/core'
import { nodeTypes } from '@flow-service/node-types'
import {
  type Dtype,
  type FlowDocument,
  flowDocumentInputSchema,
  type Issue,
  normalizeDocument,
} from '@flow-service/protocol'
import { findPython, parsePython } from '@flow-service/worker-agent'

import { invalidPart } from '../http/errors.ts'
import { structuralFaults } from './document-faults.ts'
import { createPythonIssues } from './python-issues.ts'

/** A finding; `code` is that of an issue, or says what is wrong with the form of the document. */
export interface DocumentFinding extends Omit<Issue, 'code'> {
  readonly code: string
}

/** What is known of the engine that the document is for. */
export interface KnownSurroundings {
  /** Dtypes by qualified name; without, no message of another flow is missed. */
  readonly dtypes?: ReadonlyMap<string, Dtype>
  /** Names of secrets; without, none is missed. */
  readonly secrets?: ReadonlySet<string>
  /** Names of flavors; without, none is missed. */
  readonly flavors?: ReadonlySet<string>
  /** Node types of packages; nodes of these are not looked at, those of other unknown types are faulty. */
  readonly installed?: ReadonlySet<string>
}

/**
 * What is wrong with a document under this name: its form, else its wiring and settings by the built-in node types, else
 * its Python where an interpreter is found.
 */
export async function checkFlowDocument(
  name: string,
  document: unknown,
  known: KnownSurroundings = {},
): Promise<DocumentFinding[]> {
  const parsed = flowDocumentInputSchema.safeParse(document)
  if (!parsed.success) return (invalidPart(parsed.error, 'body').toProblem().errors ?? []).map(asFinding)
  const registry = new NodeRegistry(nodeTypes)
  const normal = normalizeDocument(
    name,
    parsed.data,
    () => null,
    (node, port) => registry.imposedTrigger(node, port),
  )
  const faults = structuralFaults(normal, parsed.data.name, registry)
  if (faults.length > 0) return faults.map(asFinding)
  const { dtypes, flavors } = known
  const around = { ...(dtypes && { message: (message: string) => dtypes.get(message) }), ...(flavors && { flavors }) }
  const installed = new Set(normal.nodes.flatMap(({ id, type }) => (known.installed?.has(type) ? [id] : [])))
  const isKnown = ({ code, node }: Issue): boolean => code === 'unknown_type' && installed.has(node ?? '')
  const found = checkDocument(normal, registry, around).filter((issue) => !isKnown(issue))
  const issues = [...found, ...unknownSecrets(normal, known)]
  const python = normal.nodes.some(({ type }) => type === 'python') ? await findPython(process.env) : null
  if (python === null) return issues
  return [...issues, ...(await createPythonIssues((source) => parsePython(source, { python: python.path }))(normal))]
}

/** References to secrets that there are not. What is in the others is unknown here. */
const unknownSecrets = ({ nodes }: FlowDocument, { secrets }: KnownSurroundings): Issue[] =>
  nodes.flatMap(({ id, settings }, at) =>
    secretRefs(settings).flatMap(({ name, pointer }): Issue[] => {
      if (secrets === undefined || secrets.has(name)) return []
      const path = `/nodes/${at}/settings${pointer}`
      return [{ severity: 'error', code: 'unknown_secret', message: missingSecret(name), node: id, path }]
    }),
  )

const asFinding = ({ path, code, message }: { path: string; code: string; message: string }): DocumentFinding => ({
  severity: 'error',
  code,
  message,
  node: null,
  path,
})
