import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'

import type { Client } from '@flow-service/client-sdk'
import type { Run } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { spawnAgent, startAgent } from './agent-process.ts'
import { AwakeTime } from './components/awake-time.ts'
import { Authority } from './components/certificates.ts'
import { publishFlow, pythonFlow } from './documents.ts'
import { DataDirectory, processesWith } from './engine-process.ts'
import { startService, type TestService } from './service.ts'

/** Uses all three helpers: reads an artifact, stores another, emits numbers that JSON lacks too. */
const helpers = `import math, sys
def run(n, rows):
    text = load_artifact(rows).decode()
    for step, loss in enumerate([1.5, math.nan, math.inf, n]):
        emit(loss=loss, step=step)
    print("read", len(text), "bytes")
    print("done", file=sys.stderr)
    kept = save_artifact(text.upper().encode(), name="upper.txt", media_type="text/plain")
    return {"out": {"n": n, "names": ["\\u00e4", "\\U0001f600"], "none": None}, "kept": kept, "ratio": math.nan}
`

const port = (direction: string, name: string, dtype: string, more: object = {}) => ({
  direction,
  name,
  dtype,
  ...more,
})

/** The flow with its code on the engine, or on a worker. */
const withHelpers = (worker: string | null) => ({
  mode: 'batch',
  inputs: [
    { name: 'n', dtype: 'int', initial: 3 },
    { name: 'rows', dtype: 'artifact' },
  ],
  outputs: [{ name: 'out' }, { name: 'kept' }, { name: 'ratio' }],
  nodes: [
    {
      id: 'work',
      type: 'python',
      source: helpers,
      worker,
      cache: false,
      ports: [
        port('input', 'n', 'int'),
        port('input', 'rows', 'artifact'),
        port('output', 'loss', 'float', { stream: true }),
        port('output', 'step', 'int', { stream: true }),
        port('output', 'out', 'any'),
        port('output', 'kept', 'artifact'),
        port('output', 'ratio', 'float'),
      ],
    },
  ],
})

/** The same in TypeScript, placed once on the engine and once on a worker. */
const project = `import { batchFlow, input, stage, stream, t } from '@flow-service/flow-sdk'
export const work = stage('work', {
  in: { n: t.int, rows: t.artifact },
  out: { loss: stream(t.float), out: t.any, kept: t.artifact },
  cache: false,
  run: async ({ n, rows }, ctx) => {
    const text = new TextDecoder().decode(await ctx.loadArtifact(rows))
    for (const loss of [1.5, Number.NaN, Infinity, n]) ctx.emit('loss', loss)
    ctx.log('read', text.length, 'bytes')
    const bytes = new TextEncoder().encode(text.toUpperCase())
    const kept = await ctx.saveArtifact(bytes, { name: 'upper.txt', mediaType: 'text/plain' })
    return { out: { n, drawn: ctx.random() }, kept }
  },
})
const flow = (name, options) => batchFlow(name, { n: input(t.int, 3), rows: t.artifact }, (p, use) => {
  const { out, kept } = use(work, { n: p.n, rows: p.rows }, options)
  return { out, kept }
})
export const tsHere = flow('tsHere', {})
export const tsThere = flow('tsThere', { worker: 'lab' })
`

let root: string
let at: TestService
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'remote-'))
  mkdirSync(join(root, 'flows'))
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(root, 'flows', 'same.ts'), project)
  symlinkSync(join(import.meta.dirname, '../examples/quickstart/node_modules'), join(root, 'node_modules'))
  at = await startService({ flows: join(root, 'flows') })
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})

/** What of a run must be the same wherever it was executed. */
async function outcome(client: Client, run: Run) {
  const [node] = run.nodes
  const series = await client.http.runs.metrics({ id: run.id, stride: 1 })
  return {
    status: run.status,
    error: run.error,
    result: run.result,
    logs: node?.logs,
    curves: series.map(({ name, points }) => [name.split('.')[1], points.map(({ step, value }) => [step, value])]),
  }
}

describe('a remote worker', () => {
  test.each([
    ['Python', 'pyHere', 'pyThere'],
    ['TypeScript', 'tsHere', 'tsThere'],
  ])('executes %s as the engine does: outputs, metrics, logs and artifacts [R028, R017]', async (_, here, there) => {
    if (here === 'pyHere') {
      await publishFlow(at.client, here, withHelpers(null))
      await publishFlow(at.client, there, withHelpers('lab'))
    }
    const agent = await startAgent(at, `lab-of-${here}`, { labels: ['lab'] })
    const stored = await at.send('PUT', '/artifacts?name=rows.txt', 'a,b\n1,2\n', { 'content-type': 'text/plain' })
    const runs: Run[] = []
    for (const name of [here, there]) {
      const { id } = await at.client.http.runs.submit({ name, params: { n: 4, rows: stored.body as never }, seed: 7 })
      runs.push((await at.client.wait(id)) as Run)
    }
    expect(at.service.loadErrors).toEqual([])
    const [own, remote] = await Promise.all(runs.map((run) => outcome(at.client, run)))
    expect(own).toMatchObject({ status: 'ok', error: null, result: { kept: { name: 'upper.txt', size: 8 } } })
    expect(remote).toEqual(own)
    expect(runs.map(({ nodes }) => nodes[0]?.worker)).toEqual(['engine', `lab-of-${here}`])
    expect(agent.output()).not.toContain(agent.token)
  })

  test('that is killed in a call fails it within a second, and leaves no process [F29, R442]', async () => {
    const mark = `REMOTE_AGENT_MARK=${process.pid}-kill`
    const agent = await startAgent(at, 'killed', { env: { REMOTE_AGENT_MARK: `${process.pid}-kill` } })
    const id = await begun(at, 'killed')
    using awake = new AwakeTime()
    await agent.end('SIGKILL')
    const run = await at.client.wait(id)
    expect(run).toMatchObject({ status: 'error', nodes: [{ error: { type: 'worker_lost' } }] })
    expect(awake.ms).toBeLessThan(5000)
    if (process.platform === 'linux') await expect.poll(() => processesWith(mark)).toEqual([])
  })

  test('whose token is revoked in a call fails it, and exits with 4 [F37, T30]', async () => {
    const agent = await startAgent(at, 'sacked')
    const id = await begun(at, 'sacked')
    const exit = once(agent.child, 'exit')
    await at.client.http.workers.revokeToken({ jti: agent.jti })
    expect(await at.client.wait(id)).toMatchObject({ status: 'error', nodes: [{ error: { type: 'worker_lost' } }] })
    expect((await exit)[0]).toBe(4)
  })

  test('whose clock is a day late is shown with the times of the engine [F39]', async () => {
    const ahead = join(root, 'ahead.mjs')
    writeFileSync(ahead, 'const { now } = Date; Date.now = () => now() + 86_400_000\n')
    await startAgent(at, 'ahead', { env: { NODE_OPTIONS: `--import ${ahead}` } })
    await publishFlow(at.client, 'clocked', pythonFlow('def run(n): return {"out": n}', { worker: 'ahead' }))
    const before = Date.now()
    const { id } = await at.client.http.runs.submit({ name: 'clocked' })
    const run = await at.client.wait(id)
    const [node] = run.nodes
    const times = [node?.started_at, node?.finished_at, run.finished_at].map((text) => Date.parse(String(text)))
    expect(times.every((time) => time >= before - 1000 && time <= Date.now() + 1000)).toBe(true)
  })

  test('comes over TLS where it trusts the certificate, and stores its artifacts there too [R597, R598]', async () => {
    const authority = new Authority('lab authority')
    const { cert, key } = authority.vouchFor(['localhost'])
    const caFile = join(root, 'ca.pem')
    writeFileSync(caFile, authority.cert)
    const { port: plain } = new URL(at.origin)
    const proxy = createServer({ cert, key }, (client) => {
      const onward = connect(Number(plain), '127.0.0.1')
      client.pipe(onward).pipe(client)
      for (const end of [client, onward]) end.on('error', () => end.destroy())
    })
    await once(proxy.listen(0, 'localhost'), 'listening')
    onTestFinished(() => void proxy.close())
    const baseUrl = `https://localhost:${(proxy.address() as AddressInfo).port}/api/v1`
    await startAgent({ baseUrl, client: at.client }, 'sealed', { env: { NODE_EXTRA_CA_CERTS: caFile } })
    const source = 'def run(n): return {"out": save_artifact(b"kept", name="k.txt", media_type="text/plain")}'
    await publishFlow(at.client, 'sealed', pythonFlow(source, { worker: 'sealed', cache: false }))
    const { id } = await at.client.http.runs.submit({ name: 'sealed' })
    expect(await at.client.wait(id)).toMatchObject({ status: 'ok', result: { out: { name: 'k.txt', size: 4 } } })
    const stranger = await spawnAgent({ baseUrl, client: at.client }, 'stranger')
    await expect.poll(() => stranger.output()).toMatch(/not attached: .*certificate/)
  })

  test('ends what it executes when its engine ends, and attaches to the next one, which repeats nothing [F35]', async () => {
    using data = new DataDirectory()
    const first = await data.start()
    const { port: number } = new URL(first.origin)
    const agent = await startAgent(first, 'steady', { env: { REMOTE_AGENT_MARK: `${process.pid}-steady` } })
    const id = await begun(first, 'steady')
    await first.end('SIGKILL')
    const second = await data.start({}, number)
    await expect.poll(async () => (await second.client.workers.list()).map(({ name }) => name)).toEqual(['steady'])
    expect(await second.client.wait(id)).toMatchObject({ status: 'abandoned' })
    const [worker] = await second.client.workers.list()
    expect(worker?.calls).toEqual([])
    const quick = await second.client.http.runs.submit({ name: 'sleeps', params: { n: 0 } })
    expect(await second.client.wait(quick.id)).toMatchObject({ status: 'ok' })
    expect(await agent.end('SIGTERM')).toBe(0)
  })
})

/** A run that executes on a worker, for as long as it is let. */
async function begun(to: { readonly client: Client }, worker: string): Promise<string> {
  const source = 'import time\ndef run(n):\n    print("begun", flush=True)\n    time.sleep(n)\n    return {"out": n}\n'
  const name = worker === 'steady' ? 'sleeps' : `sleeps-on-${worker}`
  await publishFlow(to.client, name, pythonFlow(source, { worker, cache: false }))
  const { id } = await to.client.http.runs.submit({ name, params: { n: 600 } })
  await expect.poll(async () => (await to.client.http.runs.get({ id })).nodes[0]?.status).toBe('running')
  return id
}
