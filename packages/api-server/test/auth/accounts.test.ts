/** Accounts as superusers manage them. */
import type { UserAdmin, UserCreated } from '@flow-service/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'

import type { Mail } from '../../src/mail/mailer.ts'
import { startService, type TestService } from '../observability/service.ts'

const sent: Mail[] = []
let at: TestService
beforeAll(async () => {
  at = await startService({
    publicUrl: 'https://flows.example/',
    mailer: { send: async (mail) => void sent.push(mail) },
  })
})
afterAll(() => at[Symbol.asyncDispose]())
afterEach(() => void sent.splice(0))

const password = 'a long password'
const create = async (body: object): Promise<UserCreated> => {
  const answer = await at.root<UserCreated>('POST', '/users', body)
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return answer.value
}
const change = (id: string, body: object) => at.root<UserAdmin>('PATCH', `/users/${id}`, body)
const signIn = async (username: string, secret = password) => {
  const body = new URLSearchParams({ username, password: secret })
  const answer = await fetch(`${at.origin}/api/v1/login/access-token`, { method: 'POST', body })
  return { status: answer.status, token: ((await answer.json()) as { access_token?: string }).access_token ?? '' }
}
const me = async (token: string): Promise<number> => {
  const answer = await fetch(`${at.origin}/api/v1/users/me`, { headers: { authorization: `Bearer ${token}` } })
  return answer.status
}
const audited = async (user: string) =>
  (await at.engine.eventLog.list({ kinds: ['audit'] }, 200))
    .filter(({ detail }) => detail.user === user)
    .map(({ action, actor, detail: { user: _user, ...detail } }) => [action, actor?.email, detail])
    .toReversed()

test('users are listed by e-mail, with when they signed in and how they can', async () => {
  await create({ email: 'Zoe@Example.org', full_name: 'Zoe', password })
  await create({ email: 'adam@example.org', is_superuser: true, password })
  await signIn('adam@example.org')
  const { status, value } = await at.root<UserAdmin[]>('GET', '/users')
  expect(status).toBe(200)
  expect(value.map(({ email }) => email)).toEqual(value.map(({ email }) => email).toSorted())
  expect(value.find(({ email }) => email === 'zoe@example.org')).toEqual({
    id: expect.any(String),
    email: 'zoe@example.org',
    full_name: 'Zoe',
    is_active: true,
    is_superuser: false,
    created_at: expect.any(String),
    last_sign_in_at: null,
    sign_in: ['password'],
  })
  expect(value.find(({ email }) => email === 'adam@example.org')).toMatchObject({
    is_superuser: true,
    last_sign_in_at: expect.any(String),
  })
})

describe('a new user', () => {
  test('with a password signs in at once, and nothing is mailed', async () => {
    expect((await create({ email: 'ben@example.org', password })).invite_url).toBeNull()
    expect((await signIn('ben@example.org')).status).toBe(200)
    expect(sent).toEqual([])
    expect(await audited('ben@example.org')).toEqual([['user.create', 'root@example.org', { is_superuser: false }]])
  })

  test('without one gets an invite by mail, and cannot sign in before', async () => {
    const user = await create({ email: 'cleo@example.org' })
    expect([user.invite_url, user.sign_in]).toEqual([null, []])
    await expect.poll(() => sent).toHaveLength(1)
    expect(sent[0]?.to).toBe('cleo@example.org')
    expect((await signIn('cleo@example.org')).status).toBe(400)
    const token = /https:\/\/flows\.example\/reset-password#token=(\S+)/.exec(sent[0]?.text ?? '')?.[1]
    const body = { token, new_password: 'chosen by Cleo' }
    expect((await at.nobody('POST', '/reset-password/', body)).status).toBe(200)
    expect((await signIn('cleo@example.org', 'chosen by Cleo')).status).toBe(200)
    expect((await at.nobody('POST', '/reset-password/', body)).problem.code).toBe('invalid_token')
  })

  test('is answered whole, with an invite that is shown where nobody mails it', async () => {
    await using own = await startService({ publicUrl: 'https://flows.example' })
    const { status, value } = await own.root<UserCreated>('POST', '/users', {
      email: 'Lea@example.org',
      full_name: 'Lea',
      is_superuser: true,
    })
    expect([status, value]).toEqual([
      201,
      {
        id: expect.any(String),
        email: 'lea@example.org',
        full_name: 'Lea',
        is_active: true,
        is_superuser: true,
        created_at: expect.any(String),
        last_sign_in_at: null,
        sign_in: [],
        invite_url: expect.stringMatching(/^https:\/\/flows\.example\/reset-password#token=[\w-]{43}$/),
      },
    ])
    const token = value.invite_url?.split('#token=')[1]
    expect((await own.nobody('POST', '/reset-password/', { token, new_password: password })).status).toBe(200)
    const listed = (await own.root<UserAdmin[]>('GET', '/users')).value.find(({ id }) => id === value.id)
    expect(listed?.sign_in).toEqual(['password'])
  })

  test('has an address of its own, whatever the case of its letters', async () => {
    await create({ email: 'dora@example.org', password })
    const again = await at.root('POST', '/users', { email: 'DORA@example.org' })
    expect([again.status, again.problem.code]).toEqual([409, 'already_exists'])
    expect(sent).toEqual([])
  })

  test.each([
    [{ email: 'no address' }, '/email'],
    [{ email: 'a@example.org\r\nBcc: b@example.org' }, '/email'],
    [{ email: 'a@example.org', password: 'short' }, '/password'],
    [{ email: 'a@example.org', is_superuser: 'yes' }, '/is_superuser'],
    [{ email: 'a@example.org', id: 'x' }, '/id'],
  ])('is refused as %j', async (body, path) => {
    const { status, problem } = await at.root('POST', '/users', body)
    expect([status, problem.errors?.[0]?.path]).toEqual([422, path])
  })
})

describe('a change', () => {
  test('is made of what is given, and told in the audit trail', async () => {
    const { id } = await create({ email: 'emil@example.org', full_name: 'Emil', password })
    expect((await change(id, {})).value).toMatchObject({ full_name: 'Emil', is_active: true })
    expect((await change(id, { full_name: null, is_superuser: true })).value).toMatchObject({
      full_name: null,
      is_superuser: true,
    })
    expect(await audited('emil@example.org')).toEqual([
      ['user.create', 'root@example.org', { is_superuser: false }],
      ['user.update', 'root@example.org', { full_name: null, is_superuser: true }],
    ])
  })

  test('of the password ends sessions and sockets [T11]', async () => {
    const { id } = await create({ email: 'fay@example.org', password })
    const { token } = await signIn('fay@example.org')
    const { closed } = await openSocket(token)
    expect((await change(id, { password: 'another password' })).status).toBe(200)
    expect([await closed, await me(token)]).toEqual([1008, 401])
    expect((await signIn('fay@example.org', 'another password')).status).toBe(200)
    expect((await audited('fay@example.org')).at(-1)).toEqual([
      'user.password',
      'root@example.org',
      { by: 'superuser' },
    ])
    expect(JSON.stringify(await at.engine.eventLog.list({}, 500))).not.toContain('another password')
  })

  test('to inactive ends sessions and sockets, which do not come back [T11]', async () => {
    const { id } = await create({ email: 'gus@example.org', password })
    const { token } = await signIn('gus@example.org')
    const { closed } = await openSocket(token)
    expect((await change(id, { is_active: false })).value.is_active).toBe(false)
    expect([await closed, await me(token), (await signIn('gus@example.org')).status]).toEqual([1008, 401, 400])
    await change(id, { is_active: true })
    expect([await me(token), (await signIn('gus@example.org')).status]).toEqual([401, 200])
  })

  test('to an ordinary user holds at the next request [T11]', async () => {
    const { id } = await create({ email: 'hal@example.org', is_superuser: true, password })
    const { token } = await signIn('hal@example.org')
    const list = () => fetch(`${at.origin}/api/v1/users`, { headers: { authorization: `Bearer ${token}` } })
    expect((await list()).status).toBe(200)
    await change(id, { is_superuser: false })
    expect([(await list()).status, await me(token)]).toEqual([403, 200])
  })

  test('of nobody is not found', async () => {
    const nobody = '01900000-0000-7000-8000-000000000000'
    expect((await change(nobody, { is_active: false })).problem.code).toBe('not_found')
    expect((await at.root('DELETE', `/users/${nobody}`)).problem.code).toBe('not_found')
    expect((await at.root('DELETE', '/users/nobody')).problem.code).toBe('validation_failed')
  })
})

test('a deleted user is gone with sessions and sockets; what they have made keeps their name [T11]', async () => {
  const { id } = await create({ email: 'ida@example.org', password })
  const { token } = await signIn('ida@example.org')
  const { closed } = await openSocket(token)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const run = await fetch(`${at.origin}/api/v1/runs/flows/sums`, { method: 'POST', headers, body: '{}' })
  const { id: runId } = (await run.json()) as { id: string }
  expect((await at.root('DELETE', `/users/${id}`)).status).toBe(204)
  expect([await closed, await me(token), (await signIn('ida@example.org')).status]).toEqual([1008, 401, 400])
  expect((await at.root(`GET`, `/runs/${runId}`)).value.submitted_by).toBe('ida@example.org')
  expect((await audited('ida@example.org')).at(-1)).toEqual(['user.delete', 'root@example.org', {}])
})

describe('a superuser remains', () => {
  /** A service where root and one more are all there are. */
  const two = async () => {
    const own = await startService()
    const { value } = await own.root<UserAdmin>('POST', '/users', {
      email: 'second@example.org',
      is_superuser: true,
      password,
    })
    const users = (await own.root<UserAdmin[]>('GET', '/users')).value
    return { own, second: value.id, root: users.find(({ email }) => email === 'root@example.org')?.id ?? '' }
  }

  test('whatever is done to the last one', async () => {
    const { own, second, root } = await two()
    await using _own = own
    expect((await own.root('PATCH', `/users/${second}`, { is_active: false })).status).toBe(200)
    for (const body of [{ is_active: false }, { is_superuser: false }]) {
      const refused = await own.root('PATCH', `/users/${root}`, body)
      expect([refused.status, refused.problem.code]).toEqual([409, 'last_superuser'])
    }
    expect((await own.root('DELETE', `/users/${root}`)).problem.code).toBe('last_superuser')
    expect((await own.root('PATCH', `/users/${root}`, { full_name: 'Root' })).status).toBe(200)
  })

  test('when the last two are taken away at the same moment', async () => {
    const { own, second, root } = await two()
    await using _own = own
    const answers = await Promise.all([
      own.root('PATCH', `/users/${second}`, { is_superuser: false }),
      own.root('DELETE', `/users/${root}`),
      own.root('PATCH', `/users/${root}`, { is_active: false }),
    ])
    const left = await own.engine.database.sql`select from account where is_superuser and is_active`
    expect(left).toHaveLength(1)
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
  })

  test('when both are demoted at the same moment: one of the requests is refused', async () => {
    const { own, second, root } = await two()
    await using _own = own
    const { database } = own.engine
    const { transaction } = database
    // both have been let in by the time that either is carried out
    const bothAsked = Promise.withResolvers<void>()
    let asked = 0
    vi.spyOn(database, 'transaction').mockImplementation(async (work, ...more) => {
      asked += 1
      if (asked === 2) bothAsked.resolve()
      await bothAsked.promise
      return transaction.call(database, work, ...more) as never
    })
    const answers = await Promise.all(
      [second, root].map((id) => own.root('PATCH', `/users/${id}`, { is_superuser: false })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 409)?.problem).toMatchObject({
      code: 'last_superuser',
      detail: 'nobody else is an active superuser: make another one first',
    })
    const left = await database.sql`select from account where is_superuser and is_active`
    expect(left).toHaveLength(1)
  })
})

describe("a user's own password", () => {
  const changeOwn = (token: string, current: string, next = 'another password') =>
    fetch(`${at.origin}/api/v1/users/me/password`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ current_password: current, new_password: next }),
    })

  test('is changed by whoever knows the current one; one new session takes the place of all others', async () => {
    await create({ email: 'jo@example.org', password })
    const [{ token }, { token: elsewhere }] = [await signIn('jo@example.org'), await signIn('jo@example.org')]
    const answer = await changeOwn(token, password)
    expect(answer.status).toBe(200)
    const { access_token: fresh } = (await answer.json()) as { access_token: string }
    expect([await me(token), await me(elsewhere), await me(fresh)]).toEqual([401, 401, 200])
    expect((await signIn('jo@example.org', 'another password')).status).toBe(200)
    expect((await audited('jo@example.org')).at(-1)).toEqual(['user.password', 'jo@example.org', { by: 'self' }])
  })

  test('stays with a wrong current one, which cannot be guessed from an open session', async () => {
    await create({ email: 'kit@example.org', password })
    const { token } = await signIn('kit@example.org')
    const statuses: number[] = []
    for (let guess = 0; guess < 12; guess += 1) statuses.push((await changeOwn(token, `guess ${guess}`)).status)
    expect(new Set(statuses)).toEqual(new Set([400, 429]))
    expect(await me(token)).toBe(200)
  })
})

/** Opens the event socket of a user; the promise tells with which code it is closed. */
async function openSocket(token: string): Promise<{ readonly closed: Promise<number> }> {
  const socket = new WebSocket(`${at.origin.replace('http', 'ws')}/api/v1/flows/ws`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { promise, resolve } = Promise.withResolvers<number>()
  socket.once('close', (code) => resolve(code))
  await new Promise((done, fail) => void socket.once('open', done).once('error', fail))
  return { closed: promise }
}
