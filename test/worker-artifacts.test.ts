import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

import type { Run } from '@flow-service/protocol'
import { describe, expect, onTestFinished, test } from 'vitest'

import { startAgent } from './agent-process.ts'
import { credentials, s3Servers, urlOf } from './components/s3-servers.ts'
import { publishFlow } from './documents.ts'
import { startService, type TestService } from './service.ts'

/** Loads two artifacts, and stores both together. */
const source = `import hashlib
def run(first, second):
    data = load_artifact(first) + load_artifact(second)
    return {"out": hashlib.sha256(data).hexdigest(), "kept": save_artifact(data, "both.bin")}
`
const port = (direction: string, name: string, dtype: string) => ({ direction, name, dtype })
const flow = (worker: string) => ({
  mode: 'batch',
  inputs: ['first', 'second'].map((name) => ({ name, dtype: 'artifact' })),
  outputs: [{ name: 'out' }, { name: 'kept' }],
  nodes: [
    {
      id: 'work',
      type: 'python',
      source,
      worker,
      cache: false,
      ports: [
        port('input', 'first', 'artifact'),
        port('input', 'second', 'artifact'),
        port('output', 'out', 'str'),
        port('output', 'kept', 'artifact'),
      ],
    },
  ],
})

/** A way to a port: what it has passed, and where each connection breaks after so many bytes of answers. */
async function wayTo(to: number) {
  const way = { port: 0, up: 0, down: 0, broken: 0, breaksAfter: Number.POSITIVE_INFINITY }
  const server = createServer((client) => {
    const upstream = connect(to, '127.0.0.1')
    let down = 0
    upstream.on('data', (chunk: Buffer) => {
      down += chunk.length
      way.down += chunk.length
      client.write(chunk)
      if (down < way.breaksAfter) return
      way.broken += 1
      // everything until here arrives
      client.end()
      upstream.destroy()
    })
    client.on('data', (chunk: Buffer) => (way.up += chunk.length))
    client.pipe(upstream)
    client.on('error', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
    client.on('close', () => upstream.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  way.port = (server.address() as AddressInfo).port
  return way
}

/** A way to an engine, and the option by which a worker takes it to its artifacts. */
async function wayToArtifacts({ baseUrl }: TestService) {
  const { port, pathname } = new URL(baseUrl)
  const way = await wayTo(Number(port))
  return { way, args: ['--artifact-url', `http://127.0.0.1:${way.port}${pathname}/artifacts`] }
}

/** A worker that keeps nothing and takes this way to 12 MB of artifacts, and runs of the flow on it. */
async function transfer(at: TestService, name: string, args: readonly string[]) {
  await publishFlow(at.client, name, flow(name))
  const agent = await startAgent(at, name, { args: [...args], env: { SERVICE_ARTIFACT_CACHE_BYTES: '0' } })
  const data = [randomBytes(5_000_000), randomBytes(7_000_000)]
  const [first, second] = await Promise.all(data.map((bytes) => at.client.upload(bytes, { name: 'part' })))
  const run = async (): Promise<Run> => {
    const { id } = await at.client.http.runs.submit({ name, params: { first, second } as never })
    return await at.client.wait(id)
  }
  const both = Buffer.concat(data)
  const hex = createHash('sha256').update(both).digest('hex')
  const result = { out: hex, kept: { digest: `sha256:${hex}`, size: both.length } }
  return { agent, run, both, expected: { status: 'ok', result } }
}

test('large artifacts reach a worker whole, and come back, over connections that break all the time', async () => {
  await using at = await startService()
  const { way, args } = await wayToArtifacts(at)
  const { run, expected } = await transfer(at, 'shaky', args)
  way.breaksAfter = 1_500_000
  expect(await run()).toMatchObject(expected)
  expect(way.broken).toBeGreaterThan(5)
})

describe.each(s3Servers.map(({ name, start }) => [name, start] as const))('with a store of %s', (_, start) => {
  test('large artifacts pass the engine by, in both directions, whatever breaks', async () => {
    await using server = await start()
    const store = await wayTo(server.port)
    await using at = await startService({ artifactsUrl: urlOf(store.port), ...credentials })
    const { way, args } = await wayToArtifacts(at)
    const { agent, run, both, expected } = await transfer(at, 'direct', args)
    expect(await run()).toMatchObject(expected)
    const downloaded = await fetch(`${at.baseUrl}/artifacts/sha256:${expected.result.out}`, {
      headers: { authorization: `Bearer ${at.token}` },
    })
    expect(Buffer.from(await downloaded.arrayBuffer()).equals(both)).toBe(true)
    // what is stored is known by now, and only loaded again
    const sent = store.up
    store.breaksAfter = 1_500_000
    expect(await run()).toMatchObject(expected)
    expect([store.broken > 5, store.up - sent < 50_000]).toEqual([true, true])
    // the engine has seen the heads of requests, of 36 MB that were loaded and stored
    expect([way.up < 50_000, way.down < 50_000]).toEqual([true, true])
    expect(agent.output()).not.toContain('artifacts go through the engine')
  })
})
