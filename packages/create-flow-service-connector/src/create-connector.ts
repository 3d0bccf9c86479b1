/**
 * Writes the package of a connector from the templates: `common`, and the folder of its kind. Templates are a package that
 * works, named `acme-meter`; its names stand for those of the package to make.
 * @module
 */
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

import { connectorNames, type ConnectorNames, UsageError } from './connector-names.ts'

/** What kinds of connectors there are, each with how its values come. */
export const connectorKinds = {
  poll: 'asks the device every few seconds',
} as const

/** A kind of {@link connectorKinds}. */
export type ConnectorKind = keyof typeof connectorKinds

/** What to make. */
export interface ConnectorOptions {
  /** Name of the npm package. */
  readonly name: string
  /** `poll` unless given. */
  readonly kind?: string
  /** Name of the node type; by that of the package unless given. */
  readonly type?: string
  /** The folder to make, or an empty one; the name without its scope, in the working directory, unless given. */
  readonly dir?: string
}

/** A package that was made. */
export interface MadeConnector {
  /** Absolute path of the package. */
  readonly folder: string
  readonly names: ConnectorNames
  readonly kind: ConnectorKind
  /** Paths of its files in the folder. */
  readonly files: readonly string[]
}

const home = join(import.meta.dirname, '..')
const template = join(home, 'template')

/** Makes the package of a connector. Throws a {@link UsageError} for what cannot be made, and writes nothing then. */
export function createConnector({ name, kind = 'poll', type, dir }: ConnectorOptions): MadeConnector {
  const names = connectorNames(name, type)
  if (!isKind(kind))
    throw new UsageError(`there is no kind "${kind}" of connectors; use ${Object.keys(connectorKinds).join(', ')}`)
  const folder = resolve(dir ?? name.replace(/^@[^/]*\//, ''))
  checkFolder(folder)
  const written = ['common', kind].flatMap((part) => textsOf(join(template, part), names))
  for (const [path, text] of written) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return { folder, names, kind, files: written.map(([path]) => path).toSorted() }
}

/** What to type next in the folder where the package was made, for people. */
export function nextSteps({ folder, names, kind, files }: MadeConnector): string {
  const at = relative(process.cwd(), folder) || '.'
  return `Made ${names.package} in ${at}: ${files.length} files, with the node type "${names.type}", which ${connectorKinds[kind]}.

Next:
${at === '.' ? '' : `  cd ${/\s/.test(at) ? `"${at}"` : at}\n`}  npm install
  npm test         the tests that every connector passes, and one of its own
  npm run dev      an engine with it and a made-up device: values come in this terminal

Then change src/${names.type}.ts while the engine runs: its nodes are swapped as you save.`
}

const isKind = (kind: string): kind is ConnectorKind => Object.hasOwn(connectorKinds, kind)

function checkFolder(folder: string): void {
  if (!existsSync(folder)) return
  if (!statSync(folder).isDirectory()) throw new UsageError(`"${folder}" is a file; give another folder with --dir`)
  const first = readdirSync(folder).find((entry) => entry !== '.git')
  if (first !== undefined)
    throw new UsageError(`"${folder}" is not empty, it has "${first}"; give a folder that is with --dir`)
}

/** The texts of a template by the paths that they get. */
function textsOf(folder: string, names: ConnectorNames): [path: string, text: string][] {
  const files = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => {
    const file = join(parentPath, name)
    const text = renamed(readFileSync(file, 'utf8'), names)
    // npm leaves a file that begins with a dot out of what it packs, or obeys it
    const path = renamed(relative(folder, file), names).replaceAll(/(^|[/\\])_(?=\w)/g, '$1.')
    return [path, name === 'package.json' ? versioned(text) : text]
  })
}

function renamed(text: string, names: ConnectorNames): string {
  const byWord: Readonly<Record<string, string>> = {
    'acme-meter': names.package,
    acme_meter: names.type,
    AcmeMeter: names.class,
    'Acme meter': names.title,
  }
  return text.replaceAll(/acme-meter|acme_meter|AcmeMeter|Acme meter/g, (word) => byWord[word] ?? word)
}

/** A package.json that asks for packages of ours in the version of this one. */
function versioned(text: string): string {
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string }
  return text.replaceAll(/("@flow-service\/[\w-]+": )"[^"]*"/g, `$1"^${version}"`)
}
