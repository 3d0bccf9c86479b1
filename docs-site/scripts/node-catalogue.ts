/**
 * The page of the built-in node types.
 * @module
 */
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
    `<details><summary>JSON Schema of the settings</summary>\n\n${schema}\n\n</details>`,
  ].join('\n\n')
}

function settingRow([name, schema]: [string, JsonSchema], { required = [] }: JsonSchema): string[] {
  const value = schema['x-secret'] ? 'string or a secret' : shapeOf(schema)
  const initial = schema.default === undefined ? '' : code(JSON.stringify(schema.default))
  const description = schema.description ?? ''
  return [code(name), value, required.includes(name) ? 'required' : initial, description]
}
