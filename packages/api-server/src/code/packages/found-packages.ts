/**
 * Packages with node types of their own, which say so in their `package.json` (G65): `"service": { "node_types":
 * { "acme_meter": "./dist/meter.js#Meter" } }`. Looked for among the direct dependencies of a project, by path: nothing is
 * imported, and what a package exports does not matter.
 * @module
 */
import fs from 'node:fs'
import path from 'node:path'

import { nameSchema } from '@flow-service/protocol'

/** A node type that a package declares. */
export interface DeclaredType {
  readonly type: string
  /** Absolute path of the module that exports it. */
  readonly file: string
  /** The name of the export. */
  readonly export: string
}

/** A package that declares node types. */
export interface FoundPackage {
  readonly name: string
  readonly version: string
  /** Absolute, without links. */
  readonly folder: string
  readonly types: readonly DeclaredType[]
  /** What is wrong with the declaration: of a single type by its name, of all of it under ''. */
  readonly faults: ReadonlyMap<string, string>
}

/** What of a `package.json` matters here; nothing of it is certain. */
interface Manifest {
  readonly name?: unknown
  readonly version?: unknown
  readonly dependencies?: unknown
  readonly optionalDependencies?: unknown
  readonly service?: unknown
}

/**
 * The packages with node types that a project depends on directly, by name. Those for its development are left out: where the
 * project is installed to work, they are not there. Throws an error with a remedy for a `package.json` of the project that
 * cannot be read; a project without one has no packages.
 */
export function findPackages(project: string): FoundPackage[] {
  const { dependencies, optionalDependencies } = projectManifest(project)
  const names = new Set([...Object.keys(Object(dependencies)), ...Object.keys(Object(optionalDependencies))])
  const found = [...names].flatMap((name) => {
    const folder = folderOf(name, project)
    return folder === null ? [] : (packageAt(folder, name) ?? [])
  })
  // one folder may have two names
  return [...new Map(found.map((each) => [each.folder, each])).values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function projectManifest(project: string): Manifest {
  const file = path.join(project, 'package.json')
  try {
    return Object(JSON.parse(fs.readFileSync(file, 'utf8'))) as Manifest
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw new Error(`"${file}" cannot be read, so that no package with node types is looked for; correct the file`, {
      cause: error,
    })
  }
}

/** Where a dependency is installed, as Node looks for it; null when it is not. */
function folderOf(name: string, project: string): string | null {
  for (let at = project; ; at = path.dirname(at)) {
    const folder = path.join(at, 'node_modules', name)
    if (fs.existsSync(path.join(folder, 'package.json'))) return fs.realpathSync(folder)
    if (path.dirname(at) === at) return null
  }
}

/**
 * The package in a folder; null for one without node types, which a `package.json` that cannot be read is, too. `fileOf` is the
 * file that stands for a module of it.
 */
export function packageAt(
  folder: string,
  dependency: string,
  fileOf: (module: string, folder: string) => string = (module) => module,
): FoundPackage | null {
  const manifest = manifestIn(folder)
  const { node_types: declared } = Object(manifest?.service) as { readonly node_types?: unknown }
  if (declared === undefined) return null
  const { name, version } = manifest ?? {}
  const read = { types: [] as DeclaredType[], faults: new Map<string, string>() }
  const isNamed = typeof declared === 'object' && declared !== null && !Array.isArray(declared)
  if (!isNamed)
    read.faults.set('', '"service.node_types" of its package.json is no object; name modules by their node types')
  else if (Object.keys(declared).length === 0)
    read.faults.set('', '"service.node_types" of its package.json is empty; name modules by their node types')
  for (const [type, place] of Object.entries(isNamed ? declared : {})) {
    const known = declaredType(type, place, { folder, fileOf })
    if (typeof known === 'string') read.faults.set(type, known)
    else read.types.push(known)
  }
  return {
    name: typeof name === 'string' && name !== '' ? name : dependency,
    version: typeof version === 'string' ? version : '0.0.0',
    folder,
    ...read,
  }
}

function manifestIn(folder: string): Manifest | null {
  try {
    return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest | null
  } catch {
    return null
  }
}

/** What stands for a node type, or what is wrong with it. */
function declaredType(
  type: string,
  place: unknown,
  { folder, fileOf }: { readonly folder: string; readonly fileOf: (module: string, folder: string) => string },
): DeclaredType | string {
  const named = nameSchema.safeParse(type)
  if (!named.success) return `a node type cannot have this name: ${named.error.issues[0]?.message}`
  const [, module = '', name = 'default'] = (typeof place === 'string' && /^([^#]+)(?:#(.+))?$/.exec(place)) || []
  if (module === '') return `it stands for ${JSON.stringify(place)}; name its module, such as "./dist/meter.js"`
  const file = fileOf(path.join(folder, module), folder)
  if (!file.startsWith(folder + path.sep)) return `"${module}" is outside of the package; name a module in it`
  if (!fs.existsSync(file)) return `the package has no file "${module}"; build it, or install it again`
  return { type, file, export: name }
}

/** The source of a built module, as packages lay them out: `src/meter.ts` of `dist/meter.js`; the module itself without one. */
export function sourceFile(module: string, folder: string): string {
  const { dir, name, ext } = path.parse(path.relative(folder, module))
  const [top = '', ...below] = dir.split(path.sep)
  const places = [path.join('src', ...below), path.join('src', top, ...below)]
  const sources = places.flatMap((place) => sourceEndings(ext).map((ending) => path.join(folder, place, name + ending)))
  return sources.find((file) => fs.existsSync(file)) ?? module
}

const sourceEndings = (built: string): string[] => [built.replace('j', 't'), '.ts', '.tsx', built]
