import { once } from 'node:events'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'

import { isWhole } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { createHttpExchange } from '../../src/egress/http-exchange.ts'
import { WholeResponse } from '../../src/egress/whole-response.ts'

const fields = 'content-type: application/json\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n'
const sized = (body: string, length = body.length): string =>
  `HTTP/1.1 200 Fine\r\n${fields}content-length: ${length}\r\n\r\n${body}`
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`
const chunked = (...texts: string[]): string =>
  `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${texts.map(chunk).join('')}`

const large = 'x'.repeat(100_000)
const answers: Readonly<Record<string, string>> = {
  '/small': sized('{"a":1}'),
  '/mark': sized('\uFEFF1', 4),
  '/nothing': sized(''),
  '/form': `HTTP/1.1 200 OK\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 3\r\n\r\na=1`,
  '/bad': 'HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\nno',
  '/large': sized(large),
  '/chunked': `${chunked('{"a"', ':1}')}0\r\n\r\n`,
  '/goes-on': chunked('begin'),
  '/silent': '',
  '/half': sized('{"a"', 7),
  '/no-content': 'HTTP/1.1 204 No Content\r\n\r\n',
  '/head': 'HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n',
}
const heard: string[] = []
/** Where the last request came. */
let connection: Socket | null = null
const server = createServer((socket) => {
  socket.on('error', () => {})
  socket.on('data', (request) => {
    const text = request.toString()
    heard.push(text)
    connection = socket
    socket.write(answers[text.split(' ')[1] ?? ''] ?? '')
  })
})
const { send, close } = createHttpExchange(({ host, port }) => connect({ host, port }))
const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  send(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, init)

/** What the types of Node.js do not know yet. */
const bytesOf = (response: Response): Promise<Uint8Array> =>
  (response as unknown as { bytes(): Promise<Uint8Array> }).bytes()

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(async () => {
  await close()
  server.close()
})

describe('a short answer', () => {
  test('is a response that is all here', async () => {
    const response = await ask('/small')
    expect(isWhole(response)).toBe(true)
    expect(response).toBeInstanceOf(Response)
    expect(response).toMatchObject({ status: 200, statusText: 'Fine', ok: true, redirected: false, bodyUsed: false })
    expect(response.url).toMatch(/\/small$/)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(await response.text()).toBe('{"a":1}')
    expect((await ask('/bad')).ok).toBe(false)
  })

  test('has all that a response has', async () => {
    const response = await ask('/small')
    const own = [...Object.getOwnPropertyNames(response), ...Object.getOwnPropertyNames(WholeResponse.prototype)]
    expect(own).toEqual(expect.arrayContaining(Object.getOwnPropertyNames(Response.prototype)))
  })

  test('is read in every way in which a response is', async () => {
    expect(await (await ask('/small')).json()).toEqual({ a: 1 })
    expect(Buffer.from(await bytesOf(await ask('/small'))).toString()).toBe('{"a":1}')
    expect(Buffer.from(await (await ask('/small')).arrayBuffer()).toString()).toBe('{"a":1}')
    const blob = await (await ask('/small')).blob()
    expect([await blob.text(), blob.type]).toEqual(['{"a":1}', 'application/json'])
    expect((await (await ask('/form')).formData()).get('a')).toBe('1')
    expect(await new Response((await ask('/small')).body).text()).toBe('{"a":1}')
    expect(await (await ask('/mark')).text()).toBe('1')
    expect(await (await ask('/nothing')).text()).toBe('')
  })

  test('is read once, and a copy of it once more', async () => {
    const response = await ask('/small')
    const copy = response.clone()
    expect(copy.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    for (const each of [response, copy, await ask('/small')]) {
      // oxlint-disable no-await-in-loop
      expect(await each.text()).toBe('{"a":1}')
      expect(each.bodyUsed).toBe(true)
      await expect(each.text()).rejects.toThrow(TypeError)
      await expect(bytesOf(each)).rejects.toThrow(TypeError)
      expect(() => each.clone()).toThrow(TypeError)
      // oxlint-enable no-await-in-loop
    }
  })

  test('may come without its length', async () => {
    const response = await ask('/chunked')
    expect(isWhole(response)).toBe(true)
    expect(await response.json()).toEqual({ a: 1 })
  })

  test('fails when the connection ends before it', async () => {
    heard.length = 0
    const cut = async (): Promise<void> => {
      await expect.poll(() => heard.length).toBe(1)
      connection?.end()
    }
    await Promise.all([expect(ask('/half')).rejects.toThrow('fetch failed'), cut()])
  })

  test('may have no body', async () => {
    for (const response of [await ask('/no-content'), await ask('/head', { method: 'HEAD' })]) {
      expect(response.body).toBe(null)
      // oxlint-disable-next-line no-await-in-loop
      expect(await response.text()).toBe('')
    }
  })
})

describe('a long answer', () => {
  test('is a stream', async () => {
    const response = await ask('/large')
    expect(isWhole(response)).toBe(false)
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(await response.text()).toBe(large)
  })

  test('is given before it ends', async () => {
    const response = await ask('/goes-on')
    expect(isWhole(response)).toBe(false)
    const reader = response.body!.getReader()
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('begin')
    await reader.cancel()
  })
})

describe('who gives up', () => {
  const reason = new Error('enough')
  const given = (init: (signal: AbortSignal) => Promise<unknown>) => {
    const control = new AbortController()
    return { control, result: init(control.signal) }
  }

  test('need not wait for a connection, and sends nothing when there is one', async () => {
    const waiting: (() => void)[] = []
    const own = createHttpExchange(({ host, port }) => {
      const socket = new Socket()
      waiting.push(() => socket.connect(port, host))
      return socket
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/small`
    heard.length = 0
    const { control, result } = given((signal) => own.send(`${url}?1`, { signal }))
    await expect.poll(() => waiting.length).toBe(1)
    control.abort(reason)
    await expect(result).rejects.toBe(reason)
    const next = own.send(url, {})
    for (let at = 0; heard.length === 0; at++) {
      // oxlint-disable-next-line no-await-in-loop -- one that was given up may be replaced
      await expect.poll(() => waiting.length > at || heard.length > 0).toBe(true)
      waiting[at]?.()
    }
    expect((await next).status).toBe(200)
    expect(heard).toHaveLength(1)
    await own.close()
  })

  test.each(['/silent', '/half'])('ends the connection while nothing has been answered: %s', async (path) => {
    heard.length = 0
    const { control, result } = given((signal) => ask(path, { signal }))
    await expect.poll(() => heard.length).toBe(1)
    control.abort(reason)
    await expect(result).rejects.toBe(reason)
    await expect.poll(() => connection?.destroyed).toBe(true)
  })

  test('ends the connection in the middle of an answer', async () => {
    const { control, result } = given(async (signal) => {
      const response = await ask('/goes-on', { signal })
      const reader = response.body!.getReader()
      await reader.read()
      control.abort(reason)
      return reader.read()
    })
    await expect(result).rejects.toBe(reason)
    await expect.poll(() => connection?.destroyed).toBe(true)
  })

  test('before it begins, sends nothing', async () => {
    heard.length = 0
    await expect(ask('/small', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(heard).toEqual([])
  })
})

describe('headers', () => {
  const fieldOf = (name: string): string | undefined =>
    new RegExp(`^${name}: (.*)\r$`, 'mi').exec(heard.at(-1) ?? '')?.[1]

  test('are sent as they are at that moment', async () => {
    const headers: Record<string, string> = { 'X-Own': '1', accept: 'text/plain' }
    await ask('/small', { headers })
    expect([fieldOf('x-own'), fieldOf('accept'), fieldOf('user-agent')]).toEqual(['1', 'text/plain', 'flow-service'])
    headers['X-Own'] = '2'
    await ask('/small', { headers })
    expect(fieldOf('x-own')).toBe('2')
  })

  test('that cannot change tell the type of a text only where there is one', async () => {
    const headers = Object.freeze({ 'x-own': '1' })
    for (let time = 0; time < 2; time++) {
      // oxlint-disable no-await-in-loop
      await ask('/small', { headers, method: 'POST', body: 'text' })
      expect([fieldOf('x-own'), fieldOf('content-type')]).toEqual(['1', 'text/plain;charset=UTF-8'])
      await ask('/small', { headers })
      expect([fieldOf('x-own'), fieldOf('content-type')]).toEqual(['1', undefined])
      // oxlint-enable no-await-in-loop
    }
  })
})
