import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { AwakeTime } from './components/awake-time.ts'
import { publish, startService, type TestService } from './service.ts'

const outputs = (name: string, dtype = 'int') => [{ direction: 'output', name, dtype }]
const hooked = (url: string, more: object[] = []) => ({
  mode: 'live',
  nodes: [{ id: 'hook', type: 'http', settings: { url }, ports: outputs('v') }, ...more],
})
/** Passes what it reads on. */
const relay = (id: string, from: string, to: string) => ({
  id,
  type: 'change',
  settings: { scale: 1 },
  ports: [
    { direction: 'input', port: 'x', name: from, dtype: 'int' },
    { direction: 'output', name: to, dtype: 'int' },
  ],
})

const post = (at: TestService, flow: string, url: string, value: number): Promise<Response> =>
  fetch(`${at.origin}/hooks/${flow}/${url}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: String(value),
  })

async function start(at: TestService, name: string, document: object): Promise<void> {
  await publish(at, name, document)
  expect((await at.send('POST', `/flows/${name}/start`)).body).toMatchObject({ status: 'active' })
}

/** The values of a message that the history holds, the oldest first. */
async function history(at: TestService, message: string): Promise<unknown[]> {
  const values: unknown[] = []
  for (let before = ''; ;) {
    const page = (await at.send('GET', `/messages/${message}/history?limit=500${before}`)).body as unknown as {
      ts: string
      value: unknown
    }[]
    values.push(...page.map(({ value }) => value))
    const last = page.at(-1)
    if (page.length < 500 || !last) return values.toReversed()
    before = `&before=${encodeURIComponent(last.ts)}`
  }
}

let at: TestService
beforeAll(async () => {
  at = await startService()
})
afterAll(() => at[Symbol.asyncDispose]())

/** Posts from many clients at once, each one after the other; the statuses by value. */
async function storm(total: number, clients: number, send: (value: number) => Promise<Response>) {
  const statuses = new Map<number, number>()
  let next = 0
  const client = async (): Promise<void> => {
    while (next < total) {
      const value = next++
      const answer = await send(value)
      await answer.arrayBuffer()
      statuses.set(value, answer.status)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return statuses
}

describe('a storm of webhooks [F46]', () => {
  test('loses and doubles nothing that was accepted', async () => {
    await start(at, 'exact', hooked('in', [relay('r', 'v', 'w')]))
    const statuses = await storm(900, 50, (value) => post(at, 'exact', 'in', value))
    const accepted = [...statuses].filter(([, status]) => status === 202).map(([value]) => value)
    expect(accepted).toHaveLength(900)
    for (const message of ['exact.v', 'exact.w']) {
      await expect.poll(async () => (await history(at, message)).length).toBe(900)
      expect((await history(at, message)).toSorted((a, b) => Number(a) - Number(b))).toEqual(
        accepted.toSorted((a, b) => a - b),
      )
    }
  })

  test('is answered, leaves the API to others, and ends with the flow that it is for', async () => {
    await start(at, 'storm', hooked('in', [relay('r', 'v', 'w')]))
    const before = process.memoryUsage().rss
    let isOver = false
    const watch = (async () => {
      while (!isOver) expect((await at.send('GET', '/flows/storm')).status).toBe(200)
    })()
    const statuses = await storm(3000, 100, (value) => post(at, 'storm', 'in', value))
    isOver = true
    await watch
    expect(new Set(statuses.values())).toEqual(new Set([202]))
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024)

    const during = storm(600, 50, (value) => post(at, 'storm', 'in', value))
    using awake = new AwakeTime()
    const stopped = await at.send('POST', '/flows/storm/stop')
    // and what a busy machine needs
    expect(awake.ms).toBeLessThan(10_000)
    expect(stopped.body).toEqual({ name: 'storm', status: 'stopped', held: 0 })
    expect(new Set((await during).values())).toEqual(expect.toSatisfy(onlyOf([202, 404, 422])))
    expect((await post(at, 'storm', 'in', 1)).status).toBe(404)
  })

  const onlyOf = (allowed: readonly number[]) => (seen: unknown) =>
    [...(seen as Set<number>)].every((status) => allowed.includes(status))
})

test('two flows that feed each other are stopped by the limit of a cascade, and everything else goes on [F47]', async () => {
  await start(at, 'ping', { mode: 'live', nodes: [relay('a', 'pong.p', 'q')] })
  await start(at, 'pong', { mode: 'live', nodes: [relay('b', 'ping.q', 'p')] })
  const kick = () =>
    fetch(`${at.baseUrl}/messages/pong.p`, {
      method: 'POST',
      headers: { authorization: `Bearer ${at.token}`, 'content-type': 'application/json' },
      body: '{"value":1}',
    })
  const kicks = storm(30, 3, kick)
  const times: number[] = []
  for (let round = 0; round < 20; round += 1) {
    const begun = performance.now()
    expect((await at.send('GET', '/flows/')).status).toBe(200)
    times.push(performance.now() - begun)
  }
  expect(times.toSorted((a, b) => a - b)[10]).toBeLessThan(2000)
  expect([...(await kicks).values()].every((status) => status === 200)).toBe(true)
  const marked = async () => {
    const states = await Promise.all(['ping', 'pong'].map((name) => at.send('GET', `/flows/${name}`)))
    return JSON.stringify(states.map(({ body }) => body))
  }
  await expect.poll(marked).toContain('loop_limit')
  for (const name of ['ping', 'pong']) {
    expect((await at.send('POST', `/flows/${name}/stop`)).body).toMatchObject({ status: 'stopped' })
  }
})

test('a request that fails is made again, and the flow sees the answer', async () => {
  const statuses = [503, 503, 200]
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(statuses.shift() ?? 200, { 'content-type': 'application/json' }).end('{"level":7}')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ports = [
    { direction: 'input', name: 'ask', dtype: 'str' },
    { direction: 'output', name: 'level', dtype: 'any' },
  ]
  const fetching = {
    id: 'fetch',
    type: 'http',
    settings: { url: `${origin}/level`, method: 'GET' },
    retry: { attempts: 3, delay_s: 0.1 },
    ports,
  }
  const document = { mode: 'live', inputs: [{ name: 'ask', dtype: 'str' }], nodes: [fetching] }
  await start(at, 'asking', document)
  await at.send('POST', '/messages/asking.ask', { value: 'now' })
  await expect.poll(() => history(at, 'asking.level')).toEqual([7])
  expect(asked).toHaveLength(3)
  const { body } = await at.send('GET', '/flows/asking')
  expect(body).toMatchObject({ issues: [], node_states: [{ node: 'fetch', status: 'idle', error: null }] })
})

test('a flow that is published over and over while it is fed handles each accepted value once [F57]', async () => {
  const document = (title: string) => ({ ...hooked('in', [relay('r', 'v', 'w')]), title })
  await start(at, 'changing', document('0'))
  let isOver = false
  const accepted: number[] = []
  const feed = (async () => {
    for (let value = 0; !isOver; value += 1) {
      expect((await post(at, 'changing', 'in', value)).status).toBe(202)
      accepted.push(value)
    }
  })()
  for (let version = 1; version <= 20; version += 1) {
    const saved = await at.send('PUT', '/flows/changing', { ...document(String(version)), version })
    const published = await at.send('POST', '/flows/changing/publish', { version: saved.body?.version })
    expect(published.body).toMatchObject({ status: 'active', title: String(version) })
  }
  isOver = true
  await feed
  expect((await post(at, 'changing', 'in', -1)).status).toBe(202)
  await expect.poll(async () => (await history(at, 'changing.w')).at(-1)).toBe(-1)
  const kept = (await history(at, 'changing.v')).slice(-accepted.length - 1)
  expect(kept).toEqual([...accepted, -1].slice(-kept.length))
  const passed = await history(at, 'changing.w')
  expect(new Set(passed).size).toBe(passed.length)

  await at.send('POST', '/flows/changing/stop')
  expect((await post(at, 'changing', 'in', 1)).status).toBe(404)
})
