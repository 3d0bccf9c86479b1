import type { ServerResponse } from 'node:http'

import { generateKeyPair } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import type { Database } from '../../../src/db/database.ts'
import { useDatabase } from '../../use-database.ts'
import { Browser, fragmentOf } from './browser.ts'
import { type LyingProvider, openLyingProvider } from './lying-provider.ts'
import { client } from './real-provider.ts'
import { type OidcService, startOidcService } from './service.ts'

const DISCOVERY = '/.well-known/openid-configuration'
let database: Database
let provider: LyingProvider
let at: OidcService

const startAt = (oidcIssuer: string, patienceMs?: number) =>
  startOidcService(database, { oidcIssuer, oidcAllowedDomains: ['example.org'] }, patienceMs)

useDatabase((opened) => void (database = opened))
beforeAll(async () => {
  provider = await openLyingProvider()
  at = await startAt(provider.issuer)
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})
beforeEach(() => {
  provider.answers = {}
  provider.claims = {}
  provider.key = null
  provider.asked.length = 0
  at.warned.length = 0
})

/** What a sign-in by a service ends with. */
async function outcome(service: OidcService = at): Promise<Record<string, string>> {
  const browser = new Browser()
  const sent = await browser.get(`${service.api.url}/login/oidc?return_to=/there`)
  expect(sent.status).toBe(302)
  const to = sent.headers.get('location') ?? ''
  if (to.startsWith('/')) return fragmentOf(new URL(to, service.api.url))
  const end = await browser.get(provider.back(to))
  expect(end.status).toBe(302)
  return fragmentOf(new URL(end.headers.get('location') ?? '', service.api.url))
}

const hang = (): void => undefined
const broken = (response: ServerResponse): void => void response.writeHead(500).end('an inner error')
const garbage = (response: ServerResponse): void => void response.setHeader('content-type', 'application/json').end('{')
const elsewhere = (response: ServerResponse): void => void response.writeHead(302, { location: '/token' }).end()
const cut = (response: ServerResponse): void => void response.destroy()

describe('an answer of the provider', () => {
  test('signs in when it is true', async () => {
    expect(await outcome()).toEqual({ code: expect.any(String) })
  })

  test('may name somebody in any way', async () => {
    provider.claims = { sub: 'named', email: 'named@example.org', name: `${'\0'}Nora\u202E` }
    expect(await outcome()).toEqual({ code: expect.any(String) })
    const rows = await database.sql`select full_name from account where email = 'named@example.org'`
    expect(rows).toEqual([{ full_name: 'Nora' }])
  })

  const now = Math.floor(Date.now() / 1000)
  test.each([
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another client', { aud: 'somebody else' }],
    ['that has expired', { exp: now - 3600 }],
    ['from the future', { iat: now + 3600, nbf: now + 3600 }],
    ['of another sign-in', { nonce: 'of another sign-in' }],
    ['without a nonce', { nonce: undefined }],
    ['of a subject that cannot be kept', { sub: 'ann\0' }],
    ['of a subject of any length', { sub: 'x'.repeat(256) }],
  ])('signs nobody in by a token %s', async (_title, claims) => {
    provider.claims = claims
    expect(await outcome()).toEqual({ error: 'provider' })
    expect(at.warned).toEqual([{ issuer: provider.issuer, reason: expect.any(String) }])
  })

  test('signs nobody in by a token that somebody else has signed', async () => {
    provider.key = (await generateKeyPair('RS256')).privateKey
    expect(await outcome()).toEqual({ error: 'provider' })
  })

  test('signs nobody in by a token that nobody has signed', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = { iss: provider.issuer, aud: client.oidcClientId, sub: 'ann', iat: 0, exp: 4e9, nonce: '' }
    const token = `${part({ alg: 'none' })}.${part(claims)}.`
    provider.answers['/token'] = { access_token: 'x', token_type: 'bearer', id_token: token }
    expect(await outcome()).toEqual({ error: 'provider' })
  })

  test.each([
    ['/token', { access_token: 'x', token_type: 'bearer' }],
    ['/token', { error: 'invalid_client' }],
    ['/token', []],
    ['/token', broken],
    ['/token', garbage],
    ['/token', elsewhere],
    ['/token', cut],
    ['/keys', { keys: [] }],
    ['/keys', broken],
    ['/keys', garbage],
  ])('at %s that is %o is told as such', async (path, answer) => {
    // keys that are known already would not be asked for
    await using fresh = await startAt(provider.issuer)
    provider.answers[path] = answer
    expect(await outcome(fresh)).toEqual({ error: 'provider' })
  })

  test('at the user info about somebody else is told as such, and an address there is believed with its own verification', async () => {
    provider.claims = { email: undefined, email_verified: true }
    provider.answers['/userinfo'] = { sub: 'eve', email: 'ann@example.org', email_verified: true }
    expect(await outcome()).toEqual({ error: 'provider' })
    provider.answers['/userinfo'] = { sub: 'ann', email: 'bob@example.org' }
    await database.sql`delete from identity`
    expect(await outcome()).toEqual({ error: 'domain' })
    provider.answers['/userinfo'] = { sub: 'ann', email: 'bob@example.org', email_verified: true }
    expect(await outcome()).toEqual({ code: expect.any(String) })
  })

  test.each(['/token', '/keys', DISCOVERY])('at %s that does not come is not waited for without end', async (path) => {
    await using impatient = await startAt(provider.issuer, 100)
    provider.answers[path] = hang
    expect(await outcome(impatient)).toEqual({ error: 'provider' })
  })

  test('is told in the log without the client secret and the tokens', async () => {
    provider.answers['/token'] = { error: 'invalid_client', error_description: 'an access token' }
    await outcome()
    provider.claims = { nonce: 'of another sign-in' }
    provider.answers = {}
    await outcome()
    expect(at.warned.length).toBe(2)
    for (const secret of [client.oidcClientSecret, 'an access token', 'eyJ'])
      expect(JSON.stringify(at.warned)).not.toContain(secret)
  })
})

describe('what the provider says of itself', () => {
  test.each([
    ['another issuer', { issuer: 'https://evil.example', authorization_endpoint: 'https://evil.example/auth' }],
    ['no address to sign in at', { issuer: 'itself' }],
    ['an error', broken],
    ['nothing', cut],
    ['no JSON', garbage],
  ])('is told as a failure when it is %s', async (_title, answer) => {
    await using fresh = await startAt(provider.issuer)
    provider.answers[DISCOVERY] =
      typeof answer === 'object' && answer.issuer === 'itself' ? { issuer: provider.issuer } : answer
    expect(await outcome(fresh)).toEqual({ error: 'provider' })
  })

  test('is told as a failure when nobody answers', async () => {
    const gone = await openLyingProvider()
    await gone[Symbol.asyncDispose]()
    await using fresh = await startAt(gone.issuer)
    expect(await outcome(fresh)).toEqual({ error: 'provider' })
    expect(await (await fetch(`${fresh.api.url}/login/methods`)).json()).toMatchObject({
      oidc: { name: 'OpenID Connect' },
    })
  })

  test('is asked for once for many, again after an hour, and not at each failure (provider.P1, provider.P2)', async () => {
    await using fresh = await startAt(provider.issuer)
    const asked = () => provider.asked.filter((path) => path === DISCOVERY).length
    provider.answers[DISCOVERY] = broken
    await Promise.all([outcome(fresh), outcome(fresh), outcome(fresh)])
    expect(asked()).toBe(1)
    provider.answers = {}
    expect(await outcome(fresh)).toEqual({ error: 'provider' })
    fresh.clock.nowMs += 5_000
    await Promise.all([outcome(fresh), outcome(fresh), outcome(fresh)])
    expect(asked()).toBe(2)
    fresh.clock.nowMs += 3_600_000
    provider.answers[DISCOVERY] = broken
    expect(await outcome(fresh)).toHaveProperty('code')
    expect(await outcome(fresh)).toHaveProperty('code')
    expect(asked()).toBe(3)
  })
})
