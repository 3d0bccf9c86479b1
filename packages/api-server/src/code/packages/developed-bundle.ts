/**
 * A connector package under development as one module, made of its sources: what an author has saved executes without a build.
 * What it imports by the name of a package, and of Node, is left outside; it is resolved where the module is put.
 * @module
 */
import { SourceMap } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { type Plugin, rolldown } from 'rolldown'

import { resolution } from '../resolution.ts'
import type { FoundPackage } from './found-packages.ts'

/** The module; it exports the modules of node types as objects, by the names of the types. */
export interface PackageBundle {
  readonly code: string
  /** Source map (ECMA-426) with absolute paths. */
  readonly map: string
}

const ENTRY = '\0developed'

/** Bundles the modules that a package names. Throws the bundler's error. */
export async function bundlePackage({ folder, types }: Pick<FoundPackage, 'folder' | 'types'>): Promise<PackageBundle> {
  const [first] = types
  const place = first?.file ?? path.join(folder, 'src/index.ts')
  const build = await rolldown({
    cwd: folder,
    input: ENTRY,
    platform: 'node',
    logLevel: 'silent',
    resolve: resolution,
    transform: {
      // files beside the sources are found from where the author has written the code
      define: {
        'import.meta.url': JSON.stringify(pathToFileURL(place).href),
        'import.meta.filename': JSON.stringify(place),
        'import.meta.dirname': JSON.stringify(path.dirname(place)),
      },
    },
    plugins: [entryOf(types), packagesOutside],
  })
  try {
    const { output } = await build.generate({
      format: 'esm',
      // a part that is loaded later would be gone by then
      codeSplitting: false,
      sourcemap: 'hidden',
      sourcemapPathTransform: (source, map) => path.resolve(path.dirname(map), source),
    })
    const [{ code, map }] = output
    return { code, map: JSON.stringify(map) }
  } finally {
    await build.close()
  }
}

/** The place in the sources of a place in the code of a bundle; counts from 1. Null for what the bundler has added. */
export function sourceOf({ map }: PackageBundle, line: number, column: number) {
  const entry = new SourceMap(JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0]).findEntry(
    line - 1,
    column - 1,
  )
  if (!('originalSource' in entry)) return null
  return { file: entry.originalSource, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
}

const entryOf = (types: FoundPackage['types']): Plugin => ({
  name: 'developed-entry',
  resolveId: { filter: { id: /developed$/ }, handler: (source) => (source === ENTRY ? ENTRY : null) },
  load: {
    filter: { id: /developed$/ },
    handler: (id) =>
      id === ENTRY
        ? types.map(({ type, file }) => `export * as ${JSON.stringify(type)} from ${JSON.stringify(file)}`).join('\n')
        : null,
  },
})

/** Another copy of what is installed would be another one than that of everybody else. */
const packagesOutside: Plugin = {
  name: 'packages-outside',
  resolveId(source, importer) {
    if (importer === undefined || path.isAbsolute(source) || /^[.#\0]/.test(source)) return null
    return { id: source, external: true }
  },
}
