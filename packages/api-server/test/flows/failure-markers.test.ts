/** Failure markers over stops, publications, renamings and restarts of the engine. */
import { rm } from 'node:fs/promises'

import { defineNode } from '@flow-service/connector-sdk'
import type { Flow, FlowDocumentInput, FlowGraph, FlowListItem, NodeState } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'

import { type Engine, openEngine } from './engine.ts'
import { input } from './live-service.ts'

/** Fails with every value. */
const picky = defineNode({
  type: 'picky',
  title: 'Picky',
  description: 'Takes nothing.',
  category: 'logic',
  settings: z.object({ limit: z.int().default(0) }),
  arrival: 'each',
  start: () => ({
    onValue(_port, value) {
      throw new RangeError(`${String(value)} is too much`)
    },
  }),
})

let engine: Engine
beforeAll(async () => {
  engine = await openEngine({ types: [picky] })
})
afterAll(() => engine[Symbol.asyncDispose]())

const reading = (limit = 0): FlowDocumentInput => ({
  nodes: [
    { id: 'a', type: 'picky', settings: { limit }, ports: [input('x')] },
    { id: 'b', type: 'picky', ports: [input('y')] },
  ],
})

/** Publishes and starts a flow whose first node fails. */
async function failing(name: string, at = engine): Promise<void> {
  await at.publish(name, reading())
  await at.root('POST', `/flows/${name}/start`)
  at.runtime.publish(`${name}.x`, 1)
  expect(await failedOf(name, at)).toEqual(['a: 1 is too much'])
}

const failedOf = async (name: string, at = engine): Promise<string[]> =>
  (await at.root('GET', `/flows/${name}`)).value.node_states.flatMap(({ node, error }) =>
    error === null ? [] : [`${node}: ${error.message}`],
  )
const listed = async (name: string, at = engine): Promise<FlowListItem | undefined> =>
  (await at.root<FlowListItem[]>('GET', '/flows/')).value.find((item) => item.name === name)
const healthOf = async (name: string): Promise<string | undefined> =>
  (await engine.root<FlowGraph>('GET', '/flows/graph')).value.nodes.find((node) => node.name === name)?.health
const acknowledge = (name: string, at = engine) => at.root<NodeState>('POST', `/flows/${name}/nodes/a/acknowledge`)
const rows = async (at = engine): Promise<number> =>
  (await at.database.sql<{ n: number }[]>`select count(*)::int as n from failure_marker`)[0]?.n ?? 0

test('a stopped flow lists the nodes that have failed, is counted and degraded, and starts with them [R064]', async () => {
  await failing('kept')
  expect(await listed('kept')).toMatchObject({ failed_nodes: 1 })
  expect(await healthOf('kept')).toBe('degraded')
  await engine.root('POST', '/flows/kept/stop')
  const { value } = await engine.root('GET', '/flows/kept')
  expect(value.status).toBe('stopped')
  expect(value.node_states).toMatchObject([{ node: 'a', status: 'failed', health: 'ok' }])
  expect(await listed('kept')).toMatchObject({ failed_nodes: 1 })
  expect(await healthOf('kept')).toBe('degraded')
  await engine.root('POST', '/flows/kept/start')
  expect(await failedOf('kept')).toEqual(['a: 1 is too much'])
  expect((await acknowledge('kept')).value).toMatchObject({ status: 'idle', error: null })
  expect(await listed('kept')).toMatchObject({ failed_nodes: 0 })
  expect(await healthOf('kept')).toBe('ok')
})

test('a node of a stopped flow is acknowledged, and observers are told', async () => {
  await failing('seen')
  await engine.root('POST', '/flows/seen/stop')
  const state = { flow: 'seen', node: 'a', status: 'idle', health: 'ok', message: null, error: null }
  expect((await acknowledge('seen')).value).toEqual(state)
  expect(engine.events.at(-1)).toMatchObject({ type: 'node', flow: 'seen', node: 'a', status: 'idle', error: null })
  const told = engine.events.length
  expect((await acknowledge('seen')).value).toEqual(state)
  expect(engine.events).toHaveLength(told)
  expect(await failedOf('seen')).toEqual([])
  await engine.root('POST', '/flows/seen/start')
  expect(await failedOf('seen')).toEqual([])
})

test.each(['active', 'stopped'])(
  'a publish of another content for an %s flow clears it, of an equal one does not',
  async (status) => {
    const name = `changed_${status}`
    await failing(name)
    if (status === 'stopped') await engine.root('POST', `/flows/${name}/stop`)
    const publish = async (document: FlowDocumentInput, restart = false): Promise<void> => {
      const { version } = (await engine.root('GET', `/flows/${name}`)).value
      const saved = await engine.root('PUT', `/flows/${name}`, { ...document, version })
      const body = { version: saved.value.version, restart }
      expect((await engine.root('POST', `/flows/${name}/publish`, body)).status).toBe(200)
    }
    await publish({ ...reading(), title: 'Changed' }, true)
    expect(await failedOf(name)).toEqual(['a: 1 is too much'])
    await publish(reading(2))
    expect(await failedOf(name)).toEqual([])
    await engine.root('POST', `/flows/${name}/start`)
    expect(await failedOf(name)).toEqual([])
  },
)

test('a renamed flow keeps it, a later flow of a deleted name has none', async () => {
  await failing('before')
  await engine.root('POST', '/flows/before/rename', { name: 'after' })
  expect(await failedOf('after')).toEqual(['a: 1 is too much'])
  await engine.root('POST', '/flows/after/stop')
  expect(await failedOf('after')).toEqual(['a: 1 is too much'])
  await engine.root('DELETE', '/flows/after')
  await engine.publish('after', reading())
  expect(await failedOf('after')).toEqual([])
  await engine.publish('before', reading())
  expect(await failedOf('before')).toEqual([])
})

test('a restart of the engine keeps it for active and stopped flows, and goes on without what was acknowledged', async () => {
  const first = await openEngine({ types: [picky] })
  for (const name of ['active', 'halted', 'old', 'done']) await failing(name, first)
  await first.root('POST', '/flows/old/rename', { name: 'new' })
  await first.root('POST', '/flows/halted/stop')
  await acknowledge('done', first)
  await first.close()
  const second = await openEngine({ dataDir: first.dataDir, types: [picky] })
  try {
    for (const name of ['active', 'halted', 'new']) {
      expect([name, await failedOf(name, second)]).toEqual([name, ['a: 1 is too much']])
    }
    expect(await failedOf('done', second)).toEqual([])
    const { value } = await second.root<Flow>('GET', '/flows/halted')
    expect(value.node_states).toEqual([
      {
        flow: 'halted',
        node: 'a',
        status: 'failed',
        health: 'ok',
        message: null,
        error: { type: 'RangeError', message: '1 is too much', traceback: expect.any(String), ts: expect.any(String) },
      },
    ])
    await acknowledge('halted', second)
    expect(await rows(second)).toBe(2)
    await second.root('DELETE', '/flows/active')
    expect(await rows(second)).toBe(1)
  } finally {
    await second.close()
    await rm(first.dataDir, { recursive: true, force: true })
  }
})
