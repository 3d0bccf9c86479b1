/** What generators of clients in other languages need of the description of the API. */
import { expect, test } from 'vitest'

import { apiDocument } from '../../src/api.ts'

interface Schema {
  readonly type?: string
  readonly maximum?: number
  readonly properties?: object
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

const document = JSON.parse(JSON.stringify(apiDocument())) as {
  readonly paths: object
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}
const { schemas } = document.components

/** All schemas within one, with the way to each. */
function* within(schema: unknown, path: string): Generator<readonly [string, Schema]> {
  if (typeof schema !== 'object' || schema === null) return
  if (!Array.isArray(schema)) yield [path, schema as Schema]
  for (const [key, value] of Object.entries(schema)) yield* within(value, `${path}/${key}`)
}
const everywhere = [...within(schemas, ''), ...within(document.paths, 'paths')]

test('every component has a name that says what it is', () => {
  expect(Object.keys(schemas).filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name))).toEqual([])
})

test('every object that is one of several has a name', () => {
  const isUnnamed = ({ properties }: Schema): boolean => properties !== undefined
  const several = everywhere.filter(([, { anyOf = [], oneOf = [] }]) => [...anyOf, ...oneOf].some(isUnnamed))
  expect(several.map(([path]) => path)).toEqual([])
})

test('any JSON is one component, which does not refer to itself', () => {
  expect(schemas['JsonValue']).toEqual({ description: expect.any(String) })
})

test('every integer says how large it may be', () => {
  const isEndless = ([, { type, maximum }]: readonly [string, Schema]): boolean =>
    type === 'integer' && maximum === undefined
  expect(everywhere.filter(isEndless).map(([path]) => path)).toEqual([])
})
