import { expect, test } from 'vitest'

import { checkParams } from '../src/index.ts'
import { batch } from './documents.ts'

const document = batch([], {
  inputs: [
    { name: 'lr', dtype: 'float', initial: 0.1 },
    { name: 'epochs', dtype: 'int' },
    { name: 'note', dtype: 'any' },
    { name: 'seed', dtype: 'int', initial: 7 },
  ],
})
const errorsOf = (params: Record<string, unknown>, seed?: number) => {
  const checked = checkParams(document, params, seed)
  return 'errors' in checked ? checked.errors.map(({ path, code }) => `${code} ${path}`) : []
}

test('inputs left out take their initial value and are marked [R013] [R100] [R039]', () => {
  expect(checkParams(document, { epochs: 3 }, undefined)).toEqual({
    inputs: [
      { name: 'lr', dtype: 'float', value: 0.1, default: true },
      { name: 'epochs', dtype: 'int', value: 3, default: false },
      { name: 'note', dtype: 'any', value: null, default: true },
      { name: 'seed', dtype: 'int', value: 7, default: true },
    ],
    seed: 7,
  })
})

test('undeclared, absent and off-dtype params are refused, each at its place [R083] [R404]', () => {
  expect(errorsOf({ 'a/b': 1, lr: '1' })).toEqual([
    'unknown_param /params/a~1b',
    'bad_param /params/lr',
    'missing_param /params/epochs',
  ])
  expect(errorsOf({ epochs: null })).toEqual(['bad_param /params/epochs'])
  expect(errorsOf({ epochs: 1.5 })).toEqual(['bad_param /params/epochs'])
})

test('of a body full of undeclared params the first hundred are told', () => {
  const names = Array.from({ length: 200 }, (_, at) => `k${at}`)
  const told = errorsOf({ epochs: 1, ...Object.fromEntries(names.map((name) => [name, 0])) })
  expect(told).toEqual(names.slice(0, 100).map((name) => `unknown_param /params/${name}`))
})

test('names of the prototype are params like others', () => {
  expect(errorsOf({ epochs: 1, constructor: 1, ['__proto__x']: 1 })).toEqual([
    'unknown_param /params/constructor',
    'unknown_param /params/__proto__x',
  ])
})

test('a given seed fills the input seed and is no default [R040] [R084]', () => {
  expect(checkParams(document, { epochs: 1 }, 9)).toMatchObject({
    inputs: [{}, {}, {}, { name: 'seed', value: 9, default: false }],
    seed: 9,
  })
})

test('params.seed becomes the seed of the run; both may be given when they are equal', () => {
  expect(checkParams(document, { epochs: 1, seed: 5 }, undefined)).toMatchObject({ seed: 5 })
  expect(checkParams(document, { epochs: 1, seed: 5 }, 5)).toMatchObject({ seed: 5 })
  expect(errorsOf({ epochs: 1, seed: 5 }, 6)).toEqual(['bad_seed /seed'])
})

test('a flow without an input seed records a given seed, and null without one', () => {
  expect(checkParams(batch([]), {}, 3)).toEqual({ inputs: [], seed: 3 })
  expect(checkParams(batch([]), {}, undefined)).toEqual({ inputs: [], seed: null })
})

test('a seed is an integer within 2^53, wherever it comes from', () => {
  expect(errorsOf({ epochs: 1 }, 2 ** 53)).toEqual(['bad_param /seed'])
  const free = batch([], { inputs: [{ name: 'seed', dtype: 'any' }] })
  expect(checkParams(free, { seed: 'abc' }, undefined)).toMatchObject({
    errors: [{ path: '/params/seed', code: 'bad_seed' }],
  })
  expect(checkParams(batch([]), {}, 0.5)).toMatchObject({ errors: [{ path: '/seed', code: 'bad_seed' }] })
})
