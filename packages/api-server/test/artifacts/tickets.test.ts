/** Bytes that a page shows by a ticket. */
import { createHash, randomBytes } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { credentials, s3Servers, urlOf } from '../../../../test/components/s3-servers.ts'
import { startService, type TestService } from '../observability/service.ts'

interface Ticket {
  readonly ticket: string
  readonly url: string
  readonly expires_at: string
}

const data = randomBytes(100_000)
const digest = `sha256:${createHash('sha256').update(data).digest('hex')}`
let at: TestService
beforeAll(async () => {
  // the tests are clients behind a proxy, so that they can have several addresses
  at = await startService({ trustProxy: 1, corsOrigins: ['https://console.example'] })
  await store(data, 'video/mp4')
})
afterAll(() => at[Symbol.asyncDispose]())

async function store(bytes: Buffer<ArrayBuffer>, type: string, service = at): Promise<string> {
  const answer = await fetch(`${service.origin}/api/v1/artifacts?name=a.file`, {
    method: 'PUT',
    body: bytes,
    headers: { authorization: `Bearer ${service.annToken}`, 'content-type': type },
  })
  return ((await answer.json()) as { digest: string }).digest
}
async function newTicket(of = digest, ask: TestService['ann'] = at.ann): Promise<Ticket> {
  const { status, value } = await ask<Ticket>('POST', `/artifacts/${of}/ticket`)
  expect(status).toBe(201)
  return value
}
const show = (url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetch(url, { method, headers })
const statusOf = async (url: string, headers: Record<string, string> = {}): Promise<number> => {
  const answer = await show(url, headers)
  await answer.arrayBuffer()
  return answer.status
}

test('the address of a ticket shows the bytes as often as wanted, whole and in ranges, without a header', async () => {
  const { url, ticket } = await newTicket()
  expect(url).toBe(`${at.origin}/api/v1/artifacts/${digest}?ticket=${ticket}`)
  const whole = await show(url)
  expect([whole.status, Buffer.from(await whole.arrayBuffer()).equals(data)]).toEqual([200, true])
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'content-type': 'video/mp4',
    'content-length': '100000',
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    etag: `"${digest}"`,
  })
  const part = await show(url, { range: 'bytes=99990-' })
  expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 99990-99999/100000'])
  expect(Buffer.from(await part.arrayBuffer()).equals(data.subarray(99_990))).toBe(true)
  const head = await show(url, {}, 'HEAD')
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '100000', ''])
  expect(await statusOf(url, { range: 'bytes=100000-' })).toBe(416)
  expect(await statusOf(url, { 'if-none-match': `"${digest}"` })).toBe(304)
})

test('of fifty first uses at the same moment all are answered, and its time begins once [T47]', async () => {
  const { url } = await newTicket()
  const statuses = await Promise.all(Array.from({ length: 50 }, () => statusOf(url, { range: 'bytes=0-9' })))
  expect(new Set(statuses)).toEqual(new Set([206]))
  const ends = await endsOfTickets()
  await statusOf(url)
  expect(await endsOfTickets()).toEqual(ends)
})

const endsOfTickets = () => at.engine.database.sql`select proof, expires_at from artifact_ticket order by proof`
const pass = (interval: string) =>
  at.engine.database.sql`update artifact_ticket set expires_at = expires_at - ${interval}::interval`

test('it is void when it was not used within 30 seconds, and 10 minutes after its first use [T47]', async () => {
  const [unused, used] = [await newTicket(), await newTicket()]
  const left = Date.parse(unused.expires_at) - Date.now()
  expect(left).toBeLessThanOrEqual(30_000)
  expect(await statusOf(used.url)).toBe(200)
  await pass('31 seconds')
  expect([await statusOf(unused.url), await statusOf(used.url)]).toEqual([401, 200])
  await pass('9 minutes')
  expect(await statusOf(used.url)).toBe(200)
  await pass('30 seconds')
  expect(await statusOf(used.url)).toBe(401)
})

test('a ticket that has ended leaves no row behind when the next one is made', async () => {
  await newTicket()
  await pass('1 hour')
  await newTicket()
  expect(await endsOfTickets()).toHaveLength(1)
})

test('it is for no other digest, user and address, and such a try ends it for nobody', async () => {
  const other = await store(randomBytes(10), 'image/png')
  const { url, ticket } = await newTicket()
  expect(await statusOf(url.replace(digest, other))).toBe(401)
  expect(await statusOf(url.replace(digest, digest.slice(7)))).toBe(200)
  expect(await statusOf(url, { authorization: `Bearer ${at.rootToken}` })).toBe(401)
  expect(await statusOf(url, { authorization: `Bearer ${at.annToken}` })).toBe(200)
  expect(await statusOf(url, { authorization: 'Bearer garbage' })).toBe(401)
  expect(await statusOf(url, { 'x-forwarded-for': '203.0.113.9' })).toBe(401)
  for (const path of ['/runs', '/flows/', '/users/me', `/artifacts/${digest}/ticket`])
    expect((await at.nobody('GET', `${path}?ticket=${ticket}`)).status).not.toBe(200)
  expect(await statusOf(url)).toBe(200)
})

test.each([
  ['', 'nothing'],
  ['unknown', 'a word'],
  ['x'.repeat(10_000), 'ten thousand letters'],
  ['%00', 'a NUL'],
  ['%ff', 'no UTF-8'],
])('%.0s%s is no ticket', async (ticket) => {
  const answer = await show(`${at.origin}/api/v1/artifacts/${digest}?ticket=${ticket}`)
  expect([answer.status, await answer.json()]).toMatchObject([401, { code: 'unauthenticated' }])
  expect(answer.headers.get('cache-control')).toBe('no-store')
})

test('it ends with the session, the key and the account that got it', async () => {
  const [bob, carl] = [await at.signUp('bob@example.org'), await at.signUp('carl@example.org')]
  const ofSession = await newTicket(digest, bob)
  const key = async (name: string) => {
    const { value } = await carl<{ id: string; key: string }>('POST', '/keys', { name, scopes: ['runs:read'] })
    return { id: value.id, ticket: await newTicket(digest, at.caller(value.key)) }
  }
  const [kept, revoked] = [await key('kept'), await key('revoked')]
  const all = () => Promise.all([ofSession, kept.ticket, revoked.ticket].map(({ url }) => statusOf(url)))
  expect(await all()).toEqual([200, 200, 200])
  expect((await carl('POST', `/keys/${revoked.id}/revoke`)).status).toBe(200)
  expect(await all()).toEqual([200, 200, 401])
  await bob('POST', '/users/me/password', {
    current_password: 'a long password',
    new_password: 'another long password',
  })
  expect(await all()).toEqual([401, 200, 401])
  const { value } = await at.root<{ id: string; email: string }[]>('GET', '/users')
  const account = value.find(({ email }) => email === 'carl@example.org')
  await at.root('PATCH', `/users/${account?.id}`, { is_active: false })
  expect(await all()).toEqual([401, 401, 401])
})

test('a key without "runs:read" gets none, and there is none for bytes that are not here', async () => {
  const { value } = await at.ann<{ key: string }>('POST', '/keys', { name: 'other', scopes: ['flows:read'] })
  expect((await at.caller(value.key)('POST', `/artifacts/${digest}/ticket`)).status).toBe(403)
  expect((await at.ann('POST', `/artifacts/sha256:${'0'.repeat(64)}/ticket`)).status).toBe(404)
})

test('pages of other sites can show nothing by it, nor begin its time [T46]', async () => {
  const { url } = await newTicket()
  const foreign = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { referer: 'https://evil.example/page' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]
  for (const headers of foreign) expect(await statusOf(url, headers as Record<string, string>)).toBe(401)
  const [row] = await at.engine.database.sql<{ n: number }[]>`
    select count(*)::int as n from artifact_ticket where opened and expires_at <= now() + interval '31 seconds'`
  expect(row?.n).toBe(0)
  const home = [
    { origin: at.origin },
    { origin: 'https://console.example' },
    { referer: `${at.origin}/console/` },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ]
  for (const headers of home) expect(await statusOf(url, headers as Record<string, string>)).toBe(200)
})

test.each([
  ['image/svg+xml', true],
  ['image/SVG+xml', true],
  ['text/html', true],
  ['application/xhtml+xml', true],
  ['application/xml', true],
  ['text/xml', true],
  ['application/pdf', true],
  ['image/png', false],
  ['video/webm', false],
  ['text/plain; charset=utf-8', false],
])('%s as an attachment: %s', async (type, isAttachment) => {
  const { url } = await newTicket(await store(Buffer.from(`<svg>${type}</svg>`), type))
  const answer = await show(url)
  expect(answer.headers.get('content-disposition')?.startsWith('attachment') ?? false).toBe(isAttachment)
  expect([answer.headers.get('content-security-policy'), answer.headers.get('x-content-type-options')]).toEqual([
    'sandbox',
    'nosniff',
  ])
})

test('the database holds no ticket that could be used [T47]', async () => {
  const { ticket } = await newTicket()
  const rows = await at.engine.database.sql`select * from artifact_ticket`
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain(ticket)
})

describe.each(s3Servers)('with the bytes in $name', ({ start }) => {
  test('the engine gives them itself, in ranges too, and never an address of the store', async () => {
    const server = await start()
    try {
      await using service = await startService({ artifactsUrl: urlOf(server.port, 'tickets'), ...credentials })
      await store(data, 'video/mp4', service)
      const { url } = await newTicket(digest, service.ann)
      const part = await show(url, { range: 'bytes=10-19', prefer: 'direct' })
      expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, data.subarray(10, 20)])
      expect(await statusOf(url, { prefer: 'direct' })).toBe(200)
    } finally {
      await server[Symbol.asyncDispose]()
    }
  })
})
