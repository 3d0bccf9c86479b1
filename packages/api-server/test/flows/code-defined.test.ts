import { flowDocumentInputSchema, type FlowDocumentInput, normalizeDocument } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import type { RegisteredFlow } from '../../src/code/registry.ts'
import { type Engine, openEngine, relay } from './engine.ts'

const registered = (name: string, document: FlowDocumentInput): RegisteredFlow => ({
  document: normalizeDocument(name, flowDocumentInputSchema.parse(document)),
  module: `flows/${name}.ts`,
  project: null,
  commit: null,
  bundles: new Map(),
})
const reader: FlowDocumentInput = {
  nodes: [
    {
      id: 'watch',
      type: 'change',
      ports: [
        { direction: 'input', name: 'api_made.off' },
        { direction: 'output', name: 'seen' },
      ],
    },
  ],
}
const inCode = [registered('in_code', relay), registered('reading', reader)]

let engine: Engine
beforeAll(async () => {
  engine = await openEngine({ registered: inCode })
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

test('a flow in TypeScript is neither renamed nor deleted nor has a draft to discard', async () => {
  const answers = [
    await engine.root('POST', '/flows/in_code/rename', { name: 'elsewhere' }),
    await engine.root('POST', '/flows/in_code/discard-draft'),
    await engine.root('DELETE', '/flows/in_code'),
  ]
  expect(answers.map(({ status, problem }) => [status, problem.code])).toEqual(answers.map(() => [409, 'code_defined']))
  expect((await engine.root('GET', '/flows/in_code')).value).toMatchObject({ version: 1, origin: 'code' })
})

test('its copy belongs to the API', async () => {
  const copy = await engine.root('POST', '/flows/in_code/duplicate')
  expect(copy.value).toMatchObject({ name: 'in_code_copy', origin: 'api', code: null, status: 'draft' })
  expect((await engine.root('PUT', '/flows/in_code_copy', { ...copy.value, title: 'mine' })).status).toBe(200)
})

test('a reference in TypeScript is changed there: the flow says what it misses', async () => {
  await engine.publish('api_made', relay)
  await engine.root('POST', '/flows/reading/start')
  expect((await engine.root('GET', '/flows/reading')).value.issues).toEqual([])
  expect((await engine.root('POST', '/flows/api_made/rename', { name: 'other_name' })).status).toBe(200)
  const { value } = await engine.root('GET', '/flows/reading')
  expect(value).toMatchObject({
    version: 1,
    origin: 'code',
    status: 'active',
    issues: [{ code: 'unknown_message', severity: 'warning' }],
  })
  expect(value.nodes[0]?.ports[0]?.name).toBe('api_made.off')
  expect(engine.runtime.get('reading')?.document.nodes[0]?.ports[0]?.message).toBe('api_made.off')
})

test('a flow whose module is gone is renamed and belongs to the API then', async () => {
  await engine.register(inCode.filter(({ document }) => document.name !== 'in_code'))
  expect((await engine.root('GET', '/flows/in_code')).value.status).toBe('failed')
  const { value } = await engine.root('POST', '/flows/in_code/rename', { name: 'adopted' })
  expect(value).toMatchObject({ name: 'adopted', origin: 'api', code: null, version: 2, issues: [], status: 'stopped' })
  await engine.register(inCode)
  expect((await engine.root('GET', '/flows/in_code')).value).toMatchObject({ version: 1, origin: 'code' })
  expect((await engine.root('GET', '/flows/adopted')).value).toMatchObject({ version: 2, origin: 'api' })
})
