/**
 * Titles of settings in forms: of those whose type gives them none, the name in words.
 * @module
 */
type Schema = Readonly<Record<string, unknown>>

/** Words that are not written as they are in names. */
const spellings: Readonly<Record<string, string>> = { id: 'ID', json: 'JSON', qos: 'QoS', url: 'URL' }

/** Where schemas hold those of their parts. */
const inner = new Set(['items', 'additionalProperties'])

/** A JSON Schema of settings in which each property has a title, those of objects inside too. */
export function titled(schema: Schema): Schema {
  const entries = Object.entries(schema).map(([key, value]) => {
    if (key === 'properties') return [key, titledProperties(value as Readonly<Record<string, Schema>>)]
    return [key, inner.has(key) && isSchema(value) ? titled(value) : value]
  })
  return Object.fromEntries(entries) as Schema
}

const titledProperties = (properties: Readonly<Record<string, Schema>>): Schema =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, { title: titleOf(name), ...titled(schema) }]),
  )

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function titleOf(name: string): string {
  const words = name
    .split('_')
    .filter((word) => word !== '')
    .map((word) => spellings[word] ?? word)
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
