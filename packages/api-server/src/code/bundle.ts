/**
 * One exported definition as code of its own, in two forms (wire decision G64).
 *
 * The *digest* names what the definition does: SHA-256 over its tree-shaken, minified code without installed packages,
 * and over the names and versions of the packages that this code imports. Comments, types, names of local variables,
 * unused exports and the place of the project do not count. The *bundle* is what executes: everything in one text,
 * installed packages included, so that it runs where the project is not. It costs ten times the digest, so it is made
 * only for a digest that nobody has seen.
 * @module
 */
import { hash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { canonicalJson, type CodeEntry } from '@flow-service/protocol'
import { type OutputChunk, type OutputOptions, type Plugin, rolldown, type RolldownOptions } from 'rolldown'
import { minifySync } from 'rolldown/utils'

import { isOwnCode } from './project.ts'
import { resolution } from './resolution.ts'
import { separateDefinitions } from './shake.ts'

/** An exported definition, and the exports by file that are definitions or flows. */
export interface DefinitionPlace {
  readonly root: string
  /** Absolute path of the module. */
  readonly file: string
  readonly export: string
  readonly definitions: ReadonlyMap<string, ReadonlySet<string>>
}

/** The executable form: an ES module that exports the definition under its own name. */
export interface CodeBundle {
  readonly text: string
  /** Source map (ECMA-426) with paths relative to the project root. */
  readonly map: string
  /** Native addons that stay outside: with any, the bundle runs on this machine only. */
  readonly addons: readonly string[]
}

const ENTRY = '\0definition'

/** What a document says about the code of a node. Throws the bundler's error. */
export async function codeEntry(place: DefinitionPlace): Promise<CodeEntry> {
  const packages = new Map<string, string>()
  const chunk = await bundled(place, [packagesOutside(packages)], { minify: true })
  const modules = Object.entries(chunk.modules)
    .filter(([id, { renderedLength }]) => isOwnCode(id) && renderedLength > 0)
    .map(([id, { code }]) => ({
      path: relative(place.root, id),
      digest: sha256(minifySync('module.js', code ?? '', { module: true, compress: false }).code),
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const imported = [...chunk.imports, ...chunk.dynamicImports]
  const versions = imported.flatMap((name) => packages.get(name) ?? []).toSorted()
  const digest = sha256(canonicalJson({ code: chunk.code, packages: [...new Set(versions)] }))
  return { module: relative(place.root, place.file), export: place.export, digest, modules }
}

/** Makes the executable form. Throws the bundler's error. */
export async function bundleCode(place: DefinitionPlace): Promise<CodeBundle> {
  const addons = new Set<string>()
  const chunk = await bundled(place, [addonsOutside(addons)], {
    // names stay as they are written: they appear in tracebacks
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    sourcemap: 'hidden',
    sourcemapExcludeSources: true,
    sourcemapPathTransform: (source, map) => relative(place.root, path.resolve(path.dirname(map), source)),
  })
  return { text: chunk.code, map: JSON.stringify(chunk.map), addons: [...addons] }
}

async function bundled(place: DefinitionPlace, plugins: Plugin[], output: OutputOptions): Promise<OutputChunk> {
  const options: RolldownOptions = {
    cwd: place.root,
    input: ENTRY,
    platform: 'node',
    logLevel: 'silent',
    resolve: resolution,
    // a constant stays in its module, which an edit of it is blamed on; the minifier puts it where it is used
    optimization: { inlineConst: false },
    plugins: [onlyDefinition(place), ...plugins],
  }
  const build = await rolldown(options)
  try {
    const { output: files } = await build.generate({ format: 'esm', codeSplitting: false, ...output })
    return files[0]
  } finally {
    await build.close()
  }
}

const onlyDefinition = ({ file, export: name, definitions }: DefinitionPlace): Plugin => ({
  name: 'only-definition',
  resolveId: { filter: { id: /definition$/ }, handler: (source) => (source === ENTRY ? ENTRY : null) },
  load: {
    filter: { id: /definition$/ },
    handler: (id) => (id === ENTRY ? `export { ${JSON.stringify(name)} } from ${JSON.stringify(file)}` : null),
  },
  transform(code, id) {
    const exports = definitions.get(id)
    return exports ? { code: separateDefinitions(code, id, exports), map: null } : null
  },
})

/** Leaves installed packages out of the bundle and notes their versions by the name that the code imports. */
const packagesOutside = (versions: Map<string, string>): Plugin => ({
  name: 'packages-outside',
  async resolveId(source, importer) {
    if (importer === undefined || /^(?:\.|\/|\0|node:)/.test(source)) return null
    const resolved = await this.resolve(source, importer, { skipSelf: true })
    if (!resolved || isOwnCode(resolved.id)) return resolved
    versions.set(source, versionOf(resolved.id) ?? source)
    return { id: source, external: true }
  },
})

/** Leaves native addons where they are: a machine's own code cannot travel. */
const addonsOutside = (addons: Set<string>): Plugin => ({
  name: 'addons-outside',
  async resolveId(source, importer, extra) {
    if (importer === undefined || !/\.node$|^[^./\0]/.test(source) || source.startsWith('node:')) return null
    const resolved = await this.resolve(source, importer, { skipSelf: true, kind: extra.kind })
    if (!resolved?.id.endsWith('.node')) return resolved
    addons.add(resolved.id)
    return { id: resolved.id, external: 'absolute' }
  },
})

/** `name@version` of the installed package that a file belongs to; null for what belongs to none. */
function versionOf(file: string): string | null {
  for (let at = path.dirname(file); at !== path.dirname(at); at = path.dirname(at)) {
    const manifest = path.join(at, 'package.json')
    if (!fs.existsSync(manifest)) continue
    const { name, version } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { name?: string; version?: string }
    // packages may hold further manifests that only set the module type
    if (name !== undefined && version !== undefined) return `${name}@${version}`
  }
  return null
}

/** A path as documents show it, the same on every system. */
const relative = (root: string, file: string): string => path.relative(root, file).split(path.sep).join('/')

const sha256 = (text: string): string => `sha256:${hash('sha256', text, 'hex')}`
