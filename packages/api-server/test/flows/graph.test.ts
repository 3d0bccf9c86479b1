import { defineNode } from '@flow-service/connector-sdk'
import { type FlowDocumentInput, type FlowGraph, flowGraphSchema } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'

import { type Engine, openEngine, relay } from './engine.ts'

const refusing = defineNode({
  type: 'refusing',
  title: 'Refusing',
  description: 'Does not start.',
  category: 'logic',
  settings: z.strictObject({}),
  arrival: 'each',
  start() {
    throw new Error('not today')
  },
})

let engine: Engine
beforeAll(async () => {
  engine = await openEngine({ types: [refusing] })
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const graph = async (): Promise<FlowGraph> =>
  flowGraphSchema.parse((await engine.ann<FlowGraph>('GET', '/flows/graph')).value)

const wired = (input: string, output: string): FlowDocumentInput => ({
  nodes: [
    {
      id: 'pass',
      type: 'change',
      ports: [
        { direction: 'input', name: input },
        { direction: 'output', name: output },
      ],
    },
  ],
})

test('flows are nodes; whoever reads or publishes a message of another flow is joined to it [R459]', async () => {
  expect(await graph()).toEqual({ nodes: [], edges: [] })
  await engine.publish('source', { ...relay, inputs: [{ name: 'on' }, { name: 'more' }] })
  await engine.publish('sink', wired('in', 'out'))
  await engine.publish('bridge', wired('source.off', 'sink.in'))
  await engine.publish('second', wired('source.on', 'seen'))
  await engine.root('PUT', '/flows/sketch', wired('source.more', 'nowhere.x'))
  await engine.root('POST', '/flows/source/start')
  const { nodes, edges } = await graph()
  expect(nodes.map(({ id, kind, name, mode, status, health }) => [id, kind, name, mode, status, health])).toEqual([
    ['flow:bridge', 'flow', 'bridge', 'live', 'stopped', 'ok'],
    ['flow:second', 'flow', 'second', 'live', 'stopped', 'ok'],
    ['flow:sink', 'flow', 'sink', 'live', 'stopped', 'ok'],
    ['flow:sketch', 'flow', 'sketch', 'live', 'draft', 'ok'],
    ['flow:source', 'flow', 'source', 'live', 'active', 'ok'],
  ])
  expect(edges).toEqual([
    { from: 'flow:source', to: 'flow:bridge', messages: ['source.off'] },
    { from: 'flow:bridge', to: 'flow:sink', messages: ['sink.in'] },
    { from: 'flow:source', to: 'flow:second', messages: ['source.on'] },
    { from: 'flow:source', to: 'flow:sketch', messages: ['source.more'] },
  ])
})

test('what is published counts, not the draft beside it; a batch flow counts with its outputs', async () => {
  await engine.publish('train', { mode: 'batch', inputs: [{ name: 'x' }], outputs: [{ name: 'x' }] })
  await engine.publish('report', wired('train.x', 'done'))
  await engine.root('PUT', '/flows/report', { ...wired('in', 'done'), version: 1 })
  const { nodes, edges } = await graph()
  expect(nodes.find(({ name }) => name === 'train')).toMatchObject({ mode: 'batch', status: 'ready' })
  const edge = { from: 'flow:train', to: 'flow:report', messages: ['train.x'] }
  expect(edges.filter(({ from, to }) => [from, to].includes('flow:report'))).toEqual([edge])
})

test('a node has the worst health of the flow’s nodes and counts its issues', async () => {
  const hook = (url: string) => ({
    id: url,
    type: 'http',
    settings: { url },
    ports: [{ direction: 'output', name: url } as const],
  })
  await engine.publish('hooked', { nodes: [hook('a'), hook('b')] })
  const hooked = (await graph()).nodes.find(({ name }) => name === 'hooked')
  expect(hooked).toMatchObject({ health: 'ok', issues: 2 })
  await engine.publish('stuck', { nodes: [{ id: 'a', type: 'refusing' }] })
  expect((await engine.root('POST', '/flows/stuck/start')).status).toBe(422)
  const broken = (await graph()).nodes.find(({ name }) => name === 'stuck')
  expect(broken).toMatchObject({ status: 'failed', health: 'down' })
  const flow = await engine.root('GET', '/flows/stuck')
  expect(broken?.issues).toBe(flow.value.issues.length)
})

test('a flow of the name of a path is no flow: graph and node types keep their places', async () => {
  expect((await engine.root('PUT', '/flows/graph', relay)).status).toBe(422)
  expect((await engine.root('GET', '/flows/graph')).status).toBe(200)
  expect((await engine.root('POST', '/flows/graph/publish', { version: 1 })).status).toBe(404)
})
