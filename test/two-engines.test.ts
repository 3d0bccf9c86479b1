/** Two engine processes on one PostgreSQL server, and the live flow that one of them runs: any request may go to either. */
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { hasPostgres } from './components/postgres.ts'
import { publishFlow } from './documents.ts'
import { DataDirectory, type EngineProcess } from './engine-process.ts'
import { runningFlows } from './running-flows.ts'
import { useServerDatabases } from './server-databases.ts'

/** Durable requests, whose values leave as `seen`. */
const porch = {
  mode: 'live',
  nodes: [
    {
      id: 'hook',
      type: 'http',
      settings: { url: 'in', durable: true },
      ports: [{ direction: 'output', name: 'temp', dtype: 'float' }],
    },
    {
      id: 'pass',
      type: 'change',
      ports: [
        { direction: 'input', name: 'temp', dtype: 'float' },
        { direction: 'output', name: 'seen', dtype: 'float' },
      ],
    },
  ],
}

const knock = async ({ origin }: EngineProcess, temp: number): Promise<number> => {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ temp })
  return (await fetch(`${origin}/hooks/porch/in`, { method: 'POST', headers, body })).status
}

const seen = async ({ client }: EngineProcess): Promise<unknown[]> =>
  (await client.http.messages.history({ message: 'porch.seen' })).map(({ value }) => value).toReversed()

const runs = ({ client }: EngineProcess): Promise<number> => runningFlows(client)

/** Whoever waits for a lease of that length to be over waits longer than the tests. */
const NEVER_OVER = { SERVICE_ENGINE_LEASE_S: '300' }

describe.skipIf(!hasPostgres())('two engines on a PostgreSQL server', () => {
  const databases = useServerDatabases()

  const shared = async (
    name: string,
    data: DataDirectory,
    more: NodeJS.ProcessEnv = {},
  ): Promise<NodeJS.ProcessEnv> => ({
    ...(await databases.env(name)),
    SERVICE_ARTIFACTS_DIR: join(data.path, 'shared'),
    SERVICE_ENGINE_LEASE_S: '2',
    ...more,
  })

  test('the flow of an engine that is killed goes on at the other by itself, with what it held and what it had published; the killed one does not take it back', async () => {
    using data = new DataDirectory()
    using elsewhere = new DataDirectory()
    const env = await shared('killed', data)
    const [killed, other] = [await data.start(env), await elsewhere.start(env)]
    await publishFlow(killed.client, 'porch', porch)
    await killed.client.http.flows.start({ name: 'porch' })
    expect(await knock(killed, 1)).toBe(202)
    await expect.poll(() => seen(killed)).toEqual([1])
    await killed.client.http.flows.pause({ name: 'porch' })
    expect([await knock(killed, 2), await knock(other, 3)]).toEqual([202, 202])

    await killed.end('SIGKILL')
    await expect.poll(() => runs(other)).toBe(1)
    expect(await other.client.http.flows.get({ name: 'porch' })).toMatchObject({ status: 'paused', held: 2 })
    await other.client.http.flows.resume({ name: 'porch' })
    await expect.poll(() => seen(other)).toEqual([1, 2, 3])

    const again = await data.start(env)
    expect(await again.client.http.flows.get({ name: 'porch' })).toMatchObject({ status: 'active' })
    expect([await knock(again, 4), await knock(other, 5)]).toEqual([202, 202])
    for (const engine of [again, other]) await expect.poll(() => seen(engine)).toEqual([1, 2, 3, 4, 5])
    expect([await runs(again), await runs(other)]).toEqual([0, 1])
    for (const engine of [again, other]) expect(await engine.end('SIGTERM')).toBe(0)
  })

  test('an engine that stood still for longer than its lease ends what the other has taken, and passes requests on to it', async () => {
    using data = new DataDirectory()
    using elsewhere = new DataDirectory()
    const env = await shared('standing', data)
    const [standing, other] = [await data.start(env), await elsewhere.start(env)]
    await publishFlow(standing.client, 'porch', porch)
    await standing.client.http.flows.start({ name: 'porch' })
    expect(await knock(standing, 1)).toBe(202)
    await expect.poll(() => seen(standing)).toEqual([1])
    standing.child.kill('SIGSTOP')
    await expect.poll(() => runs(other)).toBe(1)
    expect(await knock(other, 2)).toBe(202)
    standing.child.kill('SIGCONT')
    await expect.poll(() => runs(standing)).toBe(0)
    expect([await knock(standing, 3), await knock(other, 4)]).toEqual([202, 202])
    await expect.poll(() => seen(other)).toEqual([1, 2, 3, 4])
    expect(await standing.client.http.flows.stop({ name: 'porch' })).toMatchObject({ status: 'stopped' })
    expect(await runs(other)).toBe(0)
    for (const engine of [standing, other]) expect(await engine.end('SIGTERM')).toBe(0)
  })

  test('an engine that ends hands its flow over without a wait for its lease, and no request is refused meanwhile', async () => {
    using data = new DataDirectory()
    using elsewhere = new DataDirectory()
    const env = await shared('ends', data, NEVER_OVER)
    const [first, other] = [await data.start(env), await elsewhere.start(env)]
    await publishFlow(first.client, 'porch', porch)
    await first.client.http.flows.start({ name: 'porch' })
    expect(await knock(first, 1)).toBe(202)
    const ended = first.end('SIGTERM')
    const sent = [1]
    do {
      const next = sent.length + 1
      expect(await knock(other, next)).toBe(202)
      sent.push(next)
    } while ((await runs(other)) === 0)
    expect(await ended).toBe(0)
    await expect.poll(() => seen(other)).toEqual(sent)
    expect(await other.end('SIGTERM')).toBe(0)
  })

  test('what a killed engine ran begins with the next life in its data directory, without a wait for the lease', async () => {
    using data = new DataDirectory()
    const env = await shared('again', data, NEVER_OVER)
    const first = await data.start(env)
    await publishFlow(first.client, 'porch', porch)
    await first.client.http.flows.start({ name: 'porch' })
    expect(await knock(first, 1)).toBe(202)
    await expect.poll(() => seen(first)).toEqual([1])
    await first.end('SIGKILL')
    const second = await data.start(env)
    expect(await knock(second, 2)).toBe(202)
    await expect.poll(() => seen(second)).toEqual([1, 2])
    expect(await second.end('SIGTERM')).toBe(0)
  })

  test('whatever is asked of a flow is answered alike by the engine that runs it and by the other', async () => {
    using data = new DataDirectory()
    using elsewhere = new DataDirectory()
    const env = await shared('alike', data, NEVER_OVER)
    const both = [await data.start(env), await elsewhere.start(env)]
    const asked = { name: 'porch' }
    await publishFlow(both[0]!.client, 'porch', porch)
    for (const { client } of both) {
      expect(await client.http.flows.start(asked)).toMatchObject({ status: 'active' })
      for (const at of both) expect(await knock(at, 1)).toBe(202)
      expect(await client.http.flows.pause(asked)).toMatchObject({ status: 'paused' })
      for (const other of both) expect(await other.client.http.flows.get(asked)).toMatchObject({ status: 'paused' })
      expect(await client.http.flows.resume(asked)).toMatchObject({ status: 'active' })
      expect(await client.http.flows.nodes.trigger({ ...asked, id: 'pass', values: { temp: 2 } })).toBeDefined()
      expect(await client.http.flows.nodes.logs({ ...asked, node: 'hook' })).toMatchObject({ ended: false })
    }
    for (const at of both) await expect.poll(() => seen(at)).toEqual([1, 1, 2, 1, 1, 2])
    for (const engine of both) expect(await engine.end('SIGTERM')).toBe(0)
  })
})
