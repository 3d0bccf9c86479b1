import type { Problem } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { scaleFlow } from './documents.ts'
import { openSocket } from './raw-http.ts'
import { atRest, bearerOf, connectors, operations, sampleOf, seed, type Seeds } from './sample-requests.ts'
import { publish, startService, type TestService } from './service.ts'

const password = 'a long password'
let at: TestService
let seeds: Seeds
beforeAll(async () => {
  at = await startService({ connectors, firstSuperuser: 'admin@example.org', firstSuperuserPassword: password })
  seeds = await seed(at, { email: 'admin@example.org', password })
})
afterAll(() => at[Symbol.asyncDispose]())

const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth)
const keys = (count: number): string => Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',')

/** JSON that is not what it seems, or too much of it. */
const hostile: Record<string, string | Buffer> = {
  'a prototype': '{"__proto__":{"polluted":1}}',
  'a prototype below': '{"settings":{"__proto__":{"polluted":1}}}',
  'an escaped prototype': '{"\\u005f_proto__":{"polluted":1}}',
  'a constructor': '{"constructor":{"prototype":{"polluted":1}}}',
  'a duplicate key': '{"version":1,"version":2}',
  'a duplicate key, escaped': '{"version":1,"v\\u0065rsion":2}',
  'depth 65': `{"a":${nested(65, '[', ']')}}`,
  'depth 100,000': nested(100_000, '[', ']'),
  'depth that never ends': '{"a":'.repeat(100_000),
  '100,000 keys': `{${keys(100_000)}}`,
  'a million keys': `{${keys(1_000_000)}}`,
  'a number beyond a float': '{"a":1e400}',
  'a number of a thousand digits': `{"a":${'9'.repeat(1000)}}`,
  'NUL in text': '{"a":"\\u0000"}',
  'NUL in a key': '{"\\u0000":1}',
  'half a surrogate pair': '{"a":"\\udc00"}',
  'a NUL byte': '{"a":"\0"}',
  'bytes that are not UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  'UTF-16': Buffer.from('{"a":1}', 'utf16le'),
  'two values': '{}{}',
  'a comment': '{/**/}',
  NaN: '{"a":NaN}',
  'no object': '"text"',
  null: 'null',
  'an array': '[]',
  'nothing but a brace': '{',
  'white space': ' \n\t ',
}

const withJson = operations.filter(({ body }) => body?.type === 'application/json')
/** Bodies of so many bytes and more are sent to some of them alone: one piece of code reads all. */
const [LARGE, EVERY] = [500_000, 8]
/** What no answer may show of the inside. */
const inside = /\n\s+at |node_modules|\.ts:\d|\/packages\/|node:internal|SELECT |insert into/

describe('a hostile body is refused as a problem by every operation that takes JSON [R667, R672, R673, T96, F61]', () => {
  test.each(Object.entries(hostile))('%s', async (_what, body) => {
    const asked = body.length < LARGE ? withJson : withJson.filter((_, at) => at % EVERY === 0)
    for (const operation of asked) {
      const { path, init } = sampleOf(operation, seeds)
      const answer = await fetch(`${at.baseUrl}${path}`, {
        ...init,
        body: body as string,
        headers: { ...init.headers, authorization: bearerOf(operation, seeds, at.token) },
      })
      const text = await answer.text()
      expect([operation.id, answer.status]).toEqual([operation.id, expect.toSatisfy(isRefused)])
      const problem = JSON.parse(text) as Problem
      expect([answer.headers.get('content-type'), problem.status]).toEqual(['application/problem+json', answer.status])
      expect(text.length).toBeLessThan(100_000)
      expect(text).not.toMatch(inside)
      expect(text).not.toContain(at.dataDir)
    }
  })

  const isRefused = (status: number): boolean => status === 400 || status === 413 || status === 422

  test('afterwards no object has anything new, and the API answers as before', async () => {
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(Object.keys(Object.prototype)).toEqual([])
    await publish(at, 'afterwards', scaleFlow)
    const submitted = await at.send('POST', '/runs/flows/afterwards', { params: { n: 4 } })
    expect((await at.client.wait(String(submitted.body?.id))).result).toEqual({ scaled: 40 })
  })
})

describe('ten thousand hostile bodies [T96]', () => {
  const LANES = 10
  const small = Object.values(hostile).filter((body) => body.length < 2000)
  /** What a superuser reads, but for measurements. */
  const readings = async (): Promise<string[]> => {
    const reads = operations.filter(
      ({ method, id }) => method === 'GET' && !/^(?:observability|utils|backup)\./.test(id),
    )
    return Promise.all(
      reads.map(async (operation) => {
        const { path, init } = sampleOf(operation, seeds)
        const headers = { authorization: `Bearer ${at.token}` }
        const answer = await fetch(`${at.baseUrl}${path}`, { ...init, headers })
        return `${operation.id} ${answer.status} ${atRest(await answer.text())}`
      }),
    )
  }

  /** One after the other on one connection; the statuses. */
  async function pour(lane: number): Promise<string[]> {
    const socket = await openSocket(at.origin)
    let text = ''
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('data', (data: Buffer) => (text += data.toString('latin1')))
    const requests = Array.from({ length: 10_000 / LANES }, (_, index) => {
      const at = index * LANES + lane
      return requestOf(at, small[at % small.length] ?? '')
    })
    socket.write(
      Buffer.concat([...requests, Buffer.from('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')]),
    )
    await closed
    return [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status ?? '')
  }

  function requestOf(index: number, body: string | Buffer): Buffer {
    const operation = withJson[index % withJson.length]
    if (!operation) throw new Error('no operation takes JSON')
    const { path, init } = sampleOf(operation, seeds)
    const bytes = Buffer.from(body as string)
    const head = [
      `${init.method} /api/v1${path} HTTP/1.1`,
      'host: x',
      `authorization: ${bearerOf(operation, seeds, at.token)}`,
      'content-type: application/json',
      `content-length: ${bytes.length}`,
    ]
    return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes])
  }

  test('are all refused, and whatever is asked afterwards is answered as before', async () => {
    const before = await readings()
    const statuses = (await Promise.all(Array.from({ length: LANES }, (_, lane) => pour(lane)))).flat()
    expect(statuses).toHaveLength(10_000 + LANES)
    expect(statuses.filter((status) => status === '200')).toHaveLength(LANES)
    expect(new Set(statuses)).toEqual(new Set(['200', '400', '422']))
    expect(await readings()).toEqual(before)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(Object.keys(Object.prototype)).toEqual([])
  })
})

describe('a hostile address is refused as a problem', () => {
  const addresses = [
    '%',
    '%z',
    '%zz',
    '%c3',
    '%c0%af',
    '%ed%a0%80',
    '%00',
    '%0d%0aset-cookie:x=1',
    '%1b%5b31m',
    '%e2%80%ae',
    '%F0%9F%92%A9',
    '..%2f..%2fetc%2fpasswd',
    '%252e%252e%252f',
    '__proto__',
    'constructor',
    "x' or '1'='1",
    'x;--',
    '{{7*7}}',
    '${7*7}',
    '%'.repeat(500),
    'x'.repeat(5000),
    '%41'.repeat(101),
  ]
  const placed = operations.filter(({ path, method }) => path.includes('{') && method !== 'DELETE')

  test.each(addresses)('%s', async (address) => {
    for (const operation of placed) {
      const { init } = sampleOf(operation, seeds)
      const path = operation.path.replaceAll(/\{\w+\}/g, address.includes('%') ? address : encodeURIComponent(address))
      const answer = await fetch(`${at.baseUrl}${path}`, {
        ...init,
        headers: { ...init.headers, authorization: bearerOf(operation, seeds, at.token) },
      })
      const text = await answer.text()
      expect([operation.id, answer.status]).toEqual([
        operation.id,
        expect.toSatisfy((status) => [200, 201, 204, 400, 403, 404, 409, 422, 429].includes(status as number)),
      ])
      // a name may be as odd as the rules of names allow
      if (answer.ok) expect(address).toMatch(/^(constructor|%41.*)$/)
      else expect(JSON.parse(text)).toMatchObject({ status: answer.status, code: expect.any(String) })
      expect(text).not.toMatch(inside)
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
  })

  test('numbers beyond their kind are 422, whatever asks for them', async () => {
    for (const query of [
      'limit=1e3',
      'limit=-1',
      'limit=99999999999999999999',
      'limit=0x10',
      'limit=',
      'offset=9e99',
      'before=275761-01-01T00:00:00Z',
    ]) {
      const answer = await at.send('GET', `/runs?${query}`)
      expect([query, answer.status]).toEqual([query, 422])
    }
  })
})
