import { expect, test } from 'vitest'

import { anyOf, fieldsOf, firstOf, type Kind, kindOf, numberOf, type Schema, typedOf } from '../src/parts/schema.ts'

const json = {
  anyOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'null' },
    { type: 'array', items: { $ref: '#/$defs/json' } },
    { type: 'object', additionalProperties: { $ref: '#/$defs/json' } },
  ],
}
const root: Schema = { $defs: { json, loop: { $ref: '#/$defs/loop' } } }
const reference = { type: 'object', properties: { $secret: { type: 'string' } }, required: ['$secret'] }

test.each<[string, Schema, object]>([
  ['a text', { type: 'string' }, { is: 'text', hasSecrets: false }],
  ['a text that may lack', { type: ['string', 'null'] }, { is: 'text' }],
  ['a long text', { type: 'string', maxLength: 100_000 }, { is: 'text', isLong: true }],
  [
    'a text or secret',
    { anyOf: [{ anyOf: [{ type: 'string' }, reference] }, { type: 'null' }] },
    { is: 'text', hasSecrets: true },
  ],
  ['a credential', { 'x-secret': true, anyOf: [{ type: 'string' }, reference] }, { is: 'secret' }],
  [
    'a number',
    { anyOf: [{ type: 'integer', minimum: 0, maximum: 15 }, { type: 'null' }] },
    { is: 'number', isWhole: true, least: 0, most: 15 },
  ],
  ['words', { type: 'string', enum: ['a', 'b'] }, { is: 'choice', options: ['a', 'b'] }],
  [
    'constants',
    {
      anyOf: [
        { type: 'number', const: 0 },
        { type: 'number', const: 1 },
      ],
    },
    { is: 'choice', options: [0, 1] },
  ],
  ['a switch', { type: 'boolean' }, { is: 'flag' }],
  ['a list', { type: 'array', items: { type: 'string' }, maxItems: 3 }, { is: 'list', most: 3 }],
  ['a table', { type: 'object', additionalProperties: { type: 'string' } }, { is: 'table' }],
  ['a group', { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, { is: 'group' }],
  [
    'one or by name',
    { anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: { type: 'string' } }] },
    { is: 'either' },
  ],
  ['anything', { $ref: '#/$defs/json' }, { is: 'any', hasSecrets: false }],
  [
    'several, or a secret',
    { anyOf: [{ type: 'string' }, { type: 'number' }, reference] },
    { is: 'any', hasSecrets: true },
  ],
  ['nothing that is known', {}, { is: 'any' }],
  ['a circle', { $ref: '#/$defs/loop' }, { is: 'any' }],
  ['a reference to nothing', { $ref: '#/$defs/none' }, { is: 'any' }],
])('%s', (_, schema, kind) => {
  expect(kindOf(schema, root)).toMatchObject(kind)
})

const number: Extract<Kind, { is: 'number' }> = {
  is: 'number',
  isWhole: false,
  least: 0,
  most: 9,
  above: null,
  below: null,
}

test.each([
  ['1.5', { value: 1.5 }],
  [' ', { value: undefined }],
  ['-1', { fault: 'At least 0.' }],
  ['10', { fault: 'At most 9.' }],
  ['0x1', { fault: '"0x1" is no number.' }],
  ['one', { fault: '"one" is no number.' }],
])('the number "%s"', (typed, found) => expect(numberOf(typed, number)).toEqual(found))

test('bounds that are refused themselves, and whole numbers', () => {
  expect(numberOf('0', { ...number, above: 0, least: null })).toEqual({ fault: 'More than 0.' })
  expect(numberOf('9', { ...number, below: 9, most: null })).toEqual({ fault: 'Less than 9.' })
  expect(numberOf('1.5', { ...number, isWhole: true })).toEqual({ fault: 'Only whole numbers.' })
})

test.each([1, true, null, 'north', '1', 'true', '"', '[', [1], { a: 1 }, ' x'])(
  '%j is typed, and read as the same',
  (value) => {
    expect(anyOf(typedOf(value))).toEqual({ value })
  },
)

test('JSON that is not whole yet is a fault, and no text', () => {
  expect(anyOf('{"a": ')).toEqual({ fault: expect.any(String) })
})

test('fields have titles, and lists first items', () => {
  expect(
    fieldsOf({ properties: { a: { title: 'A', description: 'x', default: 1 }, b: {} }, required: ['b'] }),
  ).toMatchObject([
    { key: 'a', title: 'A', about: 'x', default: 1, isRequired: false },
    { key: 'b', title: 'b', isRequired: true },
  ])
  expect(firstOf({ type: 'object', properties: { a: {} } }, root)).toEqual({})
  expect(firstOf({ enum: ['x'] }, root)).toBe('x')
})
