import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { AwakeTime } from './components/awake-time.ts'
import { publishFlow, scaleFlow } from './documents.ts'
import { DataDirectory, type EngineProcess } from './engine-process.ts'
import { chosenKills, chosenSeed, randomFrom } from './seeded-kills.ts'

const loops = chosenKills(3)
const seed = chosenSeed()
/** Most of a start is the compilation of the engine. */
const env = { NODE_COMPILE_CACHE: join(tmpdir(), 'flow-service-compiled') }

test(
  'an engine that is killed over and over while it starts or soon after starts again, with everything that it acknowledged and no rest [F12]',
  async () => {
    console.log(`SEED=${seed} KILLS=${loops}`)
    const random = randomFrom(seed)
    using data = new DataDirectory()
    const acknowledged = { flows: new Set<string>(), digests: new Set<string>() }
    /** Saves flows and bytes until the engine is gone. */
    const write = async ({ baseUrl, client, token }: EngineProcess): Promise<never> => {
      for (;;) {
        const name = `flow-${acknowledged.flows.size}-${Math.floor(random() * 1e9)}`
        await client.http.flows.save({ name, flowDocument: scaleFlow as never })
        acknowledged.flows.add(name)
        const answer = await fetch(`${baseUrl}/artifacts`, {
          method: 'PUT',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
          body: name.repeat(1000),
        })
        acknowledged.digests.add(((await answer.json()) as { digest: string }).digest)
      }
    }
    // an engine that has begun for the first time, and others that find what it has left
    for (let loop = 0; loop < loops; loop += 1) await data.crash(100 + random() * 2900, write, env)
    // however long an engine takes to start, this one is killed while it writes
    const busy = await data.start(env)
    const until = acknowledged.flows.size + 5
    const ended = write(busy).catch(() => undefined)
    await expect.poll(() => acknowledged.flows.size).toBeGreaterThan(until)
    await busy.end('SIGKILL')
    await ended

    const begun = performance.now()
    const last = await data.start(env)
    console.log(`started in ${Math.round(performance.now() - begun)} ms, ${acknowledged.flows.size} flows`)
    const headers = { authorization: `Bearer ${last.token}` }
    const names = new Set((await last.client.flows.list()).map(({ name }) => name))
    expect([...acknowledged.flows].filter((name) => !names.has(name))).toEqual([])
    for (const digest of acknowledged.digests) {
      const answer = await fetch(`${last.baseUrl}/artifacts/${digest}`, { headers })
      expect([digest, answer.status]).toEqual([digest, 200])
      await answer.arrayBuffer()
    }
    // a slow machine may block an event loop for longer than an engine calls well
    await expect.poll(async () => (await fetch(`${last.baseUrl}/utils/health/`, { headers })).status).toBe(200)
    expect(readdirSync(join(data.path, 'artifacts', 'tmp'))).toEqual([])
    expect(await last.end('SIGTERM')).toBe(0)
    expect(readdirSync(data.path).filter((name) => name.includes('new'))).toEqual([])
  },
  120_000 + loops * 30_000,
)

test('a kill under 100 parallel submits: the engine is back in 5 s, has every run that it acknowledged, and makes none twice [F1]', async () => {
  using data = new DataDirectory()
  // it leaves its compiled code to the others
  await (await data.start(env)).end('SIGTERM')
  using clean = new AwakeTime()
  const first = await data.start(env)
  const cleanMs = clean.ms
  await publishFlow(first.client, 'scale', scaleFlow)
  const acknowledged = new Map<number, string>()
  let sent = 0
  const submit = async ({ client }: EngineProcess, n: number): Promise<string> =>
    (await client.http.runs.submit({ name: 'scale', params: { n }, seed: n, idempotency_key: `key ${n}` })).id
  const lane = async (): Promise<never> => {
    for (;;) {
      const n = sent++
      acknowledged.set(n, await submit(first, n))
      if (acknowledged.size === 150) void first.end('SIGKILL')
    }
  }
  await Promise.allSettled(Array.from({ length: 100 }, lane))
  await first.end('SIGKILL')

  using awake = new AwakeTime()
  const second = await data.start(env)
  expect(awake.ms).toBeLessThan(2 * cleanMs + 5000)
  const again = await Promise.all(Array.from({ length: sent }, (_, n) => submit(second, n)))
  expect(again.filter((id, n) => (acknowledged.get(n) ?? id) !== id)).toEqual([])
  expect(acknowledged.size).toBeGreaterThanOrEqual(150)
  await expect.poll(() => second.client.runs.list({ status: 'queued,running' })).toEqual([])
  const runs = await second.client.runs.list({ limit: 500 })
  expect(new Set(runs.map(({ id }) => id))).toEqual(new Set(again))
  expect(runs.filter(({ status }) => status !== 'ok' && status !== 'abandoned')).toEqual([])
  expect(await second.end('SIGTERM')).toBe(0)
})
