import { request } from 'node:http'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { Database } from '../../../src/db/database.ts'
import { useDatabase } from '../../use-database.ts'
import { Browser, fragmentOf } from './browser.ts'
import { openProvider, type RealProvider } from './real-provider.ts'
import { type OidcService, startOidcService } from './service.ts'

let database: Database
let provider: RealProvider
let at: OidcService

useDatabase((opened) => void (database = opened))
beforeAll(async () => {
  provider = await openProvider()
  at = await startOidcService(database, { oidcIssuer: provider.issuer, oidcAllowedDomains: ['*'] })
  provider.register(at.callback)
  provider.people.set('ann', { email: 'ann@example.org', email_verified: true })
  provider.user = 'ann'
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

/** The callback to which the provider sends a browser, which has not gone there yet. */
const callbackOf = (browser: Browser, returnTo = '/there') =>
  browser.follow(`${at.api.url}/login/oidc?return_to=${returnTo}`, (url) => url.href.startsWith(at.callback))

/** Where a callback leads. */
async function endOf(browser: Browser, callback: URL): Promise<{ path: string; error?: string; code?: string }> {
  const answer = await browser.get(callback.href)
  expect(answer.status).toBe(302)
  const url = new URL(answer.headers.get('location') ?? '', at.api.url)
  return { path: url.pathname, ...fragmentOf(url) }
}

describe('what comes back from the provider', () => {
  test('is taken from the browser that has begun alone', async () => {
    const browser = new Browser()
    const callback = await callbackOf(browser)
    // a page of somebody else brings their own sign-in to a browser without one
    expect(await endOf(new Browser(), callback)).toEqual({ path: '/', error: 'expired' })
    // and to one with another
    const other = new Browser()
    await callbackOf(other, '/here')
    expect(await endOf(other, callback)).toEqual({ path: '/here', error: 'expired' })
    expect(await endOf(browser, callback)).toEqual({ path: '/there', code: expect.any(String) })
  })

  test('is taken once, also from the same browser', async () => {
    const browser = new Browser()
    const callback = await callbackOf(browser)
    const copy = browser.copy()
    expect(await endOf(browser, callback)).toHaveProperty('code')
    expect(await endOf(copy, callback)).toEqual({ path: '/there', error: 'expired' })
    expect(await endOf(browser, callback)).toEqual({ path: '/', error: 'expired' })
  })

  test.each([
    ['another state', (url: URL) => url.searchParams.set('state', 'made-up')],
    ['no state', (url: URL) => url.searchParams.delete('state')],
  ])('is refused with %s, which uses nothing up', async (_title, change) => {
    const browser = new Browser()
    const callback = await callbackOf(browser)
    const changed = new URL(callback)
    change(changed)
    expect(await endOf(browser.copy(), changed)).toEqual({ path: '/there', error: 'expired' })
    expect(await endOf(browser, callback)).toHaveProperty('code')
  })

  test.each([
    ['another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example'), 'provider'],
    ['a made-up code', (url: URL) => url.searchParams.set('code', 'made-up'), 'provider'],
    ['no code', (url: URL) => url.searchParams.delete('code'), 'provider'],
    [
      'an unknown error',
      (url: URL) => (url.search = `?error=teapot&state=${url.searchParams.get('state')}`),
      'provider',
    ],
  ])('is refused with %s', async (_title, change, error) => {
    const browser = new Browser()
    const callback = await callbackOf(browser)
    change(callback)
    expect(await endOf(browser, callback)).toEqual({ path: '/there', error })
  })

  test('may have any parameters beside', async () => {
    const browser = new Browser()
    const callback = await callbackOf(browser)
    callback.searchParams.set('session_state', 'of the provider')
    expect(await endOf(browser, callback)).toHaveProperty('code')
  })

  test.each(['', '?', '?state=', '?code=x&state=y', '?error=access_denied', '?code=%00', '?state=a&state=b'])(
    'is no server error when it is "%s"',
    async (query) => {
      expect((await fetch(`${at.callback}${query}`, { redirect: 'manual' })).status).toBeLessThan(500)
    },
  )
})

describe('the cookie of a sign-in [T7]', () => {
  test('is of ten minutes, of the callback alone, out of the reach of pages, and taken away at the end', async () => {
    const browser = new Browser()
    const callback = await callbackOf(browser)
    const path = '/api/v1/login/oidc/callback'
    expect(browser.told.filter((text) => text.includes(path))).toEqual([
      expect.stringMatching(
        /^service_sign_in=[\w.-]+; Max-Age=600; Path=\/api\/v1\/login\/oidc\/callback; HttpOnly; SameSite=Lax$/,
      ),
    ])
    await browser.get(callback.href)
    expect(browser.told.at(-1)).toBe(`service_sign_in=; Max-Age=0; Path=${path}; HttpOnly; SameSite=Lax`)
  })

  test('is for https alone where the service is reached by that', async () => {
    const { issuer } = provider
    await using secure = await startOidcService(database, {
      oidcIssuer: issuer,
      baseUrl: 'https://flows.example.org/api/v1',
    })
    const answer = await fetch(`${secure.api.url}/login/oidc`, { redirect: 'manual' })
    expect(answer.headers.get('set-cookie')).toMatch(/; Secure$/)
    const asked = new URL(answer.headers.get('location') ?? '')
    expect(asked.searchParams.get('redirect_uri')).toBe('https://flows.example.org/api/v1/login/oidc/callback')
  })

  test('shows nothing of what it holds, and cannot be changed', async () => {
    const browser = new Browser()
    const callback = await callbackOf(browser)
    const cookie = browser.told.find((text) => text.startsWith('service_sign_in')) ?? ''
    const value = cookie.slice(cookie.indexOf('=') + 1, cookie.indexOf(';'))
    const parts = value.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
    expect(parts.join('\n')).not.toContain('there')
    for (const made of ['', 'x', value.slice(0, -2), `${value}; service_sign_in=${value}`]) {
      const answer = await fetch(callback, { redirect: 'manual', headers: { cookie: `service_sign_in=${made}` } })
      expect([answer.status, answer.headers.get('location')]).toEqual([302, '/#error=expired'])
    }
  })

  test('lets nobody do anything', async () => {
    const browser = new Browser()
    await callbackOf(browser)
    expect((await browser.get(`${at.api.url}/users/me`)).status).toBe(401)
  })
})

describe('where a sign-in goes back to', () => {
  test.each([
    '/',
    '/console/',
    '/a?b=c&d=/e',
    '/%0d%0aset-cookie:x',
    'http://127.0.0.1:1234/',
    'http://127.0.0.1:1/x?y',
  ])('may be "%s"', async (returnTo) => {
    const answer = await fetch(`${at.api.url}/login/oidc?return_to=${encodeURIComponent(returnTo)}`, {
      redirect: 'manual',
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([302, expect.stringContaining(provider.issuer)])
  })

  test.each([
    '',
    'console',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/..//evil.example',
    '/a\\..\\\\evil.example',
    '/a#b',
    '/ä',
    'https://evil.example/',
    'http://127.0.0.1/',
    'http://127.0.0.1:80@evil.example/',
    'http://127.0.0.1:99999/',
    'http://127.0.0.1.evil.example:80/',
    'http://localhost:80/',
    'https://127.0.0.1:80/',
    'javascript:alert(1)',
    `/${'x'.repeat(1000)}`,
  ])('may not be "%s"', async (returnTo) => {
    const answer = await fetch(`${at.api.url}/login/oidc?return_to=${encodeURIComponent(returnTo)}`, {
      redirect: 'manual',
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([422, null])
  })

  test('is never made of a foreign Host', async () => {
    const { status, headers, body } = await hostTold('evil.example')
    expect([status, headers.location]).toEqual([503, undefined])
    expect(body).toContain('SERVICE_BASE_URL')
    expect((await hostTold('localhost:8000')).headers.location).toContain(encodeURIComponent('http://localhost:8000/'))
  })
})

/** `GET /login/oidc` for another host than the one that is connected to. */
function hostTold(host: string) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    request(`${at.api.url}/login/oidc`, { headers: { host } }, (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (text: string) => (body += text))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }))
    })
      .on('error', reject)
      .end()
  })
}
