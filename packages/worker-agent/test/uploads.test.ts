import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { ArtifactCache } from '../src/remote/artifacts/artifact-cache.ts'
import { HttpArtifacts } from '../src/remote/artifacts/http-artifacts.ts'
import { Lanes } from '../src/remote/artifacts/lanes.ts'
import { digestOf, problem } from './fake-engine.ts'

const MB = 1024 * 1024
const upload = '0199a5a4-7b1e-7c33-8f29-3a1f9be1a001'
const named = { name: 'model.bin', mediaType: 'application/x-model', volatile: false }

interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}
type Answer = (response: ServerResponse, seen: Seen) => void

/** A server whose answers the test gives, by the method and the path without its query. */
async function serve(answers: Record<string, Answer | Answer[]>) {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.once('end', () => {
      const { method = '', url = '', headers } = request
      const one = { method, path: url, headers, body: Buffer.concat(chunks) }
      seen.push(one)
      const given = answers[`${method} ${url.split('?')[0]}`]
      const answer = Array.isArray(given) ? given.shift() : given
      if (answer) answer(response, one)
      else problem(response, 500, `nobody expected ${method} ${url}`)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const asked = () => seen.map(({ method, path }) => `${method} ${path.split('?')[0]}`)
  return { seen, asked, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const reply =
  (status: number, value: unknown): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
const refuse =
  (status: number): Answer =>
  (response) =>
    problem(response, status, 'not so')

/** An engine of these answers, its store, and a worker of it with bytes to save. */
async function rig(answers: Record<string, Answer | Answer[]>, stored: Answer | Answer[] = reply(200, null)) {
  const data = randomBytes(3 * MB)
  const ref = {
    digest: digestOf(data),
    name: named.name,
    media_type: named.mediaType,
    size: data.length,
    volatile: false,
  }
  const store = await serve({ 'PUT /bucket/key': stored })
  const signed = { 'content-type': 'application/x-model', 'x-amz-meta': 'a', authorization: 'AWS x', host: 'evil' }
  const ticket = {
    upload,
    url: `${store.origin}/bucket/key?sig=1`,
    headers: signed,
    expires_at: '2026-11-23T21:00:00.000Z',
  }
  const through: Answer = (response, { body }) => reply(201, { ...ref, digest: digestOf(body) })(response, {} as Seen)
  const engine = await serve({
    'PUT /artifacts': through,
    'POST /artifacts/uploads': reply(201, ticket),
    [`POST /artifacts/uploads/${upload}/complete`]: reply(201, ref),
    ...answers,
  })
  const directory = mkdtempSync(join(tmpdir(), 'uploads-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const problems: string[] = []
  const onProblem = (text: string): void => void problems.push(text)
  const artifacts = new HttpArtifacts({
    url: `${engine.origin}/artifacts`,
    token: 'a.worker.token',
    cache: new ArtifactCache({ directory, maxBytes: 10 * MB, onProblem }),
    lanes: new Lanes(),
    onProblem,
    retryMs: 1,
  })
  return { data, ref, ticket, store, engine, artifacts, problems, directory, save: () => artifacts.put(data, named) }
}

const begin = 'POST /artifacts/uploads'
const complete = `POST /artifacts/uploads/${upload}/complete`
const put = 'PUT /artifacts'

test('large bytes go past the engine, without the token and with what is signed', async () => {
  const { data, ref, store, engine, save, artifacts, problems, directory } = await rig({})
  expect(await save()).toEqual(ref)
  expect(engine.asked()).toEqual([begin, complete])
  expect(engine.seen.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill('Bearer a.worker.token'))
  expect(JSON.parse(engine.seen[0]?.body.toString() ?? '')).toEqual({
    digest: ref.digest,
    size: data.length,
    name: named.name,
    media_type: named.mediaType,
  })
  const [sent] = store.seen
  expect(sent?.body.equals(data)).toBe(true)
  expect(sent?.path).toBe('/bucket/key?sig=1')
  expect(sent?.headers).toMatchObject({ 'content-length': String(data.length), 'x-amz-meta': 'a' })
  expect(sent?.headers).not.toHaveProperty('authorization')
  expect(sent?.headers.host).toBe(new URL(store.origin).host)
  expect(problems).toEqual([])
  // and are here when they are asked for
  expect(readdirSync(directory)).toEqual([ref.digest.slice(7)])
  expect(await artifacts.get(ref.digest, true)).toEqual(data)
})

test('bytes that the engine knows cost no transfer', async () => {
  const { ref, store, engine, save, artifacts, data } = await rig({})
  const known = await rig({ [begin]: reply(200, ref) })
  expect(await known.artifacts.put(data, named)).toEqual(ref)
  expect([known.engine.asked(), known.store.asked()]).toEqual([[begin], []])
  await save()
  await artifacts.put(randomBytes(MB - 1), named)
  await artifacts.put(data, { ...named, volatile: true })
  expect([engine.asked(), store.asked().length]).toEqual([[begin, complete, put, put], 1])
})

test.each([400, 404, 405])(
  'an engine without such uploads (%i) is asked once, and gets the bytes itself',
  async (status) => {
    const { ref, store, engine, save, problems } = await rig({ [begin]: refuse(status) })
    expect([await save(), await save()]).toEqual([ref, ref])
    expect([engine.asked(), store.asked(), problems]).toEqual([[begin, put, put], [], []])
  },
)

test.each<[string, Answer]>([
  ['answers 500', refuse(500)],
  ['sends elsewhere', (response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()],
  ['breaks', (response) => void response.socket?.destroy()],
])('a store that %s is left alone, and the engine gets the bytes', async (_, answer) => {
  const { ref, store, engine, save, problems } = await rig({}, answer)
  expect([await save(), await save()]).toEqual([ref, ref])
  expect([engine.asked(), store.asked().length]).toEqual([[begin, put, put], 1])
  expect(problems).toEqual([
    expect.stringContaining('artifacts go through the engine, and not straight to its store: '),
  ])
})

test('a store that cannot be reached, or may not be, is left alone', async () => {
  const { ref, ticket } = await rig({})
  for (const url of ['http://127.0.0.1:1/key', 'http://store.example/key', 'ftp://127.0.0.1/key']) {
    const { engine, artifacts, problems, data } = await rig({ [begin]: reply(201, { ...ticket, url }) })
    const saved = await artifacts.put(data, named)
    expect([saved.size, engine.asked(), problems.length]).toEqual([ref.size, [begin, put], 1])
  }
})

test('an address that was too old is followed by another one, once', async () => {
  const { ref, store, engine, save } = await rig({}, [refuse(403), reply(200, null)])
  expect(await save()).toEqual(ref)
  expect([engine.asked(), store.asked().length]).toEqual([[begin, begin, complete], 2])
  const again = await rig({}, [refuse(403), refuse(403)])
  expect(await again.save()).toEqual(again.ref)
  expect(again.engine.asked()).toEqual([begin, begin, put])
})

test('bytes that the engine finds damaged in the store go through it', async () => {
  const { ref, engine, save } = await rig({ [complete]: refuse(422) })
  expect(await save()).toEqual(ref)
  expect(engine.asked()).toEqual([begin, complete, put])
})

test('an end that was confirmed and not heard is found again', async () => {
  const lost: Answer = (response) => void response.socket?.destroy()
  const first = await rig({})
  const { ref, artifacts, engine, store } = await rig({
    [complete]: [lost, refuse(404)],
    [begin]: [reply(201, { ...first.ticket, url: `${first.store.origin}/bucket/key` }), reply(200, first.ref)],
  })
  expect(await artifacts.put(first.data, named)).toEqual(first.ref)
  expect([engine.asked(), store.asked(), ref.size]).toEqual([[begin, complete, complete, begin], [], 3 * MB])
})

test('a busy engine is asked again, and what it refuses is told', async () => {
  const busy: Answer = (response) => void response.writeHead(503, { 'retry-after': '0' }).end()
  const first = await rig({})
  const { artifacts, engine } = await rig({ [begin]: [busy, reply(200, first.ref)] })
  expect(await artifacts.put(first.data, named)).toEqual(first.ref)
  expect(engine.asked()).toEqual([begin, begin])
  const { save, directory } = await rig({ [begin]: refuse(413) })
  await expect(save()).rejects.toThrow('the engine answers 413 to a request for artifacts not so')
  expect(readdirSync(directory)).toEqual([])
})

test('a reference to other bytes is not believed', async () => {
  const other = { digest: digestOf(Buffer.from('x')), name: '', media_type: 'a/b', size: 1, volatile: false }
  for (const answers of [{ [begin]: reply(200, other) }, { [complete]: reply(201, other) }]) {
    const { save, directory } = await rig(answers)
    await expect(save()).rejects.toThrow('the engine has stored other bytes than were sent')
    expect(readdirSync(directory)).toEqual([])
  }
})
