/** Passwords that were forgotten. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import type { Mail } from '../../src/mail/mailer.ts'
import { type Answer, startService, type TestService } from '../observability/service.ts'

const password = 'a long password'
const sent: Mail[] = []
let at: TestService
beforeAll(async () => {
  at = await startService({
    publicUrl: 'https://flows.example/at',
    trustProxy: 1,
    mailer: { send: async (mail) => void sent.push(mail) },
  })
})
afterAll(() => at[Symbol.asyncDispose]())
let from = ''
let tests = 0
beforeEach(() => {
  tests += 1
  from = `203.0.113.${tests}`
  sent.splice(0)
})

const add = async (email: string, more: object = {}) =>
  (await at.root<{ id: string }>('POST', '/users', { email, password, ...more })).value.id
const recover = async (email: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${at.origin}/api/v1/password-recovery/${email}`, {
    method: 'POST',
    headers: { 'x-forwarded-for': from, ...headers },
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, value: JSON.parse(text), problem: JSON.parse(text) }
}
const reset = (token: string | undefined, secret = 'another password'): Promise<Answer<{ message: string }>> =>
  at.nobody('POST', '/reset-password/', { token, new_password: secret })
const tokens = (): string[] => sent.map(({ text }) => /#token=(\S+)/.exec(text)?.[1] ?? '')
/** The token of the next mail. */
const mailed = async (): Promise<string> => {
  await expect.poll(() => sent.length).toBeGreaterThan(0)
  return tokens().at(-1) ?? ''
}
/** What was asked for before is done: requests follow each other. */
const allDone = async (): Promise<void> => {
  const before = sent.length
  await add(`last-${tests}@example.org`)
  await recover(`last-${tests}@example.org`, { 'x-forwarded-for': '198.51.100.1' })
  await expect.poll(() => sent.at(-1)?.to).toBe(`last-${tests}@example.org`)
  expect(sent.length).toBeGreaterThan(before)
  sent.pop()
}
const signIn = async (username: string, secret: string) => {
  const body = new URLSearchParams({ username, password: secret })
  const answer = await fetch(`${at.origin}/api/v1/login/access-token`, {
    method: 'POST',
    body,
    headers: { 'x-forwarded-for': from },
  })
  return { status: answer.status, token: ((await answer.json()) as { access_token?: string }).access_token ?? '' }
}
const me = async (token: string): Promise<number> => {
  const answer = await fetch(`${at.origin}/api/v1/users/me`, { headers: { authorization: `Bearer ${token}` } })
  return answer.status
}

describe('a link', () => {
  test('is mailed to who asks, sets a password once, and ends all sessions [R449, R450, T17]', async () => {
    await add('ann2@example.org')
    const { token: session } = await signIn('ann2@example.org', password)
    const asked = await recover('Ann2@example.org')
    expect([asked.status, asked.value]).toEqual([200, { message: expect.stringContaining('If there is an account') }])
    const token = await mailed()
    expect(sent[0]).toMatchObject({ to: 'ann2@example.org', subject: 'A new password' })
    expect(sent[0]?.text).toContain('https://flows.example/at/reset-password#token=')
    expect(await me(session)).toBe(200)
    expect((await reset(token)).status).toBe(200)
    expect(await me(session)).toBe(401)
    expect((await signIn('ann2@example.org', password)).status).toBe(400)
    expect((await signIn('ann2@example.org', 'another password')).status).toBe(200)
    const again = await reset(token, 'a third password')
    expect([again.status, again.problem.code]).toEqual([400, 'invalid_token'])
    expect((await signIn('ann2@example.org', 'another password')).status).toBe(200)
    const [entry] = await at.engine.eventLog.list({ kinds: ['audit'] }, 1)
    expect([entry?.action, entry?.actor?.email, entry?.detail]).toEqual([
      'user.password',
      'ann2@example.org',
      { user: 'ann2@example.org', by: 'recovery' },
    ])
  })

  test('works for one of several callers at the same moment [T17]', async () => {
    await add('race@example.org')
    await recover('race@example.org')
    const token = await mailed()
    const answers = await Promise.all(Array.from({ length: 5 }, (_, at) => reset(token, `password ${at}`)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ problem }) => problem.code === 'invalid_token')).toHaveLength(4)
  })

  test('is bound to the password that it was made for [T17]', async () => {
    const id = await add('bound@example.org')
    await recover('bound@example.org')
    const token = await mailed()
    await at.root('PATCH', `/users/${id}`, { password: 'set by a superuser' })
    expect((await reset(token)).problem.code).toBe('invalid_token')
    expect((await signIn('bound@example.org', 'set by a superuser')).status).toBe(200)
  })

  test('lives for an hour, one of an invite for a day [T17]', async () => {
    await add('old@example.org')
    await at.root('POST', '/users', { email: 'invited@example.org' })
    await recover('old@example.org')
    await expect.poll(() => sent).toHaveLength(2)
    const { sql } = at.engine.database
    const lives =
      await sql`select kind, round(extract(epoch from expires_at - password_link.created_at)) as s from password_link
      join account on account.id = account where email in ('old@example.org', 'invited@example.org') order by kind`
    expect([...lives].map(({ kind, s }) => [kind, Number(s)])).toEqual([
      ['invite', 86_400],
      ['recovery', 3_600],
    ])
    await sql`update password_link set expires_at = now()`
    for (const token of tokens()) expect((await reset(token)).problem.code).toBe('invalid_token')
  })

  test('of an account that was deactivated since opens nothing', async () => {
    const id = await add('off@example.org')
    await recover('off@example.org')
    const token = await mailed()
    await at.root('PATCH', `/users/${id}`, { is_active: false })
    expect((await reset(token)).problem.code).toBe('invalid_token')
  })

  test('stands in no table, log or event', async () => {
    await add('hidden@example.org')
    await recover('hidden@example.org')
    const token = await mailed()
    const { sql } = at.engine.database
    await expect.poll(async () => [...(await sql`select from mail`)]).toEqual([])
    const links = JSON.stringify(await sql`select encode(proof, 'escape') as proof, kind from password_link`)
    expect(links).not.toContain(token)
    expect(JSON.stringify(await at.engine.eventLog.list({}, 500))).not.toContain(token)
  })

  test.each(['', 'x', 'x'.repeat(200)])('that was never made is refused: %j', async (token) => {
    const { status } = await reset(token)
    expect(status).toBe(token === '' ? 422 : 400)
  })

  test('needs a password of 8 to 128 characters, and is still good after a bad one', async () => {
    await add('short@example.org')
    await recover('short@example.org')
    const token = await mailed()
    expect([(await reset(token, 'short')).status, (await reset(token, 'x'.repeat(129))).status]).toEqual([422, 422])
    expect((await reset(token)).status).toBe(200)
  })
})

describe('who asks learns nothing', () => {
  test('from the answer: known, unknown and inactive addresses get the same [R449, T15]', async () => {
    await add('known@example.org')
    const inactive = await add('inactive@example.org')
    await at.root('PATCH', `/users/${inactive}`, { is_active: false })
    const answers = []
    for (const name of ['known', 'unknown', 'inactive']) answers.push(await recover(`${name}@example.org`))
    const [known, ...others] = answers.map(({ status, text }) => ({ status, text }))
    expect(known?.status).toBe(200)
    expect(others).toEqual([known, known])
    await allDone()
    expect(sent.map(({ to }) => to).filter((to) => /known|inactive/.test(to))).toEqual(['known@example.org'])
  })

  test('from the time that it takes [T15]', async () => {
    await add('timed@example.org')
    // in turn, and the least of each: what else the machine does only adds
    const least = { timed: Infinity, nobody: Infinity }
    for (let round = 0; round < 30; round += 1) {
      for (const name of ['timed', 'nobody'] as const) {
        const start = performance.now()
        await recover(`${name}@example.org`, { 'x-forwarded-for': `192.0.2.${round}` })
        least[name] = Math.min(least[name], performance.now() - start)
      }
    }
    // what is done for a known one takes many times as long as all of the answer
    expect(Math.max(least.timed, least.nobody) / Math.min(least.timed, least.nobody)).toBeLessThan(3)
  })
})

describe('a flood', () => {
  test('mails 5 links an hour to an account; all of them answer alike [T18]', async () => {
    await add('flooded@example.org')
    const statuses = []
    for (let each = 0; each < 8; each += 1) statuses.push((await recover('flooded@example.org')).status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    await allDone()
    expect(sent.filter(({ to }) => to === 'flooded@example.org')).toHaveLength(5)
  })

  test('ends after 20 an hour from an address, whatever it asks for [T18]', async () => {
    const statuses = []
    for (let each = 0; each < 22; each += 1) statuses.push((await recover(`u${each}@example.org`)).status)
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429, 429])
    const refused = await recover('one-more@example.org')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500)
    expect((await recover('other@example.org', { 'x-forwarded-for': '192.0.2.250' })).status).toBe(200)
  })

  test.each(['ann@example.org%0d%0aBcc:%20eve@example.org', 'a%00@b', 'nobody', '%20', 'a,b@example.org'])(
    'of headers is refused: %s [T18]',
    async (email) => {
      const { status, problem } = await recover(email)
      expect([status, problem.code]).toEqual([422, 'validation_failed'])
      expect(sent).toEqual([])
    },
  )
})

test('the link leads where the service is configured to be, whatever the request says [T16]', async () => {
  await add('host@example.org')
  const evil = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', forwarded: 'host=evil.example' }
  await recover('host@example.org', evil)
  await mailed()
  expect(sent[0]?.text).toContain('https://flows.example/at/reset-password#')
  expect(sent[0]?.text).not.toContain('evil')
})

describe('production', () => {
  const needed = {
    environment: 'production',
    oauthSigningKey: undefined,
    firstSuperuser: 'root@example.org',
    firstSuperuserPassword: password,
  } as const

  test.each([
    ['a mailer', { publicUrl: 'https://flows.example' }],
    ['a public URL', { mailer: { send: async () => undefined } }],
  ])('without %s refuses every address alike, and makes no invites [T15]', async (_what, options) => {
    await using own = await startService({ ...needed, ...options })
    for (const email of ['root@example.org', 'nobody@example.org']) {
      const { status, problem } = await own.nobody('POST', `/password-recovery/${email}`)
      expect([status, problem.code]).toEqual([503, 'unavailable'])
    }
  })

  test('shows the link of an invite where no mailer is set', async () => {
    await using own = await startService({ ...needed, publicUrl: 'https://flows.example' })
    const { value } = await own.root<{ invite_url: string }>('POST', '/users', { email: 'new@example.org' })
    expect(value.invite_url).toMatch(/^https:\/\/flows\.example\/reset-password#token=[\w-]{43}$/)
  })

  test('makes no account whose invite would lead nowhere', async () => {
    await using own = await startService(needed)
    const refused = await own.root('POST', '/users', { email: 'new@example.org' })
    expect([refused.status, refused.problem.code]).toEqual([503, 'unavailable'])
    expect((await own.root<unknown[]>('GET', '/users')).value).toHaveLength(2)
    expect((await own.root('POST', '/users', { email: 'new@example.org', password })).status).toBe(201)
  })
})

test('the page of links loads nothing from elsewhere, and executes its own script alone', async () => {
  const answer = await fetch(`${at.origin}/reset-password?x=1`)
  const page = await answer.text()
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const policy = answer.headers.get('content-security-policy') ?? ''
  expect(policy).toMatch(/^default-src 'none'; /)
  expect(policy).not.toMatch(/unsafe|\*|https?:/)
  expect(policy.match(/sha256-/g)).toHaveLength(2)
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(page).not.toMatch(/(?:src|href)=/)
})
