/**
 * `find_node_types`: what flows are made of.
 * @module
 */
import { nodeCategorySchema, type NodeType } from '@flow-service/protocol'
import * as z from 'zod'

import { cursorSchema, nextSchema, pageOf } from '../paging.ts'
import { ToolRefusal } from '../refusal.ts'
import { tool } from '../tool.ts'
import { clip, count, line, moreBy, report, shown } from '../words.ts'

const PAGE = 20
/** Longest JSON Schema of settings that is told. */
const MAX_SCHEMA = 16_000

const found = z.object({
  type: z.string(),
  title: z.string(),
  description: z.string(),
  category: z.string(),
  modes: z.array(z.string()),
  inputs: z
    .string()
    .describe('none; any: as many ports as the flow needs, with names of its own; fixed: those of ports'),
  outputs: z.string(),
  ports: z.array(z.object({ direction: z.string(), port: z.string(), dtype: z.string() })),
  has_source: z.boolean().describe('Its node carries code in "source".'),
  superuser: z.boolean().describe('Only tokens of superusers with the scope flows:code may add or change it.'),
  missing: z.string().nullable().describe('Why it cannot be used now.'),
})

/** `find_node_types`. */
export const findNodeTypes = tool({
  name: 'find_node_types',
  title: 'Find node types',
  description:
    'The kinds of nodes that flows are made of. Search by words ("query"), then ask for one by "type" to get its ports and the JSON Schema of its settings before you use it in save_draft.',
  scope: 'flows:read',
  hints: { readOnly: true },
  input: z.strictObject({
    query: z
      .string()
      .max(200)
      .optional()
      .describe('Words of the name, title or description; all of them have to occur.'),
    type: z.string().max(200).optional().describe('Exactly this type, with the schema of its settings.'),
    category: nodeCategorySchema.optional(),
    mode: z.enum(['live', 'batch']).optional().describe('Only types for flows of this mode.'),
    cursor: cursorSchema,
  }),
  output: z.object({
    types: z.array(found),
    total: z.int(),
    settings: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('JSON Schema of the settings, when one type was asked for.'),
    next: nextSchema,
  }),
  async run({ client, input: { query, type, category, mode, cursor }, signal }) {
    const all = await client.flows.nodeTypes({ signal })
    if (type !== undefined) return one(all, type)
    const words = (query ?? '').toLowerCase().split(/\s+/).filter(Boolean)
    const matching = all.filter(
      (each) =>
        (category === undefined || each.category === category) &&
        (mode === undefined || each.modes.includes(mode)) &&
        words.every((word) => `${each.type} ${each.title} ${each.description}`.toLowerCase().includes(word)),
    )
    const { rows, next } = pageOf(matching, cursor, PAGE)
    const lines = rows.map(
      ({ type, description, superuser }) => `${type}${superuser ? ' (superusers)' : ''}: ${description}`,
    )
    const head = [`${count(matching.length, 'node type')}. Ask for one by "type" to see its settings.`]
    return {
      text: report(head, lines, moreBy('find_node_types', next)),
      value: { types: rows.map(entryOf), total: matching.length, settings: null, next },
    }
  },
})

function one(all: readonly NodeType[], name: string) {
  const type = all.find((each) => each.type === name)
  if (!type)
    throw new ToolRefusal('not_found', `there is no node type "${line(name, 100)}"`, {
      remedy: 'search with find_node_types and words of what it should do',
    })
  const { params } = type
  const fits = JSON.stringify(params).length <= MAX_SCHEMA
  const entry = entryOf(type)
  const head = [
    `${type.type}: ${type.title}. ${clip(type.description, 500)}`,
    `In flows: ${type.modes.join(', ')}. Inputs: ${type.ports.inputs}; outputs: ${type.ports.outputs}.`,
    ...(type.superuser ? ['Only superusers with the scope flows:code may add it.'] : []),
    ...(type.missing === null ? [] : [`It cannot be used now: ${line(type.missing)}`]),
    ...(fits ? [] : ['The schema of its settings is too long to be shown whole.']),
    'Settings:',
  ]
  const settings = Object.entries(
    (params.properties ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  )
  const required = new Set((params.required ?? []) as readonly string[])
  const ports = entry.ports.map(({ direction, port, dtype }) => `${direction} ${port}: ${dtype}`)
  const lines = [
    ...settings.map(([name, schema]) => settingLine(name, schema, required.has(name))),
    ...(ports.length === 0 ? [] : ['Ports:', ...ports]),
  ]
  return {
    text: report(head, settings.length === 0 ? ['none', ...lines] : lines),
    value: { types: [entry], total: 1, settings: fits ? params : null, next: null },
  }
}

function settingLine(name: string, schema: Readonly<Record<string, unknown>>, required: boolean): string {
  const { type, enum: values, default: initial, description } = schema
  const kind = values === undefined ? (typeof type === 'string' ? type : 'value') : shown(values)
  const need = required && initial === undefined ? ', required' : ''
  const fallback = initial === undefined ? '' : `, default ${shown(initial, 60)}`
  return `${name} (${kind}${need}${fallback})${typeof description === 'string' ? `: ${description}` : ''}`
}

const entryOf = ({ ports, ...each }: NodeType) => ({
  type: each.type,
  title: line(each.title),
  description: clip(each.description, 600),
  category: each.category,
  modes: each.modes,
  inputs: ports.inputs,
  outputs: ports.outputs,
  ports: ports.fixed.slice(0, 50).map(({ direction, port, dtype }) => ({ direction, port, dtype })),
  has_source: each.has_source,
  superuser: each.superuser,
  missing: each.available ? null : line(each.missing ?? 'its package is missing'),
})
