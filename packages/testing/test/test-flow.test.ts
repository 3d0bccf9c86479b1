import { latest, liveFlow, node, secret, t } from '@flow-service/flow-sdk'
import { debounce, delay, http, inject, switchOn } from '@flow-service/node-types/flow'
import { expect, test } from 'vitest'

import { testFlow } from '../src/index.ts'

const decide = node('decide', {
  in: { hot: t.float, mode: latest(t.str, 'auto') },
  out: { demand: t.bool },
  async run({ hot, mode }, ctx) {
    ctx.log('decides', { hot })
    await Promise.resolve()
    return mode === 'auto' ? { demand: true } : {}
  },
})

const greenhouse = liveFlow('greenhouse', { temp: t.float, mode: t.str, fan: t.bool }, (m, use) => {
  use(http.webhook({ url: 'temp', out: { temp: t.float } }), {}, { id: 'reading', out: { temp: m.temp } })
  const { hot } = use(
    switchOn(t.float, { rules: [{ operator: 'gt', value: 28, output: 'hot' }] }),
    { in: m.temp },
    { id: 'threshold' },
  )
  const { demand } = use(decide, { hot, mode: m.mode })
  use(debounce(t.bool, { first: true, then: false, wait: 60 }), { in: demand }, { id: 'calm', out: { out: m.fan } })
})

test('the fan goes on while the greenhouse is hot, and off when it has been calm for a minute', async () => {
  const flow = await testFlow(greenhouse)
  await flow.publish(greenhouse.messages.temp, 31)
  expect(flow.sent(greenhouse.messages.fan)).toEqual([true])
  await flow.advance('59s')
  await flow.publish(greenhouse.messages.temp, 20)
  expect(flow.sent(greenhouse.messages.fan)).toEqual([true])
  await flow.advance('1s')
  expect(flow.sent(greenhouse.messages.fan)).toEqual([true, false])
  expect(flow.logs()).toEqual(['decide: decides {"hot":31}'])
})

test('a fan that was to go off still does after a crash', async () => {
  const flow = await testFlow(greenhouse)
  await flow.publish(greenhouse.messages.temp, 31)
  await flow.advance('30s')
  flow.crash()
  await flow.advance('10s')
  await flow.restart()
  await flow.advance('19s')
  expect(flow.sent(greenhouse.messages.fan)).toEqual([true])
  await flow.advance('1s')
  const [on, off] = flow.timeline(greenhouse.messages.fan)
  expect([on?.value, off?.value]).toEqual([true, false])
  expect((off?.atMs ?? 0) - (on?.atMs ?? 0)).toBe(60_000)
})

test('a reading comes in by the webhook, and one off its type is refused as a request would be', async () => {
  const flow = await testFlow(greenhouse)
  await flow.hook('temp', { json: { temp: 30 } })
  expect(flow.sent(greenhouse.messages.temp)).toEqual([30])
  expect(flow.sent(greenhouse.messages.fan)).toEqual([true])
  await flow.hook('/temp', { json: { temp: 20 } })
  expect(flow.sent(greenhouse.messages.temp)).toEqual([30, 20])
  await expect(flow.hook('temp', { json: { temp: 'warm' } })).rejects.toThrow('"temp" is float')
  await expect(flow.publish('temp', 'warm')).rejects.toThrow('greenhouse.temp')
})

test('a mock stands in for a node until it is taken back', async () => {
  const flow = await testFlow(greenhouse)
  const asked: unknown[] = []
  flow.mock('decide', (values) => {
    asked.push(values)
    return { demand: false }
  })
  await flow.publish(greenhouse.messages.temp, 31)
  expect(asked).toEqual([{ hot: 31, mode: 'auto' }])
  flow.mock('decide', null)
  await flow.advance('2m')
  await flow.publish(greenhouse.messages.temp, 32)
  expect(flow.sent(greenhouse.messages.fan)).toEqual([true, false, true])
  expect(asked).toHaveLength(1)
  expect(() => flow.mock('nobody', null)).toThrow('has no node "nobody"')
})

const courier = liveFlow('courier', { order: t.object, sent: t.object, tick: t.str }, (m, use) => {
  use(http.request({ url: 'http://127.0.0.1/orders', in: { order: t.object } }), { order: m.order }, { id: 'send' })
  use(delay(t.object, { delay: 5 }), { in: m.order }, { id: 'wait', out: { out: m.sent } })
  use(inject({ out: { tick: t.str }, interval: 3600 }), {}, { id: 'clock', out: { tick: m.tick } })
})

test('a mock that is there from the start keeps requests inside, and a fetch answers those of real nodes', async () => {
  const inside = await testFlow(courier, { mocks: { send: () => undefined } })
  await inside.publish(courier.messages.order, { id: 1 })
  expect(inside.nodeStates().every(({ status }) => status === 'idle')).toBe(true)
  const bodies: unknown[] = []
  const outside = await testFlow(courier, {
    fetch: async (_url, init) => {
      bodies.push(JSON.parse(init?.body as string))
      return new Response('{}', { headers: { 'content-type': 'application/json' } })
    },
  })
  await outside.publish(courier.messages.order, { id: 2 })
  expect(bodies).toEqual([{ order: { id: 2 } }])
  const closed = await testFlow(courier)
  await closed.publish(courier.messages.order, { id: 3 })
  expect(closed.nodeStates()).toContainEqual(expect.objectContaining({ node: 'send', status: 'failed' }))
})

test('delayed messages survive a crash and an orderly stop, and schedules keep to their grid', async () => {
  const flow = await testFlow(courier, { at: '2026-03-01T00:00:00Z', mocks: { send: () => undefined } })
  await flow.publish(courier.messages.order, { id: 1 })
  flow.crash()
  await flow.restart()
  await flow.publish(courier.messages.order, { id: 2 })
  await flow.stop()
  await flow.restart()
  await flow.advance('5s')
  expect(flow.sent(courier.messages.sent)).toEqual([{ id: 1 }, { id: 2 }])
  await flow.advance('1h')
  expect(flow.sent(courier.messages.tick)).toEqual(['2026-03-01T01:00:00.000000+00:00'])
})

test('a paused flow holds what comes, over a crash too, and is stepped', async () => {
  const flow = await testFlow(greenhouse)
  flow.pause()
  await flow.publish(greenhouse.messages.temp, 31)
  expect(flow.sent(greenhouse.messages.fan)).toEqual([])
  expect(await flow.step()).toBe(true)
  await flow.resume()
  expect(flow.sent(greenhouse.messages.fan)).toEqual([true])
  expect(await flow.step()).toBe(false)
})

test('what a crash interrupts in a node that must not repeat itself is a dead letter', async () => {
  const flow = await testFlow(courier, { fetch: () => new Promise(() => {}) })
  await flow.publish(courier.messages.order, { id: 7 })
  flow.crash()
  await flow.restart()
  expect(flow.deadLetters()).toMatchObject([{ node: 'send', value: { id: 7 }, reason: 'crash' }])
})

test('mistakes are told: a flow that would not start, time that runs back, a flow that is down', async () => {
  const wrong = liveFlow('wrong', { x: t.float }, (m, use) => {
    use(inject({ out: { x: t.float }, cron: 'often' }), {}, { id: 'tick', out: { x: m.x } })
  })
  await expect(testFlow(wrong)).rejects.toThrow('flow "wrong" would not start:\n- ')
  const flow = await testFlow(greenhouse)
  await expect(flow.advance('soon')).rejects.toThrow('"soon" is no span of time')
  await expect(flow.advance(-1)).rejects.toThrow('lies in the past')
  await expect(flow.restart()).rejects.toThrow('the flow runs')
  flow.crash()
  await expect(flow.publish(greenhouse.messages.temp, 1)).rejects.toThrow('restart() it first')
  await expect(testFlow(greenhouse, { at: 'noon' })).rejects.toThrow('"noon" is no time')
})

const counting = node('counting', {
  in: { upTo: t.int },
  out: { count: t.int },
  async run({ upTo }, ctx) {
    await Promise.resolve()
    for (let count = 1; count < upTo; count++) ctx.emit('count', count)
    return { count: upTo }
  },
})

test('what code emits is published at the time of the virtual clock', async () => {
  const counter = liveFlow('counter', { upTo: t.int, count: t.int }, (m, use) => {
    use(counting, { upTo: m.upTo }, { out: { count: m.count } })
  })
  const flow = await testFlow(counter, { at: '2026-05-01T06:00:00Z' })
  await flow.publish(counter.messages.upTo, 3)
  const atMs = Date.UTC(2026, 4, 1, 6)
  expect(flow.timeline(counter.messages.count)).toEqual([1, 2, 3].map((value) => ({ value, atMs })))
})

const slowly = node('slowly', {
  in: { x: t.float },
  out: { y: t.float },
  async run({ x }) {
    // many turns of the event loop, as a database or a file takes
    for (let at = 0; at < 20; at++) await new Promise(setImmediate)
    return { y: x * 2 }
  },
})
const slow = liveFlow('slow', { x: t.float, y: t.float, z: t.float }, (m, use) => {
  use(debounce(t.float, { first: 1, then: 0, wait: 3600 }), { in: m.x }, { id: 'timer', out: { out: m.z } })
  use(slowly, { x: m.x }, { id: 'work', out: { y: m.y } })
})

test('code that takes its time is waited for, also while a timer is set', async () => {
  const flow = await testFlow(slow)
  await flow.publish(slow.messages.x, 1)
  expect(flow.sent(slow.messages.y)).toEqual([2])
  await flow.publish(slow.messages.x, 2)
  expect(flow.sent(slow.messages.y)).toEqual([2, 4])
  flow.mock('work', async () => {
    for (let at = 0; at < 20; at++) await new Promise(setImmediate)
    return { y: 7 }
  })
  await flow.publish(slow.messages.x, 3)
  expect(flow.sent(slow.messages.y)).toEqual([2, 4, 7])
})

test('settings get the values of the option `secrets`; a flow whose secret is missing there is refused [R197] [R198]', async () => {
  const settings = { headers: { authorization: secret('pager') }, query: { key: secret('key') } }
  const paging = liveFlow('paging', { call: t.object }, (m, use) => {
    use(http.request({ url: 'http://127.0.0.1/page', in: { call: t.object }, ...settings }), { call: m.call })
  })
  const requests: [string, string | null][] = []
  const fetch = async (url: string, init?: RequestInit): Promise<Response> => {
    requests.push([url, new Headers(init?.headers).get('authorization')])
    return new Response('{}')
  }
  const flow = await testFlow(paging, { fetch, secrets: { pager: 'Bearer abc', key: 'k 1' } })
  await flow.publish(paging.messages.call, {})
  expect(requests).toEqual([['http://127.0.0.1/page?key=k+1', 'Bearer abc']])
  await expect(testFlow(paging, { fetch })).rejects.toThrow('there is no secret "pager"; store it first')
})
