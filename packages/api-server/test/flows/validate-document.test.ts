import type { FlowDocumentInput, ValidationResult } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Engine, openEngine } from './engine.ts'
import { change, input, output, python, x } from './validation.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
  await engine.root('PUT', '/flows/stored', { nodes: [change([input('x'), output('y')])] })
  await engine.root('PUT', '/flows/owner', { ...x, nodes: [python('def run(x):\n  return {"y": x}')] })
  await engine.root('POST', '/flows/owner/nodes/n/share', { name: 'shared' })
})
afterAll(() => engine[Symbol.asyncDispose]())

const check = (body?: unknown, name = 'stored') => engine.ann<ValidationResult>('POST', `/flows/${name}/validate`, body)
const codes = (result: ValidationResult) => result.issues.map(({ code }) => code)

test('without a body the draft is checked, with a document that one, which is stored nowhere', async () => {
  const before = (await engine.ann('GET', '/flows/stored')).value
  expect(codes((await check()).value)).toEqual(['unproduced_message'])
  const broken: FlowDocumentInput = { nodes: [change([input('x'), output('y')], { type: 'nothing' })] }
  const { status, value } = await check(broken)
  expect([status, value.valid, codes(value)]).toEqual([200, false, ['unknown_type', 'unproduced_message']])
  expect((await engine.ann('GET', '/flows/stored')).value).toEqual(before)
})

test('a document may have code that only a superuser may store, and read the library', async () => {
  const withCode = (more: object) => ({ ...x, nodes: [python(null, more)] })
  expect((await check(withCode({ source: 'def run(x):\n  return {"y": x}' }))).value).toEqual({
    valid: true,
    issues: [],
  })
  expect((await check(withCode({ library: 'shared' }))).value).toEqual({ valid: true, issues: [] })
  expect(codes((await check(withCode({ library: 'nobody' }))).value)).toEqual(['unknown_library'])
})

test.each([
  ['null', null],
  ['a list', []],
  ['a text', '"stored"'],
  ['another object', { graph: {} }],
  ['another name', { name: 'other' }],
])('any other body is refused: %s', async (_title, body) => {
  const { status, problem } = await check(body)
  expect([status, problem.code]).toEqual([422, 'validation_failed'])
})

test('a flow that does not exist is not found, whatever is sent', async () => {
  expect((await check(undefined, 'nowhere')).status).toBe(404)
  expect((await check({}, 'nowhere')).status).toBe(404)
})
