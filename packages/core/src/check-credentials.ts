/**
 * Credentials that stand in settings as they are (G48): every reader of the flow sees them. Which settings take one is
 * marked `x-secret` in the JSON Schema of their type.
 * @module
 */
import { pointerOf } from './secrets.ts'

/** A JSON Schema (draft 2020-12), as far as it is looked at. */
export interface CredentialSchema {
  readonly [keyword: string]: unknown
}

/** JSON Pointers to the texts in settings that their schema marks as credentials, each once. */
export function plainCredentials(schema: CredentialSchema, settings: unknown): string[] {
  return [...new Set(found({ root: schema, seen: new Map() }, schema, settings, ''))]
}

interface Walk {
  readonly root: CredentialSchema
  /** Which values were held against a schema, as pointers: schemas may refer to each other in circles. */
  readonly seen: Map<CredentialSchema, Set<string>>
}

function found(walk: Walk, schema: unknown, value: unknown, pointer: string): string[] {
  if (!isObject(schema) || value === null || value === undefined || isSeen(walk, schema, pointer)) return []
  if (schema['x-secret'] === true) return textsIn(value, pointer)
  const alternatives = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => listOf(schema[keyword]))
  return [
    ...alternatives.flatMap((each) => found(walk, each, value, pointer)),
    ...found(walk, referred(walk.root, schema['$ref']), value, pointer),
    ...(typeof value === 'object' ? within(walk, schema, value, pointer) : []),
  ]
}

function isSeen({ seen }: Walk, schema: CredentialSchema, pointer: string): boolean {
  const pointers = seen.get(schema) ?? new Set()
  if (pointers.has(pointer)) return true
  seen.set(schema, pointers.add(pointer))
  return false
}

function within(walk: Walk, schema: CredentialSchema, value: object, pointer: string): string[] {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const prefix = listOf(schema['prefixItems'])
  return Object.entries(value).flatMap(([key, item]: [string, unknown]) => {
    const own = Array.isArray(value)
      ? prefix[Number(key)]
      : Object.hasOwn(properties, key)
        ? properties[key]
        : undefined
    const inner = own ?? schema[Array.isArray(value) ? 'items' : 'additionalProperties']
    return found(walk, inner, item, pointer + pointerOf([key]))
  })
}

/** A credential is a text, a list or an object of them; a reference to a secret holds none. */
function textsIn(value: unknown, pointer: string): string[] {
  if (typeof value === 'string') return value === '' ? [] : [pointer]
  if (typeof value !== 'object' || value === null || '$secret' in value) return []
  return Object.entries(value).flatMap(([key, item]) => textsIn(item, pointer + pointerOf([key])))
}

function referred(root: CredentialSchema, ref: unknown): unknown {
  if (ref === '#') return root
  const [, name] = /^#\/\$defs\/(.+)$/.exec(typeof ref === 'string' ? ref : '') ?? []
  return name !== undefined && isObject(root['$defs']) ? root['$defs'][name] : undefined
}

const isObject = (value: unknown): value is CredentialSchema => typeof value === 'object' && value !== null
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
