/**
 * Writes the package of a connector from the templates: `common`, and the folder of its kind. Templates are a package that
 * works, named `acme-meter`; its names stand for those of the package to make.
 * @module
 */
import { readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

import { UsageError, writeTemplate } from 'create-flow-service'

import { connectorNames, type ConnectorNames } from './connector-names.ts'

/** What kinds of connectors there are, each with how its values come. */
export const connectorKinds = {
  poll: 'asks the device every few seconds',
  push: 'keeps a connection up, on which the device speaks by itself',
  served: 'has a route to which the device sends',
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

/** Makes the package of a connector. Throws a {@link UsageError} for what cannot be made, and writes nothing then. */
export function createConnector({ name, kind = 'poll', type, dir }: ConnectorOptions): MadeConnector {
  const names = connectorNames(name, type)
  if (!isKind(kind))
    throw new UsageError(`there is no kind "${kind}" of connectors; use ${Object.keys(connectorKinds).join(', ')}`)
  const folder = resolve(dir ?? name.replace(/^@[^/]*\//, ''))
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string }
  const words = {
    'acme-meter': names.package,
    acme_meter: names.type,
    AcmeMeter: names.class,
    'Acme meter': names.title,
  }
  const templates = ['common', kind].map((part) => join(home, 'template', part))
  return { folder, names, kind, files: writeTemplate({ folder, templates, words, version }) }
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
