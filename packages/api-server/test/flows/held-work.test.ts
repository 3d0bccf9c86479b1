import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { FlowDocumentInput, Problem, StepResult } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { chain, input, listening, type LiveService, output, type Settings, startLive } from './live-service.ts'

let at: LiveService
beforeAll(async () => {
  at = await startLive()
})
afterAll(() => at[Symbol.asyncDispose]())

/** Values of `on` go through one node of a type. */
const through = (type: string, settings: Settings): FlowDocumentInput => ({
  inputs: [{ name: 'on' }],
  nodes: [{ id: 'node', type, settings, ports: [input('on'), output('off')] }],
})

test('a webhook of a paused flow takes requests: their values are known at once and held for who reads them', async () => {
  await at.publish('porch', listening())
  await at.control('porch', 'pause')
  for (const temp of [20, 21]) {
    const answer = await at.hook('porch/in', { temp })
    expect([answer.status, await answer.json()]).toEqual([202, { accepted: true }])
  }
  expect((await at.hook('porch/in', { temp: 'warm' })).status).toBe(422)
  await at.history('porch.temp', [20, 21])
  expect(await at.read('porch')).toMatchObject({ status: 'paused', held: 2 })
  expect(await at.values('porch.seen')).toEqual([])
  // told while nobody changes the flow (T5)
  const porch = { type: 'flow', name: 'porch', status: 'paused', held: 2 }
  await expect.poll(() => at.events).toContainEqual(expect.objectContaining(porch))
  await at.control('porch', 'resume')
  await at.history('porch.seen', [20, 21])
  await at.control('porch', 'stop')
  expect((await at.hook('porch/in', { temp: 22 })).status).toBe(404)
})

test('a timer that is due in a paused flow is held, and goes on when the flow does [F43]', async () => {
  await at.publish('quiet', through('debounce', { first: 'now', then: 'later', wait: 0.2 }))
  await at.publish('late', through('delay', { delay: 0.2 }))
  for (const name of ['quiet', 'late']) {
    await at.control(name, 'pause')
    await at.send(`${name}.on`, 'value')
    await at.control(name, 'step')
    await expect.poll(async () => (await at.read(name)).held).toBe(1)
  }
  expect(await at.values('quiet.off')).toEqual(['now'])
  expect(await at.values('late.off')).toEqual([])
  // a value that comes now waits behind the end of the burst before it
  await at.send('quiet.on', 2)
  await at.control('quiet', 'step')
  expect(await at.values('quiet.off')).toEqual(['now', 'later'])
  await at.control('quiet', 'step')
  expect(await at.values('quiet.off')).toEqual(['now', 'later', 'now'])
  for (const name of ['quiet', 'late']) await at.control(name, 'resume')
  await at.history('late.off', ['value'])
  await at.history('quiet.off', ['now', 'later', 'now', 'later'])
})

test('an interval ticks no further while its tick is held', async () => {
  const inject = { id: 'tick', type: 'inject', settings: { payload: 'tick', interval: 1 }, ports: [output('beat')] }
  await at.publish('pulse', { nodes: [inject] })
  await at.control('pulse', 'pause')
  const before = (await at.values('pulse.beat')).length
  await expect.poll(async () => (await at.read('pulse')).held).toBe(1)
  expect((await at.control<StepResult>('pulse', 'step')).value).toMatchObject({ released: 1, held: 0 })
  expect(await at.values('pulse.beat')).toHaveLength(before + 1)
  await at.control('pulse', 'resume')
  await expect.poll(async () => (await at.values('pulse.beat')).length).toBeGreaterThan(before + 1)
  await at.control('pulse', 'stop')
})

/** No work can be kept while `act` goes on. */
async function withoutTable<T>(act: () => Promise<T>): Promise<T> {
  const { sql } = at.engine.database
  await sql`alter table live_work rename to live_work_away`
  try {
    return await act()
  } finally {
    await sql`alter table live_work_away rename to live_work`
  }
}

test('a publish to a paused flow and a durable webhook are answered once what they left is committed', async () => {
  await at.publish('sure', chain())
  await at.publish('safe', listening({ durable: true }))
  await at.control('sure', 'pause')
  await at.control('safe', 'pause')
  const answered: string[] = []
  const answers = await withoutTable(async () => {
    const noted = (name: string) => (answer: { status: number }) => {
      answered.push(name)
      return answer.status
    }
    const pending = [at.send('sure.on', 1).then(noted('publish')), at.hook('safe/in', { temp: 20 }).then(noted('hook'))]
    await expect.poll(async () => (await at.read('sure')).held).toBe(1)
    for (let round = 0; round < 5; round++) await at.read('sure')
    expect(answered).toEqual([])
    return { pending }
  })
  expect(await Promise.all(answers.pending)).toEqual([200, 202])
  expect(await at.kept('sure')).toBe(1)
  // what is held, once the arrival beside it has ended
  expect(await at.kept('safe')).toBeGreaterThan(0)
  await expect.poll(() => at.kept('safe')).toBe(1)
  await at.control('safe', 'resume')
  await at.history('safe.seen', [20])
  await expect.poll(() => at.kept('safe')).toBe(0)
  await at.control('sure', 'stop')
})

test('what cannot be kept in time is refused with 503, and while that is known it is not heard later', async () => {
  await at.publish('refused', listening({ durable: true }))
  const answers = await withoutTable(async () => {
    const first = at.hook('refused/in', { temp: 20 })
    await expect.poll(() => at.values('refused.seen')).toEqual([20])
    // the write of the first has failed before these are answered
    for (let round = 0; round < 5; round++) await at.read('refused')
    return Promise.all([first, at.hook('refused/in', { temp: 20.5 })])
  })
  for (const answer of answers) {
    const { code, detail } = (await answer.json()) as Problem
    expect([answer.status, code, detail]).toEqual([503, 'unavailable', expect.stringContaining('try again')])
  }
  await expect.poll(async () => (await at.hook('refused/in', { temp: 21 })).status).toBe(202)
  await at.history('refused.seen', [20, 21])
  await expect.poll(() => at.kept('refused')).toBe(0)
  expect(await at.letters('refused')).toEqual([])
})

test('after a restart a paused flow is paused with what it held, in order; durable arrivals and timers go on [R451]', async () => {
  const first = await startLive()
  try {
    await first.publish('kept', { ...chain(), ...listening() })
    await first.publish('linked', {
      nodes: [{ id: 'n', type: 'change', settings: {}, ports: [input('kept.temp', { port: 'x' }), output('echo')] }],
    })
    await first.publish('halted', chain())
    await first.publish('late', through('delay', { delay: 1 }))
    for (const name of ['kept', 'linked']) await first.control(name, 'pause')
    await first.control('halted', 'pause')
    await first.control('halted', 'stop')
    await first.hook('kept/in', { temp: 20 })
    await first.hook('kept/in', { temp: 21 })
    await first.node('kept', 'pass', 'trigger', { values: { temp: 22 } })
    await first.send('late.on', 'late')
  } finally {
    await first.close()
  }

  const second = await startLive({ dataDir: first.dataDir })
  try {
    const states = await Promise.all(['kept', 'linked', 'halted', 'late'].map((name) => second.read(name)))
    expect(states.map(({ status, held }) => [status, held])).toEqual([
      ['paused', 3],
      ['paused', 2],
      ['stopped', 0],
      ['active', 0],
    ])
    expect((await second.control<StepResult>('kept', 'step')).value).toMatchObject({ released: 1, held: 2 })
    expect(await second.values('kept.seen')).toEqual([20])
    await second.hook('kept/in', { temp: 23 })
    for (const name of ['kept', 'linked']) await second.control(name, 'resume')
    await second.history('kept.seen', [20, 21, 22, 23])
    await second.history('linked.echo', [20, 21, 23])
    await second.history('late.off', ['late'])
    for (const name of ['kept', 'linked', 'late']) await expect.poll(() => second.kept(name)).toBe(0)
    expect(await second.letters('kept')).toEqual([])
  } finally {
    await second.close()
    await rm(first.dataDir, { recursive: true, force: true })
  }
})

test('a durable arrival is delivered again after a restart that came before the execution it caused had ended', async () => {
  const asked: (string | undefined)[] = []
  // only the second request is answered
  const server = createServer((request, response) => {
    if (asked.push(request.url) > 1) response.setHeader('content-type', 'application/json').end('{"answer":"done"}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { nodes = [] } = listening({ durable: true })
  const ports = [input('temp', { dtype: 'float' }), output('answer')]
  const ask = { id: 'ask', type: 'http', settings: { url, method: 'GET' as const }, ports }
  const first = await startLive()
  try {
    await first.publish('asking', { nodes: [...nodes.slice(0, 1), ask] })
    expect((await first.hook('asking/in', { temp: 20 })).status).toBe(202)
    await expect.poll(() => asked).toEqual(['/?temp=20'])
    expect(await first.kept('asking')).toBe(1)
  } finally {
    await first.close()
  }
  const second = await startLive({ dataDir: first.dataDir })
  try {
    await second.history('asking.answer', ['done'])
    expect(asked).toEqual(['/?temp=20', '/?temp=20'])
    await expect.poll(() => second.kept('asking')).toBe(0)
    expect(await second.values('asking.temp')).toEqual([20])
  } finally {
    await second.close()
    await rm(first.dataDir, { recursive: true, force: true })
    server.closeAllConnections()
    server.close()
  }
})
