import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID, sign as signed } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createClient } from '@flow-service/client-sdk'
import type { EngineFrame, WorkerFrame } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'

import { publishFlow, pythonNode } from './documents.ts'
import { problemOf, startService, type TestService } from './service.ts'

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

const wsUrl = (baseUrl = at.baseUrl): string => `${baseUrl.replace('http', 'ws')}/workers/attach`

/** A worker that does what the test tells it. */
class Puppet {
  readonly socket: WebSocket
  readonly frames: EngineFrame[] = []
  readonly closed: Promise<[number, string]>

  constructor(token: string, baseUrl = at.baseUrl) {
    this.socket = new WebSocket(wsUrl(baseUrl), { headers: { authorization: `Bearer ${token}` } })
    this.socket.on('message', (data) => this.frames.push(JSON.parse((data as Buffer).toString()) as EngineFrame))
    this.socket.on('error', () => undefined)
    this.closed = once(this.socket, 'close').then(([code, reason]) => [Number(code), String(reason)])
    onTestFinished(() => this.socket.terminate())
  }

  send(frame: WorkerFrame | object): void {
    this.socket.send(JSON.stringify(frame))
  }

  /** The next frame of a type that has not been taken yet. */
  async take<T extends EngineFrame['type']>(type: T): Promise<Extract<EngineFrame, { type: T }>> {
    await vi.waitUntil(() => this.frames.some((frame) => frame.type === type), { timeout: 10_000 })
    const [frame] = this.frames.splice(
      this.frames.findIndex((one) => one.type === type),
      1,
    )
    return frame as Extract<EngineFrame, { type: T }>
  }
}

const hello = (more: object = {}) => ({
  type: 'hello',
  protocol: 1,
  version: '1.2.3',
  name: 'suggested',
  labels: [],
  parallel: 2,
  resources: { cpus: 4, gpus: 1, ram_mb: 2000 },
  python: '3.12.1',
  platform: 'linux-x64',
  ...more,
})

/** A worker that is attached. */
async function attach(token: string, more: object = {}, baseUrl = at.baseUrl): Promise<Puppet> {
  const worker = new Puppet(token, baseUrl)
  await once(worker.socket, 'open')
  worker.send(hello(more))
  await worker.take('welcome')
  return worker
}

/** The status of a refused handshake. */
async function handshake(token: string | null): Promise<number> {
  const headers = token === null ? {} : { authorization: `Bearer ${token}` }
  const socket = new WebSocket(wsUrl(), { headers })
  socket.on('error', () => undefined)
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }]
  return response.statusCode
}

const asWorker = (token: string) => createClient({ baseUrl: at.baseUrl, token })
const events = (action: string) =>
  at.client.observability
    .events({ kind: 'worker' })
    .then((all) => all.filter((event) => event.action === action).map(({ detail }) => detail))

describe('tokens', () => {
  test('are shown once, list without their texts, and last 365 days [R133, R576, R630, R631, R632, T28]', async () => {
    const minted = await at.client.workers.mintToken({ name: 'shown', labels: ['gpu', 'big'] })
    expect(minted).toMatchObject({
      name: 'shown',
      labels: ['gpu', 'big'],
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    const listed = (await at.client.workers.listTokens()).find(({ jti }) => jti === minted.jti)
    expect(listed).toEqual({
      jti: minted.jti,
      name: 'shown',
      labels: ['gpu', 'big'],
      expires_at: minted.expires_at,
      created_at: expect.any(String),
      revoked_at: null,
      last_used_at: null,
      provisioned: false,
    })
    const days = (Date.parse(minted.expires_at) - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(365)
    const signature = String(minted.token.split('.')[2])
    const files = readdirSync(at.dataDir, { recursive: true }).map((name) => join(at.dataDir, String(name)))
    expect(files.filter((file) => statSync(file).isFile() && readFileSync(file).includes(signature))).toEqual([])
  })

  test('have names of their own while they live', async () => {
    const { jti } = await mint('twice')
    const again = await at.send('POST', '/workers/tokens', { name: 'twice' })
    expect([again.status, problemOf(again).code]).toEqual([409, 'already_exists'])
    const many = await Promise.all(
      Array.from({ length: 8 }, () => at.send('POST', '/workers/tokens', { name: 'raced' })),
    )
    expect(many.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array<number>(7).fill(409)])
    await at.client.workers.revokeToken({ jti })
    await mint('twice')
  })

  test.each([
    [{ name: 'a b' }, '/name'],
    [{ name: 'engine' }, '/name'],
    [{ name: 'x', labels: ['engine'] }, '/labels/0'],
    [{ name: 'x', labels: ['gpu', 'gpu'] }, '/labels'],
    [{ name: 'x', labels: ['a/b'] }, '/labels/0'],
    [{ name: 'x', days: 3 }, '/days'],
  ])('%j is refused at %s', async (body, path) => {
    const answer = await at.send('POST', '/workers/tokens', body)
    expect([answer.status, problemOf(answer).errors?.[0]?.path]).toEqual([422, path])
  })

  test('of another key, shape or audience open nothing [R635, T31, T9]', async () => {
    const own = createPrivateKey(readFileSync(join(at.dataDir, 'oauth_signing_key.pem')))
    const other = generateKeyPairSync('ed25519').privateKey
    const { jti } = await mint('shaped')
    const sign = (claims: object, { key = own as KeyObject, typ = 'worker+jwt', aud = 'worker' } = {}): string => {
      const times = { iat: Math.floor(Date.now() / 1000), exp: Math.floor(Date.now() / 1000) + 60 }
      const parts = [
        { alg: 'EdDSA', typ },
        { jti, name: 'shaped', labels: [], aud, ...times, ...claims },
      ]
      const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
      return `${text}.${signed(null, Buffer.from(text), key).toString('base64url')}`
    }
    const tokens = [
      sign({}, { key: other }),
      sign({}, { aud: 'mcp' }),
      sign({}, { typ: 'session+jwt' }),
      sign({ labels: undefined }),
      sign({ jti: undefined }),
      sign({ jti: randomUUID() }),
      sign({ exp: 1 }),
    ]
    for (const token of [...tokens, at.token.slice(0, -2), null]) expect(await handshake(token)).toBe(401)
    expect(await handshake(at.token)).toBe(403)
    expect(await asWorker(sign({})).workers.runtime()).toBeDefined()
  })

  test('open artifacts and the runner, and nothing else [T32, R577, R578]', async () => {
    const { token, jti } = await mint('narrow')
    const headers = { authorization: `Bearer ${token}` }
    const put = await at.send('PUT', '/artifacts?name=a.txt', 'bytes', { ...headers, 'content-type': 'text/plain' })
    expect(put.status).toBe(201)
    const artifact = `${at.baseUrl}/artifacts/${String(put.body?.['digest'])}`
    expect(await (await fetch(artifact, { headers })).text()).toBe('bytes')
    const runner = await fetch(`${at.baseUrl}/workers/runtime`, { headers })
    expect([runner.headers.get('content-type'), await runner.text()]).toEqual([
      'text/x-python; charset=utf-8',
      expect.stringContaining('import service'),
    ])
    const known = { ...headers, 'if-none-match': String(runner.headers.get('etag')) }
    expect((await fetch(`${at.baseUrl}/workers/runtime`, { headers: known })).status).toBe(304)
    for (const path of ['/flows/', '/workers', '/runs', '/secrets/', '/users/me']) {
      expect((await at.send('GET', path, undefined, headers)).status).toBe(403)
    }
    await at.client.workers.revokeToken({ jti })
    expect((await fetch(artifact, { headers })).status).toBe(401)
  })

  test('when revoked disconnect their workers at once, for good [R441, R577, T30]', async () => {
    const { token, jti } = await mint('revoked')
    const worker = await attach(token)
    const revoked = await at.client.workers.revokeToken({ jti })
    expect(revoked).toMatchObject({ jti, revoked_at: expect.any(String), last_used_at: expect.any(String) })
    expect(await worker.closed).toEqual([4003, 'the token was revoked or has expired'])
    expect(await handshake(token)).toBe(401)
    expect(await at.client.workers.revokeToken({ jti })).toEqual(revoked)
    const unknown = await at.send('POST', `/workers/tokens/${randomUUID()}/revoke`)
    expect([unknown.status, problemOf(unknown).code]).toEqual([404, 'not_found'])
  })

  test('when revoked end the link of a worker that does not answer, too', async () => {
    await publishFlow(at.client, 'unheard', remoteFlow('deaf'))
    const { token, jti } = await mint('deaf')
    const worker = await attach(token)
    const { id } = await at.client.runs.submit({ name: 'unheard' })
    await worker.take('call')
    worker.socket.pause()
    const revokedAt = performance.now()
    await at.client.workers.revokeToken({ jti })
    expect(await at.client.wait(id)).toMatchObject({ status: 'error', nodes: [{ error: { type: 'worker_lost' } }] })
    expect(performance.now() - revokedAt).toBeLessThan(15_000)
  })
})

describe('a worker', () => {
  test('attaches under the name and with the labels of its token, and shows what it has [R134, R438, R573, R579, R588]', async () => {
    const { token } = await mint('shop-floor', ['gpu', 'west'])
    const worker = await attach(token, { labels: ['west', 'gpu'] })
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
      const worker = new Puppet(token)
      await once(worker.socket, 'open')
      worker.send(hello({ labels }))
      expect(await worker.take('refused')).toMatchObject({
        code: 'labels_mismatch',
        detail: expect.stringContaining('--labels'),
      })
      expect((await worker.closed)[0]).toBe(4001)
      await at.client.workers.revokeToken({ jti })
    },
  )

  test('of another protocol is refused, and listed until one of its name attaches [R135, R439, R440]', async () => {
    const { token } = await mint('old')
    const old = new Puppet(token)
    await once(old.socket, 'open')
    old.send({ type: 'hello', protocol: 0, version: '0.9.0', name: 'x' })
    expect(await old.take('refused')).toMatchObject({ code: 'protocol_mismatch' })
    expect((await old.closed)[0]).toBe(4001)
    const listed = async () => (await at.client.workers.list()).filter(({ name }) => name === 'old')
    expect(await listed()).toMatchObject([{ status: 'needs_upgrade', version: '0.9.0', protocol: 0, parallel: 0 }])
    await attach(token)
    expect(await listed()).toMatchObject([{ status: 'attached', protocol: 1 }])
  })

  test('executes what asks for its label and for no more than it has; the run waits until it comes [R045, R057, R600, T33]', async () => {
    await at.send('PUT', '/secrets/remote_key', { value: 'value-of-the-secret' })
    await publishFlow(at.client, 'fits', remoteFlow('exact', { settings: { key: { $secret: 'remote_key' } } }))
    const near = await attach((await mint('near', ['exact2'])).token, { labels: ['exact2'] })
    const weak = await attach((await mint('weak', ['exact'])).token, {
      labels: ['exact'],
      resources: { cpus: 1, gpus: 0, ram_mb: 2000 },
    })
    const { id } = await at.client.runs.submit({ name: 'fits', params: { n: 5 } })
    await expect
      .poll(async () => (await at.client.runs.get({ id })).nodes[0])
      .toMatchObject({ status: 'queued', waiting_for: 'exact' })
    const strong = await attach((await mint('strong', ['exact'])).token, { labels: ['exact'] })
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
    await at.client.flavors.create({ name: 'wide', cpus: 3, gpus: 1, ram_mb: 500 })
    const worker = await attach((await mint('sized')).token)
    const free = async () => (await at.client.workers.list()).find(({ name }) => name === 'sized')?.free
    const resources = { flavor: 'wide', gpus: 0 }
    await publishFlow(at.client, 'sized', { ...remoteFlow('sized'), resources })
    const { id } = await at.client.runs.submit({ name: 'sized' })
    const first = await worker.take('call')
    expect(await free()).toEqual({ cpus: 1, gpus: 1, ram_mb: 1500 })
    // too large for what is left
    const second = await at.client.runs.submit({ name: 'sized' })
    await expect
      .poll(async () => (await at.client.runs.get({ id: second.id })).nodes[0])
      .toMatchObject({ status: 'queued', waiting_for: 'sized' })
    await at.client.flavors.update({ name: 'wide', cpus: 0.5 })
    const next = await worker.take('call')
    expect(await free()).toEqual({ cpus: 0.5, gpus: 1, ram_mb: 1000 })
    for (const { call } of [first, next]) worker.send({ type: 'result', call, outputs: { out: 1 } })
    for (const run of [id, second.id]) expect(await at.client.wait(run)).toMatchObject({ status: 'ok' })
  })

  test('that disconnects fails its calls at once [R442]', async () => {
    await publishFlow(at.client, 'lost', remoteFlow('fragile'))
    const worker = await attach((await mint('fragile')).token)
    const { id } = await at.client.runs.submit({ name: 'lost' })
    await worker.take('call')
    worker.socket.terminate()
    const run = await at.client.wait(id)
    expect(run).toMatchObject({ status: 'error', nodes: [{ error: { type: 'worker_lost' } }] })
    expect(await events('worker.detach')).toContainEqual({ worker: 'fragile', lost_calls: 1 })
  })

  test('harms nothing with forged, doubled and broken frames; what it says of its own call fails that call alone [T34, F33]', async () => {
    await publishFlow(at.client, 'forged', remoteFlow('liar'))
    await publishFlow(at.client, 'honest', remoteFlow('honest'))
    const liar = await attach((await mint('liar')).token)
    const honest = await attach((await mint('honest')).token)
    const [mine, theirs] = await Promise.all(
      ['forged', 'honest'].map((name) => at.client.runs.submit({ name, params: { n: 1 } })),
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
    const worker = await attach((await mint('deep')).token)
    const { id } = await at.client.runs.submit({ name: 'deep' })
    const { call } = await worker.take('call')
    const value = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    worker.socket.send(`{"type":"result","call":"${call}","outputs":{"out":${value}}}`)
    expect(await at.client.wait(id)).toMatchObject({ nodes: [{ error: { type: 'DtypeViolation' } }] })
    expect((await at.send('GET', '/messages')).status).toBe(200)
  })

  test('that sends a frame over 32 MiB is disconnected', async () => {
    const worker = await attach((await mint('heavy')).token)
    worker.socket.send(`{"type":"heartbeat","calls":["${'x'.repeat(33 * 1024 * 1024)}"]}`)
    expect((await worker.closed)[0]).toBe(1009)
  })

  test('is one of 200 that come back at once: all are attached, while the API answers [F34]', async () => {
    const { token } = await mint('crowd')
    const answers = Promise.all(Array.from({ length: 20 }, () => at.send('GET', '/runs')))
    const crowd = await Promise.all(Array.from({ length: 200 }, () => attach(token)))
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
      new WebSocket(wsUrl(to.baseUrl), { headers: { authorization: `Bearer ${token}` } })
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
    const worker = await attach(token, {}, first.baseUrl)
    const { id } = await first.client.runs.submit({ name: 'ends', params: { n: 5 } })
    const { call } = await worker.take('call')
    const closing = first.close()
    // it takes no requests any more
    await expect.poll(() => fetch(first.baseUrl).then(String, () => 'gone')).toBe('gone')
    worker.send({ type: 'result', call, outputs: { out: 25 } })
    await closing
    expect(await worker.closed).toEqual([1012, 'the engine stops'])
    await using second = await startService({ python: 'no-such-python', dataDir })
    expect(await second.client.runs.get({ id })).toMatchObject({ status: 'ok', result: { out: 25 } })
  })
})
