/** Agents that ask to be let in at two engines on one PostgreSQL server. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { findPostgres } from './components/postgres.ts'
import { authorizePath, Browser, letIn, post, proofKey } from './oauth-client.ts'
import { useServerDatabases } from './server-databases.ts'
import { startService, type TestService } from './service.ts'

const account = { email: 'root@example.org', password: 'correct horse' }
const redirect_uri = 'http://127.0.0.1/back'

/** A request to one of the engines, wherever clients reach it. */
const send = (at: TestService, method: string, path: string, body?: object): Promise<Response> =>
  fetch(`${at.origin}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${at.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

describe.skipIf(!findPostgres())('at two engines on a PostgreSQL server', () => {
  const databases = useServerDatabases()
  let shared: string
  let one: TestService
  let two: TestService
  let client_id: string
  beforeAll(async () => {
    shared = await mkdtemp(join(tmpdir(), 'agents-'))
    const env = await databases.env('agents')
    const open = (): Promise<TestService> =>
      startService({
        mcp: true,
        // where clients reach both
        baseUrl: 'http://flows.example/api/v1',
        databaseUrl: env['SERVICE_DATABASE_URL'],
        sessionKey: env['SERVICE_SESSION_KEY'],
        secretKey: env['SERVICE_SECRET_KEY'],
        oauthSigningKey: env['SERVICE_OAUTH_SIGNING_KEY'],
        firstSuperuser: account.email,
        firstSuperuserPassword: account.password,
        artifactsDir: join(shared, 'artifacts'),
      })
    one = await open()
    two = await open()
    const added = await send(one, 'POST', '/oauth/clients', { name: 'Desk', redirect_uris: [redirect_uri] })
    client_id = ((await added.json()) as { id: string }).id
  })
  afterAll(async () => {
    await one[Symbol.asyncDispose]()
    await two[Symbol.asyncDispose]()
    await rm(shared, { recursive: true, force: true })
  })

  const code = async () => {
    const { verifier, challenge } = proofKey()
    const path = authorizePath({ client_id, redirect_uri, scope: 'flows:read', code_challenge: challenge })
    const back = await letIn(new Browser(one.origin, 'http://flows.example'), path, {
      ...account,
      scopes: ['flows:read'],
    })
    const given = { client_id, redirect_uri, code: back.searchParams.get('code') ?? '', code_verifier: verifier }
    return { grant_type: 'authorization_code', ...given }
  }
  const atBoth = (fields: object) =>
    Promise.all([one, two, one, two].map(({ origin }) => post(origin, '/oauth/token', fields)))
  const flows = async (at: TestService, token = ''): Promise<number> =>
    (await fetch(`${at.origin}/api/v1/flows`, { headers: { authorization: `Bearer ${token}` } })).status

  test('a code that one engine gave counts once, whoever comes first, and what it got ends with the second use [T90]', async () => {
    const answers = await atBoth(await code())
    const good = answers.filter(({ status }) => status === 200)
    expect(good.length).toBeLessThanOrEqual(1)
    expect(answers.filter(({ value }) => value.error === 'invalid_grant')).toHaveLength(4 - good.length)
    for (const { value } of good) {
      await expect.poll(() => flows(two, value.access_token)).toBe(401)
      await expect.poll(() => flows(one, value.access_token)).toBe(401)
    }
  })

  test('a refresh token counts once at both, and its second use ends the agent at both [T90]', async () => {
    const first = await post(two.origin, '/oauth/token', await code())
    const { access_token: access, refresh_token } = first.value
    expect([first.status, await flows(one, access), await flows(two, access)]).toEqual([200, 200, 200])
    const answers = await atBoth({ grant_type: 'refresh_token', client_id, refresh_token })
    const good = answers.filter(({ status }) => status === 200)
    expect(good.length).toBeLessThanOrEqual(1)
    for (const at of [one, two]) await expect.poll(() => flows(at, access)).toBe(401)
    for (const { value } of good) {
      const again = { grant_type: 'refresh_token', client_id, refresh_token: value.refresh_token }
      expect((await post(one.origin, '/oauth/token', again)).status).toBe(400)
    }
  })

  test('a code counts for a minute, and a refresh token for thirty days from its last use [T90]', async () => {
    const elapse = (kind: string, interval: string): Promise<void> =>
      databases
        .server()
        .execute(
          'agents',
          `update oauth_record set expires_at = expires_at - interval '${interval}' where kind = '${kind}'`,
        )
    const late = await code()
    await elapse('AuthorizationCode', '60 seconds')
    expect(await post(one.origin, '/oauth/token', late)).toMatchObject({
      status: 400,
      value: { error: 'invalid_grant' },
    })

    const { value: first } = await post(one.origin, '/oauth/token', await code())
    await elapse('RefreshToken', '29 days')
    const refresh = (refresh_token = '') =>
      post(two.origin, '/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token })
    const { status, value: second } = await refresh(first.refresh_token)
    await elapse('RefreshToken', '29 days')
    const { value: third } = await refresh(second.refresh_token)
    expect([status, await flows(one, third.access_token)]).toEqual([200, 200])
    await elapse('RefreshToken', '30 days')
    expect(await refresh(third.refresh_token)).toMatchObject({ status: 400, value: { error: 'invalid_grant' } })
  })

  test('an agent that is ended at one engine is out at the other', async () => {
    const { value } = await post(one.origin, '/oauth/token', await code())
    expect(await flows(two, value.access_token)).toBe(200)
    const [agent] = (await (await send(one, 'GET', '/oauth/tokens')).json()) as readonly { id: string }[]
    expect((await send(one, 'POST', `/oauth/tokens/${agent?.id}/revoke`)).status).toBe(200)
    await expect.poll(() => flows(two, value.access_token)).toBe(401)
  })
})
