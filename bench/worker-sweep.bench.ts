/**
 * Several workers of one engine: a sweep of trivial Python stages over four of them, against the same sweep in four places
 * of the engine itself, and what two hundred workers without a call cost it. The engine, the workers and the idle ones are
 * processes of their own; rounds alternate, and what is judged are ratios.
 */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

import { createClient } from '@flow-service/client-sdk'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'

import { startAgent } from '../test/agent-process.ts'
import { publishFlow, pythonFlow } from '../test/documents.ts'
import { useServers } from './child-servers.ts'

const PLACES = 4
const RUNS = 200
const ROUNDS = 5
const IDLE = 200
const IDLE_MS = 60_000
const { startAt } = useServers()

async function startEngine() {
  const { child, at } = await startAt<{ baseUrl: string; token: string }>('service-workers.ts', String(PLACES))
  return { child, baseUrl: at.baseUrl, client: createClient(at) }
}

type Engine = Awaited<ReturnType<typeof startEngine>>

/** Seconds of CPU time that the engine's own process has used. */
async function cpuOf({ child }: Engine): Promise<number> {
  const answer = once(child, 'message')
  child.send('cpu')
  return (await answer)[0] as number
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Runs a second, from the submission of a sweep to the end of its last run. */
async function sweep({ client }: Engine, name: string): Promise<number> {
  const begun = performance.now()
  const { runs } = await client.http.runs.sweep({ name, runs: Array.from({ length: RUNS }, (_, n) => ({ n })) })
  const ended = await Promise.all(runs.map(({ id }) => client.wait(id)))
  const perSecond = (RUNS / (performance.now() - begun)) * 1000
  expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['ok']))
  return perSecond
}

test(`a sweep of ${RUNS} runs over ${PLACES} workers is nearly as fast as on the engine alone`, async () => {
  const engine = await startEngine()
  const source = 'def run(n): return {"out": n}'
  await publishFlow(engine.client, 'here', pythonFlow(source, { cache: false }))
  await publishFlow(engine.client, 'there', pythonFlow(source, { cache: false, worker: 'lab' }))
  for (let place = 0; place < PLACES; place++)
    await startAgent(engine, `lab-${place}`, { labels: ['lab'], args: ['--cpus', '1'] })
  const rates: Record<string, number[]> = { here: [], there: [] }
  for (const name of ['here', 'there']) await sweep(engine, name)
  for (let round = 0; round < ROUNDS; round++)
    for (const name of round % 2 === 0 ? ['here', 'there'] : ['there', 'here'])
      rates[name]?.push(await sweep(engine, name))
  const [here, there] = [median(rates['here'] ?? []), median(rates['there'] ?? [])]
  console.log(
    `runs a second, ${PLACES} at a time: engine ${here.toFixed(0)}, ${PLACES} workers ${there.toFixed(0)}, ` +
      `ratio ${(there / here).toFixed(2)}`,
  )
  expect(there / here).toBeGreaterThan(0.8)
}, 600_000)

test(`${IDLE} idle workers cost the engine next to nothing`, async () => {
  const engine = await startEngine()
  const { token } = await engine.client.workers.mintToken({ name: 'idle', labels: ['idle'] })
  const sockets = await Promise.all(Array.from({ length: IDLE }, (_, at) => attach(engine, token, `idle-${at}`)))
  const idle = await percentOf(engine)
  for (const socket of sockets) socket.terminate()
  await expect.poll(() => engine.client.workers.list().then(({ length }) => length), { timeout: 60_000 }).toBe(0)
  const alone = await percentOf(engine)
  console.log(
    `an engine with ${IDLE} idle workers: ${idle.toFixed(2)} % of a core, without them: ${alone.toFixed(2)} %`,
  )
  expect(idle - alone).toBeLessThan(2)
}, 600_000)

/** What the engine uses of a core while nothing happens: two rounds of its pings. */
async function percentOf(engine: Engine): Promise<number> {
  const before = await cpuOf(engine)
  await pause(IDLE_MS)
  return ((await cpuOf(engine)) - before) * (100_000 / IDLE_MS)
}

/** A worker that says hello and nothing else; its socket answers pings. */
async function attach({ baseUrl }: Engine, token: string, name: string): Promise<WebSocket> {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/workers/attach`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await once(socket, 'open')
  const said = { type: 'hello', protocol: 1, version: '0.0.0', name, labels: ['idle'], parallel: 1 }
  const resources = { cpus: 1, gpus: 0, ram_mb: 100 }
  socket.send(JSON.stringify({ ...said, resources, python: null, platform: 'linux-x64' }))
  const [frame] = (await once(socket, 'message')) as [Buffer]
  expect(JSON.parse(frame.toString())).toMatchObject({ type: 'welcome' })
  return socket
}
