import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import type { Database } from '../../../src/db/database.ts'
import { useDatabase } from '../../use-database.ts'
import { Browser } from './browser.ts'
import { openProvider, type RealProvider } from './real-provider.ts'
import { type OidcService, startOidcService } from './service.ts'

let database: Database
let provider: RealProvider
let at: OidcService
const password = 'correct horse battery'

useDatabase((opened) => void (database = opened))
beforeAll(async () => {
  provider = await openProvider()
  at = await startOidcService(database, {
    oidcIssuer: provider.issuer,
    oidcAllowedDomains: ['Example.org'],
    oidcSuperuserGroup: 'operators',
  })
  provider.register(at.callback)
  await at.users.create({ email: 'root@example.org', password, superuser: true })
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await database.sql`delete from engine_event`
})

/** Somebody of the provider, who signs in from now on. */
function become(sub: string, claims: Record<string, unknown>): void {
  provider.people.set(sub, claims)
  provider.user = sub
}

const verified = (email: string, more: object = {}) => ({ email, email_verified: true, ...more })

/** Who the code of a sign-in makes somebody. */
async function userOf({ code = 'none' }: { code?: string }): Promise<Record<string, unknown>> {
  const answer = await at.redeem(code)
  const token = (await answer.json()) as { access_token: string }
  return (await (await at.me(token.access_token)).json()) as Record<string, unknown>
}

const audit = async () =>
  (await at.eventLog.list({ kinds: ['audit'] }, 50)).map(({ action, actor, detail }) => [
    action,
    actor?.email ?? null,
    detail,
  ])

describe('signing in by OpenID Connect', () => {
  test('gives somebody of an allowed domain an account, and the same one ever after', async () => {
    become('new', verified('Nora@Example.org', { name: 'Nora' }))
    const end = await at.signIn()
    expect(end).toEqual({ at: `${new URL(at.api.url).origin}/console/`, code: expect.any(String) })
    const user = await userOf(end)
    expect(user).toMatchObject({ email: 'nora@example.org', full_name: 'Nora', is_superuser: false })
    // whatever else the provider says of her by then
    become('new', { email: 'other@elsewhere.example' })
    expect(await userOf(await at.signIn())).toEqual(user)
    const detail = { user: 'nora@example.org', issuer: provider.issuer }
    expect(await audit()).toEqual([['user.sign_up', 'nora@example.org', detail]])
  })

  test('links an account that exists where the provider vouches for the address, and keeps its password', async () => {
    await at.users.create({ email: 'ann@elsewhere.example', password, superuser: false })
    become('ann', verified('ANN@elsewhere.example'))
    expect(await userOf(await at.signIn())).toMatchObject({ email: 'ann@elsewhere.example' })
    expect(await at.users.signIn('ann@elsewhere.example', password)).not.toBeNull()
    expect((await audit()).map(([action]) => action)).toEqual(['user.link'])
  })

  test.each([
    ['an address that the provider does not vouch for, of an account', { email: 'root@example.org' }, 'unverified'],
    ['such an address of an allowed domain', { email: 'mallory@example.org' }, 'domain'],
    ['one that only looks verified', { email: 'root@example.org', email_verified: 'true' }, 'unverified'],
    ['an address of another domain', verified('eve@elsewhere.example'), 'domain'],
    ['a domain that ends alike', verified('eve@notexample.org'), 'domain'],
    ['two addresses in one', verified('eve@evil.example@example.org'), 'no_email'],
    ['an address with a line break', verified('eve@evil.example\n@example.org'), 'no_email'],
    ['an address with a NUL', verified('eve\0@example.org'), 'no_email'],
    ['an address of any length', verified(`${'x'.repeat(320)}@example.org`), 'no_email'],
    ['no address', {}, 'no_email'],
    ['an address that is none', verified('nora'), 'no_email'],
  ])('makes no account of %s', async (title, claims, error) => {
    become(title, claims)
    expect(await at.signIn()).toEqual({ at: expect.any(String), error })
    expect(await audit()).toEqual([])
  })

  test('lets nobody in whose account is not active', async () => {
    await at.users.create({ email: 'gone@example.org', password, superuser: false })
    await database.sql`update account set is_active = false where email = 'gone@example.org'`
    become('gone', verified('gone@example.org'))
    expect((await at.signIn()).error).toBe('inactive')
    await database.sql`update account set is_active = true where email = 'gone@example.org'`
    const { code = '' } = await at.signIn()
    await database.sql`update account set is_active = false where email = 'gone@example.org'`
    // also not by a code from before
    expect((await at.redeem(code)).status).toBe(400)
    expect((await at.signIn()).error).toBe('inactive')
  })

  test('tells who has said no at the provider', async () => {
    provider.user = null
    expect((await at.signIn()).error).toBe('denied')
  })

  test('an account without a password is not signed in by any', async () => {
    become('plain', verified('plain@example.org'))
    await at.signIn()
    for (const guess of ['', 'null', password]) expect(await at.users.signIn('plain@example.org', guess)).toBeNull()
  })

  test('two sign-ins of a new person at once make one account', async () => {
    become('twice', verified('twice@example.org'))
    const ends = await Promise.all([at.signIn(), at.signIn(), at.signIn()])
    const ids = await Promise.all(ends.map(async (end) => (await userOf(end)).id))
    expect(new Set(ids).size).toBe(1)
    expect((await audit()).map(([action]) => action)).toEqual(['user.sign_up'])
  })
})

describe('the superuser group', () => {
  test('decides the role at each sign-in, and the audit trail tells of it', async () => {
    const role = async (groups: unknown) => {
      become('op', verified('op@example.org', { groups }))
      return (await userOf(await at.signIn())).is_superuser
    }
    expect([await role(['staff', 'operators']), await role(['operators']), await role('operators')]).toEqual([
      true,
      true,
      true,
    ])
    expect([await role(['staff']), await role(undefined), await role({ operators: true })]).toEqual([
      false,
      false,
      false,
    ])
    const change = (is_superuser: boolean) => [
      'user.update',
      null,
      { user: 'op@example.org', is_superuser, group: 'operators' },
    ]
    expect(await audit()).toEqual([change(false), change(true), expect.arrayContaining(['user.sign_up'])])
  })

  test('leaves the last superuser one', async () => {
    become('root', verified('root@example.org'))
    expect(await userOf(await at.signIn())).toMatchObject({ is_superuser: true })
    become('second', verified('second@example.org', { groups: ['operators'] }))
    await at.signIn()
    become('root', verified('root@example.org'))
    expect(await userOf(await at.signIn())).toMatchObject({ is_superuser: false })
    become('second', verified('second@example.org'))
    expect(await userOf(await at.signIn())).toMatchObject({ is_superuser: true })
  })

  test('two who leave it at once do not leave nobody', async () => {
    for (const name of ['one', 'two']) {
      become(name, verified(`${name}@example.org`, { groups: ['operators'] }))
      await at.signIn()
    }
    await database.sql`update account set is_superuser = email in ('one@example.org', 'two@example.org')`
    for (const name of ['one', 'two']) provider.people.set(name, verified(`${name}@example.org`))
    const browsers = [new Browser(), new Browser()]
    const callbacks: URL[] = []
    for (const [index, name] of ['one', 'two'].entries()) {
      provider.user = name
      callbacks.push(
        await browsers[index]!.follow(`${at.api.url}/login/oidc`, (url) => url.href.startsWith(at.callback)),
      )
    }
    await Promise.all(browsers.map((browser, index) => browser.get(callbacks[index]!.href)))
    const left = await database.sql`select email from account where is_superuser and is_active`
    expect(left.length).toBe(1)
  })
})

describe('the code of a sign-in', () => {
  test('works once, and of callers at once for one', async () => {
    become('coder', verified('coder@example.org'))
    const { code = '' } = await at.signIn()
    const statuses = await Promise.all([1, 2, 3].map(async () => (await at.redeem(code)).status))
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 400, 400])
    expect(await (await at.redeem(code)).json()).toMatchObject({ code: 'invalid_token' })
  })

  test('works for 60 seconds, and is not kept as it is', async () => {
    become('slow', verified('slow@example.org'))
    const { code = '' } = await at.signIn()
    const rows =
      await database.sql`select encode(proof, 'escape') as proof, expires_at - now() as left from sign_in_code`
    expect(JSON.stringify(rows)).not.toContain(code)
    await database.sql`update sign_in_code set expires_at = expires_at - interval '60 s'`
    expect((await at.redeem(code)).status).toBe(400)
  })

  test.each([[{}], [{ code: '' }], [{ code: 'x'.repeat(201) }], [{ code: 1 }], [{ code: 'a', state: 'b' }]])(
    '%j is 422',
    async (body) => {
      const answer = await fetch(`${at.api.url}/login/oidc/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      expect(answer.status).toBe(422)
    },
  )
})
