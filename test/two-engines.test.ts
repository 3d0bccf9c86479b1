/** Two engine processes on one PostgreSQL server, and the live flow that one of them runs. */
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { findPostgres } from './components/postgres.ts'
import { publishFlow } from './documents.ts'
import { DataDirectory, type EngineProcess } from './engine-process.ts'
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

describe.skipIf(!findPostgres())('two engines on a PostgreSQL server', () => {
  const databases = useServerDatabases()

  /** The environment of both, and what lets time pass for the contact of the engine that runs the flow. */
  const shared = async (name: string, data: DataDirectory) => {
    const env = { ...(await databases.env(name)), SERVICE_ARTIFACTS_DIR: join(data.path, 'shared') }
    const lose = (): Promise<void> =>
      databases
        .server()
        .execute(name, "update engine set contact_at = now() - interval '21 s' where id = (select engine from flow)")
    return { env, lose }
  }
  const inUse = { status: 409, problem: { code: 'in_use', engine: expect.stringMatching(/^[0-9a-f-]{36}$/) } }

  test('the flow of an engine that is killed is started at the other once contact is lost, with what it held and what it had published; the killed one does not take it back', async () => {
    using data = new DataDirectory()
    using elsewhere = new DataDirectory()
    const { env, lose } = await shared('killed', data)
    const [killed, other] = [await data.start(env), await elsewhere.start(env)]
    await publishFlow(killed.client, 'porch', porch)
    await killed.client.http.flows.start({ name: 'porch' })
    expect(await knock(killed, 1)).toBe(202)
    await expect.poll(() => seen(killed)).toEqual([1])
    await killed.client.http.flows.pause({ name: 'porch' })
    expect(await knock(killed, 2)).toBe(202)

    await killed.end('SIGKILL')
    await expect(other.client.http.flows.start({ name: 'porch' })).rejects.toMatchObject(inUse)
    await expect(other.client.http.flows.nodes.logs({ name: 'porch', node: 'hook' })).rejects.toMatchObject(inUse)
    expect(await other.client.http.flows.get({ name: 'porch' })).toMatchObject({ status: 'paused' })
    await lose()
    expect(await other.client.http.flows.get({ name: 'porch' })).toMatchObject({ status: 'failed' })
    expect(await other.client.http.flows.start({ name: 'porch' })).toMatchObject({ status: 'active' })
    await expect.poll(() => seen(other)).toEqual([1, 2])
    expect(await knock(other, 3)).toBe(202)

    const again = await data.start(env)
    expect(await again.client.http.flows.get({ name: 'porch' })).toMatchObject({ status: 'active' })
    expect([await knock(again, 4), await knock(other, 5)]).toEqual([404, 202])
    await expect.poll(() => seen(other)).toEqual([1, 2, 3, 5])
    for (const engine of [again, other]) expect(await engine.end('SIGTERM')).toBe(0)
  })

  test('an engine that stood still while another one has taken its flow ends it when it goes on', async () => {
    using data = new DataDirectory()
    using elsewhere = new DataDirectory()
    const { env, lose } = await shared('standing', data)
    const [standing, other] = [await data.start(env), await elsewhere.start(env)]
    await publishFlow(standing.client, 'porch', porch)
    await standing.client.http.flows.start({ name: 'porch' })
    standing.child.kill('SIGSTOP')
    await lose()
    expect(await other.client.http.flows.start({ name: 'porch' })).toMatchObject({ status: 'active' })
    standing.child.kill('SIGCONT')
    await expect.poll(() => knock(standing, 1)).toBe(404)
    expect(await knock(other, 2)).toBe(202)
    await expect(standing.client.http.flows.stop({ name: 'porch' })).rejects.toMatchObject(inUse)
    for (const engine of [standing, other]) expect(await engine.end('SIGTERM')).toBe(0)
  })

  test('an engine that ends leaves its flows to the next that opens, its own next life or another one', async () => {
    using data = new DataDirectory()
    using elsewhere = new DataDirectory()
    const { env } = await shared('ends', data)
    const first = await data.start(env)
    await publishFlow(first.client, 'porch', porch)
    await first.client.http.flows.start({ name: 'porch' })
    expect(await first.end('SIGTERM')).toBe(0)
    const second = await elsewhere.start(env)
    expect(await knock(second, 1)).toBe(202)
    await expect.poll(() => seen(second)).toEqual([1])
    await second.end('SIGKILL')
    // nobody waits for 20 s: its data directory tells that it has ended
    const third = await elsewhere.start(env)
    expect(await knock(third, 2)).toBe(202)
    await expect.poll(() => seen(third)).toEqual([1, 2])
    expect(await third.end('SIGTERM')).toBe(0)
  })
})
