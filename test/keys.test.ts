import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'

import { DataDirectory } from './engine-process.ts'
import { sendRaw } from './raw-http.ts'
import { startService, type TestService } from './service.ts'

let at: TestService
let key: string
beforeAll(async () => {
  at = await startService()
  key = (await at.client.keys.create({ name: 'all', scopes: ['admin'] })).key
})
afterAll(() => at[Symbol.asyncDispose]())

describe('a credential opens what it is for, and nothing else [T9]', () => {
  /** A new one each time: a ticket is good for one use. */
  const kinds: Readonly<Record<string, () => Promise<string>>> = {
    session: async () => at.token,
    key: async () => key,
    worker: async () => worker,
    device: async () => device,
    ticket: async () => (await at.client.flows.wsTicket()).ticket,
    'pairing secret': async () => pairing.secret,
  }
  let worker: string
  let device: string
  let pairing: { readonly code: string; readonly secret: string }
  beforeAll(async () => {
    pairing = await at.client.pairing.start({})
    worker = (await at.client.workers.mintToken({ name: 'lab' })).token
    await at.client.http.devices.create({ id: 'panel' })
    const { code, secret } = await at.client.pairing.start({})
    await at.client.http.devices.pair({ id: 'panel', body: { code } })
    device = (await at.client.http.pairing.poll({ code, secret })).device?.credential ?? ''
  })

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const status = async (method: string, path: string, token: string, body?: string): Promise<number> => {
    const headers = { ...bearer(token), ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    return (await fetch(at.baseUrl + path, { method, headers, ...(body === undefined ? {} : { body }) })).status
  }
  const upgrade = (path: string, headers: Record<string, string> = {}): Promise<number> => {
    const socket = new WebSocket(at.baseUrl.replace('http', 'ws') + path, { headers })
    onTestFinished(() => socket.terminate())
    return new Promise((resolve) => {
      socket.on('error', () => undefined)
      socket.once('open', () => resolve(101))
      socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    })
  }
  const entrances: readonly (readonly [string, (token: string) => Promise<number>, readonly string[]])[] = [
    ['the API', (token) => status('GET', '/users/me', token), ['session', 'key']],
    [
      'the measurements',
      (token) => fetch(`${at.origin}/metrics`, { headers: bearer(token) }).then((r) => r.status),
      ['session', 'key'],
    ],
    ['the seat of a worker', (token) => upgrade('/workers/attach', bearer(token)), ['worker']],
    ['the report of a device', (token) => status('PUT', '/devices/panel/report', token, '{}'), ['device']],
    ['the event socket', (token) => upgrade('/flows/ws', bearer(token)), ['session', 'key', 'device']],
    ['the event socket of a browser', (token) => upgrade(`/flows/ws?ticket=${token}`), ['ticket']],
    [
      'the poll of a pairing',
      async (token) => (await fetch(`${at.baseUrl}/devices/pair/${pairing.code}?secret=${token}`)).status,
      ['pairing secret'],
    ],
  ]

  test.each(entrances)('%s', async (_name, enter, fitting) => {
    for (const [kind, make] of Object.entries(kinds)) {
      const answer = await enter(await make())
      const opened = [101, 200, 204].includes(answer)
      expect([kind, answer, opened]).toEqual([kind, answer, fitting.includes(kind)])
      if (!opened)
        expect([kind, answer]).toEqual([
          kind,
          expect.toSatisfy((code) => [401, 403, 404, 422].includes(code as number)),
        ])
    }
  })
})

test.each([
  ['as it is', (text: string) => [`authorization: Bearer ${text}`], 200],
  ['with its scheme in lower case', (text: string) => [`authorization: bearer ${text}`], 200],
  ['twice', (text: string) => [`authorization: Bearer ${text}`, `authorization: Bearer ${text}`], 401],
  ['behind a session', (text: string) => [`authorization: Bearer x, Bearer ${text}`], 401],
  ['as a password', (text: string) => [`authorization: Basic ${Buffer.from(`:${text}`).toString('base64')}`], 401],
  ['as a scheme of its own', (text: string) => [`authorization: ${text}`], 401],
  ['under another name', (text: string) => [`x-api-key: ${text}`], 401],
  ['as 20 KB', (text: string) => [`authorization: Bearer ${text.padEnd(20_000, 'A')}`], 431],
  ['in quotes', (text: string) => [`authorization: Bearer "${text}"`], 401],
  ['as nothing', () => ['authorization: Bearer '], 401],
])('a key that is sent %s is answered %#: no trick of the header lets it in [T13]', async (_how, lines, status) => {
  const answer = await sendRaw(at.origin, ['GET /api/v1/users/me HTTP/1.1', ...lines(key)])
  expect(answer.status).toBe(status)
})

test('a key in an address is refused, and no key is ever logged [T12]', async () => {
  using directory = new DataDirectory()
  const engine = await directory.start({ SERVICE_LOG_LEVEL: 'trace' })
  let output = ''
  for (const stream of [engine.child.stdout, engine.child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
  const { key: canary, id } = await engine.client.keys.create({ name: 'canary', scopes: ['admin'] })
  const get = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
    (await fetch(engine.baseUrl + path, { headers })).status
  const authorization = `Bearer ${canary}`
  const answers = [
    await get('/users/me', { authorization }),
    await get(`/users/me?token=${canary}`),
    await get(`/users/me?access_token=${canary}`),
    await get(`/users/me?key=${canary}`, { authorization }),
    await get(`/flows/${canary}`),
    await get(`/flows/${canary}`, { authorization }),
    await get(`/keys/${canary}/revoke`, { authorization }),
    await get(`/flows/ws?ticket=${canary}`),
    await get('/users/me', { authorization: `${authorization}x` }),
    await get('/users/me', { authorization: `Basic ${canary}` }),
  ]
  expect(answers).toEqual([200, 401, 401, 422, 401, 404, 405, 401, 401, 401])
  await engine.client.http.keys.revoke({ id })
  expect(await get('/users/me', { authorization })).toBe(401)
  expect(await engine.end('SIGTERM')).toBe(0)
  expect(output).not.toContain(canary.slice(13))
})
