import { DtypeViolation, HookRefusal } from '@flow-service/connector-sdk'
import { httpNode } from '@flow-service/node-types'
import { afterEach, describe, expect, test } from 'vitest'
import * as z from 'zod'

import { Servers } from './servers.ts'
import { codes, findings, Rig, type Setup, shapeOf } from './test-kit.ts'

const listen = (outputs: NonNullable<Setup['outputs']>, settings: Record<string, unknown> = {}) =>
  Rig.start(httpNode, { settings: { url: 'alerts', ...settings }, outputs })

describe('a webhook', () => {
  test('is mounted at its path behind its secret, for its method [R188] [R200]', async () => {
    const open = await listen({ alert: 'object' })
    expect(open.hooks[0]?.route).toEqual({ path: 'alerts', secret: null, methods: ['POST'] })
    const closed = await listen({ alert: 'object' }, { url: '/plant/alerts', method: 'GET', secret: 's3cret' })
    expect(closed.hooks[0]?.route).toEqual({ path: 'plant/alerts', secret: 's3cret', methods: ['GET'] })
  })

  test('marks its secret for forms, and takes a reference to a stored one [R200]', () => {
    const { properties } = z.toJSONSchema(httpNode.settings, { io: 'input' })
    expect(properties?.['secret']).toMatchObject({ 'x-secret': true })
    const settings = { url: 'x', secret: { $secret: 'hook' }, headers: { authorization: { $secret: 'token' } } }
    expect(httpNode.settings.safeParse(settings).success).toBe(true)
    expect(httpNode.settings.safeParse({ url: 'x', secret: '' }).success).toBe(false)
  })

  test('does not start when the secret has no value', async () => {
    await expect(listen({ a: 'any' }, { secret: { $secret: 'hook' } })).rejects.toThrow(
      'the secret "hook" has no value',
    )
  })

  test('feeds the ports that a JSON object names, as one delivery', async () => {
    const rig = await listen({ temp: 'float', room: 'str', other: 'any' })
    await rig.post('application/json', '{"temp": 21.5, "room": "hall", "unknown": 1}')
    expect(rig.emitted).toEqual([{ temp: 21.5, room: 'hall' }])
  })

  test.each([
    ['an object that does not name the port', 'application/json', '{"level":"high"}', { level: 'high' }],
    ['an array', 'application/vnd.acme+json', '[1,2]', [1, 2]],
    ['null', 'application/json', 'null', null],
    ['text', 'text/plain', 'hello', 'hello'],
    ['a form', 'application/x-www-form-urlencoded', 'a=1&b=x+y', { a: '1', b: 'x y' }],
    ['JSON without a type', '', '5', 5],
  ])('gives %s whole to its single output', async (_, type, body, expected) => {
    const rig = await listen({ body: 'any' })
    await rig.post(type, body)
    expect(rig.emitted).toEqual([{ body: expected }])
  })

  test('gives the part that names its single output, not the whole', async () => {
    const rig = await listen({ body: 'any' })
    await rig.post('application/json', '{"body": 1, "more": 2}')
    expect(rig.emitted).toEqual([{ body: 1 }])
  })

  test('reads numbers from query and form for numeric ports only', async () => {
    const rig = await listen({ temp: 'float', count: 'int', room: 'str' }, { method: 'GET' })
    await rig.get({ temp: '-2.5', count: '3', room: '7' })
    expect(rig.emitted).toEqual([{ temp: -2.5, count: 3, room: '7' }])
    await expect(rig.get({ temp: 'warm' })).rejects.toThrow(DtypeViolation)
    await expect(rig.get({ temp: '' })).rejects.toThrow(DtypeViolation)
    const form = await listen({ temp: 'float', room: 'str' })
    await form.post('application/x-www-form-urlencoded', 'temp=20')
    expect(form.emitted).toEqual([{ temp: 20 }])
  })

  test.each([
    ['1e3', 1000],
    ['-0.5', -0.5],
    ['0', 0],
    ['1E-2', 0.01],
    ['9007199254740992', 9_007_199_254_740_992],
  ])('reads the number %s as JSON does', async (text, number) => {
    const rig = await listen({ temp: 'float' }, { method: 'GET' })
    await rig.get({ temp: text })
    expect(rig.emitted).toEqual([{ temp: number }])
  })

  test.each(['0x10', '0b1', '1_000', ' 1', '1 ', '+1', '01', '.5', '5.', '1e', '-', '1e999', '9007199254740993', '٣'])(
    'reads no number in "%s", which is none of JSON or would be another one',
    async (text) => {
      const rig = await listen({ temp: 'float' }, { method: 'GET' })
      await expect(rig.get({ temp: text })).rejects.toThrow(DtypeViolation)
    },
  )

  test('gives the query as an object to a single output that it does not name', async () => {
    const rig = await listen({ query: 'object' }, { method: 'GET' })
    await rig.get({ a: '1' })
    expect(rig.emitted).toEqual([{ query: { a: '1' } }])
  })

  test('stores bytes as volatile artifacts for the ports that take their type', async () => {
    const rig = await listen({ photo: 'image', clip: 'media', note: 'str' })
    await rig.post('image/png', new Uint8Array([1, 2]))
    expect(rig.saved).toEqual([{ data: new Uint8Array([1, 2]), volatile: true, mediaType: 'image/png' }])
    expect(rig.emitted).toMatchObject([{ photo: { media_type: 'image/png' }, clip: { volatile: true } }])
    await rig.post('video/mp4', new Uint8Array([3]))
    expect(Object.keys(rig.emitted[1] ?? {})).toEqual(['clip'])
    await expect(rig.post('application/octet-stream', new Uint8Array([4]))).rejects.toThrow(HookRefusal)
    const file = await listen({ file: 'artifact' })
    await file.post('application/octet-stream', new Uint8Array([4]))
    expect(file.emitted).toMatchObject([{ file: { size: 1 } }])
  })

  test.each([
    ['broken JSON', 'application/json', '{"a":'],
    ['an empty body', '', ''],
    ['an object that names no output of several', 'application/json', '{"c":1}'],
    ['a value for several outputs', 'application/json', '[1]'],
    ['names that only the prototype has', 'application/json', '{"x":{}}'],
    ['nested too deeply', 'application/json', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['a type that no output takes', 'application/pdf', 'x'],
    ['broken UTF-8', 'text/plain', new Uint8Array([0xff])],
  ])('refuses %s and emits nothing', async (_, type, body) => {
    const rig = await listen({ a: 'any', toString: 'any' as const })
    await expect(rig.post(type, body)).rejects.toThrow(HookRefusal)
    expect(rig.emitted).toEqual([])
  })

  test('emits nothing for a request that ends after the flow has stopped', async () => {
    const rig = await listen({ a: 'any' })
    await rig.stop()
    await expect(rig.post('text/plain', 'x')).rejects.toThrow(HookRefusal)
    expect(rig.emitted).toEqual([])
  })

  test('publishes the values of a trigger', async () => {
    const rig = await listen({ a: 'int' })
    await rig.trigger({ a: 1 })
    expect(rig.emitted).toEqual([{ a: 1 }])
  })

  test('without a secret is an advisory finding and no error [R036] [R201]', () => {
    expect(findings(httpNode, { settings: { url: 'x' }, outputs: { a: 'any' } })).toMatchObject([
      { code: 'webhook_without_secret', severity: 'advisory' },
    ])
    const settings = { url: 'x', secret: { $secret: 'hook' } }
    expect(findings(httpNode, { settings, outputs: { a: 'any' } })).toEqual([])
  })

  test.each(['https://example.com/x', 'a b', '../x', 'a//b', '/', 'a?b=1'])('refuses the route %s [R194]', (url) => {
    expect(codes(httpNode, { settings: { url, secret: 's' }, outputs: { a: 'any' } })).toEqual(['bad_setting'])
  })

  test('claims its path, whatever its secret; a request claims nothing', () => {
    const claims = (setup: Setup) => httpNode.claims?.(shapeOf(httpNode, setup))
    expect(claims({ settings: { url: 'plant/a' }, outputs: { a: 'any' } })).toEqual(['webhook /plant/a'])
    expect(claims({ settings: { url: '/plant/a', secret: 's' }, outputs: { a: 'any' } })).toEqual(['webhook /plant/a'])
    expect(claims({ settings: { url: 'http://a/' }, inputs: { a: 'any' } })).toEqual([])
  })

  test('lives in live flows; without any port it is refused [R012] [R161]', () => {
    const modes = httpNode.modes as (shape: ReturnType<typeof shapeOf>) => readonly string[]
    expect(modes(shapeOf(httpNode, { settings: { url: 'x' }, outputs: { a: 'any' } }))).toEqual(['live'])
    expect(modes(shapeOf(httpNode, { settings: { url: 'x' }, inputs: { a: 'any' } }))).toEqual(['live', 'batch'])
    expect(codes(httpNode, { settings: { url: 'x', secret: 's' } })).toEqual(['unsupported_ports'])
  })
})

describe('a sender', () => {
  const servers = new Servers()
  afterEach(() => servers.close())
  const serve: Servers['serve'] = (answer) => servers.serve(answer)
  const answering = (text: string, status = 200) =>
    serve((_, response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(text))
  const sender = (url: string, settings: Record<string, unknown> = {}, setup: Setup = {}) =>
    Rig.start(httpNode, {
      inputs: { x: 'float', part: 'object' },
      outputs: { a: 'any', b: 'any' },
      ...setup,
      settings: { url, ...settings },
    })
  const values = { x: 1.5, part: { id: 7 } }

  test('posts its inputs as a JSON object and publishes the keys its ports name [R190] [R191] [R192] [R195]', async () => {
    const { url, seen } = await answering('{"a": 1, "b": {"c": 2}, "dropped": 3}')
    const rig = await sender(`${url}/score?fixed=1`)
    await rig.arrive(values)
    expect(seen).toMatchObject([
      { method: 'POST', path: '/score', query: { fixed: '1' }, body: JSON.stringify(values) },
    ])
    expect(seen[0]?.headers['content-type']).toBe('application/json')
    expect(rig.emitted).toEqual([{ a: 1, b: { c: 2 } }])
    expect(rig.timers).toBe(0)
  })

  test('waits until every triggering input has a value', async () => {
    const { url, seen } = await answering('{}')
    const rig = await sender(url)
    await rig.arrive({ x: 1 })
    expect(seen).toEqual([])
  })

  test('puts inputs of a GET into the query, where fixed parameters win [R198]', async () => {
    const { url, seen } = await answering('{}')
    const rig = await sender(url, { method: 'GET', query: { x: 'fixed', key: 'k', n: 2 } }, { passive: { off: 'str' } })
    await rig.arrive(values)
    expect(seen).toMatchObject([{ method: 'GET', query: { x: 'fixed', part: '{"id":7}', key: 'k', n: '2' }, body: '' }])
    expect(seen[0]?.query).not.toHaveProperty('off')
  })

  test('sends its headers and fixed parameters [R197] [R198]', async () => {
    const { url, seen } = await answering('{}')
    const rig = await sender(url, { headers: { Authorization: 'Bearer t' }, query: { key: 'k' } })
    await rig.arrive(values)
    expect(seen).toMatchObject([{ headers: { authorization: 'Bearer t' }, query: { key: 'k' } }])
  })

  test.each(['POST', 'GET'])('sends no inputs by %s when they only trigger [R199]', async (method) => {
    const { url, seen } = await answering('{}')
    const rig = await sender(url, { method, send_inputs: false, query: { key: 'k' } })
    await rig.arrive(values)
    expect(seen).toMatchObject([{ method, query: { key: 'k' }, body: '' }])
    expect(seen[0]?.query).not.toHaveProperty('x')
  })

  test.each(['[1]', '"text"', 'null', 'not json', '', '{"c": 1}'])(
    'publishes nothing for the answer %j [R193]',
    async (text) => {
      const { url } = await answering(text)
      const rig = await sender(url)
      await rig.arrive(values)
      expect(rig.emitted).toEqual([])
    },
  )

  test.each([400, 404, 503])('fails on status %d', async (status) => {
    const { url } = await answering('{"a":1}', status)
    const rig = await sender(url)
    await expect(rig.arrive(values)).rejects.toMatchObject({
      name: 'http_status',
      message: expect.stringContaining(`POST ${url}/ answered ${status}`),
    })
    expect(rig.emitted).toEqual([])
    expect(rig.timers).toBe(0)
  })

  test('fails when no answer comes in time [R196]', async () => {
    let rig: Rig | undefined
    const { url } = await serve(() => void rig?.advance(1.1))
    rig = await sender(url, { timeout: 1 })
    await expect(rig.arrive(values)).rejects.toMatchObject({
      name: 'timeout',
      message: expect.stringContaining('within 1 s'),
    })
  })

  test('ends its request when the node stops', async () => {
    let rig: Rig | undefined
    const { url } = await serve(() => void rig?.stop())
    rig = await sender(url)
    await expect(rig.arrive(values)).rejects.toMatchObject({ type: 'cancelled', message: 'the node stops' })
    expect(rig.timers).toBe(0)
  })

  test('says why a host cannot be reached', async () => {
    const { url } = await answering('{}')
    servers.close()
    const rig = await sender(url.replace(/\d+$/, '1'))
    await expect(rig.arrive(values)).rejects.toMatchObject({
      name: 'unreachable',
      message: expect.stringContaining('failed: '),
    })
  })

  test('follows redirects, repeating the request only when the status keeps it', async () => {
    const { url, seen } = await serve(({ path }, response) => {
      if (path === '/kept') response.writeHead(307, { location: '/end' }).end()
      else if (path === '/see') response.writeHead(303, { location: '/end' }).end()
      else response.end('{"a":1}')
    })
    const rig = await sender(`${url}/kept`)
    await rig.arrive(values)
    const other = await sender(`${url}/see`)
    await other.arrive(values)
    expect(seen.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/kept', JSON.stringify(values)],
      ['POST', '/end', JSON.stringify(values)],
      ['POST', '/see', JSON.stringify(values)],
      ['GET', '/end', ''],
    ])
    expect([rig.emitted, other.emitted]).toEqual([[{ a: 1 }], [{ a: 1 }]])
  })

  test('keeps its headers from another origin [T74]', async () => {
    const end = await answering('{}')
    const start = await serve((_, response) => void response.writeHead(308, { location: `${end.url}/x` }).end())
    const headers = { authorization: 'Bearer canary', cookie: 'c=canary', 'x-api-key': 'canary', 'x-own': 'canary' }
    const rig = await sender(start.url, { headers, query: { key: 'canary' } })
    await rig.arrive(values)
    expect(start.seen[0]).toMatchObject({ headers, query: { key: 'canary' } })
    expect(end.seen).toMatchObject([{ method: 'POST', body: JSON.stringify(values) }])
    expect(JSON.stringify(end.seen)).not.toContain('canary')
  })

  test('gives up after five redirects [T74]', async () => {
    const { url, seen } = await serve((_, response) => void response.writeHead(302, { location: '/again' }).end())
    const rig = await sender(url, { method: 'GET' })
    await expect(rig.arrive(values)).rejects.toMatchObject({ name: 'too_many_redirects' })
    expect(seen).toHaveLength(6)
  })

  test('reads no more than 10 MiB of an answer [T76]', async () => {
    const { url } = await answering(`{"a":"${'x'.repeat(11 * 1024 * 1024)}"}`)
    const rig = await sender(url)
    await expect(rig.arrive(values)).rejects.toMatchObject({ name: 'answer_too_large' })
  })

  test('fails on an answer that is nested too deeply [F61] [T76]', async () => {
    const { url } = await answering(`{"a":${'['.repeat(64)}${']'.repeat(64)}}`)
    const rig = await sender(url)
    await expect(rig.arrive(values)).rejects.toThrow('answered more than 64 levels of JSON')
  })

  test('may be repeated after a crash only when it gets', () => {
    const idempotent = httpNode.idempotent as (shape: ReturnType<typeof shapeOf>) => boolean
    const shape = (method: string) => shapeOf(httpNode, { settings: { url: 'http://x', method }, inputs: { a: 'any' } })
    expect([idempotent(shape('GET')), idempotent(shape('POST'))]).toEqual([true, false])
  })

  test.each(['PUT', 'PATCH', 'get'])('refuses the method %s [R195]', (method) => {
    expect(httpNode.settings.safeParse({ url: 'x', method }).success).toBe(false)
  })

  test('needs a url', () => {
    expect(httpNode.settings.safeParse({}).success).toBe(false)
  })

  test.each([
    'alerts',
    '/x',
    '//host/x',
    'host:80',
    'http://',
    'http://host:99999/',
    'ws://host/',
    'unix:/run/docker.sock',
    'ftp://host/x',
    'file:///etc/passwd',
    'data:,x',
    'javascript:alert(1)',
    'blob:http://host/x',
    'http+unix://x/y',
    'http://user:pw@host/',
    'http://user@host/',
    'https://:pw@host/',
  ])('refuses the address %s [R194] [T71]', (url) => {
    expect(codes(httpNode, { settings: { url }, inputs: { a: 'any' } })).toEqual(['bad_setting'])
  })

  test.each([
    ['host', 'x'],
    ['HOST', 'x'],
    ['te', 'trailers'],
    ['Connection', 'upgrade'],
    ['Upgrade', 'h2c'],
    ['Content-Length', '0'],
    ['Expect', '100-continue'],
    ['Transfer-Encoding', 'chunked'],
    ['x-a', 'a\nb'],
    ['x-a', 'a\0b'],
    ['x:a', 'b'],
    ['x\r\ny', 'b'],
    ['x-a', 'a\r\nhost: b'],
    ['x a', 'b'],
    ['', 'b'],
  ])('refuses the header %j: %j [T71]', (name, value) => {
    const setup = { settings: { url: 'http://host/', headers: { [name]: value } }, inputs: { a: 'any' } } as const
    expect(codes(httpNode, setup)).toEqual(['bad_setting'])
  })
})

test('a header that carries a credential had better be a reference to a secret', () => {
  const advised = (headers: object) =>
    findings(httpNode, { settings: { url: 'http://host/', headers }, inputs: { a: 'any' } })
  for (const name of ['Authorization', 'cookie', 'Proxy-Authorization', 'X-API-Key', 'x-auth-token', 'Token']) {
    expect(advised({ [name]: 'canary', accept: 'text/plain' })).toEqual([
      {
        code: 'plain_credential',
        severity: 'advisory',
        path: `/settings/headers/${name}`,
        message: expect.stringContaining(`the header "${name}" holds a credential`),
      },
    ])
    expect(JSON.stringify(advised({ [name]: 'canary' }))).not.toContain('canary')
    expect(advised({ [name]: { $secret: 'a' } })).toEqual([])
  }
  expect(advised({ 'x-tokens-left': '3', 'x-keyboard': 'de' })).toEqual([])
})
