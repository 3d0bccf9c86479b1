/**
 * Credentials in the settings of a connector, found by the JSON Schema of the settings.
 * @module
 */
import type { Values } from '../../node.ts'

interface Schema {
  readonly [keyword: string]: unknown
}

/** Names of settings that hold credentials in all likelihood. */
const telling =
  /(^|_)(token|password|passwd|passphrase|passcode|secret|credentials?|(api|access|private|auth|app|client|license|encryption|shared|account)?_?key)$/

/** One object a schema. */
export class CredentialPlaces {
  readonly #schema: Schema

  constructor(schema: object) {
    this.#schema = schema as Schema
  }

  /** Whether any setting is marked. */
  get any(): boolean {
    return placesOf(this.#schema, []).some(({ schema }) => isMarked(schema))
  }

  /** Settings that are named like credentials and take texts, and are not marked. */
  get unmarked(): string[] {
    return placesOf(this.#schema, [])
      .filter(({ path, schema }) => telling.test(snake(path.at(-1) ?? '')) && takesText(schema) && !isMarked(schema))
      .map(({ path }) => path.join('.'))
  }

  /** Names of the secrets that settings refer to. */
  secretNames(settings: Values): string[] {
    return refsIn(settings)
  }

  /** Credentials that stand in settings as they are. */
  textsIn(settings: Values): string[] {
    const texts: string[] = []
    mapped(this.#schema, settings, (text) => {
      texts.push(text)
      return text
    })
    return texts
  }

  /** Settings with other credentials, in place of those that stand in them. */
  marked(settings: Values, mark: string): Values {
    return mapped(this.#schema, settings, (text) => `${text}${mark}`) as Values
  }
}

interface Place {
  readonly path: readonly string[]
  readonly schema: Schema
}

/** The settings of a schema, and those in them. */
function placesOf(schema: Schema, path: readonly string[]): Place[] {
  const own = Object.entries(objectOf(schema['properties'])).flatMap(([name, inner]): Place[] => {
    const at = [...path, name]
    return [{ path: at, schema: inner as Schema }, ...placesOf(inner as Schema, at)]
  })
  const items = isObject(schema['items']) ? placesOf(schema['items'], path) : []
  return [...own, ...items, ...alternativesOf(schema).flatMap((each) => placesOf(each, path))]
}

function mapped(schema: Schema, value: unknown, change: (text: string) => string): unknown {
  if (isMarked(schema)) return typeof value === 'string' ? change(value) : value
  const alternatives = alternativesOf(schema)
  if (alternatives.length > 0)
    return alternatives.reduce<unknown>((changed, each) => mapped(each, changed, change), value)
  if (Array.isArray(value) && isObject(schema['items']))
    return value.map((item: unknown) => mapped(schema['items'] as Schema, item, change))
  if (!isObject(value)) return value
  const properties = objectOf(schema['properties'])
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const inner = Object.hasOwn(properties, name) ? properties[name] : undefined
      return [name, isObject(inner) ? mapped(inner, item, change) : item]
    }),
  )
}

function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  if ('$secret' in value && typeof value.$secret === 'string') return [value.$secret]
  return Object.values(value).flatMap(refsIn)
}

const isMarked = (schema: Schema): boolean =>
  schema['x-secret'] === true || alternativesOf(schema).some((each) => isMarked(each))
const takesText = (schema: Schema): boolean => schema['type'] === 'string' || alternativesOf(schema).some(takesText)
const alternativesOf = (schema: Schema): Schema[] =>
  ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) =>
    Array.isArray(schema[keyword]) ? (schema[keyword] as Schema[]) : [],
  )
const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const objectOf = (value: unknown): Schema => (isObject(value) ? value : {})
const snake = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
