import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { openSocket, sendRaw } from './raw-http.ts'
import { problemOf, publish, startService, type TestService } from './service.ts'

/** A member of a gzip file; the members of one unpack one after the other (RFC 1952, section 2.2). */
const tenMegabytes = gzipSync(Buffer.alloc(10_000_000))
const SECRET = 'k3-of-the-hook'
const webhook = (id: string, settings: object, port: object) => ({
  id,
  type: 'http',
  settings,
  ports: [{ direction: 'output', ...port }],
})
const plant = {
  mode: 'live',
  nodes: [
    webhook('closed', { url: 'closed', secret: SECRET }, { name: 'closed', dtype: 'any' }),
    webhook('open', { url: 'deep/open' }, { name: 'open', dtype: 'any' }),
    webhook('number', { url: 'number' }, { name: 'number', dtype: 'float' }),
    webhook('asked', { url: 'asked', method: 'GET' }, { name: 'asked', dtype: 'any' }),
  ],
}

let at: TestService
beforeAll(async () => {
  at = await startService()
  await publish(at, 'plant', plant)
  await publish(at, 'stopped', plant)
  await publish(at, 'older', plant)
  for (const name of ['plant', 'stopped', 'older']) await at.send('POST', `/flows/${name}/start`)
  await at.send('POST', '/flows/stopped/stop')
  await at.send('POST', '/flows/older/rename', { name: 'newer' })
})
afterAll(() => at[Symbol.asyncDispose]())

const post = (path: string, body: string | Buffer = '1', ...headers: string[]) =>
  sendRaw(at.origin, [`POST ${path} HTTP/1.1`, ...headers], body)
const json = 'content-type: application/json'
/** The last value of a message of the flow. */
const valueOf = async (message: string): Promise<unknown> =>
  (await at.client.messages.list()).find(({ name }) => name === `plant.${message}`)?.value

describe('a webhook tells nobody that it exists [T53]', () => {
  test('a wrong, missing or foreign secret, a stopped, a renamed and an unknown flow: the same bytes [R200, R626, R670]', async () => {
    const unlike = await post('/hooks/nobody/closed/x')
    expect([unlike.status, unlike.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
    for (const path of [
      '/hooks/plant/closed',
      '/hooks/plant/closed/',
      '/hooks/plant/closed/wrong',
      `/hooks/plant/closed/${SECRET}x`,
      `/hooks/plant/closed/${SECRET.slice(0, -1)}`,
      `/hooks/plant/closed/${SECRET.toUpperCase()}`,
      `/hooks/plant/closed/${SECRET}/more`,
      `/hooks/plant/closed?secret=${SECRET}`,
      `/hooks/stopped/closed/${SECRET}`,
      '/hooks/stopped/number',
      `/hooks/older/closed/${SECRET}`,
      '/hooks/older/number',
      '/hooks/plant/nothing',
      '/hooks/plant',
      '/hooks',
      '/hooks/%zz/closed',
      `/api/v1/hooks/plant/closed/wrong`,
    ]) {
      const answer = await post(path)
      expect([path, answer.text]).toEqual([path, unlike.text])
    }
    expect((await post(`/hooks/plant/closed/${SECRET}`)).status).toBe(202)
    expect((await post(`/api/v1/hooks/plant/closed/${SECRET}`)).status).toBe(202)
    expect((await post(`/hooks/newer/closed/${SECRET}`)).status).toBe(202)
  })

  test('neither by another method', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']) {
      const [wrong, unknown] = await Promise.all(
        ['/hooks/plant/closed/wrong', '/hooks/nobody/closed/x'].map((path) =>
          sendRaw(at.origin, [`${method} ${path} HTTP/1.1`]),
        ),
      )
      expect([method, wrong?.status, wrong?.text]).toEqual([method, 404, unknown?.text])
    }
  })

  test('a session, signed in or not, changes nothing', async () => {
    expect((await post('/hooks/plant/closed/wrong', '1', `authorization: Bearer ${at.token}`)).status).toBe(404)
    expect((await post(`/hooks/plant/closed/${SECRET}`, '1', 'authorization: Bearer garbage')).status).toBe(202)
  })

  test('who knows the secret is told which method is taken [T56]', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
      const answer = await sendRaw(at.origin, [`${method} /hooks/plant/closed/${SECRET} HTTP/1.1`, 'x-canary: canary'])
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'POST'])
      expect(answer.text).not.toContain('canary')
    }
    expect((await post('/hooks/plant/asked')).headers.get('allow')).toBe('GET')
  })
})

describe('a route takes no address but its own [T54]', () => {
  test.each([
    '../../api/v1/login/access-token',
    '/../x',
    'a/../b',
    './x',
    'x/.',
    'a//b',
    'a%2fb',
    '%2e%2e/x',
    'a b',
    'a?b=c',
    'a#b',
    'a\\b',
    'a;b',
    'ä',
    '/',
    '//x',
  ])('a webhook at %j is an error of its flow', async (url) => {
    const document = { mode: 'live', nodes: [webhook('hook', { url }, { name: 'v', dtype: 'any' })] }
    await at.send('PUT', '/flows/shadow', document)
    const answer = await at.send('POST', '/flows/shadow/publish', { version: 1 })
    expect([answer.status, problemOf(answer).code]).toEqual([422, 'flow_invalid'])
    await at.send('DELETE', '/flows/shadow')
  })

  test('two webhooks of one flow at one path are an error of the flow, of two flows they are not', async () => {
    const twice = {
      mode: 'live',
      nodes: [
        webhook('one', { url: 'twice' }, { name: 'v', dtype: 'any' }),
        webhook('two', { url: '/twice', secret: 'other' }, { name: 'w', dtype: 'any' }),
      ],
    }
    await at.send('PUT', '/flows/twice', twice)
    const answer = await at.send('POST', '/flows/twice/publish', { version: 1 })
    expect([answer.status, problemOf(answer).code]).toEqual([422, 'flow_invalid'])
    expect((await post('/hooks/twice/twice')).status).toBe(404)
    expect((await post('/hooks/plant/number', '2', json)).status).toBe(202)
    await at.send('DELETE', '/flows/twice')
  })

  test.each([
    ['/hooks/plant/deep/open', 202],
    ['/hooks/plant/deep%2Fopen', 404],
    ['/hooks/plant%2Fdeep/open', 404],
    ['/hooks/plant/deep/../deep/open', 404],
    ['/hooks/plant/deep/%2e%2e/deep/open', 404],
    ['/hooks/plant/deep//open', 404],
    ['/hooks//plant/deep/open', 404],
    ['//hooks/plant/deep/open', 404],
    ['/HOOKS/plant/deep/open', 404],
    ['/hooks/Plant/deep/open', 404],
    ['/hooks/plant/deep/open;x=1', 404],
    ['/hooks/plant/deep/open.', 404],
    ['/hooks/plant/deep/open%00', 404],
    ['/hooks/plant/%64eep/open', 202],
  ] as const)('%s is %i', async (path, status) => {
    expect((await post(path, '{}', json)).status).toBe(status)
  })
})

describe('a request is bounded [T55]', () => {
  const small = Buffer.concat(Array.from({ length: 100 }, () => tenMegabytes))
  /** Ten megabytes of which the last nine do not shrink. */
  const large = Buffer.concat([small, gzipSync(randomBytes(10 * 1024 * 1024 - small.length), { level: 0 })])
  const targets = ['/hooks/plant/deep/open', '/api/v1/flows/bomb']

  test.each(targets.flatMap((path) => [small, large].map((bomb) => [bomb.length, path, bomb] as const)))(
    '%i bytes that unpack to a gigabyte are cut at the limit of %s, announced or not [R672]',
    async (_length, path, bomb) => {
      const before = process.resourceUsage().maxRSS
      const request = {
        method: path.startsWith('/hooks') ? 'POST' : 'PUT',
        headers: {
          authorization: `Bearer ${at.token}`,
          'content-type': 'application/json',
          'content-encoding': 'gzip',
        },
      }
      for (const body of [bomb, ReadableStream.from(chunksOf(bomb))]) {
        const answer = await fetch(at.origin + path, { ...request, body, duplex: 'half' } as RequestInit)
        expect([answer.status, await answer.json()]).toMatchObject([413, { code: 'payload_too_large' }])
      }
      expect(process.resourceUsage().maxRSS - before).toBeLessThan(256 * 1024)
    },
  )

  function* chunksOf(bytes: Buffer): Generator<Buffer> {
    for (let start = 0; start < bytes.length; start += 65_536) yield bytes.subarray(start, start + 65_536)
  }

  test('a hundred thousand fields of a form, or of a query, are an answer like any other', async () => {
    const fields = Array.from({ length: 100_000 }, (_, index) => `k${index}=`).join('&')
    const form = 'content-type: application/x-www-form-urlencoded'
    expect((await post('/hooks/plant/number', fields, form)).status).toBe(422)
    // the rest of the head is not read
    expect(await sendRaw(at.origin, [`GET /hooks/plant/asked?${fields} HTTP/1.1`])).toMatchObject({ status: 431 })
    const many = fields.slice(0, 12_000)
    expect((await sendRaw(at.origin, [`GET /hooks/plant/asked?${many} HTTP/1.1`])).status).toBe(202)
  })

  test('two hundred requests that never end keep nobody else waiting, and hold no stop up', async () => {
    const slow = await Promise.all(Array.from({ length: 200 }, () => openSocket(at.origin)))
    for (const [index, socket] of slow.entries()) {
      socket.write('POST /hooks/plant/deep/open HTTP/1.1\r\nhost: x\r\n')
      if (index % 2 === 0) socket.write(`${json}\r\ncontent-length: 100000\r\n\r\n{`)
    }
    for (let round = 0; round < 20; round += 1) {
      expect((await post('/hooks/plant/number', String(round), json)).status).toBe(202)
      expect((await at.send('GET', '/flows/plant')).status).toBe(200)
    }
    expect((await at.send('POST', '/flows/stopped/start')).status).toBe(200)
    expect((await at.send('POST', '/flows/stopped/stop')).status).toBe(200)
    for (const socket of slow) socket.destroy()
  })
})

describe('what a webhook takes is data and stays data [T57]', () => {
  test.each<unknown>([
    { files: { x: { filepath: '/etc/passwd', originalFilename: 'x', mimetype: 'text/plain' } } },
    { $secret: 'token', $ref: '#/x', $file: '/etc/passwd' },
    { type: 'Buffer', data: [1, 2] },
    { constructor: 1, toString: 'x', hasOwnProperty: null },
    '<script>alert(1)</script>',
    '{{ 7 * 7 }} ${7 * 7}',
  ])('%j is kept as it stands', async (value) => {
    expect((await post('/hooks/plant/deep/open', JSON.stringify(value), json)).status).toBe(202)
    await expect.poll(() => valueOf('open')).toEqual(value)
  })

  test('no file that a body names is opened, nor one of a form', async () => {
    const path = join(at.dataDir, 'named-by-a-body')
    execFileSync('mkfifo', [path])
    // while somebody reads a pipe, and who opens it waits there, it can be opened for writing
    const isOpened = (): boolean => {
      try {
        closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK))
        return true
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENXIO' })
        return false
      }
    }
    const file = { filepath: path, path, uri: `file://${path}`, $file: path, originalFilename: 'x', size: 1 }
    for (const value of [{ files: { x: file } }, { files: [file] }, file, `file://${path}`, `@${path}`]) {
      expect((await post('/hooks/plant/deep/open', JSON.stringify(value), json)).status).toBe(202)
      await expect.poll(() => valueOf('open')).toEqual(value)
      expect(isOpened()).toBe(false)
    }
    const multipart = [
      '--x',
      `content-disposition: form-data; name="open"; filename="${path}"`,
      'content-type: text/plain',
      '',
      'inside',
      '--x--',
      '',
    ].join('\r\n')
    const before = await valueOf('open')
    const answer = await post('/hooks/plant/deep/open', multipart, 'content-type: multipart/form-data; boundary=x')
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([422, { code: 'validation_failed' }])
    expect(await valueOf('open')).toEqual(before)
    expect(isOpened()).toBe(false)
  })

  test.each([
    ['what no store keeps', '{"open":"a\\u0000b"}'],
    ['half a surrogate pair', '{"open":"\\ud800"}'],
    ['NUL in a key', '{"open":{"a\\u0000":1}}'],
    ['a number beyond a float', '{"open":1e400}'],
    ['an integer that would be rounded', '{"open":9007199254740993}'],
    ['depth over 64', `{"open":${'['.repeat(65)}${']'.repeat(65)}}`],
    ['a prototype', '{"open":{"__proto__":{"polluted":1}}}'],
    ['a duplicate key', '{"open":1,"open":2}'],
    ['broken JSON', '{"open":'],
  ])('%s is refused before it is published [F61]', async (_what, body) => {
    await post('/hooks/plant/deep/open', '{"open":"before"}', json)
    await expect.poll(() => valueOf('open')).toBe('before')
    const answer = await post('/hooks/plant/deep/open', body, json)
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([
      expect.toSatisfy((status) => status === 400 || status === 422),
      expect.stringMatching(/^(malformed_json|validation_failed)$/),
    ])
    expect(await valueOf('open')).toBe('before')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('no answer is a page, whatever was sent [T58]', async () => {
    const script = '<script>alert(1)</script>'
    for (const answer of [
      await post('/hooks/plant/deep/open', script, 'content-type: text/html'),
      await post('/hooks/plant/number', script, 'content-type: text/html', 'accept: text/html'),
      await post(`/hooks/plant/${encodeURIComponent(script)}`, script),
      await sendRaw(at.origin, [
        `GET /hooks/plant/asked?${encodeURIComponent(script)}=1 HTTP/1.1`,
        'accept: text/html',
      ]),
    ]) {
      expect(answer.headers.get('content-type')).toMatch(/^application\/(problem\+)?json$/)
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'")
    }
  })
})
