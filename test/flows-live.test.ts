import { afterAll, beforeAll, expect, test } from 'vitest'

import { alarmFlow, pythonNode, scaleFlow } from './documents.ts'
import { publish, startService, type TestService } from './service.ts'

let at: TestService
beforeAll(async () => {
  at = await startService()
})
afterAll(() => at[Symbol.asyncDispose]())

const post = (url: string, body: unknown) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

test('a webhook wakes the flow, its values reach the catalogue, and both survive a restart of the engine', async () => {
  const first = await startService()
  await publish(first, 'alarm', alarmFlow)
  expect((await post(`${first.origin}/hooks/alarm/temp`, { temp: 31 })).status).toBe(404)
  expect((await first.send('POST', '/flows/alarm/start')).body).toEqual({ name: 'alarm', status: 'active', held: 0 })

  const hot = first.client.events({ flows: ['alarm'] })
  await hot.next()
  expect((await post(`${first.origin}/hooks/alarm/temp`, { temp: 31 })).status).toBe(202)
  expect((await post(`${first.baseUrl}/hooks/alarm/temp/`, { temp: 12 })).status).toBe(202)
  const seen: unknown[] = []
  for await (const frame of hot) {
    if (frame.type === 'value') seen.push([frame.message, frame.value])
    if (seen.length === 3) break
  }
  expect(seen).toEqual([
    ['alarm.temp', 31],
    ['alarm.hot', 31],
    ['alarm.temp', 12],
  ])
  await first.close()

  await using second = await startService({ dataDir: first.dataDir })
  expect((await second.send('GET', '/flows/alarm')).body).toMatchObject({ status: 'active' })
  const messages = await second.client.messages.list()
  expect(messages.map(({ name, value }) => [name, value])).toEqual([
    ['alarm.hot', 31],
    ['alarm.temp', 12],
  ])
  expect((await post(`${second.origin}/hooks/alarm/temp`, { temp: 40 })).status).toBe(202)

  await second.send('POST', '/flows/alarm/stop')
  expect((await post(`${second.origin}/hooks/alarm/temp`, { temp: 40 })).status).toBe(404)
})

test('the first frame of the event socket shows failure markers and what paused flows hold [R064]', async () => {
  const source = 'def run(n):\n    raise ValueError("broken")\n'
  await publish(at, 'marked', { inputs: [{ name: 'n', dtype: 'int' }], nodes: [pythonNode('work', source)] })
  await at.send('POST', '/flows/marked/start')
  await at.send('POST', '/messages/marked.n', { value: 1 })
  const first = async () => {
    for await (const frame of at.client.events()) if (frame.type === 'snapshot') return frame
    throw new Error('there was no first frame')
  }
  const broken = { node: 'work', status: 'failed', error: { type: 'ValueError', message: 'broken' } }
  await expect.poll(async () => (await first()).nodes).toMatchObject([broken])
  await at.send('POST', '/flows/marked/pause')
  await at.send('POST', '/messages/marked.n', { value: 2 })
  expect((await first()).flows).toMatchObject([{ name: 'marked', status: 'paused', held: 1 }])
  await at.send('POST', '/flows/marked/stop')
  expect((await first()).nodes).toMatchObject([broken])
  await at.send('POST', '/flows/marked/start')
  expect((await first()).nodes).toMatchObject([broken])
  await at.send('POST', '/flows/marked/nodes/work/acknowledge')
  expect((await first()).nodes).toMatchObject([{ node: 'work', status: 'idle', error: null }])
})

test('a publish is answered once the value is stored, runs what reads it, and works while the flow is stopped', async () => {
  await publish(at, 'alarm', alarmFlow)
  const stopped = await at.send('POST', '/messages/alarm.temp', { value: 5 })
  expect([stopped.status, stopped.body]).toEqual([200, expect.objectContaining({ value: 5, cascade: null })])
  await at.send('POST', '/flows/alarm/start')
  const active = await at.send('POST', '/messages/temp', { value: 30 })
  expect(active.body).toMatchObject({ name: 'alarm.temp', value: 30, cascade: expect.any(String) })
  const { body } = await at.send('GET', '/messages/alarm.temp/history')
  expect(body).toMatchObject([{ value: 30 }, { value: 5 }])
})

test('two services in one process share nothing', async () => {
  await using other = await startService()
  await publish(at, 'apart', scaleFlow)
  expect((await other.send('GET', '/flows/')).body).toEqual([])
  expect((await fetch(`${other.baseUrl}/flows/`, { headers: { authorization: `Bearer ${at.token}` } })).status).toBe(
    401,
  )
})
