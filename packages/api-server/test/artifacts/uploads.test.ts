/** Bytes that clients get from the store, and send to it, without the engine (wire decision U24). */
import { randomBytes } from 'node:crypto'

import type { ArtifactRef, ArtifactUpload } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { LyingProxy } from '../../../../test/components/lying-proxy.ts'
import { s3Servers, urlOf } from '../../../../test/components/s3-servers.ts'
import { createArtifacts } from '../../src/artifacts/artifacts.ts'
import { artifactsEndpoints, artifactsHandlers } from '../../src/artifacts/routes.ts'
import { uploadsEndpoints, uploadsHandlers } from '../../src/artifacts/upload-routes.ts'
import { createUploads, noUploads, type Uploads } from '../../src/artifacts/uploads.ts'
import type { Database } from '../../src/db/database.ts'
import { bind } from '../../src/http/mount.ts'
import { type Running, serve } from '../http/server.ts'
import { useDatabase } from '../use-database.ts'
import { digestOf, named, ofDevices, openS3 } from './stores.ts'

const MAX_BYTES = 1_000_000

/** A request with a JSON body, and its answer. */
const poster =
  (url: string) =>
  async <T = unknown>(path: string, body?: object): Promise<{ status: number; value: T }> => {
    const answer = await fetch(`${url}/artifacts/uploads${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return { status: answer.status, value: (await answer.json()) as T }
  }
const send = (to: ArtifactUpload, data: Buffer<ArrayBuffer>, headers = to.headers): Promise<Response> =>
  fetch(to.url, { method: 'PUT', headers, body: data })

test('an engine that keeps artifacts in a folder sends clients to the endpoint that takes their bytes', async () => {
  await using server = await serve(bind(uploadsEndpoints, uploadsHandlers({ uploads: noUploads })))
  const post = poster(server.url)
  const refusal = { status: 400, value: { code: 'bad_request', detail: expect.stringContaining('PUT /artifacts') } }
  expect(await post('', { digest: digestOf(Buffer.from('x')), size: 1 })).toMatchObject(refusal)
  expect(await post('/01900000-0000-7000-8000-0000000000aa/complete')).toMatchObject(refusal)
  expect(await post('', { digest: 'x', size: -1 })).toMatchObject({ status: 422, value: { code: 'validation_failed' } })
})

describe.each(s3Servers)('in $name', ({ name, start }) => {
  let database: Database
  let directory: string
  useDatabase((opened, at) => {
    database = opened
    directory = at
  })
  let proxy: LyingProxy
  let server: Running
  let uploads: Uploads
  let post: ReturnType<typeof poster>
  let put: (data: Buffer) => Promise<string>
  const ends: (() => PromiseLike<void>)[] = []
  beforeAll(async () => {
    const s3 = await start()
    proxy = await LyingProxy.before(s3.port)
    const content = await openS3(urlOf(proxy.port), directory, database)
    const artifacts = createArtifacts({ database, content, onCorrupt: () => undefined })
    uploads = createUploads({ database, direct: content.direct, maxBytes: MAX_BYTES })
    const eventLog = { audit: async () => undefined }
    server = await serve([
      ...bind(artifactsEndpoints, artifactsHandlers({ artifacts, eventLog, ofDevices })),
      ...bind(uploadsEndpoints, uploadsHandlers({ uploads })),
    ])
    post = poster(server.url)
    put = async (data) => (await artifacts.put(data, named)).ref.digest
    ends.push(
      () => server[Symbol.asyncDispose](),
      () => content.close(),
      () => proxy[Symbol.asyncDispose](),
      () => s3[Symbol.asyncDispose](),
    )
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })

  const get = (digest: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
    fetch(`${server.url}/artifacts/${digest}`, { method, headers, redirect: 'manual' })
  const rows = async (): Promise<number> => (await database.sql`select from artifact_upload`).length

  test('bytes that go past the engine are an artifact once they are completed', async () => {
    const data = randomBytes(300_000)
    const announced = { digest: digestOf(data), size: 300_000, name: 'a.bin', media_type: 'image/png' }
    const begun = await post<ArtifactUpload>('', announced)
    expect([begun.status, Object.keys(begun.value).toSorted()]).toEqual([
      201,
      ['expires_at', 'headers', 'upload', 'url'],
    ])
    expect(Date.parse(begun.value.expires_at)).toBeGreaterThan(Date.now())
    expect((await get(announced.digest)).status).toBe(404)
    expect((await post(`/${begun.value.upload}/complete`)).value).toMatchObject({
      code: 'validation_failed',
      errors: [{ path: '/upload', message: expect.stringContaining('nothing has arrived') }],
    })
    expect((await send(begun.value, data)).status).toBe(200)
    const ref = { digest: announced.digest, size: 300_000, name: 'a.bin', media_type: 'image/png', volatile: false }
    expect(await post(`/${begun.value.upload}/complete`)).toEqual({ status: 201, value: ref })
    const answer = await get(announced.digest)
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(data)
    expect(answer.headers.get('content-type')).toBe('image/png')
    expect([await rows(), await post(`/${begun.value.upload}/complete`)]).toMatchObject([0, { status: 404 }])
  })

  test('bytes that are here need not be sent, and are called what they were called last', async () => {
    const data = randomBytes(100)
    const digest = await put(data)
    expect(await post<ArtifactRef>('', { digest, size: 100, name: 'again' })).toEqual({
      status: 200,
      value: { digest, size: 100, name: 'again', media_type: 'application/octet-stream', volatile: false },
    })
    expect(await post('', { digest, size: 99 })).toMatchObject({
      status: 422,
      value: { errors: [{ path: '/size', code: 'digest_mismatch' }] },
    })
    expect(await rows()).toBe(0)
  })

  test('others than were announced are refused and removed, and never get the key of the digest', async () => {
    const [data, other] = [randomBytes(1000), randomBytes(1000)]
    for (const [sent, path] of [
      [other, '/digest'],
      [randomBytes(1001), '/size'],
    ] as const) {
      const { value } = await post<ArtifactUpload>('', { digest: digestOf(data), size: 1000 })
      const answer = await send(value, sent, { ...value.headers, 'content-length': String(sent.length) })
      // a store that checks signatures takes no other length
      if (!answer.ok) {
        expect([name, path, answer.status]).toEqual(['s3rver', '/size', 403])
        continue
      }
      expect(await post(`/${value.upload}/complete`)).toMatchObject({ status: 422, value: { errors: [{ path }] } })
      expect(await post(`/${value.upload}/complete`)).toMatchObject({ status: 404 })
    }
    expect((await get(digestOf(data))).status).toBe(404)
  })

  test('what the engine refuses of bytes that pass through it, it refuses of others', async () => {
    const [digest, before] = [digestOf(randomBytes(3)), await rows()]
    expect((await post('', { digest, size: MAX_BYTES + 1 })).status).toBe(413)
    expect((await post('', { digest, size: 3, name: '../x' })).status).toBe(422)
    expect((await post('', { digest, size: 3, media_type: 'png' })).status).toBe(422)
    expect((await post('/01900000-0000-7000-8000-0000000000aa/complete')).status).toBe(404)
    expect((await post('/sample/complete')).status).toBe(422)
    const unlimited = createUploads({
      database,
      direct: (await openS3(urlOf(proxy.port), directory, database)).direct,
      maxBytes: Infinity,
    })
    await expect(unlimited.begin({ digest, size: 6 * 1024 ** 3, name: '', mediaType: 'a/b' })).rejects.toMatchObject({
      status: 400,
    })
    expect(await rows()).toBe(before)
  })

  test('a store that is down is 503', async () => {
    const data = randomBytes(10)
    const digest = await put(randomBytes(11))
    const { value } = await post<ArtifactUpload>('', { digest: digestOf(data), size: 10 })
    proxy.lie = () => ({ status: 500 })
    expect((await post(`/${value.upload}/complete`)).status).toBe(503)
    expect((await post('', { digest, size: 11 })).status).toBe(503)
    proxy.lie = () => null
    expect((await send(value, data)).status).toBe(200)
    expect((await post(`/${value.upload}/complete`)).status).toBe(201)
  })

  test('by Prefer: direct a client is sent to the store, which gives the bytes to whoever comes with the URL', async () => {
    const data = randomBytes(1000)
    const digest = await put(data)
    const prefer = { prefer: 'respond-async, direct' }
    const answer = await get(digest, prefer)
    expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('preference-applied')]).toEqual([
      307,
      'no-store',
      'direct',
    ])
    const url = answer.headers.get('location') ?? ''
    expect(url).toContain('X-Amz-Expires=300')
    const part = await fetch(url, { headers: { range: 'bytes=10-19' } })
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, data.subarray(10, 20)])
    const all = await fetch(url)
    expect(Buffer.from(await all.arrayBuffer())).toEqual(data)
    expect(all.headers.get('content-disposition')).toBe('attachment')
    // who prefers nothing, has the bytes, or asks for no bytes, is answered here
    expect((await get(digest)).status).toBe(200)
    expect((await get(digest, { ...prefer, 'if-none-match': `"${digest}"` })).status).toBe(304)
    expect((await get(digest, prefer, 'HEAD')).status).toBe(200)
    expect((await get(digest, { prefer: 'directly' })).status).toBe(200)
    expect((await get(digestOf(Buffer.from('nobody has this')), prefer)).status).toBe(404)
  })

  test('a URL of the store tells no secret, and opens nothing else', async () => {
    const [digest, other] = [await put(randomBytes(10)), await put(randomBytes(10))]
    const { headers } = await get(digest, { prefer: 'direct' })
    const url = headers.get('location') ?? ''
    expect(decodeURIComponent(url).match(/S3RVER/g)).toHaveLength(1)
    if (name !== 's3rver') return
    const elsewhere = url.replaceAll(digest.slice(7), other.slice(7))
    expect((await fetch(elsewhere)).status).not.toBe(200)
    expect((await fetch(url, { method: 'PUT', body: 'x' })).status).toBe(403)
    expect((await fetch(url.replace(/Signature=[0-9a-f]/, 'Signature=x'))).status).toBe(403)
  })

  test('names that a browser would read otherwise are plain in the URL', async () => {
    const data = randomBytes(20)
    const answer = await fetch(`${server.url}/artifacts?name=${encodeURIComponent('it\'s "ü".html')}`, {
      method: 'PUT',
      headers: { 'content-type': "text/html; charset='utf-8'" },
      body: data,
    })
    expect(answer.status).toBe(201)
    const { headers } = await get(digestOf(data), { prefer: 'direct' })
    const direct = await fetch(headers.get('location') ?? '')
    expect([direct.status, direct.headers.get('content-disposition'), direct.headers.get('content-type')]).toEqual([
      200,
      'attachment; filename="it_s ___.html"',
      'application/octet-stream',
    ])
  })

  test('the digest is taken from a store that has computed it, and is read back from one that has not', async () => {
    const data = randomBytes(200_000)
    const { value } = await post<ArtifactUpload>('', { digest: digestOf(data), size: data.length })
    const knows = name === 'moto'
    await send(value, data, knows ? { ...value.headers, 'x-amz-sdk-checksum-algorithm': 'SHA256' } : value.headers)
    proxy.asked.length = 0
    expect((await post(`/${value.upload}/complete`)).status).toBe(201)
    const looks = proxy.asked.filter(({ method, path }) => method === 'GET' && path.includes(value.upload))
    expect(looks).toHaveLength(1)
    expect(looks[0]?.headers['x-amz-checksum-mode']).toBe('ENABLED')
    if (!knows) expect(looks[0]?.down).toBe(data.length)
  })
})
