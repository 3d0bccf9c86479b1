/** Values that messages have before anybody publishes them, as everyone finds them who reads. */
import { afterAll, beforeAll, expect, test } from 'vitest'

import { publish, startService, type TestService } from './service.ts'

const input = (name: string, more: object = {}) => ({ direction: 'input', name, dtype: 'float', ...more })
const output = (name: string, dtype = 'float') => ({ direction: 'output', name, dtype })
const scale = (from: string, to: string) => ({ id: to, type: 'change', ports: [input(from), output(to)] })
const store = {
  mode: 'live',
  inputs: [
    { name: 'level', dtype: 'float', initial: 42 },
    { name: 'unset', dtype: 'float' },
  ],
  nodes: [scale('level', 'scaled')],
}
const reader = {
  mode: 'live',
  inputs: [{ name: 'kick', dtype: 'float' }],
  nodes: [
    {
      id: 'gather',
      type: 'join',
      ports: [input('kick'), input('store.level', { trigger: false }), output('both', 'object')],
    },
  ],
}
const calc = { mode: 'batch', outputs: [{ name: 'read' }], nodes: [scale('store.level', 'read')] }

let at: TestService
beforeAll(async () => {
  at = await startService()
  await publish(at, 'store', store)
  await publish(at, 'reader', reader)
  await publish(at, 'calc', calc)
})
afterAll(() => at[Symbol.asyncDispose]())

/** What a new socket is shown, by message. */
async function shown(): Promise<Record<string, unknown>> {
  for await (const frame of at.client.events()) {
    if (frame.type === 'snapshot')
      return byName(frame.values.map(({ message, ...rest }) => ({ name: message, ...rest })))
  }
  throw new Error('there was no snapshot')
}
const byName = (values: readonly { name: string; value: unknown; ts: string | null }[]) =>
  Object.fromEntries(values.filter(({ value }) => value !== null).map(({ name, value, ts }) => [name, { value, ts }]))
const listed = async () => byName(await at.client.messages.list())

/** What a flow that starts now, and a run that starts now, read. */
async function read(): Promise<unknown[]> {
  await at.client.http.flows.start({ name: 'reader' })
  const { ts } = (await at.send('POST', '/messages/reader.kick', { value: 1 })).body as { ts: string }
  const both = async () => (await at.client.messages.list()).find(({ name }) => name === 'reader.both')
  await expect.poll(async () => (await both())?.ts ?? '').toSatisfy((found: string) => found > ts)
  const value = (await both())?.value
  await at.client.http.flows.stop({ name: 'reader' })
  const { id } = await at.client.http.runs.submit({ name: 'calc' })
  return [value, (await at.client.wait(id)).result]
}

test('the initial value of an input is its last value until somebody publishes: for other flows, runs, the catalogue and sockets', async () => {
  expect(await listed()).toEqual({ 'store.level': { value: 42, ts: null } })
  expect(await shown()).toEqual(await listed())
  expect(await read()).toEqual([{ kick: 1, level: 42 }, { read: 42 }])
  expect((await at.send('GET', '/messages/store.level/history')).body).toEqual([])

  await at.send('POST', '/messages/store.level', { value: 7 })
  expect((await listed())['store.level']).toEqual({ value: 7, ts: expect.any(String) })
  expect(await read()).toEqual([{ kick: 1, level: 7 }, { read: 7 }])
  expect(await shown()).toEqual(await listed())
})

test('a socket is shown what the catalogue lists, and no message that its flow does not declare any more', async () => {
  await at.client.http.flows.start({ name: 'store' })
  await at.send('POST', '/messages/store.level', { value: 8 })
  await expect.poll(async () => (await listed())['store.scaled']).toMatchObject({ value: 8 })
  expect(await shown()).toEqual(await listed())
  const saved = await at.send('PUT', '/flows/store', { ...store, nodes: [scale('level', 'other')], version: 1 })
  await at.send('POST', '/flows/store/publish', { version: saved.body?.version })
  expect(Object.keys(await shown()).toSorted()).toEqual(Object.keys(await listed()).toSorted())
  expect(await shown()).not.toHaveProperty(['store.scaled'])
})

test('what a flow publishes under a message that no published flow declares is dropped, and told on its node', async () => {
  const sender = {
    mode: 'live',
    inputs: [{ name: 'on', dtype: 'float' }],
    nodes: [scale('on', 'nobody.hears')].map((node) => ({ ...node, id: 'send' })),
  }
  await publish(at, 'sender', sender)
  await at.client.http.flows.start({ name: 'sender' })
  const state = async () => (await at.client.http.flows.get({ name: 'sender' })).node_states
  await at.send('POST', '/messages/sender.on', { value: 1 })
  const dropped = { node: 'send', health: 'degraded', message: expect.stringContaining('"nobody.hears"') }
  await expect.poll(state).toMatchObject([dropped])
  await publish(at, 'nobody', { mode: 'live', inputs: [{ name: 'hears', dtype: 'float' }] })
  expect(await listed()).not.toHaveProperty(['nobody.hears'])
  await at.send('POST', '/messages/sender.on', { value: 2 })
  await expect.poll(state).toMatchObject([{ health: 'ok', message: null }])
  expect((await listed())['nobody.hears']).toMatchObject({ value: 2 })
})

test('a value that the dtype of its message does not take any more makes way for the initial one, also after a restart', async () => {
  const first = await startService()
  const meter = (input: object) => ({
    mode: 'live',
    inputs: [{ name: 'level', ...input }],
    nodes: [{ id: 'keep', type: 'change', ports: [{ direction: 'input', name: 'level' }, output('kept', 'any')] }],
  })
  const change = async (input: object): Promise<void> => {
    const { version } = await first.client.http.flows.get({ name: 'meter' })
    await first.send('PUT', '/flows/meter', { ...meter(input), version })
    expect((await first.send('POST', '/flows/meter/publish', { version: version + 1 })).status).toBe(200)
  }
  const seen = async ({ client }: TestService) => {
    const level = (await client.messages.list()).find(({ name }) => name === 'meter.level')
    return [level?.value, level?.ts]
  }
  const snapshot = async ({ client }: TestService) => {
    for await (const frame of client.events()) {
      if (frame.type === 'snapshot') return frame.values.filter(({ message }) => message === 'meter.level')
    }
    throw new Error('there was no snapshot')
  }
  await publish(first, 'meter', meter({ dtype: 'float', initial: 1 }))
  await first.client.http.flows.start({ name: 'meter' })
  await first.send('POST', '/messages/meter.level', { value: 7 })
  const [, ts] = await seen(first)
  await change({ dtype: 'any', initial: 'none' })
  expect(await seen(first)).toEqual([7, ts])
  await change({ dtype: 'str', initial: 'none' })
  expect(await seen(first)).toEqual(['none', null])
  expect(await snapshot(first)).toEqual([{ message: 'meter.level', value: 'none', ts: null }])
  expect((await first.send('GET', '/messages/meter.level/history')).body).toMatchObject([{ value: 7 }])
  await first.close()

  await using second = await startService({ dataDir: first.dataDir })
  expect(await seen(second)).toEqual(['none', null])
  expect(await snapshot(second)).toEqual([{ message: 'meter.level', value: 'none', ts: null }])
  const { version } = await second.client.http.flows.get({ name: 'meter' })
  await second.send('PUT', '/flows/meter', { ...meter({ dtype: 'bool' }), version })
  await second.send('POST', '/flows/meter/publish', { version: version + 1 })
  expect(await seen(second)).toEqual([null, null])
  expect(await snapshot(second)).toEqual([])
  await second.send('POST', '/messages/meter.level', { value: true })
  expect(await seen(second)).toEqual([true, expect.any(String)])
})
