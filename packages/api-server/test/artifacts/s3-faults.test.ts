/** What becomes of artifacts when their store is busy, broken, far away, or another one than it should be. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

import { type Asked, type Lie, LyingProxy } from '../../../../test/components/lying-proxy.ts'
import { bucket, credentials, type S3Server, s3Servers, urlOf } from '../../../../test/components/s3-servers.ts'
import { type Artifacts, createArtifacts } from '../../src/artifacts/artifacts.ts'
import type { S3Store } from '../../src/artifacts/s3/s3-store.ts'
import type { Database } from '../../src/db/database.ts'
import { useDatabase } from '../use-database.ts'
import { digestOf, named, openS3 } from './stores.ts'

const PART = 8 * 1024 * 1024
let database: Database
useDatabase((opened) => void (database = opened))
let server: S3Server
let directory: string
beforeAll(async () => {
  const [s3rver] = s3Servers
  if (!s3rver) throw new Error('there is no s3rver')
  server = await s3rver.start()
  directory = await mkdtemp(join(tmpdir(), 's3-faults-'))
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

let proxy: LyingProxy
let store: S3Store
let artifacts: Artifacts
let logged: object[]
let corrupt: string[]
const opened: S3Store[] = []
beforeEach(async () => {
  proxy = await LyingProxy.before(server.port)
  logged = []
  corrupt = []
  await open()
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()))
  await proxy[Symbol.asyncDispose]()
})

/** An engine that has just started. */
async function open(options: Parameters<typeof openS3>[3] = {}, url = urlOf(proxy.port)): Promise<void> {
  const note = (fields: object, message: string): undefined => void logged.push({ ...fields, message })
  store = await openS3(url, directory, database, { log: { info: note, warn: note, error: note }, ...options })
  opened.push(store)
  artifacts = createArtifacts({ database, content: store, onCorrupt: (digest) => corrupt.push(digest) })
}

/** Stores bytes, which an engine then reads that has not seen them. */
async function stored(size: number): Promise<{ data: Buffer; digest: string }> {
  const data = randomBytes(size)
  const { ref } = await artifacts.put(data, named)
  await open()
  proxy.asked.length = 0
  return { data, digest: ref.digest }
}

/** Lies to the first so many requests of a kind. */
function lieTo(is: (asked: Asked) => boolean, lie: Lie, times = Infinity): void {
  let left = times
  proxy.lie = (asked) => {
    if (!is(asked) || left <= 0) return null
    left -= 1
    return lie
  }
}
const isGet = ({ method }: Asked): boolean => method === 'GET'
const isPut = ({ method }: Asked): boolean => method === 'PUT'
const error = (code: string): string => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`
const busy = { status: 503, body: error('SlowDown') }

test('downloads that nobody reads on leave the store to everybody else', async () => {
  const { digest } = await stored(4 * 1024 * 1024)
  const begun = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const artifact = await artifacts.open(digest)
      const read = artifact?.read(null)[Symbol.asyncIterator]()
      expect((await read?.next())?.done).toBe(false)
      return read
    }),
  )
  expect((await artifacts.put(randomBytes(100), named)).created).toBe(true)
  expect(await artifacts.known([digest])).toEqual(new Set([digest]))
  await Promise.all(begun.map(async (read) => await read?.return?.()))
})

test('a store that is busy for a moment is asked again, and nobody notices', async () => {
  lieTo(isPut, busy, 2)
  const { ref } = await artifacts.put(randomBytes(100), named)
  await open()
  lieTo(isGet, { status: 500 }, 2)
  expect((await artifacts.read(ref.digest)).length).toBe(100)
  expect(logged).toEqual([])
})

test('one that stays busy is 503, which says when to come again; nothing is left, and the log tells it once', async () => {
  lieTo(() => true, busy)
  const data = randomBytes(100)
  const refusal = { code: 'unavailable', status: 503, extensions: { retry_after_s: 5 } }
  await expect(artifacts.put(data, named)).rejects.toMatchObject(refusal)
  await expect(artifacts.put(data, named)).rejects.toMatchObject(refusal)
  expect(await store.check()).toEqual({ status: 'down', detail: expect.stringContaining('answer 503') })
  expect(await readdir(join(directory, 'artifacts', 'tmp'))).toEqual([])
  expect(await artifacts.missing([digestOf(data)])).toEqual([digestOf(data)])
  expect(logged).toEqual([
    {
      bucket,
      host: `127.0.0.1:${proxy.port}`,
      fault: expect.any(String),
      message: expect.stringContaining('cannot be used'),
    },
  ])
  proxy.lie = () => null
  expect((await artifacts.put(data, named)).created).toBe(true)
  expect(logged.at(-1)).toMatchObject({ message: expect.stringContaining('works again') })
})

test('a store that is gone, and one that says nothing, are 503 too', async () => {
  const { digest } = await stored(100)
  await open({ silenceMs: 50 })
  lieTo(() => true, 'silence')
  await expect(artifacts.open(digest)).rejects.toMatchObject({ code: 'unavailable' })
  await expect(artifacts.known([digest])).rejects.toMatchObject({ code: 'unavailable' })
  const { port } = proxy
  await proxy[Symbol.asyncDispose]()
  await open({}, urlOf(port))
  await expect(artifacts.open(digest)).rejects.toMatchObject({ message: expect.stringContaining('ECONNREFUSED') })
  proxy = await LyingProxy.before(server.port)
})

test('connections that break on the way go on behind what has come', async () => {
  const { data, digest } = await stored(1_000_000)
  lieTo(isGet, { cutAfter: 100_000 })
  expect(Buffer.from(await artifacts.read(digest))).toEqual(data)
  const asked = proxy.asked.filter(isGet)
  expect(asked.length).toBeGreaterThan(2)
  expect(asked.slice(1).every(({ headers }) => /^bytes=[1-9]\d*-999999$/.test(String(headers.range)))).toBe(true)
  expect(corrupt).toEqual([])
})

test('connections that break without a byte are given up', async () => {
  const { digest } = await stored(1000)
  lieTo(isGet, { cutAfter: 0 })
  await expect(artifacts.read(digest)).rejects.toMatchObject({ code: 'unavailable' })
})

test('changed bytes never come to their end, of no part either, and are told [T65]', async () => {
  const { digest } = await stored(300_000)
  lieTo(isGet, { flipAt: 1000 })
  let given = 0
  const reading = async (): Promise<void> => {
    for await (const piece of (await artifacts.open(digest))?.read(null) ?? []) given += piece.length
  }
  await expect(reading()).rejects.toMatchObject({ code: 'not_found' })
  expect(given).toBeLessThan(300_000)
  await open()
  const part = (await artifacts.open(digest))?.read({ first: 0, last: 9 })
  await expect(part?.[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'not_found' })
  expect(corrupt).toEqual([digest, digest])
  expect(await artifacts.open(digest)).toBeNull()
})

test('a part of bytes that were hashed is asked for as that part', async () => {
  const { data, digest } = await stored(300_000)
  await artifacts.read(digest)
  proxy.asked.length = 0
  const pieces: Uint8Array[] = []
  for await (const piece of (await artifacts.open(digest))?.read({ first: 5, last: 24 }) ?? []) pieces.push(piece)
  expect(Buffer.concat(pieces)).toEqual(data.subarray(5, 25))
  expect(proxy.asked.map(({ method, down, headers }) => [method, down, headers.range])).toEqual([
    ['GET', 20, 'bytes=5-24'],
  ])
})

test.each([
  ['keys that it does not know', 'InvalidAccessKeyId', 'AWS_ACCESS_KEY_ID', { awsAccessKeyId: 'NOBODY' }],
  ['another secret', 'SignatureDoesNotMatch', 'AWS_SECRET_ACCESS_KEY', { awsSecretAccessKey: 'guessed-wrong' }],
])('%s: the error says so, and repeats no secret', async (_what, code, named_, other) => {
  const keys = { ...credentials, ...other }
  await open({ keys })
  const failure: unknown = await artifacts.put(randomBytes(3), named).catch((thrown: unknown) => thrown)
  expect(failure).toMatchObject({ code: 'unavailable', extensions: { retry_after_s: 60 } })
  const { message } = failure as Error
  expect(message).toContain(code)
  expect(message).toContain(named_)
  const told = JSON.stringify([message, logged])
  expect(told).toContain('cannot be used')
  for (const secret of ['guessed-wrong', 'NOBODY', 'Signature=', 'StringToSign']) expect(told).not.toContain(secret)
})

test('a bucket that is not there, clocks that differ, and another region are told as such', async () => {
  await open({}, urlOf(proxy.port).replace(`//${bucket}`, '//elsewhere'))
  const put = () => artifacts.put(randomBytes(3), named)
  await expect(put()).rejects.toMatchObject({ message: expect.stringMatching(/NoSuchBucket.*make the bucket/) })
  await open()
  lieTo(isPut, { status: 403, body: error('RequestTimeTooSkewed') })
  await expect(put()).rejects.toMatchObject({ message: expect.stringMatching(/RequestTimeTooSkewed.*clock/) })
  lieTo(isPut, { status: 301, body: error('PermanentRedirect') })
  await expect(put()).rejects.toMatchObject({ message: expect.stringMatching(/PermanentRedirect.*region/) })
  // none of it changes by trying again
  expect(proxy.asked.filter(isPut)).toHaveLength(3)
})

test('a large upload goes in parts, four at a time and of 8 MiB at most, whatever else is uploaded', async () => {
  const data = Array.from({ length: 3 }, () => randomBytes(3 * PART + 17))
  const puts = await Promise.all(data.map((each) => artifacts.put(each, named)))
  expect(puts.map(({ ref }) => ref.digest)).toEqual(data.map(digestOf))
  expect(proxy.uploadsAtOnce).toBeLessThanOrEqual(4)
  const parts = proxy.asked.filter(({ method, path }) => method === 'PUT' && path.includes('partNumber'))
  expect(parts.map(({ up }) => up).toSorted((a, b) => a - b)).toEqual([17, 17, 17, ...Array<number>(9).fill(PART)])
  for (const each of data) expect(Buffer.from(await artifacts.read(digestOf(each))).equals(each)).toBe(true)
})

test('parts of an upload that fails are removed, and an answer that takes its success back is none', async () => {
  const data = randomBytes(PART + 1)
  lieTo(({ path }) => path.includes('partNumber=2'), { status: 500 })
  await expect(artifacts.put(data, named)).rejects.toMatchObject({ code: 'unavailable' })
  lieTo(({ method, path }) => method === 'POST' && path.includes('uploadId='), {
    status: 200,
    body: error('InternalError'),
  })
  await expect(artifacts.put(data, named)).rejects.toMatchObject({ code: 'unavailable' })
  expect(proxy.asked.filter(({ method }) => method === 'DELETE')).toHaveLength(2)
  expect(await store.has(digestOf(data).slice(7))).toBe(false)
})

test('who reads slowly holds the store back: nothing is gathered in memory [F45]', async () => {
  const size = 64 * 1024 * 1024
  const { digest } = await stored(size)
  const pieces = (await artifacts.open(digest))?.read(null)[Symbol.asyncIterator]()
  await pieces?.next()
  // many turns in which an unheeded store would have sent everything
  for (let turn = 0; turn < 3000; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  const get = proxy.asked.find(isGet)
  expect(get?.down).toBeLessThan(size / 2)
  await pieces?.return?.()
})

test('a removal that dies on the way keeps its digests from being stored for two minutes, then no longer', async () => {
  await open({ patienceMs: 0 })
  const data = randomBytes(100)
  const { digest } = (await artifacts.put(data, named)).ref
  lieTo(({ method }) => method === 'DELETE', busy)
  await expect(artifacts.delete(digest, async () => undefined)).rejects.toMatchObject({ code: 'unavailable' })
  proxy.lie = () => null
  // what it asked of the store may still be on its way
  await expect(artifacts.put(data, named)).rejects.toMatchObject({ extensions: { retry_after_s: 120 } })
  expect(await artifacts.open(digest)).toBeNull()
  await database.sql`update blob_removal set begun_at = begun_at - interval '121 seconds'`
  expect((await artifacts.put(data, named)).created).toBe(true)
})
