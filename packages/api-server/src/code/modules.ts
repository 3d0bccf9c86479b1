/**
 * The modules of a project as plain ES modules, each by itself: what the evaluation executes. Installed packages are
 * left out; they are loaded from where they are.
 * @module
 */
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { type OutputChunk, type Plugin, rolldown } from 'rolldown'

import { buildErrors, isOwnCode, type LoadError } from './project.ts'
import { resolution } from './resolution.ts'

/** A translated module. `output` is its place among the others, which their imports of each other are relative to. */
export interface PlainModule {
  readonly url: string
  readonly output: string
  readonly code: string
}

/** Modules in dependency order: a module comes after those that it imports. */
export interface PlainModules {
  readonly modules: readonly PlainModule[]
  /** URLs of the modules that were asked for and could be translated. */
  readonly entries: readonly string[]
  readonly errors: readonly LoadError[]
}

/** Translates `files` and the project's modules that they import. A file that fails leaves the others in. */
export async function translateModules(root: string, files: readonly string[]): Promise<PlainModules> {
  if (files.length === 0) return { modules: [], entries: [], errors: [] }
  const all = await translate(root, files)
  if (all.kind === 'modules') return { modules: all.modules, entries: files.map(urlOf), errors: [] }
  const alone = await Promise.all(files.map((file) => translate(root, [file])))
  const sound = files.filter((_, index) => alone[index]?.kind === 'modules')
  const errors = unique(alone.flatMap((result) => (result.kind === 'errors' ? result.errors : [])))
  // every file is sound, but not all together: nothing to tell apart
  if (sound.length === files.length) return { modules: [], entries: [], errors: all.errors }
  const rest = await translateModules(root, sound)
  return { ...rest, errors: [...errors, ...rest.errors] }
}

const urlOf = (file: string): string => pathToFileURL(file).href

const unique = (errors: readonly LoadError[]): LoadError[] => [
  ...new Map(errors.map((error) => [JSON.stringify(error), error])).values(),
]

type Translation =
  | { readonly kind: 'modules'; readonly modules: PlainModule[] }
  | { readonly kind: 'errors'; readonly errors: LoadError[] }

async function translate(root: string, files: readonly string[]): Promise<Translation> {
  const build = await rolldown({
    cwd: root,
    input: [...files],
    platform: 'node',
    logLevel: 'silent',
    treeshake: false,
    resolve: resolution,
    plugins: [ownModules],
  })
  try {
    const { output } = await build.generate({
      format: 'esm',
      preserveModules: true,
      preserveModulesRoot: root,
      sourcemap: 'inline',
      sourcemapPathTransform: (source, map) => urlOf(path.resolve(path.dirname(map), source)),
    })
    return {
      kind: 'modules',
      modules: inDependencyOrder(output.filter((item) => item.type === 'chunk')).map(plain(root)),
    }
  } catch (error) {
    return { kind: 'errors', errors: buildErrors(error, root) }
  } finally {
    await build.close()
  }
}

/** Keeps installed packages out, and every export of every own module in: definitions are found by their exports. */
const ownModules: Plugin = {
  name: 'own-modules',
  async resolveId(source, importer) {
    if (importer === undefined || /^(?:\.|\/|node:)/.test(source)) return null
    const resolved = await this.resolve(source, importer, { skipSelf: true })
    return resolved && isOwnCode(resolved.id) ? resolved : { id: source, external: true }
  },
  moduleParsed({ id, isEntry }) {
    if (!isEntry && isOwnCode(id)) this.emitFile({ type: 'chunk', id, preserveSignature: 'strict' })
  },
}

const plain =
  (root: string) =>
  ({ facadeModuleId, fileName, code }: OutputChunk): PlainModule => ({
    url: urlOf(facadeModuleId !== null && isOwnCode(facadeModuleId) ? facadeModuleId : path.join(root, fileName)),
    output: fileName,
    code,
  })

function inDependencyOrder(chunks: readonly OutputChunk[]): OutputChunk[] {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const ordered = new Set<OutputChunk>()
  const entered = new Set<OutputChunk>()
  const visit = (chunk: OutputChunk | undefined): void => {
    if (chunk === undefined || entered.has(chunk)) return
    entered.add(chunk)
    for (const name of chunk.imports) visit(byName.get(name))
    ordered.add(chunk)
  }
  for (const chunk of chunks) visit(chunk)
  return [...ordered]
}
