import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { ArtifactCache } from '../src/remote/artifacts/artifact-cache.ts'
import { HttpArtifacts } from '../src/remote/artifacts/http-artifacts.ts'
import { Lanes } from '../src/remote/artifacts/lanes.ts'
import { type Behaviour, digestOf, fakeEngine, problem } from './fake-engine.ts'

async function rig(artifacts?: Behaviour['artifacts']) {
  const directory = join(mkdtempSync(join(tmpdir(), 'artifacts-')), 'kept')
  onTestFinished(() => rmSync(join(directory, '..'), { recursive: true, force: true }))
  const engine = await fakeEngine(artifacts ? { artifacts } : {})
  const open = (url = engine.artifactUrl): HttpArtifacts =>
    new HttpArtifacts({
      url,
      token: 'a.worker.token',
      cache: new ArtifactCache({ directory, maxBytes: 1024 ** 2, onProblem: () => undefined }),
      lanes: new Lanes(),
      retryMs: 1,
    })
  return { ...engine, directory, open }
}

const named = { name: 'plot & more.png', mediaType: 'image/png', volatile: false }

test('what is stored goes to the engine with its name, type, digest and token [R605]', async () => {
  const { open, requests, stored } = await rig()
  const data = randomBytes(1000)
  const ref = await open().put(data, named)
  expect(ref).toEqual({
    digest: digestOf(data),
    name: named.name,
    media_type: 'image/png',
    size: 1000,
    volatile: false,
  })
  expect(stored.get(ref.digest)).toEqual(data)
  expect(requests).toMatchObject([
    {
      method: 'PUT',
      path: '/api/v1/artifacts?name=plot+%26+more.png&volatile=false',
      headers: {
        authorization: 'Bearer a.worker.token',
        'content-type': 'image/png',
        'content-digest': `sha-256=:${createHash('sha256').update(data).digest('base64')}:`,
      },
    },
  ])
})

test('a second load asks nobody, in this agent and in the next [R605]', async () => {
  const { open, requests, stored } = await rig()
  const data = randomBytes(1000)
  stored.set(digestOf(data), data)
  const first = open()
  expect(await first.get(digestOf(data))).toEqual(data)
  await first.get(digestOf(data))
  await open().get(digestOf(data))
  expect(requests.map(({ method, path }) => [method, path])).toEqual([['GET', `/api/v1/artifacts/${digestOf(data)}`]])
})

test('loads of the same bytes at a time are one request', async () => {
  const { open, requests, stored } = await rig()
  const data = randomBytes(1000)
  stored.set(digestOf(data), data)
  const artifacts = open()
  await Promise.all(Array.from({ length: 5 }, () => artifacts.get(digestOf(data))))
  expect(requests).toHaveLength(1)
})

test('volatile bytes are not kept: frames would push out everything else', async () => {
  const { open, directory, stored } = await rig((request, response) => {
    if (request.method !== 'GET') return false
    response.writeHead(200, { 'cache-control': 'no-store' }).end('frame')
    return true
  })
  const artifacts = open()
  await artifacts.put(Buffer.from('another'), { ...named, volatile: true })
  await artifacts.get(digestOf(Buffer.from('frame')))
  expect([stored.size, readdirSync(directory)]).toEqual([1, []])
})

test('bytes that are gone are told as missing', async () => {
  const { open, requests } = await rig()
  await expect(open().get(digestOf(Buffer.from('x')))).rejects.toMatchObject({
    code: 'not_found',
    message: 'there is no such artifact',
  })
  expect(requests).toHaveLength(1)
})

test('what is no digest reaches no address of the engine', async () => {
  const { open, requests } = await rig()
  for (const text of ['../users/me', `sha256:${'a'.repeat(64)}/../../secrets`, '', 'sha256:A']) {
    await expect(open().get(text)).rejects.toMatchObject({ code: 'not_found' })
  }
  await expect(open().put(Buffer.from('x'), { ...named, mediaType: 'a\r\nx-evil: 1' })).rejects.toThrow(
    'is no media type',
  )
  expect(requests).toEqual([])
})

test('failures of the engine and of the network are tried again, and then told', async () => {
  const data = randomBytes(10)
  let failures = 3
  const { open, stored, requests } = await rig((request, response) => {
    failures -= 1
    if (failures < 0) return false
    if (failures === 1) request.socket.destroy()
    else problem(response, 503, 'not yet')
    return true
  })
  stored.set(digestOf(data), data)
  expect(await open().get(digestOf(data))).toEqual(data)
  expect(requests).toHaveLength(4)
  failures = 99
  await expect(open().put(data, named)).rejects.toThrow('cannot save an artifact: the engine answers 503 not yet')
  await expect(open('http://127.0.0.1:1/artifacts').put(data, named)).rejects.toThrow(
    /cannot save an artifact: .*ECONNREFUSED|bad port/,
  )
})

test('other bytes than were asked for are fetched again once, and then told [F36]', async () => {
  const data = randomBytes(10)
  let damaged = 1
  const { open, stored, directory } = await rig((_request, response) => {
    damaged -= 1
    if (damaged < 0) return false
    response.end('something else')
    return true
  })
  stored.set(digestOf(data), data)
  expect(await open().get(digestOf(data))).toEqual(data)
  rmSync(directory, { recursive: true })
  damaged = 2
  await expect(open().get(digestOf(data))).rejects.toThrow(
    `artifact ${digestOf(data)} came damaged twice: other bytes came than were asked for`,
  )
  expect(readdirSync(directory)).toEqual([])
})

test.each([401, 403])('an answer of %i says that it is about the token, and is not tried again', async (status) => {
  const { open, requests } = await rig((_request, response) => {
    problem(response, status, 'the token of worker "gpu" was revoked')
    return true
  })
  const failing = open().get(digestOf(Buffer.from('x')))
  await expect(failing).rejects.toThrow(
    `does not take the worker's token for artifacts (${status}) the token of worker`,
  )
  expect(requests).toHaveLength(1)
})

test('a refusal is told in the words of the engine', async () => {
  const { open } = await rig((_request, response) => {
    problem(response, 413, 'an artifact has at most 10 bytes')
    return true
  })
  await expect(open().put(randomBytes(11), named)).rejects.toThrow(
    '413 to a request for artifacts an artifact has at most',
  )
})

test('a redirect is not followed: the token stays with the address that was given [T36]', async () => {
  const seen: unknown[] = []
  const elsewhere = createServer((request, response) => {
    seen.push(request.headers)
    response.end()
  })
  elsewhere.listen(0, '127.0.0.1')
  onTestFinished(() => void elsewhere.close())
  const { open } = await rig((_request, response) => {
    const { port } = elsewhere.address() as { port: number }
    response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end()
    return true
  })
  await expect(open().get(digestOf(Buffer.from('x')))).rejects.toThrow('answers 302')
  expect(seen).toEqual([])
})
