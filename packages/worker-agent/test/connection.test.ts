import type { EngineFrame, WorkerFrame } from '@flow-service/protocol'
import { expect, onTestFinished, test } from 'vitest'

import { FrameTooLarge } from '../src/index.ts'
import { connect, type ConnectionOptions, NoConnection } from '../src/remote/connection.ts'
import { type Behaviour, fakeEngine } from './fake-engine.ts'
import { until } from './harness.ts'

const none = (): Promise<never> => Promise.reject(new Error('no artifacts here'))
const hello: WorkerFrame = {
  type: 'hello',
  protocol: 1,
  version: '0',
  name: 'w',
  labels: [],
  parallel: 1,
  resources: { cpus: 1, gpus: 0, ram_mb: 1 },
  python: null,
  platform: 'x',
}

async function opened(behaviour: Behaviour = {}, more: Partial<ConnectionOptions> = {}) {
  const engine = await fakeEngine({ onHello: () => undefined, ...behaviour })
  const problems: string[] = []
  const connection = await connect({
    url: new URL(engine.url),
    token: 'a.worker.token',
    artifacts: { get: none, put: none },
    onProblem: (text) => problems.push(text),
    ...more,
  })
  onTestFinished(async () => void (await connection.close()))
  const frames: EngineFrame[] = []
  connection.onFrame((frame) => frames.push(frame))
  void connection.send(hello)
  return { connection, problems, frames, link: await engine.link() }
}

const emit = (...sizes: number[]): WorkerFrame => ({
  type: 'emit',
  call: 'c',
  batch: sizes.map((size, at) => [{ y: 'x'.repeat(size) }, at]),
})

test('frames travel both ways as JSON texts, with the token in the upgrade and no compression [R585]', async () => {
  const { connection, frames, link } = await opened()
  expect(link.headers).toMatchObject({ authorization: 'Bearer a.worker.token' })
  expect(link.headers).not.toHaveProperty('sec-websocket-extensions')
  link.send({ type: 'drain' })
  void connection.send({ type: 'heartbeat', calls: ['a'] })
  expect(await link.seen('heartbeat')).toEqual({ type: 'heartbeat', calls: ['a'] })
  expect(await until(() => frames.length === 1)).toBe(true)
})

test('a damaged frame is dropped and told; a type of a later engine is passed over', async () => {
  const { frames, problems, link } = await opened()
  const texts = ['{', '[]', 'null', '{"type":"cancel"}', '{"type":"cancel","call":7}', '{"type":"confetti"}']
  for (const text of texts) link.socket.send(text)
  link.socket.send(Buffer.from('{"type":"drain"}'), { binary: true })
  link.send({ type: 'cancel', call: 'a' })
  expect(await until(() => frames.length === 1)).toBe(true)
  expect(frames).toEqual([{ type: 'cancel', call: 'a' }])
  expect(problems).toHaveLength(6)
  expect(problems[3]).toMatch(/damaged frame of the engine was dropped: "cancel" at "call": /)
})

test('a call that lacks a member is answered with its failure: nobody waits for it', async () => {
  const { frames, link } = await opened()
  link.socket.send('{"type":"call","call":"c1","attempt":1}')
  expect(await link.seen('error')).toEqual({
    type: 'error',
    call: 'c1',
    error: {
      type: 'malformed_frame',
      message: expect.stringMatching(/^the engine sent what is no frame of the protocol: "call" at "flow": /),
      traceback: null,
    },
  })
  expect(frames).toEqual([])
})

test('a frame beyond 32 MiB is not sent; emissions that are too large together go in parts', async () => {
  const { connection, link } = await opened()
  const result: WorkerFrame = { type: 'result', call: 'c', outputs: { y: 'x'.repeat(33 * 1024 ** 2) } }
  for (const frame of [result, emit(33 * 1024 ** 2)]) {
    expect(() => connection.send(frame)).toThrow(FrameTooLarge)
    expect(() => connection.send(frame)).toThrow('use save_artifact()')
  }
  await connection.send(emit(20 * 1024 ** 2, 1, 20 * 1024 ** 2))
  void connection.send({ type: 'bye', reason: 'shutdown' })
  await link.seen('bye')
  const times = link.frames.flatMap((frame) => (frame.type === 'emit' ? frame.batch.map(([, atMs]) => atMs) : []))
  expect(times).toEqual([0, 1, 2])
})

test('while 4 MiB are unsent the sender is asked to wait, and let go when they are sent [F68]', async () => {
  const { connection, link } = await opened()
  link.socket.pause()
  const waits: Promise<void>[] = []
  for (let sent = 0; sent < 64 && waits.length === 0; sent += 1) {
    const behind = connection.send(emit(1024 ** 2))
    if (behind) waits.push(behind)
  }
  expect(waits).toHaveLength(1)
  let isWaiting = true
  void waits[0]?.then(() => (isWaiting = false))
  void connection.send(emit(1))
  expect(isWaiting).toBe(true)
  link.socket.resume()
  await waits[0]
})

test('a link that ends lets go who waits', async () => {
  const { connection, link } = await opened()
  link.socket.pause()
  let behind: void | Promise<void> = undefined
  while (!behind) behind = connection.send(emit(1024 ** 2))
  link.socket.terminate()
  await behind
  expect(await connection.ended).toEqual({ kind: 'lost', detail: 'the connection broke' })
  expect(connection.send(emit(10 * 1024 ** 2))).toBeUndefined()
})

test('a link on which nothing arrives is given up; a ping is a sign of life [F32]', async () => {
  const { connection, link } = await opened({}, { silenceS: 0.5 })
  const pings = setInterval(() => link.socket.ping(), 50)
  onTestFinished(() => clearInterval(pings))
  let isEnded = false
  void connection.ended.then(() => (isEnded = true))
  let pongs = 0
  link.socket.on('pong', () => (pongs += 1))
  expect(await until(() => pongs > 20)).toBe(true)
  expect(isEnded).toBe(false)
  clearInterval(pings)
  expect(await connection.ended).toEqual({ kind: 'lost', detail: 'nothing came from the engine for 0.5 seconds' })
})

test.each<[number, string, object]>([
  [4001, 'labels', { kind: 'refused', detail: 'the engine refused this worker (code 4001, labels)' }],
  [4003, '', { kind: 'credential', detail: "the worker's token was revoked (code 4003)" }],
  [1012, '', { kind: 'lost', detail: 'the engine restarts (code 1012)' }],
  [1008, 'no', { kind: 'lost', detail: 'the engine closed the link (code 1008, no)' }],
])('code %i of a link that ends says why', async (code, reason, end) => {
  const { connection, link } = await opened()
  link.socket.close(code, reason)
  expect(await connection.ended).toEqual(end)
})

test('our own end is none of the engine, and comes after what was sent', async () => {
  const { connection, link } = await opened()
  void connection.send({ type: 'bye', reason: 'max_idle' })
  expect(await connection.close()).toMatchObject({ kind: 'closed' })
  expect([link.frames.at(-1)?.type, await link.closed]).toEqual(['bye', 1000])
})

test('an engine that does not answer the end of a link does not hold it', async () => {
  const { connection, link } = await opened()
  link.socket.pause()
  expect(await connection.close()).toMatchObject({ kind: 'closed' })
})

const refused = async (behaviour: Behaviour): Promise<unknown> => {
  const error: unknown = await opened(behaviour).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(NoConnection)
  return (error as NoConnection).end
}

test.each([401, 403])('an answer of %i is about the token, and said in the words of the engine', async (status) => {
  const body = '{"detail":"the token of worker \\"gpu\\" has expired"}'
  expect(await refused({ refuse: () => ({ status, body }) })).toEqual({
    kind: 'credential',
    detail: `the engine does not take the worker's token (HTTP ${status}, the token of worker "gpu" has expired)`,
  })
})

test.each([404, 426, 500, 503])('an answer of %i is worth another attempt', async (status) => {
  expect(await refused({ refuse: () => ({ status, body: '<html>' }) })).toEqual({
    kind: 'lost',
    detail: `no worker can attach there (HTTP ${status})`,
  })
})

test('a redirect is not followed: the token stays with the address that was given [T36]', async () => {
  const other = await fakeEngine()
  const refuse = () => ({ status: 307, headers: { location: other.url } })
  expect(await refused({ refuse })).toMatchObject({ kind: 'lost' })
  expect(other.attempts()).toBe(0)
})

test('an engine that is not there is told by what the network says', async () => {
  const connecting = connect({
    url: new URL('ws://127.0.0.1:1/workers/attach'),
    token: 'x',
    artifacts: { get: none, put: none },
    onProblem: () => undefined,
  })
  await expect(connecting).rejects.toMatchObject({
    end: { kind: 'lost', detail: expect.stringContaining('ECONNREFUSED') },
  })
})

test('an attempt that takes its time can be given up', async () => {
  const stop = new AbortController()
  const connecting = opened({ refuse: () => (stop.abort(), null) }, { signal: stop.signal })
  await expect(connecting).rejects.toBeInstanceOf(NoConnection)
})
