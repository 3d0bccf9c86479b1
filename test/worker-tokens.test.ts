import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID, sign as signed } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { createClient } from '@flow-service/client-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'

import { attach, attachUrl } from './puppet-worker.ts'
import { problemOf, startService, type TestService } from './service.ts'

let at: TestService
beforeAll(async () => {
  // whoever executes Python here is a worker
  at = await startService({ python: 'no-such-python' })
})
afterAll(() => at[Symbol.asyncDispose]())

async function mint(name: string, labels: string[] = []): Promise<{ token: string; jti: string }> {
  const { token, jti } = await at.client.workers.mintToken({ name, labels })
  return { token, jti }
}

/** The status of a refused handshake. */
async function handshake(token: string | null): Promise<number> {
  const headers = token === null ? {} : { authorization: `Bearer ${token}` }
  const socket = new WebSocket(attachUrl(at.baseUrl), { headers })
  socket.on('error', () => undefined)
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }]
  return response.statusCode
}

const asWorker = (token: string) => createClient({ baseUrl: at.baseUrl, token })

describe('tokens of workers', () => {
  test('are shown once, list without their texts, and last 365 days [R133, R576, R630, R631, R632, T28]', async () => {
    const minted = await at.client.workers.mintToken({ name: 'shown', labels: ['gpu', 'big'] })
    expect(minted).toMatchObject({
      name: 'shown',
      labels: ['gpu', 'big'],
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    const listed = (await at.client.workers.listTokens()).find(({ jti }) => jti === minted.jti)
    expect(listed).toEqual({
      jti: minted.jti,
      name: 'shown',
      labels: ['gpu', 'big'],
      expires_at: minted.expires_at,
      created_at: expect.any(String),
      revoked_at: null,
      last_used_at: null,
      provisioned: false,
    })
    const days = (Date.parse(minted.expires_at) - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(365)
    const signature = String(minted.token.split('.')[2])
    const files = readdirSync(at.dataDir, { recursive: true }).map((name) => join(at.dataDir, String(name)))
    expect(files.filter((file) => statSync(file).isFile() && readFileSync(file).includes(signature))).toEqual([])
  })

  test('have names of their own while they live', async () => {
    const { jti } = await mint('twice')
    const again = await at.send('POST', '/workers/tokens', { name: 'twice' })
    expect([again.status, problemOf(again).code]).toEqual([409, 'already_exists'])
    const many = await Promise.all(
      Array.from({ length: 8 }, () => at.send('POST', '/workers/tokens', { name: 'raced' })),
    )
    expect(many.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array<number>(7).fill(409)])
    await at.client.http.workers.revokeToken({ jti })
    await mint('twice')
  })

  test.each([
    [{ name: 'a b' }, '/name'],
    [{ name: 'engine' }, '/name'],
    [{ name: 'x', labels: ['engine'] }, '/labels/0'],
    [{ name: 'x', labels: ['gpu', 'gpu'] }, '/labels'],
    [{ name: 'x', labels: ['a/b'] }, '/labels/0'],
    [{ name: 'x', days: 3 }, '/days'],
  ])('%j is refused at %s', async (body, path) => {
    const answer = await at.send('POST', '/workers/tokens', body)
    expect([answer.status, problemOf(answer).errors?.[0]?.path]).toEqual([422, path])
  })

  test('of another key, shape or audience open nothing [R635, T31, T9]', async () => {
    const own = createPrivateKey(readFileSync(join(at.dataDir, 'oauth_signing_key.pem')))
    const other = generateKeyPairSync('ed25519').privateKey
    const { jti } = await mint('shaped')
    const sign = (claims: object, { key = own as KeyObject, typ = 'worker+jwt', aud = 'worker' } = {}): string => {
      const times = { iat: Math.floor(Date.now() / 1000), exp: Math.floor(Date.now() / 1000) + 60 }
      const parts = [
        { alg: 'EdDSA', typ },
        { jti, name: 'shaped', labels: [], aud, ...times, ...claims },
      ]
      const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
      return `${text}.${signed(null, Buffer.from(text), key).toString('base64url')}`
    }
    const tokens = [
      sign({}, { key: other }),
      sign({}, { aud: 'mcp' }),
      sign({}, { typ: 'session+jwt' }),
      sign({ labels: undefined }),
      sign({ jti: undefined }),
      sign({ jti: randomUUID() }),
      sign({ exp: 1 }),
    ]
    for (const token of [...tokens, at.token.slice(0, -2), null]) expect(await handshake(token)).toBe(401)
    expect(await handshake(at.token)).toBe(403)
    expect(await asWorker(sign({})).workers.runtime()).toBeDefined()
  })

  test('open artifacts and the runner, and nothing else [T32, R577, R578]', async () => {
    const { token, jti } = await mint('narrow')
    const headers = { authorization: `Bearer ${token}` }
    const put = await at.send('PUT', '/artifacts?name=a.txt', 'bytes', { ...headers, 'content-type': 'text/plain' })
    expect(put.status).toBe(201)
    const artifact = `${at.baseUrl}/artifacts/${String(put.body?.['digest'])}`
    expect(await (await fetch(artifact, { headers })).text()).toBe('bytes')
    const runner = await fetch(`${at.baseUrl}/workers/runtime`, { headers })
    expect([runner.headers.get('content-type'), await runner.text()]).toEqual([
      'text/x-python; charset=utf-8',
      expect.stringContaining('import service'),
    ])
    const known = { ...headers, 'if-none-match': String(runner.headers.get('etag')) }
    expect((await fetch(`${at.baseUrl}/workers/runtime`, { headers: known })).status).toBe(304)
    for (const path of ['/flows/', '/workers', '/runs', '/secrets/', '/users/me']) {
      expect((await at.send('GET', path, undefined, headers)).status).toBe(403)
    }
    await at.client.http.workers.revokeToken({ jti })
    expect((await fetch(artifact, { headers })).status).toBe(401)
  })

  test('when revoked disconnect their workers at once, for good [R441, R577, T30]', async () => {
    const { token, jti } = await mint('revoked')
    const worker = await attach(at.baseUrl, token)
    const revoked = await at.client.http.workers.revokeToken({ jti })
    expect(revoked).toMatchObject({ jti, revoked_at: expect.any(String), last_used_at: expect.any(String) })
    expect(await worker.closed).toEqual([4003, 'the token was revoked or has expired'])
    expect(await handshake(token)).toBe(401)
    expect(await at.client.http.workers.revokeToken({ jti })).toEqual(revoked)
    const unknown = await at.send('POST', `/workers/tokens/${randomUUID()}/revoke`)
    expect([unknown.status, problemOf(unknown).code]).toEqual([404, 'not_found'])
  })
})
