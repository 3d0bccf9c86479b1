/**
 * Loads the flows and dashboards of a directory of TypeScript (wire decision G64, "registration by path"): translates the modules,
 * evaluates them in a process of their own, and names the code behind every node. Holds no state: calling it again is
 * how a change is seen. A broken module is an error in the answer and leaves everything else in. States and invariants of
 * all that: DESIGN.md beside this file.
 * @module
 */
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import {
  type CodeEntry,
  type FlowDocumentInput,
  flowDocumentInputSchema,
  normalizeDocument,
} from '@flow-service/protocol'

import { jsonPointer } from '../http/errors.ts'
import { bundleCode, type CodeBundle, codeEntry, type DefinitionPlace } from './bundle.ts'
import { evaluateModules, type FoundDashboard, type FoundFlow, type FoundNode } from './evaluate.ts'
import { translateModules } from './modules.ts'
import { buildErrors, commitOf, findModules, type LoadError, projectRootOf } from './project.ts'
import { readPythonFile } from './python-modules.ts'
import { type RegisteredDashboard, registeredDashboard } from './registered-dashboard.ts'
import type { RegisteredFlow } from './registry.ts'

/** What a directory holds: every flow that could be loaded, and why others could not. */
export interface LoadResult {
  readonly flows: readonly RegisteredFlow[]
  readonly dashboards: readonly RegisteredDashboard[]
  readonly errors: readonly LoadError[]
  /** The modules of the directory without any error, relative to the project root: they define these flows and no others. */
  readonly sound: readonly string[]
  /** Absolute paths of the files that a change of the flows would be in, as far as they are known; modules in error too. */
  readonly files: readonly string[]
}

/** Where flow modules come from. */
export interface CodeSource {
  /** Folder of the modules; null for objects, which do not change. */
  readonly directory: string | null
  /** Reads the folder. */
  load(): Promise<LoadResult>
}

/** Loads flows. */
export interface CodeLoader {
  /** All flows of the modules in a directory and below it. Rejects only when the directory cannot be read. */
  load(directory: string): Promise<LoadResult>
}

/** Settings of the loader: the environment that the author's modules see, and the time they have, in milliseconds. */
export interface CodeLoaderOptions {
  readonly env: Readonly<Record<string, string>>
  readonly limitMs?: number
}

/** A loader of flows written in TypeScript. */
export function createCodeLoader(options: CodeLoaderOptions): CodeLoader {
  return {
    async load(directory) {
      const given = realDirectory(directory)
      const root = projectRootOf(given)
      const [translated, commit] = await Promise.all([translateModules(root, findModules(given)), commitOf(root)])
      const evaluated = await evaluateModules(translated, { root, ...options })
      const { unique, doubles } = byName('flow', evaluated.flows, root)
      const shown = byName('dashboard', evaluated.dashboards, root)
      const named = await nameCode(unique, root)
      const results = unique.map((flow) => ({ flow, result: loadFlow(flow, root, commit, named) }))
      const failed = new Set(evaluated.failed)
      for (const { flow, result } of results) if ('errors' in result) failed.add(flow.url)
      const dashboards = shown.unique.map((found) => ({ found, result: loadDashboard(found, root) }))
      for (const { found, result } of dashboards) if ('errors' in result) failed.add(found.url)
      const errors = [
        ...translated.errors,
        ...evaluated.errors,
        ...doubles,
        ...shown.doubles,
        ...[...results, ...dashboards].flatMap(({ result }) => ('errors' in result ? result.errors : [])),
      ]
      return {
        flows: results.flatMap(({ result }) => ('flow' in result ? [result.flow] : [])),
        dashboards: dashboards.flatMap(({ result }) => ('dashboard' in result ? [result.dashboard] : [])),
        errors,
        sound: translated.entries.filter((url) => !failed.has(url)).map((url) => moduleOf({ url }, root)),
        files: [
          ...translated.modules.map(({ url }) => fileURLToPath(url)),
          ...evaluated.flows.flatMap(({ nodes }) =>
            nodes.flatMap(({ file, place }) =>
              file !== null && place !== null ? pythonFiles(pythonFile(file, place.url)) : [],
            ),
          ),
          ...errors.flatMap(({ file }) => (file === null ? [] : [path.resolve(root, file)])),
        ],
      }
    },
  }
}

function realDirectory(directory: string): string {
  try {
    const real = fs.realpathSync(directory)
    if (fs.statSync(real).isDirectory()) return real
  } catch (error) {
    throw new Error(`the directory of flows "${directory}" cannot be read; make it, or name another one`, {
      cause: error,
    })
  }
  throw new Error(`"${directory}" is no directory of flows; name the folder that the modules are in`)
}

function byName<F extends Named>(kind: string, all: readonly F[], root: string): { unique: F[]; doubles: LoadError[] } {
  const first = new Map<string, F>()
  const doubles: LoadError[] = []
  for (const found of all) {
    const other = first.get(found.name)
    if (other === undefined) first.set(found.name, found)
    else
      doubles.push(atModule(found, root, `${moduleOf(other, root)} defines a ${kind} "${found.name}" too; rename one`))
  }
  return { unique: [...first.values()], doubles }
}

interface Named {
  readonly name: string
  readonly url: string
}

function loadDashboard(
  found: FoundDashboard,
  root: string,
): { dashboard: RegisteredDashboard } | { errors: readonly LoadError[] } {
  try {
    return { dashboard: registeredDashboard(found.name, found.document, moduleOf(found, root)) }
  } catch (error) {
    return { errors: [atModule(found, root, error instanceof Error ? error.message : String(error))] }
  }
}

type NamedCode =
  | { readonly entry: CodeEntry; readonly place: DefinitionPlace }
  | { readonly errors: readonly LoadError[] }
type CodeByPlace = ReadonlyMap<string, NamedCode>

/** The code behind every exported definition, once for all flows that use it. */
async function nameCode(flows: readonly FoundFlow[], root: string): Promise<CodeByPlace> {
  const placed = flows.flatMap(({ nodes }) => nodes.flatMap(({ kind, place }) => (place ? [{ kind, ...place }] : [])))
  const definitions = new Map<string, Set<string>>()
  for (const { url, export: name } of [...placed, ...flows]) {
    const file = fileURLToPath(url)
    definitions.set(file, (definitions.get(file) ?? new Set()).add(name))
  }
  const own = new Map(placed.filter(({ kind }) => kind !== 'python').map((place) => [keyOf(place), place]))
  const named = [...own].map(async ([key, { url, export: name }]): Promise<[string, NamedCode]> => {
    const place = { root, file: fileURLToPath(url), export: name, definitions }
    try {
      return [key, { entry: await codeEntry(place), place }]
    } catch (error) {
      return [key, { errors: buildErrors(error, root) }]
    }
  })
  return new Map(await Promise.all(named))
}

const keyOf = (place: { url: string; export: string }): string => `${place.url} ${place.export}`

function loadFlow(
  found: FoundFlow,
  root: string,
  commit: string | null,
  named: CodeByPlace,
): { flow: RegisteredFlow } | { errors: readonly LoadError[] } {
  const parsed = flowDocumentInputSchema.safeParse(found.document)
  if (!parsed.success) {
    const [fault] = parsed.error.issues
    return {
      errors: [atModule(found, root, `flow "${found.name}": ${jsonPointer(fault?.path ?? [])}: ${fault?.message}`)],
    }
  }
  const code = new Map(found.nodes.map((node) => [node.node, codeOf(node, found, root, named)]))
  const errors = [...code.values()].flatMap((each) => ('errors' in each ? each.errors : []))
  if (errors.length > 0) return { errors }
  const nodes = parsed.data.nodes.map((node) => ({ ...node, ...fieldsOf(code.get(node.id)) }))
  const bundles = [...code.values()].flatMap((each) => ('entry' in each ? [each] : []))
  return {
    flow: {
      document: normalizeDocument(found.name, { ...parsed.data, version: 0, nodes }),
      module: moduleOf(found, root),
      project: root,
      commit,
      bundles: new Map(bundles.map(({ entry, place }) => [entry.digest, () => bundleOf(entry, place)])),
      python: new Map([...code].flatMap(([id, each]) => ('source' in each ? [[id, each.file] as const] : []))),
    },
  }
}

/** The executable form of the code that the entry names, which may have changed since the entry was made. */
async function bundleOf(entry: CodeEntry, place: DefinitionPlace): Promise<CodeBundle> {
  const bundle = await bundleCode(place).catch((error: unknown) => {
    const [first] = buildErrors(error, place.root)
    const at = [first?.file, first?.line].filter((part) => part !== null).join(':')
    throw new Error(`${at === '' ? '' : `${at}: `}${first?.message}`, { cause: error })
  })
  if ((await codeEntry(place)).digest === entry.digest) return bundle
  throw new Error(`${entry.module} changed while it was read; load it again`)
}

type NodeCode = NamedCode | { readonly source: string; readonly file: string }

type CodeFields = Partial<Pick<NonNullable<FlowDocumentInput['nodes']>[number], 'source'>> & { entry?: CodeEntry }

function fieldsOf(code: NodeCode | undefined): CodeFields {
  if (code === undefined || 'errors' in code) return {}
  return 'source' in code ? { source: code.source } : { entry: code.entry }
}

function codeOf(node: FoundNode, flow: FoundFlow, root: string, named: CodeByPlace): NodeCode {
  if (node.place === null) {
    const how = `export const ${/^[A-Za-z_]\w*$/.test(node.id) ? node.id : 'name'} = ${node.kind}("${node.id}", …)`
    const message = `flow "${flow.name}": no module exports the ${node.kind} "${node.id}"; write "${how}" at the top level`
    return { errors: [atModule(flow, root, message)] }
  }
  if (node.kind === 'python') return readPython(node, node.place.url, flow, root)
  return named.get(keyOf(node.place)) ?? { errors: [] }
}

function readPython(node: FoundNode, url: string, flow: FoundFlow, root: string): NodeCode {
  const given = node.file ?? ''
  try {
    const file = pythonFile(given, url)
    return { source: readPythonFile(file).source, file: shownPath(file, root) }
  } catch {
    const message = `flow "${flow.name}": the file "${given}" of python("${node.id}") cannot be read; it is looked up beside ${path.relative(root, fileURLToPath(url))}`
    return { errors: [atModule(flow, root, message)] }
  }
}

/** Where the file of a Python node is that the module of the URL defines. */
const pythonFile = (given: string, url: string): string =>
  given.startsWith('file:') ? fileURLToPath(given) : path.resolve(path.dirname(fileURLToPath(url)), given)

/** A Python file and what it imports from beside it; one that cannot be read yet is waited for. */
function pythonFiles(file: string): readonly string[] {
  try {
    return readPythonFile(file).files
  } catch {
    return [file]
  }
}

const shownPath = (file: string, root: string): string => path.relative(root, file).split(path.sep).join('/')

const moduleOf = ({ url }: Pick<FoundFlow, 'url'>, root: string): string => shownPath(fileURLToPath(url), root)

const atModule = (found: Pick<FoundFlow, 'url'>, root: string, message: string): LoadError => ({
  file: moduleOf(found, root),
  line: null,
  column: null,
  message,
  frame: null,
})
