/** Projects that depend on packages with node types, in a directory of the test. */
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const installed = fileURLToPath(new URL('../../../node_modules/', import.meta.url))

/** The files of a package by their paths; `package.json` is made of `name`, `version`, `types` and `manifest`. */
export interface PackageFiles {
  readonly version?: string
  /** `service.node_types`. */
  readonly types?: unknown
  /** Beside that in its package.json. */
  readonly manifest?: object
  readonly files?: Readonly<Record<string, string>>
}

/** The text of a module whose default export doubles numbers; `before` stands in front of it. */
export const doubler = (before = '', more = ''): string => `import * as z from 'zod'
${before}
export default {
  type: 'doubler', title: 'Doubler', description: 'Doubles numbers.', category: 'connector', arrival: 'each',
  settings: z.object({ by: z.number().default(2) }),
  start: (ctx) => ({ onValue: (_port, value) => ({ out: value * ctx.settings.by }) }),
  ${more}
}
`

/** Writes a package into a folder, `dist/index.js` a doubler unless given. */
export async function writePackage(folder: string, name: string, { version = '1.0.0', ...rest }: PackageFiles) {
  const { types, manifest = {}, files = { 'dist/index.js': doubler() } } = rest
  const service = types === undefined ? {} : { service: { node_types: types } }
  const text = JSON.stringify({ name, version, type: 'module', ...service, ...manifest })
  for (const [path, content] of Object.entries({ 'package.json': text, ...files })) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
}

/** Writes a project that depends on packages, which are installed in it. */
export async function writeProject(root: string, packages: Readonly<Record<string, PackageFiles>>): Promise<string> {
  const dependencies = Object.fromEntries(Object.keys(packages).map((name) => [name, '*']))
  await mkdir(join(root, 'node_modules'), { recursive: true })
  await writeFile(join(root, 'package.json'), JSON.stringify({ name: 'project', type: 'module', dependencies }))
  await mkdir(join(root, 'node_modules', '@flow-service'), { recursive: true })
  for (const name of ['zod', '@flow-service/connector-sdk']) {
    await symlink(join(installed, name), join(root, 'node_modules', name)).catch(() => {})
  }
  for (const [name, each] of Object.entries(packages)) {
    await writePackage(join(root, 'node_modules', name), name, each)
  }
  return root
}
