/**
 * What a form makes of the JSON Schema of a type's settings (`params` of `GET /flows/node-types`), for `schema-form.tsx`. What
 * no field is made for is typed as JSON.
 */
import type { JsonValue } from '@flow-service/client-sdk'

export type Schema = Readonly<Record<string, unknown>>

export type Kind =
  | { readonly is: 'text'; readonly hasSecrets: boolean; readonly isLong: boolean }
  | {
      readonly is: 'number'
      readonly isWhole: boolean
      readonly least: number | null
      readonly most: number | null
      /** The bound itself is refused. */
      readonly above: number | null
      readonly below: number | null
    }
  | { readonly is: 'flag' }
  | { readonly is: 'choice'; readonly options: readonly JsonValue[] }
  /** A credential: its value is never shown. */
  | { readonly is: 'secret' }
  | { readonly is: 'list'; readonly of: Schema; readonly most: number | null }
  | { readonly is: 'table'; readonly of: Schema }
  | { readonly is: 'group'; readonly fields: readonly Shape[]; readonly rest: Schema | null }
  | { readonly is: 'either'; readonly text: Schema; readonly table: Schema }
  | { readonly is: 'any'; readonly hasSecrets: boolean }

export interface Shape {
  readonly key: string
  readonly title: string
  readonly about: string
  readonly isRequired: boolean
  /** Undefined where there is none. */
  readonly default: JsonValue | undefined
  readonly schema: Schema
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textIn = (of: Schema, key: string): string => (typeof of[key] === 'string' ? of[key] : '')
const numberIn = (of: Schema, key: string): number | null => (typeof of[key] === 'number' ? of[key] : null)

/** The fields of an object. */
export function fieldsOf(schema: Schema): Shape[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(isSchema(schema['properties']) ? schema['properties'] : {}).flatMap(([key, field]) =>
    isSchema(field)
      ? [
          {
            key,
            title: textIn(field, 'title') || key,
            about: textIn(field, 'description'),
            isRequired: required.includes(key),
            default: field['default'] as JsonValue | undefined,
            schema: field,
          },
        ]
      : [],
  )
}

/** The kind of field for a schema; `root` has the definitions that it refers to. */
export function kindOf(schema: Schema, root: Schema, depth = 0): Kind {
  if (schema['x-secret'] === true) return { is: 'secret' }
  const options = alternatives(schema, root).filter((one) => one['type'] !== 'null')
  const [only] = options
  if (only === undefined || depth > 4) return { is: 'any', hasSecrets: false }
  if (options.length === 1) return plainKind(only)
  return severalKind(options)
}

/** What a value may be, one by one: behind references, in `anyOf`, or as a list of types. */
function alternatives(schema: Schema, root: Schema, seen: ReadonlySet<unknown> = new Set()): Schema[] {
  const found = behind(schema, root)
  if (found === null || seen.has(found)) return []
  const inner = found['anyOf'] ?? found['oneOf']
  if (Array.isArray(inner))
    return inner.filter(isSchema).flatMap((one) => alternatives(one, root, new Set([...seen, found])))
  const types = found['type']
  if (Array.isArray(types)) return types.map((type: unknown) => ({ ...found, type }))
  return [found]
}

function behind(schema: Schema, root: Schema): Schema | null {
  const name = /^#\/\$defs\/(.+)$/.exec(textIn(schema, '$ref'))?.[1]
  if (name === undefined) return schema
  const known = isSchema(root['$defs']) ? root['$defs'][name] : undefined
  return isSchema(known) ? known : null
}

const isReference = (schema: Schema): boolean => isSchema(schema['properties']) && '$secret' in schema['properties']

function severalKind(options: readonly Schema[]): Kind {
  if (options.every((one) => 'const' in one))
    return { is: 'choice', options: options.map((one) => one['const'] as JsonValue) }
  const others = options.filter((one) => !isReference(one))
  const hasSecrets = others.length < options.length
  const [first, second] = others
  if (first && others.length === 1) {
    const kind = plainKind(first)
    return kind.is === 'text' ? { ...kind, hasSecrets } : { is: 'any', hasSecrets }
  }
  const table = others.find((one) => plainKind(one).is === 'table')
  const text = others.find((one) => one['type'] === 'string')
  if (first && second && others.length === 2 && table && text) return { is: 'either', text, table }
  return { is: 'any', hasSecrets }
}

/** Longer texts have a field of several lines. */
const LONG = 20_000

function plainKind(schema: Schema): Kind {
  if (Array.isArray(schema['enum'])) return { is: 'choice', options: schema['enum'] as JsonValue[] }
  if ('const' in schema) return { is: 'choice', options: [schema['const'] as JsonValue] }
  switch (schema['type']) {
    case 'string':
      return { is: 'text', hasSecrets: false, isLong: (numberIn(schema, 'maxLength') ?? 0) >= LONG }
    case 'number':
    case 'integer':
      return {
        is: 'number',
        isWhole: schema['type'] === 'integer',
        least: numberIn(schema, 'minimum'),
        most: numberIn(schema, 'maximum'),
        above: numberIn(schema, 'exclusiveMinimum'),
        below: numberIn(schema, 'exclusiveMaximum'),
      }
    case 'boolean':
      return { is: 'flag' }
    case 'array':
      return isSchema(schema['items'])
        ? { is: 'list', of: schema['items'], most: numberIn(schema, 'maxItems') }
        : { is: 'any', hasSecrets: false }
    case 'object': {
      const fields = fieldsOf(schema)
      const rest = isSchema(schema['additionalProperties']) ? schema['additionalProperties'] : null
      if (fields.length > 0) return { is: 'group', fields, rest }
      return rest === null ? { is: 'any', hasSecrets: false } : { is: 'table', of: rest }
    }
    default:
      return { is: 'any', hasSecrets: false }
  }
}

export type Typed = { readonly value: JsonValue | undefined } | { readonly fault: string }

/** The number that was typed; nothing is no number. */
export function numberOf(typed: string, kind: Extract<Kind, { is: 'number' }>): Typed {
  const text = typed.trim()
  if (text === '') return { value: undefined }
  const value = Number(text)
  if (!Number.isFinite(value) || !/^[-+]?[\d.]/.test(text) || /^[-+]?0x/i.test(text))
    return { fault: `"${text}" is no number.` }
  if (kind.isWhole && !Number.isInteger(value)) return { fault: 'Only whole numbers.' }
  if (kind.least !== null && value < kind.least) return { fault: `At least ${kind.least}.` }
  if (kind.most !== null && value > kind.most) return { fault: `At most ${kind.most}.` }
  if (kind.above !== null && value <= kind.above) return { fault: `More than ${kind.above}.` }
  if (kind.below !== null && value >= kind.below) return { fault: `Less than ${kind.below}.` }
  return { value }
}

/** Any value: JSON, and what is none is a text. */
export function anyOf(typed: string): Typed {
  const text = typed.trim()
  if (text === '') return { value: undefined }
  try {
    return { value: JSON.parse(text) as JsonValue }
  } catch {
    // what begins like JSON was meant to be some
    return /^[[{"]/.test(text) ? { fault: 'This is no JSON yet: a bracket or quote is not closed.' } : { value: typed }
  }
}

/** How a value is typed that may be anything. */
export function typedOf(value: JsonValue | undefined): string {
  if (value === undefined) return ''
  if (typeof value !== 'string') return JSON.stringify(value)
  const again = anyOf(value)
  return 'value' in again && again.value === value ? value : JSON.stringify(value)
}

/** What a new item of a list begins with. */
export function firstOf(schema: Schema, root: Schema): JsonValue {
  const kind = kindOf(schema, root)
  switch (kind.is) {
    case 'group':
    case 'table':
      return {}
    case 'list':
      return []
    case 'number':
      return kind.least ?? 0
    case 'flag':
      return false
    case 'choice':
      return kind.options[0] ?? null
    case 'any':
    case 'either':
    case 'secret':
    case 'text':
      return ''
  }
}
