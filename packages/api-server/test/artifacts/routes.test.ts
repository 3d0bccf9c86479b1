import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test, vi } from 'vitest'

import { createArtifacts } from '../../src/artifacts/artifacts.ts'
import { type FolderStore, openFolderStore } from '../../src/artifacts/folder-store.ts'
import { artifactsEndpoints, artifactsHandlers } from '../../src/artifacts/routes.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { createEventLog } from '../../src/events/event-log.ts'
import { secureHeaders } from '../../src/http/headers.ts'
import { bind } from '../../src/http/mount.ts'
import { databaseAt } from '../backend.ts'
import { type Running, serve } from '../http/server.ts'
import { quiet } from '../use-database.ts'
import { ofDevices } from './stores.ts'

const MAX_BYTES = 2_000_000
let directory: string
let database: Database
let content: FolderStore
let server: Running
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'artifacts-http-'))
  database = await openDatabase({ ...(await databaseAt(directory)), log: quiet })
  content = await openFolderStore(join(directory, 'artifacts'))
  const artifacts = createArtifacts({ database, content, maxBytes: MAX_BYTES, onCorrupt: () => undefined })
  const eventLog = createEventLog({ database, log: quiet })
  server = await serve(bind(artifactsEndpoints, artifactsHandlers({ artifacts, eventLog, ofDevices })), {}, (app) =>
    app.use(secureHeaders),
  )
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await database.close()
  await rm(directory, { recursive: true, force: true })
})

const digestOf = (data: Uint8Array): string => `sha256:${createHash('sha256').update(data).digest('hex')}`
const put = (query: string, data: string | Buffer<ArrayBuffer>, type?: string): Promise<Response> =>
  fetch(`${server.url}/artifacts${query}`, {
    method: 'PUT',
    body: data,
    ...(type === undefined ? {} : { headers: { 'content-type': type } }),
  })
const get = (digest: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetch(`${server.url}/artifacts/${digest}`, { method, headers })
async function stored(data: Buffer<ArrayBuffer>, type = 'image/png', query = '?name=a.png'): Promise<string> {
  await (await put(query, data, type)).arrayBuffer()
  return digestOf(data)
}
const filesInTemp = (): Promise<string[]> => readdir(join(directory, 'artifacts', 'tmp'))
async function bytesOnDisk(): Promise<number> {
  const files = await readdir(join(directory, 'artifacts'), { recursive: true, withFileTypes: true })
  const sizes = files.map(async (file) => (file.isFile() ? (await stat(join(file.parentPath, file.name))).size : 0))
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

test('an upload is 201 with its reference, the same bytes again are 200 [R109] [R526]', async () => {
  const data = randomBytes(500_000)
  const first = await put('?name=photo%20%C3%BC.png', data, 'image/png')
  expect([first.status, await first.json()]).toEqual([
    201,
    { digest: digestOf(data), name: 'photo ü.png', media_type: 'image/png', size: 500_000, volatile: false },
  ])
  const second = await put('?name=b.bin', data)
  expect([second.status, await second.json()]).toMatchObject([
    200,
    { name: 'b.bin', media_type: 'application/octet-stream' },
  ])
})

test('a download is what was uploaded, by the digest with or without its prefix [R527]', async () => {
  const data = randomBytes(300_000)
  const digest = await stored(data)
  for (const name of [digest, digest.slice(7)]) {
    const answer = await get(name)
    expect(answer.status).toBe(200)
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(data)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '300000',
      etag: `"${digest}"`,
      'cache-control': 'private, max-age=31536000, immutable',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
    })
    expect(answer.headers.has('content-disposition')).toBe(false)
  }
})

test('HEAD tells what GET would, without the bytes', async () => {
  const digest = await stored(randomBytes(1234))
  const answer = await get(digest, {}, 'HEAD')
  expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '1234', ''])
})

test('a range is 206, an impossible one 416, an unknown one the whole', async () => {
  const data = randomBytes(1000)
  const digest = await stored(data)
  const part = await get(digest, { range: 'bytes=10-19' })
  expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 10-19/1000'])
  expect(Buffer.from(await part.arrayBuffer())).toEqual(data.subarray(10, 20))
  const behind = await get(digest, { range: 'bytes=1000-' })
  expect([behind.status, behind.headers.get('content-range')]).toEqual([416, 'bytes */1000'])
  expect((await get(digest, { range: 'bytes=0-1,5-6' })).status).toBe(200)
  expect((await get(digest, { range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200)
  expect((await get(digest, { range: 'bytes=0-1', 'if-range': `"${digest}"` })).status).toBe(206)
})

test('a client that has the bytes gets 304', async () => {
  const digest = await stored(randomBytes(10))
  for (const tag of [`"${digest}"`, `W/"${digest}"`, `"x", "${digest}"`, '*']) {
    expect((await get(digest, { 'if-none-match': tag })).status).toBe(304)
  }
  expect((await get(digest, { 'if-none-match': '"x"' })).status).toBe(200)
})

test('volatile bytes are given but not cached [R111]', async () => {
  const data = randomBytes(100)
  expect((await put('?name=cam&volatile=true', data, 'image/jpeg')).status).toBe(201)
  const answer = await get(digestOf(data), { range: 'bytes=90-' })
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([206, 'no-store'])
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(data.subarray(90))
})

test.each([
  ['text/html', "attachment; filename*=UTF-8''it%27s%20%22a%22.html"],
  ['image/svg+xml', null],
  ['application/octet-stream', "attachment; filename*=UTF-8''it%27s%20%22a%22.html"],
  ['text/plain; charset=utf-8', null],
  ['video/mp4', null],
])('%s is downloaded with %s, and can run nothing in a browser [T62]', async (type, disposition) => {
  const digest = await stored(randomBytes(20), type, `?name=${encodeURIComponent('it\'s "a".html')}`)
  const answer = await get(digest)
  expect(answer.headers.get('content-disposition')).toBe(disposition)
  expect(answer.headers.get('content-type')).toBe(type)
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answer.headers.get('content-security-policy')).toBe('sandbox')
})

/** Asks for a path as it stands, which `fetch` would tidy up; resolves with the status. */
const askRaw = (method: string, path: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const { hostname, port, pathname } = new URL(server.url)
    const asked = httpRequest({ hostname, port, path: `${pathname}${path}`, method }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode))
    })
    asked.on('error', reject).end()
  })

test('unknown bytes are 404, what is no digest is 422 or 404 and touches no file [R670] [T60]', async () => {
  expect((await get(digestOf(Buffer.from('nobody has this')))).status).toBe(404)
  const hex = digestOf(Buffer.from('these are here')).slice(7)
  await stored(Buffer.from('these are here'))
  const noDigest =
    '..%2f..%2fdb %252e%252e %2e%2e%5c%2e%2e%5cdb ..%252f..%252fdb %2e%2e%2f ..%5c ..;x ~ sha256: sha256%3a %00 %0a * ' +
    '%25 % %zz %c0%ae%c0%ae %ef%bc%8e%ef%bc%8e null 0'
  const nearly =
    'SHA256:# sha256%3A%3A# sha1:# md5:# :# sha256# sha256:sha256:# #0 0# #%2F.. #%00 #%0A %20# #%20 #. #%2f .# %2f# ' +
    '..%2f# tmp%2f# sha256%2f# file:%2f%2f#'
  const odd = [...noDigest.split(' '), ...nearly.replaceAll('#', hex).split(' '), hex.slice(1), hex.toUpperCase()]
  const looks = [vi.spyOn(content, 'find'), vi.spyOn(content, 'has'), vi.spyOn(content, 'hide')]
  expect(odd.length).toBeGreaterThanOrEqual(40)
  for (const name of odd) {
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      const status = await askRaw(method, `/artifacts/${name}`)
      expect([name, method, [400, 403, 404, 422].includes(status ?? 0), status]).toEqual([name, method, true, status])
    }
  }
  for (const path of ['/artifacts/..', '/artifacts/../artifacts/..', '/artifacts//', '/artifacts/%2e%2e/secret.key'])
    expect([404, 422]).toContain(await askRaw('GET', path))
  for (const look of looks) expect(look).not.toHaveBeenCalled()
  vi.restoreAllMocks()
  expect((await get(hex)).status).toBe(200)
})

test('a name that is no file name and a type that is no media type are 422 [T63]', async () => {
  for (const name of ['../x', 'a%0D%0Ab', 'a%5Cb', 'x'.repeat(256), 'x'.repeat(10_000)])
    expect((await put(`?name=${name}`, 'x')).status).toBe(422)
  expect((await put('', 'x', 'html')).status).toBe(422)
  expect((await put('?volatile=maybe', 'x')).status).toBe(422)
})

test('bytes over the limit are 413 and leave nothing on the disk, however they come [R672] [T61]', async () => {
  const big = randomBytes(MAX_BYTES + 1)
  const before = await bytesOnDisk()
  expect((await put('', big)).status).toBe(413)
  const chunks = ReadableStream.from([big.subarray(0, MAX_BYTES), big.subarray(MAX_BYTES)])
  const init = { method: 'PUT', body: chunks, duplex: 'half' } as RequestInit
  expect((await fetch(`${server.url}/artifacts`, init)).status).toBe(413)
  expect(await filesInTemp()).toEqual([])
  expect(await bytesOnDisk()).toBe(before)
})

test('an upload that breaks off stores nothing [T61]', async () => {
  const data = randomBytes(1000)
  const sent = httpRequest(`${server.url}/artifacts`, { method: 'PUT', headers: { 'content-length': '1000' } })
  sent.on('error', () => undefined)
  sent.write(data.subarray(0, 500))
  await expect.poll(filesInTemp).toHaveLength(1)
  sent.destroy()
  await expect.poll(filesInTemp).toEqual([])
  expect((await get(digestOf(data))).status).toBe(404)
  expect((await get(digestOf(data.subarray(0, 500)))).status).toBe(404)
})
