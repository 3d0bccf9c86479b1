/**
 * Whether the Python source of a node fits its ports and settings (wire decisions G25, G60). Sources are parsed, never
 * executed; a source is parsed once.
 * @module
 */
import { hash } from 'node:crypto'

import type { FlowDocument, FlowNode, Issue } from '@flow-service/protocol'
import type { ParsedFunction, ParsedSource } from '@flow-service/worker-agent'

/** Parses a source; null while there is no interpreter. */
export type CheckPython = (source: string) => Promise<ParsedSource | null>

/** Sources whose parse is remembered. */
const MAX_REMEMBERED = 1_000

/** Issues of the Python nodes of a document: `bad_source` with the line. */
export type PythonIssues = (document: FlowDocument) => Promise<Issue[]>

/** Checks by a parser, remembering what it said of the latest sources. */
export function createPythonIssues(checkPython: CheckPython): PythonIssues {
  const remembered = new Map<string, Promise<ParsedSource | null>>()
  const parse = (source: string): Promise<ParsedSource | null> => {
    const key = hash('sha256', source)
    const known = remembered.get(key)
    if (known) return known
    const parsing = checkPython(source).catch(() => null)
    remembered.set(key, parsing)
    // an interpreter may come later
    void parsing.then((parsed) => parsed ?? remembered.delete(key))
    const [oldest] = remembered.keys()
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
    return parsing
  }
  return async (document) => {
    const issues = document.nodes.map(async (node, at) => {
      if (node.type !== 'python' || node.source === null) return []
      const parsed = await parse(node.source)
      return parsed === null ? [] : faultsOf(parsed, node).map((message) => issueOf(message, node, at))
    })
    return (await Promise.all(issues)).flat()
  }
}

const issueOf = (message: string, node: FlowNode, at: number): Issue => ({
  severity: 'error',
  code: 'bad_source',
  message: `node "${node.id}": ${message}`,
  node: node.id,
  path: `/nodes/${at}/source`,
})

function faultsOf({ error, functions }: ParsedSource, node: FlowNode): string[] {
  if (error) return [error.line === null ? error.message : `line ${error.line}: ${error.message}`]
  const entry = entryOf(functions)
  return entry === null
    ? ['the source has no function "run", and not one public function alone; name the one to call "run"']
    : signatureFaults(entry, node)
}

function entryOf(functions: readonly ParsedFunction[]): ParsedFunction | null {
  const run = functions.findLast(({ name }) => name === 'run')
  if (run) return run
  const visible = functions.filter(({ name }) => !name.startsWith('_'))
  return new Set(visible.map(({ name }) => name)).size === 1 ? (visible.at(-1) ?? null) : null
}

/** The entry is called with keyword arguments: its input ports and its settings. */
function signatureFaults({ name, line, parameters }: ParsedFunction, node: FlowNode): string[] {
  const ports = node.ports.filter(({ direction }) => direction === 'input').map(({ port }) => port)
  const given = new Set([...ports, ...Object.keys(node.settings)])
  const named = new Set(parameters.filter(({ kind }) => kind === 'keyword').map((parameter) => parameter.name))
  const takesAll = parameters.some(({ kind }) => kind === 'all')
  const unfilled = parameters
    .filter((parameter) => parameter.kind !== 'all' && !parameter.default)
    .filter((parameter) => parameter.kind === 'positional_only' || !given.has(parameter.name))
  const unknown = takesAll ? [] : [...given].filter((argument) => !named.has(argument))
  return [
    ...unfilled.map(
      (parameter) => `line ${line}: ${name}() asks for "${parameter.name}", ${whyUnfilled(parameter.kind)}`,
    ),
    ...unknown.map((argument) => `line ${line}: ${name}() does not take "${argument}", ${whatIs(argument, ports)}`),
  ]
}

const whyUnfilled = (kind: string): string =>
  kind === 'positional_only'
    ? 'by position only; arguments are passed by name'
    : 'which is neither an input port nor a setting; add one, or give the parameter a default'

const whatIs = (argument: string, ports: readonly string[]): string =>
  `${ports.includes(argument) ? 'an input port' : 'a setting'} of the node; add a parameter of that name`
