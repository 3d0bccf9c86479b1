import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'

import { AwakeTime } from './components/awake-time.ts'
import { publishFlow, pythonNode } from './documents.ts'
import { attach, attachUrl, hello, Puppet } from './puppet-worker.ts'
import { startService, type TestService } from './service.ts'

let at: TestService
beforeAll(async () => {
  // whoever executes Python here is a worker
  at = await startService({ python: 'no-such-python' })
})
afterAll(() => at[Symbol.asyncDispose]())

/** One Python node for a worker, with an emitted metric. */
const remoteFlow = (worker: string, more: object = {}) => {
  const node = pythonNode('work', 'def run(n): return {"out": n}', { worker, cache: false, ...more })
  const loss = { direction: 'output', name: 'loss', dtype: 'float', stream: true }
  return {
    mode: 'batch',
    inputs: [{ name: 'n', dtype: 'int', initial: 3 }],
    outputs: [{ name: 'out' }],
    resources: { cpus: 2 },
    nodes: [{ ...node, ports: [...node.ports, loss] }],
  }
}

async function mint(name: string, labels: string[] = []): Promise<{ token: string; jti: string }> {
  const { token, jti } = await at.client.workers.mintToken({ name, labels })
  return { token, jti }
}

const events = (action: string) =>
  at.client.observability
    .events({ kind: 'worker' })
    .then((all) => all.filter((event) => event.action === action).map(({ detail }) => detail))

describe('a worker', () => {
  test('attaches under the name and with the labels of its token, and shows what it has [R134, R438, R573, R579, R588]', async () => {
    const { token } = await mint('shop-floor', ['gpu', 'west'])
    const worker = await attach(at.baseUrl, token, { labels: ['west', 'gpu'] })
    const entry = (await at.client.workers.list()).find(({ name }) => name === 'shop-floor')
    expect(entry).toEqual({
      id: expect.any(String),
      name: 'shop-floor',
      labels: ['gpu', 'west'],
      version: '1.2.3',
      protocol: 1,
      status: 'attached',
      parallel: 2,
      calls: [],
      python: '3.12.1',
      platform: 'linux-x64',
      provisioned_by: null,
      resources: { cpus: 4, gpus: 1, ram_mb: 2000 },
      free: { cpus: 4, gpus: 1, ram_mb: 2000 },
      attached_at: expect.any(String),
      last_contact_at: expect.any(String),
    })
    expect(await events('worker.attach')).toContainEqual(
      expect.objectContaining({ worker: 'shop-floor', version: '1.2.3' }),
    )
    worker.socket.close()
    await expect.poll(async () => (await at.client.workers.list()).map(({ name }) => name)).not.toContain('shop-floor')
  })

  test.each([[['gpu2']], [['gpu', 'gpu2']], [['gp']], [[]]])(
    'with the labels %j in place of gpu is refused [R589, T29]',
    async (labels) => {
      const { token, jti } = await mint(`forger${labels.length}${labels.join('')}`, ['gpu'])
      const worker = new Puppet(at.baseUrl, token)
      await once(worker.socket, 'open')
      worker.send(hello({ labels }))
      expect(await worker.take('refused')).toMatchObject({
        code: 'labels_mismatch',
        detail: expect.stringContaining('--labels'),
      })
      expect((await worker.closed)[0]).toBe(4001)
      await at.client.http.workers.revokeToken({ jti })
    },
  )

  test('of another protocol is refused, and listed until one of its name attaches [R135, R439, R440]', async () => {
    const { token } = await mint('old')
    const old = new Puppet(at.baseUrl, token)
    await once(old.socket, 'open')
    old.send({ type: 'hello', protocol: 0, version: '0.9.0', name: 'x' })
    expect(await old.take('refused')).toMatchObject({ code: 'protocol_mismatch' })
    expect((await old.closed)[0]).toBe(4001)
    const listed = async () => (await at.client.workers.list()).filter(({ name }) => name === 'old')
    expect(await listed()).toMatchObject([{ status: 'needs_upgrade', version: '0.9.0', protocol: 0, parallel: 0 }])
    await attach(at.baseUrl, token)
    expect(await listed()).toMatchObject([{ status: 'attached', protocol: 1 }])
  })

  test('executes what asks for its label and for no more than it has; the run waits until it comes [R045, R057, R600, T33]', async () => {
    await at.send('PUT', '/secrets/remote_key', { value: 'value-of-the-secret' })
    await publishFlow(at.client, 'fits', remoteFlow('exact', { settings: { key: { $secret: 'remote_key' } } }))
    const near = await attach(at.baseUrl, (await mint('near', ['exact2'])).token, { labels: ['exact2'] })
    const weak = await attach(at.baseUrl, (await mint('weak', ['exact'])).token, {
      labels: ['exact'],
      resources: { cpus: 1, gpus: 0, ram_mb: 2000 },
    })
    const { id } = await at.client.http.runs.submit({ name: 'fits', params: { n: 5 } })
    await expect
      .poll(async () => (await at.client.http.runs.get({ id })).nodes[0])
      .toMatchObject({ status: 'queued', waiting_for: 'exact' })
    const strong = await attach(at.baseUrl, (await mint('strong', ['exact'])).token, { labels: ['exact'] })
    const call = await strong.take('call')
    expect(call).toMatchObject({
      flow: 'fits',
      node: 'work',
      run: id,
      inputs: { n: 5 },
      settings: { key: 'value-of-the-secret' },
    })
    strong.send({ type: 'started', call: call.call, pid: 7 })
    const busy = (await at.client.workers.list()).find(({ name }) => name === 'strong')
    expect(busy).toMatchObject({ calls: [{ flow: 'fits', node: 'work', run: id }], free: { cpus: 2, gpus: 1 } })
    const resources = await at.client.workers.resources()
    const share = resources.workers.find(({ name }) => name === 'strong')
    expect([share, resources.used]).toMatchObject([{ total: { cpus: 4 }, free: { cpus: 2 } }, { cpus: 2 }])
    strong.send({ type: 'result', call: call.call, outputs: { out: 25 } })
    expect(await at.client.wait(id)).toMatchObject({ status: 'ok', result: { out: 25 }, nodes: [{ worker: 'strong' }] })
    expect([...near.frames, ...weak.frames].map(({ type }) => type)).not.toContain('call')
  })

  test('has as much taken by a call as the flavor of its flow says at that time, and its other numbers [R045, R136, R581]', async () => {
    await at.client.http.flavors.create({ name: 'wide', cpus: 3, gpus: 1, ram_mb: 500 })
    const worker = await attach(at.baseUrl, (await mint('sized')).token)
    const free = async () => (await at.client.workers.list()).find(({ name }) => name === 'sized')?.free
    const resources = { flavor: 'wide', gpus: 0 }
    await publishFlow(at.client, 'sized', { ...remoteFlow('sized'), resources })
    const { id } = await at.client.http.runs.submit({ name: 'sized' })
    const first = await worker.take('call')
    expect(await free()).toEqual({ cpus: 1, gpus: 1, ram_mb: 1500 })
    // too large for what is left
    const second = await at.client.http.runs.submit({ name: 'sized' })
    await expect
      .poll(async () => (await at.client.http.runs.get({ id: second.id })).nodes[0])
      .toMatchObject({ status: 'queued', waiting_for: 'sized' })
    await at.client.http.flavors.update({ name: 'wide', cpus: 0.5 })
    const next = await worker.take('call')
    expect(await free()).toEqual({ cpus: 0.5, gpus: 1, ram_mb: 1000 })
    for (const { call } of [first, next]) worker.send({ type: 'result', call, outputs: { out: 1 } })
    for (const run of [id, second.id]) expect(await at.client.wait(run)).toMatchObject({ status: 'ok' })
  })

  test('that disconnects fails its calls at once [R442]', async () => {
    await publishFlow(at.client, 'lost', remoteFlow('fragile'))
    const worker = await attach(at.baseUrl, (await mint('fragile')).token)
    const { id } = await at.client.http.runs.submit({ name: 'lost' })
    await worker.take('call')
    worker.socket.terminate()
    const run = await at.client.wait(id)
    expect(run).toMatchObject({ status: 'error', nodes: [{ error: { type: 'worker_lost' } }] })
    expect(await events('worker.detach')).toContainEqual({ worker: 'fragile', lost_calls: 1 })
  })

  test('harms nothing with forged, doubled and broken frames; what it says of its own call fails that call alone [T34, F33]', async () => {
    await publishFlow(at.client, 'forged', remoteFlow('liar'))
    await publishFlow(at.client, 'honest', remoteFlow('honest'))
    const liar = await attach(at.baseUrl, (await mint('liar')).token)
    const honest = await attach(at.baseUrl, (await mint('honest')).token)
    const [mine, theirs] = await Promise.all(
      ['forged', 'honest'].map((name) => at.client.http.runs.submit({ name, params: { n: 1 } })),
    )
    const [own, other] = [await liar.take('call'), await honest.take('call')]
    // a call of somebody else, an unknown one, types that do not exist, text and bytes that are no frame
    liar.send({ type: 'result', call: other.call, outputs: { out: 'forged' } })
    liar.send({ type: 'error', call: randomUUID(), error: { type: 'x', message: 'y', traceback: null } })
    liar.send({ type: 'of-a-later-version', call: own.call })
    liar.socket.send('{"type": "emi')
    liar.socket.send(Buffer.from([1, 2, 3]), { binary: true })
    liar.send({ type: 'emit', call: own.call, batch: 'no list' })
    expect(await liar.take('cancel')).toEqual({ type: 'cancel', call: own.call })
    expect(await at.client.wait(String(mine?.id))).toMatchObject({
      status: 'error',
      nodes: [{ error: { type: 'malformed_frame', message: expect.stringContaining('"emit" at "batch"') } }],
    })
    honest.send({ type: 'result', call: other.call, outputs: { out: 4 } })
    honest.send({ type: 'result', call: other.call, outputs: { out: 5 } })
    expect(await at.client.wait(String(theirs?.id))).toMatchObject({ status: 'ok', result: { out: 4 } })
  })

  test('whose value has more levels than a reader can write as JSON fails its call, and harms no reader [T34]', async () => {
    await publishFlow(at.client, 'deep', remoteFlow('deep'))
    const worker = await attach(at.baseUrl, (await mint('deep')).token)
    const { id } = await at.client.http.runs.submit({ name: 'deep' })
    const { call } = await worker.take('call')
    const value = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    worker.socket.send(`{"type":"result","call":"${call}","outputs":{"out":${value}}}`)
    expect(await at.client.wait(id)).toMatchObject({ nodes: [{ error: { type: 'DtypeViolation' } }] })
    expect((await at.send('GET', '/messages')).status).toBe(200)
  })

  test('that sends a frame over 32 MiB is disconnected', async () => {
    const worker = await attach(at.baseUrl, (await mint('heavy')).token)
    worker.socket.send(`{"type":"heartbeat","calls":["${'x'.repeat(33 * 1024 * 1024)}"]}`)
    expect((await worker.closed)[0]).toBe(1009)
  })

  test('whose token is revoked loses its link and its calls, whether it answers or not', async () => {
    await publishFlow(at.client, 'unheard', remoteFlow('deaf'))
    const { token, jti } = await mint('deaf')
    const worker = await attach(at.baseUrl, token)
    const { id } = await at.client.http.runs.submit({ name: 'unheard' })
    await worker.take('call')
    worker.socket.pause()
    using awake = new AwakeTime()
    await at.client.http.workers.revokeToken({ jti })
    expect(await at.client.wait(id)).toMatchObject({ status: 'error', nodes: [{ error: { type: 'worker_lost' } }] })
    expect(awake.ms).toBeLessThan(15_000)
  })

  test('is one of 200 that come back at once: all are attached, while the API answers [F34]', async () => {
    const { token } = await mint('crowd')
    const answers = Promise.all(Array.from({ length: 20 }, () => at.send('GET', '/runs')))
    const crowd = await Promise.all(Array.from({ length: 200 }, () => attach(at.baseUrl, token)))
    expect((await at.client.workers.list()).filter(({ name }) => name === 'crowd')).toHaveLength(200)
    expect((await answers).map(({ status }) => status)).toEqual(Array<number>(20).fill(200))
    for (const { socket } of crowd) socket.close()
  })

  test('is told that the engine restarts, and gets in no more when that has another signing key [R634]', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'rekeyed-'))
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    const brief = await startService({ python: 'no-such-python', dataDir })
    const { token } = await brief.client.workers.mintToken({ name: 'w', labels: [] })
    const knock = (to: TestService) =>
      new WebSocket(attachUrl(to.baseUrl), { headers: { authorization: `Bearer ${token}` } })
    const socket = knock(brief)
    await once(socket, 'open')
    const closed = once(socket, 'close')
    await brief.close()
    expect((await closed)[0]).toBe(1012)
    rmSync(join(dataDir, 'oauth_signing_key.pem'))
    await using next = await startService({ python: 'no-such-python', dataDir })
    const [, refused] = (await once(knock(next), 'unexpected-response')) as [unknown, { statusCode: number }]
    expect(refused.statusCode).toBe(401)
  })

  test('has the seconds of a stop to end its call, as the code of the engine has', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'stopped-'))
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    const first = await startService({ python: 'no-such-python', dataDir })
    await publishFlow(first.client, 'ends', remoteFlow('w'))
    const { token } = await first.client.workers.mintToken({ name: 'w' })
    const worker = await attach(first.baseUrl, token)
    const { id } = await first.client.http.runs.submit({ name: 'ends', params: { n: 5 } })
    const { call } = await worker.take('call')
    const closing = first.close()
    // it takes no requests any more
    await expect.poll(() => fetch(first.baseUrl).then(String, () => 'gone')).toBe('gone')
    worker.send({ type: 'result', call, outputs: { out: 25 } })
    await closing
    expect(await worker.closed).toEqual([1012, 'the engine stops'])
    await using second = await startService({ python: 'no-such-python', dataDir })
    expect(await second.client.http.runs.get({ id })).toMatchObject({ status: 'ok', result: { out: 25 } })
  })
})
