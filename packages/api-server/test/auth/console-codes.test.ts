import { afterAll, beforeAll, expect, test } from 'vitest'

import { ConsoleCodes } from '../../src/auth/console-codes.ts'
import { type AuthService, startAuthService } from './service.ts'

let at: AuthService
beforeAll(async () => {
  at = await startAuthService()
  await at.users.createFirst({
    environment: 'local',
    firstSuperuser: 'root@example.org',
    firstSuperuserPassword: 'a long password',
  })
})
afterAll(() => at.close())

test('a code signs the first superuser in, once', async () => {
  const code = at.consoleCodes.mint()
  const answer = await at.byCode(code)
  expect(answer.status).toBe(200)
  const { access_token: token } = (await answer.json()) as { access_token: string }
  expect(await (await at.me(token)).json()).toMatchObject({ email: 'root@example.org', is_superuser: true })
  const again = await at.byCode(code)
  expect([again.status, await again.json()]).toMatchObject([400, { code: 'invalid_token' }])
})

test('a code counts for a minute, and only the one that was given', async () => {
  const [early, late] = [at.consoleCodes.mint(), at.consoleCodes.mint()]
  at.clock.nowMs += 59_999
  expect((await at.byCode(early)).status).toBe(200)
  at.clock.nowMs += 1
  for (const code of [late, 'guessed', `${early}=`]) expect((await at.byCode(code)).status).toBe(400)
})

test('who comes from elsewhere, or through a proxy, is not signed in, and uses the code up', async () => {
  for (const headers of [
    { 'x-forwarded-for': '203.0.113.7' },
    { 'x-forwarded-for': '127.0.0.1' },
    { forwarded: 'for=127.0.0.1' },
  ]) {
    const code = at.consoleCodes.mint()
    expect((await at.byCode(code, headers)).status).toBe(400)
    expect((await at.byCode(code)).status).toBe(400)
  }
})

test('only an engine of development takes codes', async () => {
  for (const environment of ['staging', 'production'] as const) {
    at.config.environment = environment
    expect((await at.byCode(at.consoleCodes.mint())).status).toBe(400)
  }
  at.config.environment = 'local'
})

test('codes that nobody uses are few', () => {
  const codes = new ConsoleCodes({ clock: { now: () => 0 } })
  const minted = Array.from({ length: 101 }, () => codes.mint())
  expect(minted.map((code) => codes.take(code))).toEqual(minted.map((_, index) => index > 0))
})
