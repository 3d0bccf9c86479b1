import { request } from 'node:http'

import type { AgentToken, OAuthClient } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { authorizePath, Browser, letIn, post, proofKey } from './oauth-client.ts'
import { startService, type TestService } from './service.ts'

const account = { email: 'ann@example.org', password: 'a long password' }
const redirect_uri = 'http://127.0.0.1/back'
let at: TestService
let client_id: string
beforeAll(async () => {
  at = await startService({ mcp: true, firstSuperuser: account.email, firstSuperuserPassword: account.password })
  client_id = await program('Desk')
})
afterAll(() => at[Symbol.asyncDispose]())

const program = async (name: string): Promise<string> =>
  (await at.client.http.oauth.addClient({ name, redirect_uris: [redirect_uri] })).id

const resource = () => `${at.baseUrl}/mcp`
const ask = (more: object = {}) => ({ client_id, redirect_uri, scope: 'flows:read runs:read', ...more })

/** Asks and is let in: a code with its verifier. */
async function codeFor(more: object = {}, scopes = ['flows:read', 'runs:read']) {
  const { verifier, challenge } = proofKey()
  const path = authorizePath({ ...ask(more), code_challenge: challenge })
  const back = await letIn(new Browser(at.origin), path, { ...account, scopes })
  const code = back.searchParams.get('code') ?? ''
  return {
    back,
    exchange: { grant_type: 'authorization_code', client_id, redirect_uri, code, code_verifier: verifier },
  }
}
const token = (fields: object) => post(at.origin, '/oauth/token', fields)
const tokens = async () =>
  (await token((await codeFor()).exchange)).value as { access_token: string; refresh_token: string }
const flowsAs = async (access: string | undefined) =>
  (await fetch(`${at.baseUrl}/flows`, { headers: { authorization: `Bearer ${access}` } })).status
const refusalOf = async (path: string) => {
  const answer = await new Browser(at.origin).open(path)
  const location = answer.headers.get('location')
  return { status: answer.status, location, back: location === null ? null : new URL(location, at.origin).searchParams }
}

describe('a program that is let in', () => {
  test('gets a code, and for it tokens that act for the user within what was ticked [R625]', async () => {
    const { back, exchange } = await codeFor({ redirect_uri: 'http://127.0.0.1:4711/back' }, ['flows:read'])
    expect(back.href.split('?')[0]).toBe('http://127.0.0.1:4711/back')
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.any(String),
      state: 'a state',
      iss: at.origin,
    })
    const { status, value } = await token({ ...exchange, redirect_uri: 'http://127.0.0.1:4711/back' })
    expect([status, value]).toEqual([
      200,
      {
        access_token: expect.any(String),
        refresh_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'flows:read',
      },
    ])
    const [head, body] = value.access_token?.split('.').map((part) => Buffer.from(part, 'base64url').toString()) ?? []
    expect(JSON.parse(head ?? '')).toMatchObject({ alg: 'EdDSA', typ: 'mcp+jwt' })
    expect(JSON.parse(body ?? '')).toMatchObject({ aud: 'mcp', scope: 'flows:read', client: 'Desk', client_id })
    expect(await flowsAs(value.access_token)).toBe(200)
    const runs = await fetch(`${at.baseUrl}/runs`, { headers: { authorization: `Bearer ${value.access_token}` } })
    expect([runs.status, await runs.json()]).toMatchObject([403, { required_scope: 'runs:read' }])
    const [listed] = (await at.client.oauth.listTokens()) as AgentToken[]
    expect(listed).toMatchObject({ client: 'Desk', origin: 'consent', scopes: ['flows:read'] })
    const events = await at.send('GET', '/observability/events')
    expect(events.body).toContainEqual(
      expect.objectContaining({
        action: 'oauth.consent',
        actor: expect.objectContaining({ email: account.email }),
        detail: expect.objectContaining({ client: 'Desk', scopes: ['flows:read'] }),
      }),
    )
  })

  test('gets new tokens for its refresh token, which counts once', async () => {
    const first = await tokens()
    const second = await token({ grant_type: 'refresh_token', client_id, refresh_token: first.refresh_token })
    expect([second.status, second.value.refresh_token === first.refresh_token]).toEqual([200, false])
    expect(await flowsAs(second.value.access_token)).toBe(200)
  })

  test('has nothing any more when its user ends it, or the program is forgotten', async () => {
    const { access_token, refresh_token } = await tokens()
    const [agent] = await at.client.oauth.listTokens()
    await at.client.http.oauth.revokeToken({ id: agent?.id ?? '' })
    expect(await flowsAs(access_token)).toBe(401)
    expect((await token({ grant_type: 'refresh_token', client_id, refresh_token })).value.error).toBe('invalid_grant')

    const other = await program('Other')
    const given = await codeFor({ client_id: other })
    const { value } = await token({ ...given.exchange, client_id: other })
    expect(await flowsAs(value.access_token)).toBe(200)
    await at.client.http.oauth.removeClient({ id: other })
    expect(await flowsAs(value.access_token)).toBe(401)
  })

  test('ends itself by giving its refresh token back', async () => {
    const { access_token, refresh_token } = await tokens()
    expect((await post(at.origin, '/oauth/revoke', { client_id, token: refresh_token })).status).toBe(200)
    expect(await flowsAs(access_token)).toBe(401)
  })
})

describe('nobody is let in by [T90]', () => {
  test('a second use of a code, which ends what the first one got', async () => {
    const { exchange } = await codeFor()
    const first = await token(exchange)
    expect(await flowsAs(first.value.access_token)).toBe(200)
    const second = await token(exchange)
    expect([second.status, second.value.error]).toEqual([400, 'invalid_grant'])
    expect(await flowsAs(first.value.access_token)).toBe(401)
    const { refresh_token } = first.value
    expect((await token({ grant_type: 'refresh_token', client_id, refresh_token })).status).toBe(400)
  })

  test('a second use of a refresh token, which ends the whole family', async () => {
    const first = await tokens()
    const refresh = { grant_type: 'refresh_token', client_id }
    const second = await token({ ...refresh, refresh_token: first.refresh_token })
    expect((await token({ ...refresh, refresh_token: first.refresh_token })).value.error).toBe('invalid_grant')
    expect((await token({ ...refresh, refresh_token: second.value.refresh_token })).value.error).toBe('invalid_grant')
    expect(await flowsAs(second.value.access_token)).toBe(401)
  })

  test.each([
    ['a foreign address', 'https://evil.example/back'],
    ['another path', 'http://127.0.0.1/back/more'],
    ['another host of this machine', 'http://localhost/back'],
    ['more of a query', 'http://127.0.0.1/back?more=1'],
  ])('being sent back to %s', async (_what, uri) => {
    const path = authorizePath({ ...ask({ redirect_uri: uri }), code_challenge: proofKey().challenge })
    expect(await refusalOf(path)).toMatchObject({ status: 400, location: null })
  })

  test.each([
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['a plain challenge', { code_challenge_method: 'plain' }],
    ['a challenge without its method', { code_challenge_method: undefined }],
  ])('%s', async (_what, more) => {
    const path = authorizePath({ ...ask(), code_challenge: proofKey().challenge, ...more })
    const { back } = await refusalOf(path)
    expect([back?.get('error'), back?.has('code')]).toEqual(['invalid_request', false])
  })

  test('a code without its verifier, or with another one', async () => {
    const { exchange } = await codeFor()
    expect((await token({ ...exchange, code_verifier: undefined })).value.error).toBe('invalid_grant')
    expect((await token({ ...exchange, code_verifier: proofKey().verifier })).value.error).toBe('invalid_grant')
    expect((await token(exchange)).status).toBe(200)
  })

  test('the code of another program, or of another address', async () => {
    const { exchange } = await codeFor()
    const other = await program('Thief')
    expect((await token({ ...exchange, client_id: other })).value.error).toBe('invalid_grant')
    expect((await token({ ...exchange, redirect_uri: 'http://127.0.0.1:1/back' })).value.error).toBe('invalid_grant')
  })

  test('a program that nobody knows, or one that makes itself known where that is closed', async () => {
    const path = authorizePath({ ...ask({ client_id: 'nobody' }), code_challenge: proofKey().challenge })
    expect(await refusalOf(path)).toMatchObject({ status: 400, location: null })
    const body = JSON.stringify({ redirect_uris: [redirect_uri] })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${at.origin}/oauth/register`, { method: 'POST', headers, body })
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not_found' }])
  })

  test('asking for tokens of another resource', async () => {
    const asked = { ...ask({ resource: 'https://other.example/mcp' }), code_challenge: proofKey().challenge }
    expect((await refusalOf(authorizePath(asked))).back?.get('error')).toBe('invalid_target')
    const { exchange } = await codeFor({ resource: resource() })
    const wrong = await token({ ...exchange, resource: 'https://other.example/mcp' })
    expect(wrong.value.error).toBe('invalid_target')
  })

  test('the password grant, or other kinds of answers', async () => {
    const { value } = await token({ grant_type: 'password', client_id, ...account })
    expect(value.error).toBe('unsupported_grant_type')
    const path = authorizePath({ ...ask({ response_type: 'token' }), code_challenge: proofKey().challenge })
    const { location } = await refusalOf(path)
    expect(location).toMatch(/^http:\/\/127\.0\.0\.1\/back#error=unsupported_response_type/)
  })
})

describe('the page of the user', () => {
  const begin = async (more: object = {}) => {
    const browser = new Browser(at.origin)
    const path = authorizePath({ ...ask(more), code_challenge: proofKey().challenge })
    const page = (await browser.open(path)).headers.get('location') ?? ''
    return { browser, page }
  }
  const signIn = new URLSearchParams({ action: 'sign-in', ...account })

  test('names program, user and scopes in words, executes nothing and stands in no frame', async () => {
    const evil = (await at.client.http.oauth.addClient({ name: '<b>Desk</b>', redirect_uris: [redirect_uri] })).id
    const { browser, page } = await begin({ client_id: evil, redirect_uri: 'http://127.0.0.1:4711/back' })
    const first = await browser.open(page)
    const policy = first.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self' http://127.0.0.1:4711;")
    expect(policy).not.toContain('unsafe')
    const shown = await first.text()
    expect(shown).toContain('&#60;b&#62;Desk')
    expect(shown).not.toContain('<b>Desk')
    await browser.open(page, signIn)
    const second = await (await browser.open(page)).text()
    expect(second).toContain(account.email)
    expect(second).toContain('flows, node types, the library')
    expect(second).toContain('value="flows:read" checked')
    expect(second).not.toContain('flows:publish')
  })

  test('has what acts on running flows ticked by hand', async () => {
    const { browser, page } = await begin({ scope: 'flows:read flows:publish admin' })
    await browser.open(page, signIn)
    const shown = await (await browser.open(page)).text()
    expect(shown).toMatch(/value="flows:publish">/)
    expect(shown).toMatch(/value="admin">/)
  })

  test('sends back who refuses', async () => {
    const { browser, page } = await begin()
    const refused = await browser.open(page, new URLSearchParams({ action: 'deny' }))
    const back = await browser.open(refused.headers.get('location') ?? '')
    const { searchParams } = new URL(back.headers.get('location') ?? '')
    expect([searchParams.get('error'), searchParams.get('code')]).toEqual(['access_denied', null])
  })

  test('lets in only who has signed in, and gives only what was asked for', async () => {
    const { browser, page } = await begin()
    const allow = new URLSearchParams({ action: 'allow', scope: 'flows:read' })
    expect((await browser.open(page, allow)).status).toBe(400)
    await browser.open(page, signIn)
    expect((await browser.open(page, new URLSearchParams({ action: 'allow', scope: 'admin' }))).status).toBe(400)
    expect((await browser.open(page, allow)).status).toBe(303)
  })

  test('takes no answer of another site, and none without the cookie', async () => {
    const { browser, page } = await begin()
    for (const origin of ['https://evil.example', 'null', ''])
      expect((await browser.open(page, signIn, { origin })).status).toBe(403)
    expect((await new Browser(at.origin).open(page, signIn)).status).toBe(400)
  })

  test('counts failed sign-ins as all others', async () => {
    const { browser, page } = await begin()
    const wrong = new URLSearchParams({ action: 'sign-in', email: 'nobody@example.org', password: 'wrong' })
    const statuses: number[] = []
    for (let attempt = 0; attempt < 11; attempt += 1) statuses.push((await browser.open(page, wrong)).status)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), 429])
    const form = new URLSearchParams({ username: account.email, password: account.password })
    const other = await fetch(`${at.baseUrl}/login/access-token`, { method: 'POST', body: form })
    expect(other.status).toBe(429)
  })

  test('has cookies below /oauth alone, which no script and no other site gets', async () => {
    const { browser } = await begin()
    expect(browser.cookies.size).toBeGreaterThan(0)
    for (const { path, text } of browser.cookies.values()) {
      expect(path).toMatch(/^\/oauth/)
      expect(text).toMatch(/httponly/i)
      expect(text).toMatch(/samesite=lax/i)
    }
  })
})

describe('what clients look up', () => {
  const read = async (path: string) => {
    const answer = await fetch(`${at.origin}${path}`)
    return { status: answer.status, value: (await answer.json()) as Record<string, unknown> }
  }

  test.each(['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])(
    'is at %s',
    async (path) => {
      const { status, value } = await read(path)
      expect([status, value]).toMatchObject([
        200,
        {
          issuer: at.origin,
          authorization_endpoint: `${at.origin}/oauth/authorize`,
          token_endpoint: `${at.origin}/oauth/token`,
          revocation_endpoint: `${at.origin}/oauth/revoke`,
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        },
      ])
      expect(value).not.toHaveProperty('registration_endpoint')
    },
  )

  test.each(['', '/api/v1/mcp'])('is at /.well-known/oauth-protected-resource%s', async (about) => {
    const { value } = await read(`/.well-known/oauth-protected-resource${about}`)
    expect(value).toMatchObject({ resource: resource(), authorization_servers: [at.origin] })
  })

  test('is nothing elsewhere', async () => {
    for (const path of ['/.well-known/oauth-protected-resource/other', '/.well-known/other', '/oauth/end', '/oauth/me'])
      expect([path, (await read(path)).status]).toEqual([path, 404])
  })

  test('is not for a page that has its name lead here [T91]', async () => {
    for (const path of ['/.well-known/oauth-authorization-server', authorizePath(ask())]) {
      const { port } = new URL(at.origin)
      const status = await new Promise((resolve, reject) => {
        request({ port, path, headers: { host: `evil.example:${port}` } }, (answer) => resolve(answer.statusCode))
          .on('error', reject)
          .end()
      })
      expect(status).toBe(403)
    }
  })
})

test('without it there is nothing at its addresses, while tokens that are minted work [T90]', async () => {
  await using off = await startService()
  for (const path of ['/oauth/authorize', '/oauth/token', '/.well-known/oauth-authorization-server'])
    expect([path, (await fetch(`${off.origin}${path}`)).status]).toEqual([path, 404])
  const { token: minted } = await off.client.oauth.mintToken({ client: 'desk', scopes: ['flows:read'] })
  const flows = await fetch(`${off.baseUrl}/flows`, { headers: { authorization: `Bearer ${minted}` } })
  expect(flows.status).toBe(200)
})

test('where it is allowed, a program makes itself known, as a public client with a name and addresses alone [T90]', async () => {
  await using open = await startService({ mcp: true, mcpRegistration: true })
  const register = async (body: unknown) => {
    const answer = await fetch(`${open.origin}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: answer.status, value: (await answer.json()) as Record<string, unknown> }
  }
  const hostile = {
    jwks_uri: 'http://127.0.0.1:1/',
    sector_identifier_uri: 'http://127.0.0.1:1/',
    logo_uri: 'http://a',
  }
  const made = await register({ client_name: 'Desk', redirect_uris: ['desk://back'], ...hostile })
  expect([made.status, made.value]).toEqual([
    201,
    {
      client_id: expect.any(String),
      client_id_issued_at: expect.any(Number),
      client_name: 'Desk',
      redirect_uris: ['desk://back'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
  ])
  const listed: OAuthClient[] = await open.client.oauth.listClients()
  expect(listed).toMatchObject([{ name: 'Desk', registered: true }])
  for (const uri of ['http://evil.example/', 'javascript:alert(1)', 'https://a.example/#b'])
    expect((await register({ redirect_uris: [uri] })).value).toMatchObject({ error: 'invalid_redirect_uri' })
  expect((await register({})).value).toMatchObject({ error: 'invalid_redirect_uri' })
  const statuses = new Set<number>()
  for (let count = 0; count < 20; count += 1) statuses.add((await register({ redirect_uris: ['desk://back'] })).status)
  expect(statuses).toEqual(new Set([201, 429]))
})
