/** What generators of clients in other languages, and readers, need of the description of the API. */
import { describe, expect, test } from 'vitest'

import { apiDocument, apiEndpoints } from '../../src/api.ts'

interface Schema {
  readonly type?: string
  readonly $ref?: string
  readonly description?: string
  readonly const?: unknown
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>
interface Operation {
  readonly operationId: string
  readonly parameters?: readonly (Schema & { readonly name: string; readonly schema?: Schema })[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

const document = JSON.parse(JSON.stringify(apiDocument())) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
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

const operations = Object.values(document.paths).flatMap((item) => Object.values(item))

test('every property and parameter says what it is: add .meta({ description }) to those that do not', () => {
  const isBare = ({ description, const: only, $ref }: Schema): boolean =>
    description === undefined &&
    only === undefined &&
    schemas[$ref?.slice('#/components/schemas/'.length) ?? '']?.description === undefined
  const properties = everywhere.flatMap(([path, { properties = {} }]) =>
    Object.entries(properties).flatMap(([name, schema]) =>
      typeof schema === 'object' && !path.endsWith('/properties') && !path.includes('/example') && isBare(schema)
        ? [`${path}.${name}`]
        : [],
    ),
  )
  const parameters = operations.flatMap(({ operationId, parameters = [] }) =>
    parameters.flatMap(({ name, description, schema }) =>
      description === undefined && schema?.description === undefined ? [`${operationId}: ${name}`] : [],
    ),
  )
  expect([...properties, ...parameters]).toEqual([])
})

describe('the example of', () => {
  const example = (content: Content | undefined): unknown => content?.['application/json']?.example
  const shown = new Map(operations.map((operation) => [operation.operationId, operation]))

  test.each(apiEndpoints.flatMap(({ id, body }) => (body?.kind === 'json' ? [[id, body.schema] as const] : [])))(
    'the body of %s is a body: give its schema examples in .meta() where its members depend on each other',
    (id, schema) => {
      expect(schema.safeParse(example(shown.get(id)?.requestBody?.content)).error?.issues ?? []).toEqual([])
    },
  )

  test.each(
    apiEndpoints.flatMap(({ id, replies }) =>
      Object.entries(replies).flatMap(([status, reply]) =>
        reply.kind === 'json' ? [[id, status, reply.schema] as const] : [],
      ),
    ),
  )('the answer of %s with %s is an answer', (id, status, schema) => {
    expect(schema.safeParse(example(shown.get(id)?.responses[status]?.content)).error?.issues ?? []).toEqual([])
  })
})
