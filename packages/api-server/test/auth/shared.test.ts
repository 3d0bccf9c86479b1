/** Accounts and keys of two engines on one database. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { MintedApiKey, Token, UserCreated } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'

import { AwakeTime } from '../../../../test/components/awake-time.ts'
import { databaseAt } from '../backend.ts'
import { type Answer, startService, type TestService } from '../observability/service.ts'
import { newSigningKey } from './new-signing-key.ts'

const password = 'a long password'
let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'keys-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const oauthSigningKey = newSigningKey()

/** An engine on the database of the test file. */
async function engine(name: string): Promise<TestService> {
  const { databaseUrl = '' } = await databaseAt(dataDir)
  const options = { artifactsDir: join(dataDir, 'artifacts'), databaseUrl, oauthSigningKey }
  return startService({ dataDir: join(dataDir, name), ...options })
}

test('a key of one engine is one at the other, and is refused at both as soon as it is revoked, whose sockets of it close [T11]', async () => {
  await using one = await engine('one')
  await using two = await engine('two')
  const { key, id } = (await one.root<MintedApiKey>('POST', '/keys', { name: 'both', scopes: ['messages:read'] })).value
  const sockets = [await openSocket(one, key), await openSocket(two, key)]
  using awake = new AwakeTime()
  await one.root('POST', `/keys/${id}/revoke`)
  expect((await one.caller(key)('GET', '/users/me')).status).toBe(401)
  expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual([1008, 1008])
  // by the news, and not by the look at all guests each half minute
  expect(awake.ms).toBeLessThan(15_000)
  expect((await two.caller(key)('GET', '/users/me')).status).toBe(401)
})

const change =
  (body: object) =>
  (by: TestService, id: string): Promise<Answer<unknown>> =>
    by.root('PATCH', `/users/${id}`, body)

test.each([
  ['a new password', change({ password: 'another password' }), 200],
  ['a deactivation', change({ is_active: false }), 401],
  ['a deletion', (by: TestService, id: string) => by.root('DELETE', `/users/${id}`), 401],
])(
  '%s at one engine ends sessions and sockets at the other, and keys where it should [T11]',
  async (_what, act, ofKey) => {
    await using one = await engine('acting')
    await using two = await engine('hearing')
    const email = `${crypto.randomUUID()}@example.org`
    const { id } = (await one.root<UserCreated>('POST', '/users', { email, password })).value
    const form = new URLSearchParams({ username: email, password })
    const answer = await fetch(`${two.origin}/api/v1/login/access-token`, { method: 'POST', body: form })
    const session = ((await answer.json()) as Token).access_token
    const scopes = ['messages:read']
    const { key } = (await two.caller(session)<MintedApiKey>('POST', '/keys', { name: 'own', scopes })).value
    const statuses = () =>
      Promise.all([session, key].map(async (token) => (await two.caller(token)('GET', '/users/me')).status))
    expect(await statuses()).toEqual([200, 200])
    const [bySession, byKey] = [await openSocket(two, session), await openSocket(two, key)]
    using awake = new AwakeTime()
    expect((await act(one, id)).status).toBeLessThan(300)
    expect(await bySession.closed).toBe(1008)
    if (ofKey === 401) expect(await byKey.closed).toBe(1008)
    // by the news, and not by the look at all guests each half minute
    expect(awake.ms).toBeLessThan(15_000)
    expect(await statuses()).toEqual([401, ofKey])
    expect(byKey.socket.readyState).toBe(ofKey === 401 ? WebSocket.CLOSED : WebSocket.OPEN)
  },
)

/** Opens the event socket; `closed` tells with which code it is closed. */
async function openSocket(at: TestService, token: string) {
  const headers = { authorization: `Bearer ${token}` }
  const socket = new WebSocket(`${at.origin.replace('http', 'ws')}/api/v1/flows/ws`, { headers })
  const closed = once(socket, 'close').then(([code]) => Number(code))
  await once(socket, 'message')
  return { socket, closed }
}
