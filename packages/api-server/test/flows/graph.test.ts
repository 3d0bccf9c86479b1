import { defineNode } from '@flow-service/connector-sdk'
import { type FlowDocumentInput, type FlowGraph, flowGraphSchema } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'

import { type Engine, openEngine, relay } from './engine.ts'
import { keepDevice } from './kept-device.ts'

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

test('devices are nodes, and joined to flows by the wires of published nodes that stand for them [R459]', async () => {
  await keepDevice(engine, 'board')
  await keepDevice(engine, 'alone')
  const leave = engine.devicePresence.opened('board')
  const ports = [
    { direction: 'output', name: 'lux' },
    { direction: 'output', port: 'twice', name: 'lux' },
    { direction: 'output', name: 'elsewhere.x' },
    { direction: 'input', name: 'light' },
    { direction: 'input', port: 'word', name: 'source.off' },
  ] as const
  const standing = (device: string): FlowDocumentInput => ({
    nodes: [{ id: 'panel', type: 'device', settings: { device }, ports: [...ports] }],
  })
  await engine.publish('hall', standing('board'))
  await engine.publish('lost', standing('unknown'))
  await engine.root('PUT', '/flows/drafted', standing('alone'))
  const { nodes, edges } = await graph()
  expect(nodes.filter(({ kind }) => kind === 'device')).toEqual([
    { id: 'device:alone', kind: 'device', name: 'The alone', mode: null, status: null, health: 'degraded', issues: 0 },
    { id: 'device:board', kind: 'device', name: 'The board', mode: null, status: null, health: 'ok', issues: 0 },
  ])
  expect(edges.filter(({ from, to }) => `${from} ${to}`.includes('device:'))).toEqual([
    { from: 'device:board', to: 'flow:hall', messages: ['hall.lux'] },
    { from: 'flow:hall', to: 'device:board', messages: ['hall.light'] },
    { from: 'flow:source', to: 'device:board', messages: ['source.off'] },
  ])
  leave()
})
