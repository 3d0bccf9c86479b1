/**
 * Credentials that stand in settings as they are (G48): every reader of the flow sees them. Which settings take one is
 * marked `x-secret` in the JSON Schema of their type.
 * @module
 */
import type { AnyNodeDefinition } from '@flow-service/connector-sdk'
import * as z from 'zod'

import { pointerOf } from './secrets.ts'

/** A JSON Schema (draft 2020-12), as far as it is looked at. */
export interface CredentialSchema {
  readonly [keyword: string]: unknown
}

const schemas = new WeakMap<AnyNodeDefinition, CredentialSchema>()

/** The schema of a type's settings; made when it is asked for first, which takes its time. */
export function credentialSchemaOf(definition: AnyNodeDefinition): CredentialSchema {
  let schema = schemas.get(definition)
  if (schema === undefined) {
    schema = z.toJSONSchema(definition.settings, { io: 'input', unrepresentable: 'any' })
    schemas.set(definition, schema)
  }
  return schema
}

/** JSON Pointers to the texts in settings that their schema marks as credentials, each once. */
export function plainCredentials(schema: CredentialSchema, settings: unknown): string[] {
  return [...new Set(found({ root: schema, seen: new Map() }, schema, settings, ''))]
}

/** Whether what stands at a path may be a credential, a part of one, or have one in it, whatever it is. */
export function mayHoldCredential(root: CredentialSchema, path: readonly PropertyKey[]): boolean {
  let schemas = variantsOf(root, [root])
  for (const key of path) {
    if (schemas.some(isMarked)) return true
    schemas = variantsOf(
      root,
      schemas.flatMap((schema) => inside(schema, key)),
    )
  }
  return variantsOf(root, schemas, true).some(isMarked)
}

const isMarked = (schema: CredentialSchema): boolean => schema['x-secret'] === true

/** Schemas with all that a value may have to meet as well, and, if `deep`, what is in it. */
function variantsOf(root: CredentialSchema, schemas: readonly unknown[], isDeep = false): CredentialSchema[] {
  const known = new Set<CredentialSchema>()
  const open = [...schemas]
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (!isObject(schema) || known.has(schema)) continue
    known.add(schema)
    const referring = referred(root, schema['$ref'])
    open.push(...alternativesOf(schema), ...(referring === undefined ? [] : [referring]))
    if (isDeep) open.push(...itemsOf(schema))
  }
  return [...known]
}

/** What a value at a key of an object, or at a place of a list, has to meet. */
function inside(schema: CredentialSchema, key: PropertyKey): unknown[] {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const own = Object.hasOwn(properties, key) ? properties[String(key)] : undefined
  const place = listOf(schema['prefixItems'])[Number(key)]
  return [own ?? schema['additionalProperties'], place ?? schema['items']].filter(isObject)
}

const itemsOf = (schema: CredentialSchema): unknown[] =>
  [
    ...Object.values(isObject(schema['properties']) ? schema['properties'] : {}),
    ...listOf(schema['prefixItems']),
    schema['additionalProperties'],
    schema['items'],
  ].filter(isObject)

interface Walk {
  readonly root: CredentialSchema
  /** Which values were held against a schema, as pointers: schemas may refer to each other in circles. */
  readonly seen: Map<CredentialSchema, Set<string>>
}

function found(walk: Walk, schema: unknown, value: unknown, pointer: string): string[] {
  if (!isObject(schema) || value === null || value === undefined || isSeen(walk, schema, pointer)) return []
  if (isMarked(schema)) return textsIn(value, pointer)
  return [
    ...alternativesOf(schema).flatMap((each) => found(walk, each, value, pointer)),
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

const alternativesOf = (schema: CredentialSchema): unknown[] =>
  ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => listOf(schema[keyword]))
const isObject = (value: unknown): value is CredentialSchema => typeof value === 'object' && value !== null
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
