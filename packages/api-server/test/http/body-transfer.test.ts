import { request as httpRequest } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'

import express from 'express'
import { describe, expect, test } from 'vitest'

import { endpoint } from '../../src/http/endpoint.ts'
import { bind } from '../../src/http/mount.ts'
import { contract, handlers, refusal, seen, useEchoApi } from './echo-api.ts'
import { serve, user } from './server.ts'

const api = useEchoApi()
const { post } = api

describe('media types and encodings', () => {
  test.each(['application/json', 'Application/JSON; charset=UTF-8', 'application/merge-patch+json'])(
    '%s is JSON',
    async (type) => {
      expect((await post('/any', '1', { 'content-type': type })).status).toBe(200)
    },
  )

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/json; charset=utf-16',
  ])('%s is 415 [R444]', async (type) => {
    expect(await seen(await post('/any', '{}', { 'content-type': type }))).toMatchObject(
      refusal(415, 'unsupported_media_type'),
    )
  })

  test('a form endpoint takes no JSON, so that no member passes for a field', async () => {
    expect(await seen(await post('/form', '{"username":"a"}'))).toMatchObject(refusal(415, 'unsupported_media_type'))
  })

  const text = JSON.stringify({ a: 'x'.repeat(10_000) })
  test.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ])('%s is decoded', async (encoding, body) => {
    const answer = await post('/any', new Uint8Array(body), { 'content-encoding': encoding })
    expect(await answer.text()).toBe(text)
  })

  test('a small body that unpacks beyond the limit is 413', async () => {
    for (const [encoding, pack] of [
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
      ['deflate', deflateSync],
    ] as const) {
      const bomb = pack(Buffer.alloc(16 * 1024 * 1024, '0'))
      expect(bomb.length).toBeLessThan(20_000)
      expect(await seen(await post('/any', new Uint8Array(bomb), { 'content-encoding': encoding }))).toMatchObject(
        refusal(413, 'payload_too_large'),
      )
    }
  })

  test('a damaged or truncated encoding is 400', async () => {
    expect(await seen(await post('/any', 'no gzip', { 'content-encoding': 'gzip' }))).toMatchObject(
      refusal(400, 'bad_request'),
    )
    const cut = new Uint8Array(gzipSync(text).subarray(0, 40))
    expect(await seen(await post('/any', cut, { 'content-encoding': 'gzip' }))).toMatchObject(
      refusal(400, 'bad_request'),
    )
  })

  test('another encoding, or several, is 415', async () => {
    for (const encoding of ['zstd', 'gzip, br', 'compress'])
      expect(await seen(await post('/any', '{}', { 'content-encoding': encoding }))).toMatchObject(
        refusal(415, 'unsupported_media_type'),
      )
  })
})

describe('sizes', () => {
  test('an endpoint can have a smaller limit', async () => {
    const answer = await post('/strict', `{"name":"a","params":{"x":"${'x'.repeat(1000)}"}}`)
    expect(await seen(answer)).toMatchObject(refusal(413, 'payload_too_large', { max_bytes: 1000 }))
  })

  test('a JSON body over 4 MiB is 413 by its declared length', async () => {
    expect(await seen(await post('/any', `"${'x'.repeat(4 * 1024 * 1024)}"`))).toMatchObject(
      refusal(413, 'payload_too_large', {
        max_bytes: 4_194_304,
      }),
    )
  })

  test('a body without a length is cut while it arrives', async () => {
    const piece = new TextEncoder().encode(`"${'x'.repeat(1_000_000)}",`)
    const body = ReadableStream.from(Array.from({ length: 6 }, () => piece))
    const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'application/json' } }
    expect(await seen(await fetch(`${api.running().url}/any`, init as RequestInit))).toMatchObject(
      refusal(413, 'payload_too_large'),
    )
  })

  test('a client that leaves in the middle of its body is no error of the engine', async () => {
    const before = api.running().logged.length
    const left = new Promise<void>((resolve) => {
      api.running().server.once('request', (_request, response) => response.once('close', () => resolve()))
    })
    const client = httpRequest(`${api.running().url}/any`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': '100' },
    })
    client.on('error', () => undefined)
    client.write('{"a":', () => setImmediate(() => client.destroy()))
    await left
    expect((await post('/any', '1')).status).toBe(200)
    expect(api.running().logged.length).toBe(before)
  })
})

test('a client that leaves while it is being authenticated leaves no request behind', async () => {
  const gone = Promise.withResolvers<void>()
  const failed = Promise.withResolvers<unknown>()
  await using guarded = await serve(
    bind(
      { save: endpoint({ ...contract.any, auth: 'user', scope: null }) },
      { save: () => ({ status: 200, value: 0 }) },
    ),
    {
      authenticate: async (request) => {
        request.once('close', gone.resolve)
        client.destroy()
        await gone.promise
        return user
      },
    },
    (app) =>
      app.use((_request, response, next) => {
        // what the client no longer hears
        response.end = ((body: unknown) => (failed.resolve(JSON.parse(String(body))), response)) as typeof response.end
        next()
      }),
  )
  const client = httpRequest(`${guarded.url}/any`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': '100' },
  })
  client.on('error', () => undefined)
  client.write('{"a":')
  expect(await failed.promise).toMatchObject({ code: 'bad_request' })
})

test('a body that the host application has read already is a clear error', async () => {
  await using hosted = await serve(bind(contract, handlers), {}, (app) => app.use(express.json()))
  const answer = await fetch(`${hosted.url}/any`, {
    method: 'POST',
    body: '{"a":1}',
    headers: { 'content-type': 'application/json' },
  })
  expect(await seen(answer)).toMatchObject(
    refusal(500, 'internal', { detail: expect.stringContaining('before the body parsers') }),
  )
  expect((await fetch(`${hosted.url}/optional`, { method: 'POST' })).status).toBe(200)
})
