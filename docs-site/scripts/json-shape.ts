/**
 * JSON Schema in words, for tables.
 * @module
 */
import * as z from 'zod'

import { code } from './page.ts'

/** The part of JSON Schema (2020-12) that zod writes and the tables tell. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: boolean | JsonSchema
  readonly required?: readonly string[]
  readonly default?: unknown
  readonly description?: string
  readonly $ref?: string
  readonly 'x-secret'?: boolean
}

/** The schema of what the engine answers; named parts stand in place, only endless ones (any JSON) stay references. */
export function answerSchema(schema: z.ZodType): JsonSchema {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io: 'output' })
  return inlined(root, $defs) as JsonSchema
}

function inlined(part: unknown, defs: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(part)) return part.map((item) => inlined(item, defs))
  if (typeof part !== 'object' || part === null) return part
  const name = '$ref' in part ? String(part.$ref).replace('#/$defs/', '') : '__'
  // zod calls the parts that nobody named __schema0 and so on
  if (!name.startsWith('__')) return inlined(defs[name], defs)
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, inlined(value, defs)]))
}

/** What a value may be, in a few words of Markdown: number, "GET" or "POST", list of string. */
export function shapeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return alternatives(schema.enum.map(literal))
  if (schema.$ref !== undefined) return 'JSON'
  if (schema.anyOf) return alternatives([...new Set(schema.anyOf.map(shapeOf))])
  if (Array.isArray(schema.type)) return alternatives(schema.type as string[])
  if (schema.type === 'array') return schema.items ? `list of ${shapeOf(schema.items)}` : 'list'
  return typeof schema.type === 'string' ? schema.type : 'JSON'
}

const literal = (value: unknown): string => code(JSON.stringify(value))

function alternatives(words: readonly string[]): string {
  // the recursive schema of any JSON value says "JSON" among its parts
  return words.includes('JSON') ? 'JSON' : words.join(' or ')
}
