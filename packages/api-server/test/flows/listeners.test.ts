import { defineNode, type NodeContext, type Values } from '@flow-service/connector-sdk'
import type { Flow, FlowDocumentInput, FlowGraph } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'

import { type Engine, openEngine } from './engine.ts'

/** The contexts of started listeners, by flow. */
const contexts = new Map<string, NodeContext>()
/** Publishes what the test has it read. */
const listener = defineNode({
  type: 'listener',
  title: 'Listener',
  description: '',
  category: 'network',
  settings: z.object({}),
  arrival: 'each',
  start(ctx) {
    contexts.set(ctx.flow, ctx)
    return { onTrigger: (values) => values }
  },
})

let engine: Engine
beforeAll(async () => {
  engine = await openEngine({ types: [listener] })
})
afterAll(() => engine[Symbol.asyncDispose]())

const document: FlowDocumentInput = {
  nodes: [
    {
      id: 'meter',
      type: 'listener',
      ports: [
        { direction: 'output', name: 'temp', dtype: 'float' },
        { direction: 'output', name: 'room', dtype: 'str' },
      ],
    },
  ],
}

async function start(name: string): Promise<NodeContext> {
  await engine.publish(name, document)
  await engine.root('POST', `/flows/${name}/start`)
  const context = contexts.get(name)
  if (!context) throw new Error('the listener has not started')
  return context
}

const read = async (name: string): Promise<Flow> => {
  const { status, value } = await engine.root('GET', `/flows/${name}`)
  expect(status).toBe(200)
  return value
}
const errorOf = async (name: string) => (await read(name)).node_states[0]?.error ?? null

/** A reading in the background; resolves when it is over. */
const reading = (context: NodeContext, values: Values): Promise<void> =>
  new Promise((resolve) => {
    context.after(0, () => {
      setImmediate(resolve)
      context.emit(values)
    })
  })

test('an unknown output or a value off its dtype fails that reading alone: nothing of it is published, and the next one counts [R678]', async () => {
  const context = await start('meters')
  await reading(context, { temp: 20, humidity: 0.5 })
  expect(await errorOf('meters')).toMatchObject({ message: expect.stringContaining('humidity') })
  expect((await read('meters')).status).toBe('active')
  expect(engine.lastValues.get('meters.temp')).toBeUndefined()

  engine.runtime.get('meters')?.acknowledge('meter')
  await reading(context, { temp: 'warm', room: 'hall' })
  expect(await errorOf('meters')).toMatchObject({ message: expect.stringContaining('"temp" is float') })
  expect(engine.lastValues.get('meters.room')).toBeUndefined()

  engine.runtime.get('meters')?.acknowledge('meter')
  await reading(context, { temp: 21, room: 'hall' })
  expect(await errorOf('meters')).toBeNull()
  expect(engine.lastValues.get('meters.temp')?.value).toBe(21)
})

test('a connector that is down is an issue of its flow until it is well again, and shown in the graph [R035, R400, R401]', async () => {
  const context = await start('plant')
  const healthInGraph = async () =>
    (await engine.root<FlowGraph>('GET', '/flows/graph')).value.nodes.find(({ name }) => name === 'plant')?.health
  const downs = async () => (await read('plant')).issues.filter(({ code }) => code === 'connector_down')
  expect(await downs()).toEqual([])
  context.reportHealth('degraded', 'slow')
  expect([await downs(), await healthInGraph()]).toEqual([[], 'degraded'])
  context.reportHealth('down', 'no answer from the meter')
  expect(await downs()).toEqual([
    { severity: 'warning', code: 'connector_down', message: 'no answer from the meter', node: 'meter', path: null },
  ])
  const list = await engine.root<{ name: string; issues: { warning: number } }[]>('GET', '/flows/')
  expect(list.value.find(({ name }) => name === 'plant')?.issues.warning).toBe(1)
  expect(await healthInGraph()).toBe('down')
  context.reportHealth('ok')
  expect([await downs(), await healthInGraph()]).toEqual([[], 'ok'])
})
