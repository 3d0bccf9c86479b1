/** What a sweep finds in a bucket: more keys than one answer has, and what others have left behind. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { S3mini } from 's3mini'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { LyingProxy } from '../../../../test/components/lying-proxy.ts'
import { bucket, credentials, type S3Server, s3Servers, urlOf } from '../../../../test/components/s3-servers.ts'
import { S3Objects } from '../../src/artifacts/s3/s3-objects.ts'
import { placeOf } from '../../src/artifacts/s3/s3-place.ts'
import { openTransport, type S3Transport } from '../../src/artifacts/s3/s3-transport.ts'
import type { Database } from '../../src/db/database.ts'
import { quiet, useDatabase } from '../use-database.ts'
import { digestOf, openS3 } from './stores.ts'

const DAY_MS = 86_400_000
let database: Database
useDatabase((opened) => void (database = opened))

describe.each(s3Servers)('in $name', ({ start }) => {
  let server: S3Server
  let transport: S3Transport
  let objects: S3Objects
  let client: S3mini
  let directory: string
  beforeAll(async () => {
    server = await start()
    directory = await mkdtemp(join(tmpdir(), 's3-objects-'))
    transport = openTransport()
    const place = placeOf({
      artifactsUrl: urlOf(server.port),
      ...credentials,
      awsSessionToken: null,
      awsRegion: null,
    })
    objects = new S3Objects({ place, transport, log: quiet })
    const { awsAccessKeyId: accessKeyId, awsSecretAccessKey: secretAccessKey } = credentials
    client = new S3mini({ endpoint: place.endpoint, region: place.region, accessKeyId, secretAccessKey })
  })
  afterAll(async () => {
    await transport.close()
    await server[Symbol.asyncDispose]()
    await rm(directory, { recursive: true, force: true })
  })

  test('all keys of a prefix are listed, and no others', async () => {
    const keys = Array.from(
      { length: server.pages ? 1001 : 1000 },
      (_, at) => `sha256/many/${String(at).padStart(4, '0')}`,
    )
    const left = [...keys]
    const putRest = async (): Promise<void> => {
      for (let key = left.pop(); key !== undefined; key = left.pop())
        await client.putObject(`of/tests/${key}`, Buffer.from('x'))
    }
    await Promise.all(Array.from({ length: 8 }, putRest))
    await client.putObject('of/others/sha256/many/1', Buffer.from('x'))
    const found: string[] = []
    let pages = 0
    for await (const page of objects.list('sha256/many/')) {
      pages += 1
      found.push(...page.map(({ key }) => key))
    }
    expect(found).toEqual(keys)
    expect(pages).toBe(server.pages ? 2 : 1)
  })

  test('uploads that nobody has completed for a day go, younger ones stay', async () => {
    const { age } = server
    const store = await openS3(urlOf(server.port), directory, database)
    for (const name of ['old', 'young']) await client.putObject(`of/tests/tmp/${name}`, Buffer.from('x'))
    await age?.('of/tests/tmp/old', DAY_MS + 60_000)
    // where objects have no other age, both are young
    expect(await store.dropDeadUploads()).toBe(age === null ? 0 : 1)
    expect(await objects.size('tmp/young')).toBe(1)
    expect(await objects.size('tmp/old')).toBe(age === null ? 1 : null)
    await store.close()
  })

  test('uploads in parts are ended for good where the store lists them, and those of others are not', async () => {
    const ours = await client.getMultipartUploadId('of/tests/sha256/aa/parts')
    const others = await client.getMultipartUploadId('of/others/parts')
    const put = (key: string, id: string) => client.uploadPart(key, id, Buffer.from('x'), 1)
    const count = await objects.abortParts(Date.now() + DAY_MS)
    expect([0, 1]).toContain(count)
    // what a store says of an upload that has ended is its own affair: moto at times answers 500
    if (count === 1) await expect(put('of/tests/sha256/aa/parts', ours)).rejects.toThrow(/upload|S3/i)
    expect(await objects.abortParts(Date.now() + DAY_MS)).toBe(0)
    await put('of/others/parts', others)
  })

  test('a file is written whole or not at all, and read back with its version', async () => {
    const path = join(directory, 'file')
    const data = randomBytes(1000)
    await writeFile(path, data)
    const hex = digestOf(data).slice('sha256:'.length)
    const version = await objects.putFile('sha256/aa/file', path, { hex, size: 1000 })
    expect(
      await objects.get('sha256/aa/file').then((sent) => sent !== null && sent !== 'changed' && sent.version),
    ).toBe(version)
    await expect(objects.putFile('sha256/aa/longer', path, { hex, size: 1001 })).rejects.toThrow('shorter than it was')
    expect(await objects.size('sha256/aa/longer')).toBeNull()
  })
})

test('of uploads in parts those alone are ended that began before', async () => {
  const [s3rver] = s3Servers
  await using server = await s3rver?.start()
  await using proxy = await LyingProxy.before(server?.port ?? 0)
  const upload = (key: string, id: string, at: string): string =>
    `<Upload><Key>of/tests/${key}</Key><UploadId>${id}</UploadId><Initiated>${at}</Initiated></Upload>`
  const list = (...uploads: string[]): string =>
    `<?xml version="1.0"?><ListMultipartUploadsResult>${uploads.join('')}</ListMultipartUploadsResult>`
  const [old, young] = [
    upload('sha256/aa', 'old', '2026-01-01T00:00:00Z'),
    upload('b', 'young', '2026-01-03T00:00:00Z'),
  ]
  const answers = [list(), list(old), list(old, young)]
  proxy.lie = ({ method }) => (method === 'GET' ? { status: 200, body: answers.shift() ?? '' } : { status: 204 })
  const transport = openTransport()
  const artifactsUrl = urlOf(proxy.port)
  const place = placeOf({ artifactsUrl, ...credentials, awsSessionToken: null, awsRegion: null })
  const objects = new S3Objects({ place, transport, log: quiet })
  const counts = []
  for (let look = 0; look < 3; look += 1) counts.push(await objects.abortParts(Date.parse('2026-01-02T00:00:00Z')))
  await transport.close()
  expect(counts).toEqual([0, 1, 1])
  const ended = proxy.asked.filter(({ method }) => method === 'DELETE').map(({ path }) => path)
  expect(ended).toEqual(Array<string>(2).fill(`/${bucket}/of/tests/sha256/aa?uploadId=old`))
})
