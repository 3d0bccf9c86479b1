/**
 * The pages of node types: the built-in ones, and those of the connectors that stand beside them.
 * @module
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { nodeTypeOf } from '../../packages/connector-sdk/src/index.ts'
import { nodeTypeEntry } from '../../packages/core/src/index.ts'
import { nodeTypes } from '../../packages/node-types/src/index.ts'
import type { NodeType } from '../../packages/protocol/src/index.ts'
import { type JsonSchema, shapeOf } from './json-shape.ts'
import { code, type Page, table } from './page.ts'

/** Every built-in node type with its settings. */
export function nodeCataloguePage(): Page {
  const entries = nodeTypes.map((definition) => nodeTypeEntry(definition))
  const summary = table(
    ['Type', 'What it does', 'Modes'],
    entries.map(({ type, description, modes }) => [`[${code(type)}](#${type})`, description, modes.join(', ')]),
  )
  return {
    path: 'pages/node-types',
    title: 'Node types',
    description: 'Every built-in node type with its settings, as GET /flows/node-types answers them.',
    order: 1,
    body: `${summary}\n\n${entries.map(section).join('\n\n')}`,
  }
}

/** The packages of connectors of this repository, by folder. */
const folders = globSync('packages/connectors/*', { cwd: join(import.meta.dirname, '..', '..') }).toSorted()

/** Their node types with their settings, from the classes themselves. */
export async function connectorCataloguePage(): Promise<Page> {
  const entries = (await Promise.all(folders.map(typesOf))).flat()
  const summary = table(
    ['Type', 'Package', 'What it does'],
    entries.map(({ type, description, package: name }) => [`[${code(type)}](#${type})`, code(name ?? ''), description]),
  )
  return {
    path: 'pages/connectors',
    title: 'Connectors',
    description: 'Node types of the connector packages that are developed beside the engine, with their settings.',
    order: 2,
    body: `Installed by \`npm install <package>\`, or as a module of the engine.\n\n${summary}\n\n${entries.map(section).join('\n\n')}`,
  }
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly service: { readonly node_types: Readonly<Record<string, string>> }
}

/** The entries of the node types that a package names; its source stands for what is built of it. */
async function typesOf(folder: string): Promise<NodeType[]> {
  const root = join(import.meta.dirname, '..', '..', folder)
  const { name, version, service } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  return Promise.all(
    Object.entries(service.node_types).map(async ([type, place]) => {
      const [module = '', exported = 'default'] = place.split('#')
      const source = join(root, module.replace('./dist/', 'src/').replace(/\.js$/, '.ts'))
      const { [exported]: Class } = (await import(pathToFileURL(source).href)) as Record<string, unknown>
      return nodeTypeEntry(nodeTypeOf(type, Class), { package: name, version })
    }),
  )
}

function section({ type, title, description, category, modes, superuser, ports, params }: NodeType): string {
  const facts = [
    `Category ${category}; ${modes.join(' and ')} flows; inputs: ${ports.inputs}, outputs: ${ports.outputs}.`,
    ...(superuser ? ['Adding or changing one takes a superuser.'] : []),
  ]
  const { properties = {}, additionalProperties } = params as JsonSchema
  const settings = Object.entries(properties)
  const own =
    settings.length > 0
      ? table(
          ['Setting', 'Value', 'Default', ''],
          settings.map((entry) => settingRow(entry, params as JsonSchema)),
        )
      : 'The author names the settings; they arrive as arguments of the function.'
  const open = settings.length > 0 && additionalProperties !== false ? '\n\nOther settings are allowed.' : ''
  const schema = ['```json', JSON.stringify(params, null, 2), '```'].join('\n')
  return [
    `## ${type}`,
    `**${title}.** ${description} ${facts.join(' ')}`,
    own + open,
    ...(ports.fixed.length > 0 ? [portTable(ports.fixed)] : []),
    `<details><summary>JSON Schema of the settings</summary>\n\n${schema}\n\n</details>`,
  ].join('\n\n')
}

const portTable = (fixed: NodeType['ports']['fixed']): string =>
  table(
    ['Port', 'Direction', 'Dtype'],
    fixed.map(({ port, direction, dtype }) => [code(port), direction, code(dtype)]),
  )

function settingRow([name, schema]: [string, JsonSchema], { required = [] }: JsonSchema): string[] {
  const value = schema['x-secret'] ? 'string or a secret' : shapeOf(schema)
  const initial = schema.default === undefined ? '' : code(JSON.stringify(schema.default))
  const description = schema.description ?? ''
  return [code(name), value, required.includes(name) ? 'required' : initial, description]
}
