import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { user } from '../http/server.ts'
import { type AuthService, startAuthService } from './service.ts'

let service: AuthService
const password = 'correct horse battery'
beforeAll(async () => {
  service = await startAuthService()
  await service.users.create({ email: 'Ann@Example.org', password, fullName: 'Ann', superuser: true })
  await service.users.create({ email: 'bob@example.org', password, superuser: false })
})
afterAll(() => service.close())
beforeEach(() => {
  service.clock.nowMs += 60_001
})

const tokenOf = async (email: string, pass = password) => {
  const answer = await service.signIn(email, pass)
  return ((await answer.json()) as { access_token: string }).access_token
}

describe('signing in', () => {
  test('by a form gives a bearer token of 8 days that works [R446, R448, R623]', async () => {
    const answer = await service.signIn('ann@example.org', password)
    expect(answer.status).toBe(200)
    const token = (await answer.json()) as { access_token: string }
    expect(token).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 691_200 })
    const me = await service.me(token.access_token)
    expect([me.status, await me.json()]).toEqual([
      200,
      { id: expect.any(String), email: 'ann@example.org', full_name: 'Ann', is_active: true, is_superuser: true },
    ])
  })

  test('ignores the case of A to Z in the e-mail, and of no other letter', async () => {
    expect((await service.signIn(' ANN@example.ORG ', password)).status).toBe(200)
    // the Kelvin sign folds to k in Unicode
    await service.users.create({ email: 'kim@example.org', password, superuser: false })
    expect((await service.signIn('\u212Aim@example.org', password)).status).toBe(400)
  })

  test('ignores the other fields of the OAuth 2 grant', async () => {
    const body = new URLSearchParams({ grant_type: 'password', scope: '', username: 'bob@example.org', password })
    const answer = await fetch(`${service.api.url}/login/access-token`, { method: 'POST', body })
    expect(answer.status).toBe(200)
  })

  test('a token is checked by POST /login/test-token [R447]', async () => {
    const check = (token: string) =>
      fetch(`${service.api.url}/login/test-token`, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
    const good = await check(await tokenOf('bob@example.org'))
    expect([good.status, await good.json()]).toMatchObject([200, { email: 'bob@example.org', is_superuser: false }])
    expect((await check('x.y.z')).status).toBe(401)
  })

  test('an answer about oneself holds no more than it says [T20]', async () => {
    const token = await tokenOf('bob@example.org')
    const answers = await Promise.all([
      service.me(token),
      fetch(`${service.api.url}/login/test-token`, { method: 'POST', headers: { authorization: `Bearer ${token}` } }),
    ])
    for (const body of (await Promise.all(answers.map((answer) => answer.json()))) as object[])
      expect(Object.keys(body)).toEqual(['id', 'email', 'full_name', 'is_active', 'is_superuser'])
  })

  test('a wrong password and an unknown user get the same answer [T1]', async () => {
    const [wrong, unknown] = await Promise.all([
      service.signIn('ann@example.org', 'wrong'),
      service.signIn('nobody@example.org', 'wrong'),
    ])
    expect([wrong.status, unknown.status]).toEqual([400, 400])
    const body = await wrong.json()
    expect(body).toMatchObject({ code: 'invalid_credentials', error: 'invalid_grant' })
    expect(await unknown.json()).toEqual(body)
  })

  test('an unknown user takes as long as a wrong password [T1]', async () => {
    // in turn, and the least of each: what else the machine does only adds
    const least = { 'ann@example.org': Infinity, 'nobody@example.org': Infinity }
    for (let round = 0; round < 9; round += 1) {
      for (const email of ['ann@example.org', 'nobody@example.org'] as const) {
        const start = performance.now()
        await service.users.signIn(email, 'wrong')
        least[email] = Math.min(least[email], performance.now() - start)
      }
    }
    const { 'ann@example.org': known, 'nobody@example.org': unknown } = least
    // without the dummy hash an unknown user would take a tenth
    expect(unknown / known).toBeGreaterThan(0.4)
    expect(unknown / known).toBeLessThan(2.5)
  })

  test.each(["' or 1=1--", 'admin', 'ann@example.org\u200B', 'ａnn@example.org', 'x'.repeat(320)])(
    'the user name %s signs nobody in [T4]',
    async (name) => {
      expect((await service.signIn(name, password)).status).toBe(400)
    },
  )

  test.each([
    ['a NUL in the name', 'ann\0', 'x'],
    ['an empty password', 'ann@example.org', ''],
    ['a password over 1 KB, which is not hashed', 'ann@example.org', 'x'.repeat(1025)],
  ])('%s is 422 [T3]', async (_title, name, pass) => {
    expect((await service.signIn(name, pass)).status).toBe(422)
  })

  test('no answer holds a password hash [T6]', async () => {
    const answers = await Promise.all([
      service.signIn('ann@example.org', password).then((answer) => answer.text()),
      tokenOf('ann@example.org')
        .then((token) => service.me(token))
        .then((answer) => answer.text()),
    ])
    expect(answers.join()).not.toContain('argon2')
  })
})

describe('guessing', () => {
  test('ends after 10 failures of a minute from one address, even with the right password', async () => {
    const from = '198.51.100.1'
    const guesses = await Promise.all(
      Array.from({ length: 14 }, () => service.signIn('ann@example.org', 'wrong', from)),
    )
    const statuses = guesses.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([...Array<number>(10).fill(400), ...Array<number>(4).fill(429)])
    const right = await service.signIn('ann@example.org', password, from)
    expect(right.status).toBe(429)
    expect(right.headers.get('retry-after')).toBe('60')
    expect(await right.json()).toMatchObject({ code: 'rate_limited', retry_after_s: 60 })
    expect((await service.signIn('ann@example.org', password, '198.51.100.2')).status).toBe(200)
    service.clock.nowMs += 60_000
    expect((await service.signIn('ann@example.org', password, from)).status).toBe(200)
  })

  test('is not counted by what the client claims of itself before the proxy', async () => {
    for (let attempt = 0; attempt < 10; attempt += 1)
      await service.signIn('ann@example.org', 'wrong', `10.0.0.${attempt}, 198.51.100.9`)
    expect((await service.signIn('ann@example.org', password, '10.0.0.99, 198.51.100.9')).status).toBe(429)
  })

  test('is slowed for the account from every address, known or not, and ends no session [T1, T2]', async () => {
    const token = await tokenOf('bob@example.org')
    for (const name of ['bob@example.org', 'nobody@example.org']) {
      const guesses = await Promise.all(
        Array.from({ length: 21 }, (_, guess) => service.signIn(name, 'wrong', `198.18.${guess}.1`)),
      )
      const slowed = guesses.filter(({ status }) => status === 429)
      expect(slowed.map(({ headers }) => headers.get('retry-after'))).toEqual(['3'])
    }
    expect((await service.signIn(' BOB@example.org', password, '198.18.99.1')).status).toBe(429)
    expect((await service.me(token)).status).toBe(200)
    service.clock.nowMs += 3_000
    expect((await service.signIn('bob@example.org', password, '198.18.99.1')).status).toBe(200)
  })

  test('successes do not count', async () => {
    for (let attempt = 0; attempt < 12; attempt += 1)
      expect((await service.signIn('bob@example.org', password, '198.51.100.3')).status).toBe(200)
  })
})

describe('a token is void', () => {
  test('as soon as the password has changed [T11]', async () => {
    await service.users.create({ email: 'carl@example.org', password, superuser: false })
    const old = await tokenOf('carl@example.org')
    expect((await service.me(old)).status).toBe(200)
    await service.users.changePassword('CARL@example.org', 'another password')
    expect((await service.me(old)).status).toBe(401)
    expect((await service.signIn('carl@example.org', password)).status).toBe(400)
    expect((await service.me(await tokenOf('carl@example.org', 'another password'))).status).toBe(200)
  })

  test('while the user is not active, who cannot sign in either [T11]', async () => {
    await service.users.create({ email: 'dora@example.org', password, superuser: false })
    const token = await tokenOf('dora@example.org')
    await service.database.sql`update account set is_active = false where email = 'dora@example.org'`
    expect((await service.me(token)).status).toBe(401)
    expect((await service.signIn('dora@example.org', password)).status).toBe(400)
  })

  test('when the user is gone', async () => {
    await service.users.create({ email: 'emil@example.org', password, superuser: false })
    const token = await tokenOf('emil@example.org')
    await service.database.sql`delete from account where email = 'emil@example.org'`
    expect((await service.me(token)).status).toBe(401)
  })

  test('when it is signed for somebody who has no id', async () => {
    const principal = { ...user, id: 'ann@example.org' }
    const { access_token: token } = await service.sessions.issue({ principal, tokenVersion: 0 })
    expect((await service.me(token)).status).toBe(401)
  })

  test('for what a role allowed before it was taken away [T11]', async () => {
    await service.users.create({ email: 'fay@example.org', password, superuser: true })
    const token = await tokenOf('fay@example.org')
    await service.database.sql`update account set is_superuser = false where email = 'fay@example.org'`
    expect(await (await service.me(token)).json()).toMatchObject({ is_superuser: false })
  })
})
