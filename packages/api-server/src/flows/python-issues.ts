/**
 * Whether the Python source of a node fits its ports and settings (wire decisions G25, G60). Sources are parsed, never
 * executed; a source is parsed once, and few at a time: each takes a process. What only an execution could tell, such as
 * the parameters of a decorated function, is no issue.
 * @module
 */
import { hash } from 'node:crypto'

import { isIdentifier } from '@flow-service/core'
import type { FlowDocument, FlowNode, Issue } from '@flow-service/protocol'
import type { ParsedFunction, ParsedSource } from '@flow-service/worker-agent'

/** Parses a source; null while there is no interpreter. */
export type CheckPython = (source: string) => Promise<ParsedSource | null>

/** Sources whose parse is remembered. */
const MAX_REMEMBERED = 1_000
/** Sources that are parsed at the same time, whoever asks. */
const MAX_PARSING = 4
/** The function that the runner looks for first. */
const ENTRY = 'run'

/** Issues of the Python nodes of a document: `bad_source` with the line. */
export type PythonIssues = (document: FlowDocument) => Promise<Issue[]>

/** The file that the source of a node was read from; null for one that came otherwise. */
export type PythonFileOf = (flow: string, node: string) => string | null

/** Checks by a parser, remembering what it said of the latest sources. */
export function createPythonIssues(checkPython: CheckPython, fileOf: PythonFileOf = () => null): PythonIssues {
  const remembered = new Map<string, Promise<ParsedSource | null>>()
  const lanes = Array.from({ length: MAX_PARSING }, () => Promise.resolve<unknown>(null))
  let next = 0
  const inLane = (source: string): Promise<ParsedSource | null> => {
    const lane = next++ % MAX_PARSING
    const parsing = (lanes[lane] ?? Promise.resolve()).then(() => checkPython(source)).catch(() => null)
    lanes[lane] = parsing
    return parsing
  }
  const parse = (source: string): Promise<ParsedSource | null> => {
    const key = hash('sha256', source)
    const known = remembered.get(key)
    if (known) return known
    const parsing = inLane(source)
    remembered.set(key, parsing)
    // an interpreter may come later
    void parsing.then((parsed) => parsed ?? remembered.delete(key))
    const [oldest] = remembered.keys()
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
    return parsing
  }
  return async (document) => {
    const sourced = document.nodes.flatMap((node, at) =>
      node.type === 'python' && node.source !== null ? [{ node, at, source: node.source }] : [],
    )
    const issues = sourced.map(async ({ node, at, source }) => {
      const parsed = await parse(source)
      const file = fileOf(document.name, node.id)
      const faults = parsed === null ? [] : faultsOf(parsed, node)
      return faults.map((fault) => issueOf(file === null ? fault : `${file}, ${fault}`, node, at))
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

function faultsOf(parsed: ParsedSource, node: FlowNode): string[] {
  const { error, functions } = parsed
  if (error) return [error.line === null ? error.message : `line ${error.line}: ${error.message}`]
  const entry = entryOf(parsed)
  if (entry === 'unknown') return []
  if (entry !== null) return signatureFaults(entry, node)
  const found = [...publicOf(functions).keys()].map((name) => `"${name}"`)
  const remedy = 'name the function to call "run"'
  return [
    found.length === 0
      ? `the source has no function "run"; ${remedy}`
      : `the source has no function "run", and ${found.length} public ones: ${found.slice(0, 5).join(', ')}; ${remedy}`,
  ]
}

/** The function that executions call; `unknown` when the module may get it from elsewhere, null when there is none. */
function entryOf({ functions, names }: ParsedSource): ParsedFunction | 'unknown' | null {
  if (names.includes(ENTRY)) return 'unknown'
  const run = functions.findLast(({ name }) => name === ENTRY)
  if (run) return run
  if (names.includes('*')) return 'unknown'
  const visible = publicOf(functions)
  const [only] = visible.values()
  return visible.size === 1 ? (only ?? null) : null
}

const publicOf = (functions: readonly ParsedFunction[]): ReadonlyMap<string, ParsedFunction> =>
  new Map(functions.filter(({ name }) => !name.startsWith('_')).map((each) => [each.name, each]))

/** The entry is called with keyword arguments: its input ports and its settings. */
function signatureFaults({ name, line, parameters, decorated }: ParsedFunction, node: FlowNode): string[] {
  if (decorated) return []
  const ports = node.ports.filter(({ direction }) => direction === 'input').map(({ port }) => port)
  const given = new Set([...ports, ...Object.keys(node.settings)])
  const named = new Set(parameters.filter(({ kind }) => kind === 'keyword').map((parameter) => parameter.name))
  const takesAll = parameters.some(({ kind }) => kind === 'all')
  const unfilled = parameters
    .filter((parameter) => parameter.kind !== 'all' && !parameter.default)
    .filter((parameter) => parameter.kind === 'positional_only' || !given.has(parameter.name))
  // what cannot be a parameter at all is an issue of the port or setting
  const unknown = takesAll ? [] : [...given].filter((argument) => isIdentifier(argument) && !named.has(argument))
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
