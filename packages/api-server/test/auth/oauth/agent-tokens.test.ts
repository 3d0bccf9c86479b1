import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { AgentToken, MintedAgentToken, ObservabilityEvent, OAuthClient } from '@flow-service/protocol'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'

import { startService, type TestService } from '../../observability/service.ts'

const pemOf = ({ privateKey }: { readonly privateKey: KeyObject }): string =>
  String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
const key = generateKeyPairSync('ed25519')
let at: TestService
beforeAll(async () => {
  at = await startService({ oauthSigningKey: pemOf(key) })
})
afterAll(() => at[Symbol.asyncDispose]())

const minted = async (by: TestService['ann'], request: object): Promise<MintedAgentToken> => {
  const answer = await by<MintedAgentToken>('POST', '/oauth/tokens', { client: 'desk', ...request })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.value
}
/** A request with the token of an agent. */
const asAgent = async (token: string, method: string, path: string, to: TestService = at) => {
  const answer = await fetch(`${to.origin}/api/v1${path}`, { method, headers: { authorization: `Bearer ${token}` } })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> }
}
const audited = async (action: string): Promise<ObservabilityEvent | undefined> => {
  const { value } = await at.root<ObservabilityEvent[]>('GET', '/observability/events')
  return value.find((event) => event.action === action)
}

describe('the token of an agent', () => {
  test('acts for its user within its scopes, and the audit trail names both [R625]', async () => {
    const { token, ...shown } = await minted(at.ann, { scopes: ['flows:read', 'flows:write'], expires_in_days: 3 })
    expect(shown).toEqual({
      id: expect.any(String),
      client: 'desk',
      origin: 'minted',
      scopes: ['flows:read', 'flows:write'],
      owner: { id: expect.any(String), email: 'ann@example.org' },
      created_at: expect.any(String),
      expires_at: expect.any(String),
      last_used_at: null,
      revoked_at: null,
    })
    expect(Date.parse(shown.expires_at) - Date.parse(shown.created_at)).toBe(3 * 86_400_000)
    expect((await asAgent(token, 'GET', '/users/me')).body).toMatchObject({ email: 'ann@example.org' })
    expect((await asAgent(token, 'GET', '/flows')).status).toBe(200)
    const refused = await asAgent(token, 'GET', '/runs')
    expect([refused.status, refused.body]).toMatchObject([403, { code: 'forbidden', required_scope: 'runs:read' }])
    expect(refused.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="runs:read"')
    expect(await audited('oauth.mint')).toMatchObject({
      actor: { email: 'ann@example.org', via: 'session', name: null },
      detail: { id: shown.id, client: 'desk', scopes: ['flows:read', 'flows:write'] },
    })
  })

  test('names the agent in what it has changed', async () => {
    const { token } = await minted(at.ann, { client: 'busy', scopes: ['flows:write', 'flows:publish'] })
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const url = `${at.origin}/api/v1/flows/drafted`
    expect((await fetch(url, { method: 'PUT', headers, body: '{}' })).status).toBe(201)
    expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(204)
    expect(await audited('flow.delete')).toMatchObject({
      actor: { email: 'ann@example.org', via: 'mcp', name: 'busy' },
    })
  })

  test('lets nobody do what its user may not, whatever its scopes [T91]', async () => {
    const { token } = await minted(at.ann, { scopes: ['admin'] })
    expect((await asAgent(token, 'GET', '/oauth/clients')).status).toBe(403)
    expect((await asAgent(token, 'GET', '/oauth/tokens?all=true')).status).toBe(403)
    const refused = await at.ann('POST', '/oauth/tokens', { client: 'desk', scopes: ['flows:code'] })
    expect([refused.status, refused.problem.detail]).toEqual([403, expect.stringContaining('for superusers')])
  })

  test('makes no tokens', async () => {
    const { token } = await minted(at.root, { scopes: ['admin'] })
    const answer = await fetch(`${at.origin}/api/v1/oauth/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ client: 'another', scopes: ['flows:read'] }),
    })
    expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'forbidden' }])
  })

  test('ends at once when it is revoked, by its owner or a superuser, and by nobody else', async () => {
    const own = await minted(at.ann, { scopes: ['flows:read'] })
    const foreign = await minted(at.root, { scopes: ['flows:read'] })
    expect((await at.ann('POST', `/oauth/tokens/${foreign.id}/revoke`)).status).toBe(404)
    expect((await asAgent(own.token, 'GET', '/flows')).status).toBe(200)
    const revoked = await at.ann<AgentToken>('POST', `/oauth/tokens/${own.id}/revoke`)
    expect([revoked.status, revoked.value.revoked_at]).toEqual([200, expect.any(String)])
    expect((await asAgent(own.token, 'GET', '/flows')).status).toBe(401)
    const again = await at.root<AgentToken>('POST', `/oauth/tokens/${own.id}/revoke`)
    expect([again.status, again.value.revoked_at]).toEqual([200, revoked.value.revoked_at])
    expect(await audited('oauth.revoke')).toMatchObject({ detail: { id: own.id, owner: 'ann@example.org' } })
  })

  test('opens an event socket within its scopes, which closes when it is revoked', async () => {
    const url = `${at.origin.replace('http', 'ws')}/api/v1/flows/ws`
    const open = (token: string) => new WebSocket(url, { headers: { authorization: `Bearer ${token}` } })
    const narrow = open((await minted(at.ann, { scopes: ['flows:read'] })).token)
    const [, refused] = (await once(
      narrow.on('error', () => {}),
      'unexpected-response',
    )) as [unknown, IncomingMessage]
    expect(refused.statusCode).toBe(403)
    const { id, token } = await minted(at.ann, { scopes: ['messages:read'] })
    const socket = open(token)
    await once(socket, 'open')
    const closed = once(socket, 'close')
    await at.ann('POST', `/oauth/tokens/${id}/revoke`)
    expect((await closed)[0]).toBe(1008)
  })

  test('is listed for its owner, and for superusers, without its text', async () => {
    const { id, token } = await minted(at.ann, { client: 'listed', scopes: ['runs:read'] })
    await asAgent(token, 'GET', '/runs')
    const listed = async (by: TestService['ann'], query = '') =>
      (await by<AgentToken[]>('GET', `/oauth/tokens${query}`)).value.find((each) => each.id === id)
    await expect.poll(async () => (await listed(at.ann))?.last_used_at).toEqual(expect.any(String))
    expect(JSON.stringify(await listed(at.ann))).not.toContain(token.slice(-20))
    expect(await listed(at.root)).toBeUndefined()
    expect(await listed(at.root, '?all=true')).toMatchObject({ client: 'listed' })
  })

  test('follows the flags of its user: demoted, deactivated, deleted; a new password leaves it [T11]', async () => {
    const { sql } = at.engine.database
    await sql`
      insert into account (id, email, password_hash, is_superuser)
      select gen_random_uuid(), 'eve@example.org', password_hash, true from account where email = 'root@example.org'`
    const form = new URLSearchParams({ username: 'eve@example.org', password: 'a long password' })
    const signedIn = await fetch(`${at.origin}/api/v1/login/access-token`, { method: 'POST', body: form })
    const { access_token: session } = (await signedIn.json()) as { access_token: string }
    const answer = await fetch(`${at.origin}/api/v1/oauth/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${session}`, 'content-type': 'application/json' },
      body: JSON.stringify({ client: 'desk', scopes: ['admin'] }),
    })
    const { token } = (await answer.json()) as MintedAgentToken
    const me = `${at.origin}/api/v1/users/me`
    const programs = async () => (await asAgent(token, 'GET', '/oauth/clients')).status
    expect(await programs()).toBe(200)
    // as a new password does
    await sql`update account set token_version = token_version + 1 where email = 'eve@example.org'`
    await expect
      .poll(async () => (await fetch(me, { headers: { authorization: `Bearer ${session}` } })).status)
      .toBe(401)
    expect(await programs()).toBe(200)
    await sql`update account set is_superuser = false where email = 'eve@example.org'`
    await expect.poll(programs).toBe(403)
    await sql`update account set is_active = false where email = 'eve@example.org'`
    await expect.poll(programs).toBe(401)
    await sql`delete from account where email = 'eve@example.org'`
    expect(await programs()).toBe(401)
  })

  test('is refused when it is forged, expired, or of another kind [T9, T10]', async () => {
    const { id, owner } = await minted(at.ann, { scopes: ['flows:read'] })
    const now = Math.floor(Date.now() / 1000)
    const forged = (claims: object, header: { alg: string; typ?: string }, by = key.privateKey) =>
      new SignJWT({
        scope: 'flows:read',
        grant: id,
        sub: owner.id,
        jti: id,
        aud: 'mcp',
        iat: now,
        exp: now + 60,
        ...claims,
      })
        .setProtectedHeader(header)
        .sign(by)
    const typ = 'mcp+jwt'
    const good = await forged({}, { alg: 'EdDSA', typ })
    expect((await asAgent(good, 'GET', '/flows')).status).toBe(200)
    const bad = await Promise.all([
      forged({ aud: 'worker' }, { alg: 'EdDSA', typ }),
      forged({}, { alg: 'EdDSA', typ: 'worker+jwt' }),
      forged({}, { alg: 'EdDSA', typ: 'at+jwt' }),
      forged({}, { alg: 'EdDSA' }),
      forged({ exp: now - 6 }, { alg: 'EdDSA', typ }),
      forged({ exp: undefined }, { alg: 'EdDSA', typ }),
      forged({ iat: now + 3600, exp: now + 7200 }, { alg: 'EdDSA', typ }),
      forged({ sub: '01900000-0000-7000-8000-000000000000' }, { alg: 'EdDSA', typ }),
      forged({ grant: 'nothing' }, { alg: 'EdDSA', typ }),
      forged({ grant: '01900000-0000-7000-8000-000000000000' }, { alg: 'EdDSA', typ }),
      forged({}, { alg: 'EdDSA', typ }, generateKeyPairSync('ed25519').privateKey),
    ])
    for (const token of bad) expect([token, (await asAgent(token, 'GET', '/flows')).status]).toEqual([token, 401])
    // a scope that its row does not have is none
    const wide = await forged({ scope: 'flows:read runs:read nonsense' }, { alg: 'EdDSA', typ })
    expect((await asAgent(wide, 'GET', '/runs')).status).toBe(403)
  })

  test.each([
    [{ scopes: [] }, '/scopes'],
    [{ scopes: ['everything'] }, '/scopes/0'],
    [{ scopes: ['admin'], expires_in_days: 366 }, '/expires_in_days'],
    [{ client: ' ', scopes: ['admin'] }, '/client'],
    [{ client: 'a\u202Eb', scopes: ['admin'] }, '/client'],
  ])('is not made of %j', async (request, path) => {
    const answer = await at.ann('POST', '/oauth/tokens', { client: 'desk', ...request })
    expect([answer.status, answer.problem.errors]).toMatchObject([422, [{ path }]])
  })
})

test('another signing key voids the tokens of agents, also in the list', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'agents-'))
  const folder = { dataDir, databaseUrl: null }
  const first = await startService({ ...folder, oauthSigningKey: pemOf(key) })
  const { id, token } = await minted(first.root, { scopes: ['flows:read'] })
  expect((await asAgent(token, 'GET', '/flows', first)).status).toBe(200)
  await first.close()
  const second = await startService({ ...folder, oauthSigningKey: pemOf(generateKeyPairSync('ed25519')) })
  expect((await asAgent(token, 'GET', '/flows', second)).status).toBe(401)
  const { value } = await second.root<AgentToken[]>('GET', '/oauth/tokens')
  expect(value).toMatchObject([{ id, revoked_at: expect.any(String) }])
  await second.close()
  await rm(dataDir, { recursive: true, force: true })
})

describe('a program that may ask to be let in', () => {
  test('is added, listed and removed by superusers', async () => {
    const request = {
      name: 'Desk',
      redirect_uris: ['http://127.0.0.1/back', 'desk://back', 'https://desk.example/back'],
    }
    const added = await at.root<OAuthClient>('POST', '/oauth/clients', request)
    expect([added.status, added.value]).toMatchObject([201, { ...request, registered: false }])
    expect((await at.ann('GET', '/oauth/clients')).status).toBe(403)
    expect((await at.root<OAuthClient[]>('GET', '/oauth/clients')).value).toContainEqual(added.value)
    expect(await audited('oauth.client_add')).toMatchObject({ detail: { name: 'Desk' } })
    expect((await at.root('DELETE', `/oauth/clients/${added.value.id}`)).status).toBe(204)
    expect((await at.root('DELETE', `/oauth/clients/${added.value.id}`)).status).toBe(404)
    expect(await audited('oauth.client_remove')).toMatchObject({ detail: { name: 'Desk' } })
  })

  test.each([
    'http://desk.example/back',
    'http://127.0.0.1.desk.example/back',
    'https://desk.example/back#part',
    'https://ann@desk.example/back',
    'javascript:alert(1)',
    'data:text/html,hello',
    '/back',
  ])('is not sent back to %s', async (uri) => {
    const answer = await at.root('POST', '/oauth/clients', { name: 'Desk', redirect_uris: ['https://a.example', uri] })
    expect([answer.status, answer.problem.errors]).toMatchObject([422, [{ path: '/redirect_uris/1' }]])
  })
})
