import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { connect } from 'node:net'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type Artifacts, createArtifacts } from '../../src/artifacts/artifacts.ts'
import { HASHED_FIRST_BYTES } from '../../src/artifacts/folder-store.ts'
import { artifactsEndpoints, artifactsHandlers } from '../../src/artifacts/routes.ts'
import { bind } from '../../src/http/mount.ts'
import { type Running, serve } from '../http/server.ts'
import { digestOf, flipBit, keyOf, named, ofDevices, openStores, storeKinds, type Stores } from './stores.ts'

const MAX_BYTES = 20_000_000
const eventLog = { audit: async () => undefined }

describe.each(storeKinds)('in $name', (kind) => {
  let stores: Stores
  let server: Running
  let corrupt: string[] = []
  /** What the endpoints work on; each test may put something in its place. */
  let artifacts: Pick<Artifacts, 'put' | 'open' | 'delete'>

  /** Artifacts of an engine that has just started: it has hashed nothing yet. */
  const fresh = (): Promise<Artifacts> =>
    stores.fresh({ maxBytes: MAX_BYTES, onCorrupt: (digest) => corrupt.push(digest) })
  beforeAll(async () => {
    stores = await openStores(kind)
    const current: typeof artifacts = {
      put: (source, options) => artifacts.put(source, options),
      open: (digest) => artifacts.open(digest),
      delete: (digest, note) => artifacts.delete(digest, note),
    }
    server = await serve(bind(artifactsEndpoints, artifactsHandlers({ artifacts: current, eventLog, ofDevices })))
    artifacts = await fresh()
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await stores[Symbol.asyncDispose]()
  })

  async function stored(data: Buffer): Promise<string> {
    const { ref } = await artifacts.put(data, named)
    corrupt = []
    artifacts = await fresh()
    return ref.digest
  }
  const get = (digest: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
    fetch(`${server.url}/artifacts/${digest}`, { method, headers })
  const put = (data: Buffer<ArrayBuffer>, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${server.url}/artifacts`, { method: 'PUT', body: data, headers })

  test('a large download whose bytes have changed is cut before its end, told, and 404 from then on [T65]', async () => {
    const data = randomBytes(HASHED_FIRST_BYTES + 500_000)
    const digest = await stored(data)
    await flipBit(stores, digest, 3_000_000)
    const answer = await get(digest)
    expect(answer.status).toBe(200)
    await expect(answer.arrayBuffer()).rejects.toThrow('terminated')
    expect(corrupt).toEqual([digest])
    expect((await get(digest)).status).toBe(404)
    expect(server.logged).toEqual([])

    expect((await put(data)).status).toBe(200)
    expect(digestOf(Buffer.from(await (await get(digest)).arrayBuffer()))).toBe(digest)
  })

  test('a part of changed bytes, small changed bytes and a file of another length are 404 [T65]', async () => {
    const large = randomBytes(HASHED_FIRST_BYTES + 1)
    const part = await stored(large)
    await flipBit(stores, part, large.length - 1)
    expect((await get(part, { range: 'bytes=0-9' })).status).toBe(404)
    expect(corrupt).toEqual([part])

    const small = await stored(randomBytes(1000))
    await flipBit(stores, small, 0)
    expect((await get(small)).status).toBe(404)
    expect(corrupt).toEqual([small])

    const short = await stored(randomBytes(HASHED_FIRST_BYTES + 2))
    await stores.place.write(keyOf(short), randomBytes(10))
    expect((await get(short, {}, 'HEAD')).status).toBe(404)
    expect(corrupt).toEqual([short])
  })

  test('the end of the bytes, and what is asked for by HEAD', async () => {
    const data = randomBytes(HASHED_FIRST_BYTES + 7)
    const digest = await stored(data)
    const end = await get(digest, { range: 'bytes=-7' })
    expect([end.status, end.headers.get('content-length')]).toEqual([206, '7'])
    expect(Buffer.from(await end.arrayBuffer())).toEqual(data.subarray(-7))
    const all = await get(digest, { range: `bytes=-${data.length * 2}` })
    expect([all.status, all.headers.get('content-range')]).toEqual([206, `bytes 0-${data.length - 1}/${data.length}`])
    expect((await all.arrayBuffer()).byteLength).toBe(data.length)
    const head = await get(digest, { range: 'bytes=0-9' }, 'HEAD')
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([206, '10', ''])
    expect((await get(digest, { range: 'bytes=-0' })).status).toBe(416)
  })

  test('no bytes are an artifact like others; no part of them can be had', async () => {
    const empty = Buffer.alloc(0)
    const answer = await put(empty)
    expect([answer.status, await answer.json()]).toMatchObject([201, { digest: digestOf(empty), size: 0 }])
    for (const from of [artifacts, await fresh()]) {
      artifacts = from
      const bytes = await get(digestOf(empty))
      expect([bytes.status, bytes.headers.get('content-length'), await bytes.text()]).toEqual([200, '0', ''])
    }
    expect((await get(digestOf(empty), { range: 'bytes=0-' })).status).toBe(416)
  })

  test('equal bytes that are sent at the same moment are stored once, and both senders get the reference [R108]', async () => {
    const data = randomBytes(300_000)
    const answers = await Promise.all([put(data), put(data), put(data)])
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    for (const answer of answers) expect(await answer.json()).toMatchObject({ digest: digestOf(data), size: 300_000 })
  })

  test('bytes that are not those which the sender meant are refused and not kept', async () => {
    const data = randomBytes(1000)
    const field = (of: Buffer): string => `sha-256=:${createHash('sha256').update(of).digest('base64')}:`
    const refused = await put(data, { 'content-digest': field(randomBytes(3)) })
    expect([refused.status, await refused.json()]).toMatchObject([
      422,
      { code: 'validation_failed', errors: [{ path: 'header.content-digest', code: 'digest_mismatch' }] },
    ])
    expect((await get(digestOf(data))).status).toBe(404)
    const hexadecimal = `sha-256=:${digestOf(data).slice('sha256:'.length)}:`
    const wrong = ['sha-256=:AAAA:', 'sha-512=:AAAA:, sha-256=', 'sha-256', `${field(data)}, sha-256=:AAAA:;a=1`]
    for (const written of [hexadecimal, ...wrong]) {
      // oxlint-disable-next-line no-await-in-loop -- each on its own
      const answer = await put(data, { 'content-digest': written })
      expect([written, answer.status, await answer.json()]).toMatchObject([
        written,
        422,
        { errors: [{ path: 'header.content-digest', message: expect.stringContaining('base64 of its 32 bytes') }] },
      ])
    }
    expect((await get(digestOf(data))).status).toBe(404)
    expect((await put(data, { 'content-digest': `sha-512=:AAAA:, ${field(data)}` })).status).toBe(201)
  })

  test('of several digests that a sender gives the last one counts, whatever its parameters', async () => {
    const data = randomBytes(1000)
    const field = `sha-256=:${createHash('sha256').update(data).digest('base64')}:`
    const right = [
      `${field};a=1`,
      `sha-256=:AAAA:, ${field}`,
      `${field}; a="b, sha-256=c";d`,
      `sha-512=:AAAA:;a="b\\", sha-256=c",${field}`,
    ]
    for (const written of right) {
      // oxlint-disable-next-line no-await-in-loop -- each on its own
      const answer = await put(data, { 'content-digest': written })
      expect([written, answer.ok]).toEqual([written, true])
    }
  })

  test('an upload that says it is too large is refused before it is sent [T61] [R672]', async () => {
    const limited = await serve(bind(artifactsEndpoints, artifactsHandlers({ artifacts, eventLog, ofDevices })), {
      maxBodyBytes: { 'artifacts.put': 1000 },
    })
    const upload = httpRequest(`${limited.url}/artifacts`, {
      method: 'PUT',
      headers: { 'content-length': '5000000000' },
    })
    upload.on('error', () => undefined)
    upload.flushHeaders()
    const [answer] = (await once(upload, 'response')) as [IncomingMessage]
    expect(answer.statusCode).toBe(413)
    upload.destroy()
    await limited[Symbol.asyncDispose]()
    expect(await stores.staged()).toEqual([])
  })

  test('a full disk is 503, which says so, and a later upload works [F24]', async () => {
    const working = artifacts
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
    const { content, database } = stores.stores[0]
    const stage = content.stage.bind(content)
    content.stage = () => Promise.reject(full)
    artifacts = createArtifacts({ database, content, onCorrupt: () => undefined })
    const answer = await put(randomBytes(10))
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { code: 'unavailable', detail: expect.stringContaining('full') },
    ])
    expect(answer.headers.get('retry-after')).toBe('60')
    content.stage = stage
    artifacts = working
    expect((await put(randomBytes(10))).status).toBe(201)
  })

  test('a reader that stalls holds the engine back, and what it read from is closed when it leaves [F45]', async () => {
    const working = artifacts
    let given = 0
    const left = Promise.withResolvers<void>()
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          given += 65_536
          yield new Uint8Array(65_536)
          // lets timers and sockets have their turn, as a disk does
          await new Promise((resolve) => setImmediate(resolve))
        }
      } finally {
        left.resolve()
      }
    }
    const ref = {
      digest: digestOf(Buffer.from('endless')),
      name: '',
      media_type: 'image/png',
      size: 2 ** 40,
      volatile: false,
    }
    artifacts = { ...working, open: async () => ({ ref, read: endless, directUrl: null }) }
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`GET /api/v1/artifacts/${ref.digest} HTTP/1.1\r\nhost: x\r\n\r\n`)
    await once(socket, 'readable')
    // many turns in which an unheeded reader would have been given everything
    for (let turn = 0; turn < 3000; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(given).toBeLessThan(32 * 1024 * 1024)
    socket.destroy()
    await left.promise
    artifacts = working
  })
})
