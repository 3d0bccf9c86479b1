/**
 * What grows in a service that runs: the history of its engine, the live flows that it starts with, and the clients of its
 * event socket. Each doubling may cost at most 2.2 times as much; only this is judged.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'
import { expect, test } from 'vitest'

import { startService } from '../packages/api-server/test/observability/service.ts'
import { assertBuilt } from './built.ts'
import { ask, useServers } from './child-servers.ts'
import { best, dearest, DOUBLING, sizes } from './doublings.ts'
import { chainOf } from './flows/chain.ts'
import { memoryOf } from './processes.ts'

const root = join(import.meta.dirname, '..')
const PAGE = 500
/** Events that are made by one statement. */
const STEP = 250_000
const DEEP = 1.5
/** Most times of one statement that gives the same events, for 20 requests. */
const BARE = 3.5

test('the history of the engine, to 10,000,000 events', { timeout: 1_800_000 }, async () => {
  await using service = await startService()
  const { sql } = service.engine.database
  const next = (link: string | null) => /<([^>]+)>/.exec(link ?? '')?.[1]
  const read = async (query: string, events: number) => {
    let path: string | undefined = `/observability/events?limit=${PAGE}${query}`
    for (let rows = 0; rows < events && path !== undefined; rows += PAGE) {
      const answer = await service.root('GET', path)
      expect(answer.status).toBe(200)
      path = next(answer.headers.get('link'))
    }
  }
  /** Bytes of the pages that the newest events are read by, over one connection and as they are. */
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { authorization: `Bearer ${service.rootToken}`, 'accept-encoding': 'identity' }
  const readBytes = async (events: number) => {
    let url: string | undefined = `${service.origin}/api/v1/observability/events?limit=${PAGE}`
    for (let rows = 0; rows < events && url !== undefined; rows += PAGE) {
      const [answer] = (await once(request(url, { agent, headers }).end(), 'response')) as [IncomingMessage]
      expect(answer.statusCode).toBe(200)
      for await (const _ of answer);
      url = next([answer.headers.link ?? ''].flat().join())
    }
  }
  const readBare = async (events: number) =>
    Buffer.from(JSON.stringify(await sql`select * from engine_event order by ts desc, id desc limit ${events}`))
  const queries = { newest: '', 'of a flow': '&flow=flow7', 'of a kind': '&kind=worker' }
  const times = new Map(Object.keys(queries).map((what) => [what, new Map<number, number>()]))
  const whole = new Map<number, number>()
  const [rare, deep] = [new Map<number, number>(), new Map<number, number>()]
  let made = 0
  for (const size of sizes(10_000_000)) {
    // a statement that takes minutes is taken for hung
    for (let from = made; from < size; from += STEP) {
      await sql`
        insert into engine_event (id, ts, kind, level, flow, node, action, actor, detail)
        select gen_random_uuid(), now() - n * interval '200 ms', case n % 10 when 0 then 'worker' else 'audit' end, 'info',
          'flow' || n % 100, null, case n % 50000 when 0 then 'alert.rare' else 'flow.saved' end,
          json_build_object('id', '00000000-0000-4000-8000-00000000000' || n % 9, 'email', n % 9 || '@example.org'), '{"version":3}'
        from generate_series(${from + 1}::int, ${Math.min(from + STEP, size)}::int) n`
    }
    await sql`analyze engine_event`
    made = size
    for (const [what, query] of Object.entries(queries)) times.get(what)?.set(size, await best(() => read(query, PAGE)))
    whole.set(size, await best(() => read('', 10_000)))
    rare.set(size, await best(() => read('&action=alert.rare', PAGE)))
    const middle = new Date(Date.now() - (size / 2) * 200).toISOString()
    deep.set(size, (await best(() => read(`&before=${middle}`, PAGE))) / (times.get('newest')?.get(size) ?? Number.NaN))
  }
  for (const [what, all] of times) expect(dearest(`history, a page ${what}`, all)).toBeLessThan(DOUBLING)
  expect(dearest('history, a rare action', rare)).toBeLessThan(DOUBLING)
  expect(dearest('history, the newest 10,000 in pages of 500', whole)).toBeLessThan(DOUBLING)
  const [bytes, bare] = [await best(() => readBytes(10_000)), await best(() => readBare(10_000))]
  agent.destroy()
  console.log(
    `the newest 10,000 of ${made} as bytes, in pages of ${PAGE}: ${bytes.toFixed(0)} ms; ` +
      `one bare SELECT made to JSON ${bare.toFixed(0)} ms, ratio ${(bytes / bare).toFixed(2)}`,
  )
  expect(bytes / bare).toBeLessThan(BARE)
  console.log(`pages in the middle: ${[...deep].map(([size, ratio]) => `of ${size} ${ratio.toFixed(2)}`).join(', ')}`)
  for (const ratio of deep.values()) expect(ratio).toBeLessThan(DEEP)
})

/** A start of the published command: milliseconds until it listens, and MiB when it has come to rest. */
async function start(dataDir: string): Promise<{ ms: number; rest: number }> {
  const from = performance.now()
  const bin = join(root, 'packages/cli/dist/bin.js')
  const child = spawn(process.execPath, [bin, 'serve', '--port', '0', '--data', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('listens at')) resolve()
    })
    child.once('exit', () => reject(new Error('the engine has ended')))
  })
  const ms = performance.now() - from
  await pause(5000)
  const rest = memoryOf(child.pid ?? 0, 'VmRSS')
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
  return { ms, rest }
}

test('a start with live flows, to 1,000 of ten nodes', { timeout: 900_000 }, async () => {
  assertBuilt()
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-growth-'))
  const [times, memory] = [new Map<number, number>(), new Map<number, number>()]
  try {
    let made = 0
    for (const size of [100, ...sizes(1_000)]) {
      const service = await createService({ dataDir, port: 0, environment: 'local', logLevel: 'silent' })
      const { baseUrl } = await service.listen()
      const client = createClient({ baseUrl, token: await service.superuserToken() })
      for (; made < size; made++) {
        await client.flows.save(`live${made}`, { mode: 'live', nodes: chainOf(10) })
        await client.flows.publish(`live${made}`, { version: 1 })
        await client.http.flows.start({ name: `live${made}` })
      }
      await service.close()
      const starts = [await start(dataDir), await start(dataDir), await start(dataDir)]
      times.set(size, Math.min(...starts.map(({ ms }) => ms)))
      memory.set(size, Math.min(...starts.map(({ rest }) => rest)))
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
  console.log(`with 100: ${times.get(100)?.toFixed(0)} ms, ${memory.get(100)?.toFixed(0)} MiB`)
  for (const all of [times, memory]) all.delete(100)
  expect(dearest('a start with live flows', times)).toBeLessThan(DOUBLING)
  expect(dearest('memory with live flows', memory, 'MiB')).toBeLessThan(DOUBLING)
})

const servers = useServers('--expose-gc')

test('clients of the event socket, to 1,000', { timeout: 300_000 }, async () => {
  const VALUES = 30
  const { child, at } = await servers.startAt<{ url: string; token: string }>('event-service.ts')
  const clients = servers.start('event-clients.ts')
  await once(clients, 'message')
  const [cpu, memory] = [new Map<number, number>(), new Map<number, number>()]
  const empty = await ask<number>(child, 'memory')
  const publish = async (values: number): Promise<void> => {
    for (let value = 0; value < values; value++) {
      child.send('publish')
      await pause(100)
    }
  }
  let connected = 0
  for (const size of sizes(1_000)) {
    await ask(clients, { order: 'connect', url: `${at.url}?flows=bench`, token: at.token, count: size - connected })
    connected = size
    await publish(10) // what comes at once shares a frame, as while the first ones are slow
    await pause(1000)
    await ask(clients, { order: 'measure' })
    const before = await ask<number>(child, 'cpu')
    await publish(VALUES)
    const { frames } = await ask<{ frames: number }>(clients, { order: 'report', count: size * VALUES })
    expect(frames).toBe(size * VALUES)
    cpu.set(size, ((await ask<number>(child, 'cpu')) - before) * 1000)
    memory.set(size, ((await ask<number>(child, 'memory')) - empty) / 2 ** 20)
  }
  expect(dearest('a processor, for 30 values at all clients', cpu)).toBeLessThan(DOUBLING)
  expect(dearest('memory of the clients', memory, 'MiB')).toBeLessThan(DOUBLING)
})
