/** Bounds of requests that nodes answer themselves: bodies, time, the stop and the rebuild of a node. */
import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'

import type express from 'express'
import { expect, test, vi } from 'vitest'

import {
  anybody,
  ask,
  type Asking,
  base,
  clock,
  failures,
  node,
  nodes,
  serve,
  told,
  useNodeServer,
  whileAuthenticating,
} from './node-server.ts'

useNodeServer()

test('a body is handed over unread, up to 1 MiB', async () => {
  const read: number[] = []
  serve(async (request, response) => {
    let size = 0
    for await (const chunk of request) size += (chunk as Buffer).length
    read.push(size)
    response.end(String(size))
  })
  const most = 1024 * 1024
  const post = (body: Uint8Array | ReadableStream): Promise<Response> =>
    ask('/camera/yard/gate', { method: 'POST', body, duplex: 'half' } as Asking)
  expect(await (await post(new Uint8Array(most))).text()).toBe(String(most))
  const declared = httpRequest(`${base}/camera/yard/gate`, {
    method: 'POST',
    headers: { authorization: 'Bearer user', 'content-length': most + 1 },
  })
  declared.on('error', () => {}).write('its beginning')
  const [refused] = (await once(declared, 'response')) as [IncomingMessage]
  refused.on('error', () => {}).resume()
  expect(refused.statusCode).toBe(413)
  expect([read, failures]).toEqual([[most], []])
})

test('a body of no declared length that passes 1 MiB is refused, and its reader gets no end of it', async () => {
  const ends: string[] = []
  serve(async (request, response) => {
    try {
      for await (const chunk of request) void chunk
      ends.push('whole')
      response.end()
    } catch (error) {
      ends.push('cut')
      throw error
    }
  })
  const request = httpRequest(`${base}/camera/yard/gate`, {
    method: 'POST',
    headers: { authorization: 'Bearer user' },
  })
  request.on('error', () => {})
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  for (let sent = 0; sent < 17; sent++) request.write(Buffer.alloc(64 * 1024))
  const [response] = await answered
  response.on('error', () => {}).resume()
  expect(response.statusCode).toBe(413)
  request.end()
  await expect.poll(() => ends).toEqual(['cut'])
  expect(failures).toEqual([])
})

test('an answer that has not begun after 30 s is refused, one that has begun goes on', async () => {
  const streaming = Promise.withResolvers<() => void>()
  const asked = Promise.withResolvers<void>()
  serve((request, response) => {
    if (request.url === '/never') return asked.resolve()
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    streaming.resolve(() => response.end('data: 2\n\n'))
  })
  const late = told(ask('/camera/yard/gate/never'))
  const events = await ask('/camera/yard/gate/events')
  const end = await streaming.promise
  await asked.promise
  await clock.advance(29_999)
  const pending = await Promise.race([late, new Promise((resolve) => void setImmediate(resolve, 'pending'))])
  expect(pending).toBe('pending')
  await clock.advance(1)
  expect(await late).toEqual([503, 'unavailable'])
  await clock.advance(3_600_000)
  end()
  expect(await events.text()).toBe('data: 1\n\ndata: 2\n\n')
  expect([failures, clock.pending]).toEqual([[], 0])
})

test('a body that has not come after 30 s is refused, also when its answer has begun', async () => {
  const begun = Promise.withResolvers<void>()
  const heard: string[] = []
  serve((request, response) => {
    heard.push(request.url ?? '')
    if (request.url === '/begun') response.write('a part')
    if (heard.length === 2) begun.resolve()
  })
  const post = (path: string) => {
    const request = httpRequest(`${base}/camera/yard/gate${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer user', 'content-length': 10 },
    })
    request.on('error', () => {}).write('five.')
    return once(request, 'response') as Promise<[IncomingMessage]>
  }
  const [waiting, answering] = [post('/waiting'), post('/begun')]
  const [answer] = await answering
  const cut = once(answer, 'error')
  answer.resume()
  await begun.promise
  await clock.advance(30_000)
  const [refused] = await waiting
  refused.on('error', () => {}).resume()
  expect(refused.statusCode).toBe(408)
  expect(await cut).toMatchObject([{ code: 'ECONNRESET' }])
})

test('of the bodies without sign-in the longest makes way when there are too many', async () => {
  let onHeard = (): void => {}
  serve(() => onHeard(), ['/'])
  const open = (at: number) => {
    const request = httpRequest(`${base}/camera/yard/gate/${at}`, { method: 'POST', headers: { 'content-length': 10 } })
    request.on('error', () => {}).write('five.')
    return once(request, 'response') as Promise<[IncomingMessage]>
  }
  const answers: Promise<[IncomingMessage]>[] = []
  for (let at = 0; at < 64; at++) {
    const heard = new Promise<void>((resolve) => (onHeard = resolve))
    answers.push(open(at))
    // oxlint-disable-next-line no-await-in-loop -- the first that is heard is the one that has taken longest
    await heard
  }
  for (const answer of answers.slice(1)) answer.catch(() => {})
  open(64).catch(() => {})
  const [first] = (await answers[0]) as [IncomingMessage]
  first.resume()
  expect([first.statusCode, first.headers['retry-after']]).toEqual([503, '1'])
})

test('what a node does to an answer that was given in its place has no effect, and throws nothing', async () => {
  const late = Promise.withResolvers<() => void>()
  serve((_request, response) => {
    late.resolve(() => {
      response.setHeader('x-late', '1')
      ;(response as express.Response).status(200).json({ late: true })
      response.writeHead(200).write('late')
      response.end('late')
    })
  })
  const refused = ask('/camera/yard/gate')
  const answer = await late.promise
  await clock.advance(30_000)
  answer()
  const { status, headers } = await refused
  expect([status, headers.get('x-late')]).toEqual([503, null])
  await new Promise(setImmediate)
  answer()
})

test('the stop of a node refuses what waits for an answer, and cuts what has begun', async () => {
  const waits = Promise.withResolvers<void>()
  const mounted = serve((request, response) => {
    if (request.url === '/begun') response.write('a part')
    else waits.resolve()
  })
  const waiting = ask('/camera/yard/gate')
  const begun = await ask('/camera/yard/gate/begun')
  await waits.promise
  mounted.unmount()
  mounted.stop()
  const answer = await waiting
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  await expect(begun.text()).rejects.toThrow('terminated')
  expect([failures, clock.pending]).toEqual([[], 0])
})

test('a sender that leaves is no failure of the node, which hears of it', async () => {
  const left = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  serve(async (request) => {
    asked.resolve()
    try {
      for await (const chunk of request) void chunk
    } finally {
      left.resolve()
    }
  })
  const request = httpRequest(`${base}/camera/yard/gate`, {
    method: 'POST',
    headers: { authorization: 'Bearer user', 'content-length': 10 },
  })
  request.on('error', () => {}).write('five.')
  await asked.promise
  request.destroy()
  await left.promise
  await new Promise(setImmediate)
  expect([failures, clock.pending]).toEqual([[], 0])
})

test('requests to a node that is rebuilt wait, unread, for the new one, and 15 s at most', async () => {
  const old = serve((_request, response) => response.end('old'), ['/'])
  old.hold()
  const stranger = anybody('/camera/yard/gate')
  const waiting = ask('/camera/yard/gate', { method: 'POST', body: 'a body' })
  const fresh = node(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    response.end(`new ${body}`)
  })
  old.unmount()
  fresh.open()
  expect(await (await waiting).text()).toBe('new a body')
  // what was open to anybody was so to the old one
  expect((await stranger).status).toBe(401)

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    fresh.hold()
    const found = nodes.found('/camera/yard/gate').catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await found).toMatchObject({ code: 'unavailable', extensions: { retry_after_s: 1 } })
  } finally {
    vi.useRealTimers()
  }
})

test('a node that is rebuilt while its sender is asked who it is makes way for the new one', async () => {
  const old = serve((_request, response) => response.end('old'))
  whileAuthenticating(() => {
    old.hold()
    node((_request, response) => response.end('new')).open()
  })
  expect(await (await ask('/camera/yard/gate')).text()).toBe('new')
})
