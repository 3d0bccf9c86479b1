/** The node type of the guide, in the runtime that the guide shows. */
import { checkDocument, LiveRuntime, NodeRegistry } from '@flow-service/core'
import { memoryHost } from '@flow-service/core/testing'
import { flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { gaugeNode } from './gauge.ts'

const registry = new NodeRegistry([gaugeNode])

/** A flow with one gauge, which publishes `plant.level`. */
const plant = (settings: object) =>
  normalizeDocument(
    'plant',
    flowDocumentInputSchema.parse({
      nodes: [{ id: 'tank', type: 'gauge', settings, ports: [{ direction: 'output', name: 'level', dtype: 'float' }] }],
    }),
  )

test('a gauge publishes what the device says, and tells when it does not answer', async () => {
  const answers = ['1.5', '2.25', null]
  const host = memoryHost({
    fetch: async () => {
      const text = answers.shift()
      return text ? new Response(text) : new Response('', { status: 503 })
    },
  })
  const runtime = new LiveRuntime(host, registry)
  const flow = await runtime.start(plant({ url: 'http://10.0.0.5/level' }))
  await host.advance(20_000)
  expect(host.values('plant.level')).toEqual([1.5, 2.25])
  await host.advance(10_000)
  expect(flow.nodeStates()).toMatchObject([{ health: 'down', message: 'the device answers 503' }])
  await runtime.close()
})

test('settings that do not fit are issues with their place', () => {
  const issues = checkDocument(plant({ url: 'http://10.0.0.5', every: -1 }), registry)
  expect(issues).toMatchObject([{ severity: 'error', code: 'bad_setting', path: '/nodes/0/settings/every' }])
})

test('a literal token is advice to make it a secret', () => {
  const issues = checkDocument(plant({ url: 'http://10.0.0.5', token: 'abc' }), registry)
  expect(issues).toMatchObject([{ severity: 'advisory', code: 'plain_credential', path: '/nodes/0/settings/token' }])
})

test('a secret stands for the token', async () => {
  const asked: unknown[] = []
  const host = memoryHost({
    secrets: { tank: 'let me in' },
    fetch: async (_url, init) => {
      asked.push(new Headers(init?.headers).get('authorization'))
      return new Response('1')
    },
  })
  const runtime = new LiveRuntime(host, registry)
  const document = plant({ url: 'http://10.0.0.5', token: { $secret: 'tank' } })
  expect(checkDocument(document, registry)).toEqual([])
  await runtime.start(document)
  await host.advance(10_000)
  expect(asked).toEqual(['Bearer let me in'])
  await runtime.close()
})
