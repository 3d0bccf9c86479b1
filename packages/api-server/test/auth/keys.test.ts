import { once } from 'node:events'

import type { ApiKey, MintedApiKey, ObservabilityEvent, Run } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'

import { type Answer, startService, type TestService } from '../observability/service.ts'

let at: TestService
beforeAll(async () => {
  at = await startService()
})
afterAll(() => at[Symbol.asyncDispose]())

const caller = (token: string) => at.caller(token)
const form = /^fsk_[0-9A-Za-z]{8}_[\w-]{43}$/

async function make(name: string, scopes: readonly string[], more: object = {}, by = at.ann): Promise<MintedApiKey> {
  const answer = await by<MintedApiKey>('POST', '/keys', { name, scopes, ...more })
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return answer.value
}
const refusal = ({ status, problem }: Answer<unknown>) => [status, problem.code, problem.detail]

describe('a key', () => {
  test('is shown once, lists without its text, and is kept as its SHA-256', async () => {
    const { key, ...made } = await make('shown', ['runs:read', 'flows:read'])
    expect(key).toMatch(form)
    expect(made).toEqual({
      id: expect.any(String),
      name: 'shown',
      prefix: key.slice(0, 12),
      scopes: ['runs:read', 'flows:read'],
      owner: { id: expect.any(String), email: 'ann@example.org' },
      created_at: expect.any(String),
      expires_at: expect.any(String),
      last_used_at: null,
      revoked_at: null,
    })
    expect(Math.round((Date.parse(made.expires_at ?? '') - Date.parse(made.created_at)) / 86_400_000)).toBe(365)
    const { value } = await at.ann<ApiKey[]>('GET', '/keys')
    expect(value).toContainEqual(made)
    const rows = await at.engine.database.sql`select * from api_key`
    const secret = key.slice(13)
    for (const stored of [JSON.stringify(rows), JSON.stringify(value)]) expect(stored).not.toContain(secret)
  })

  test('signs its owner in, within its scopes', async () => {
    const { key } = await make('scoped', ['flows:read'])
    const program = caller(key)
    expect((await program('GET', '/users/me')).value).toMatchObject({ email: 'ann@example.org', is_superuser: false })
    expect((await program('GET', '/flows/')).status).toBe(200)
    const refused = await program('POST', '/flows/lab/stop')
    expect(refusal(refused)).toEqual([
      403,
      'forbidden',
      'the key "scoped" lacks the scope "flows:publish": use one that has it',
    ])
    expect(refused.problem.required_scope).toBe('flows:publish')
    expect(refused.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="flows:publish"')
  })

  test.each([
    [{ scopes: ['admin'] }, '/name'],
    [{ name: 'a b', scopes: ['admin'] }, '/name'],
    [{ name: 'x' }, '/scopes'],
    [{ name: 'x', scopes: [] }, '/scopes'],
    [{ name: 'x', scopes: ['admin', 'admin'] }, '/scopes'],
    [{ name: 'x', scopes: ['flows'] }, '/scopes/0'],
    [{ name: 'x', scopes: ['admin'], expires_in_days: 0 }, '/expires_in_days'],
    [{ name: 'x', scopes: ['admin'], expires_in_days: 3651 }, '/expires_in_days'],
    [{ name: 'x', scopes: ['admin'], owner: 'root@example.org' }, '/owner'],
  ])('is not made of %j', async (body, path) => {
    const { status, problem } = await at.ann('POST', '/keys', body)
    expect([status, problem.code, problem.errors?.[0]?.path]).toEqual([422, 'validation_failed', path])
  })

  test('may last for ever', async () => {
    const { key, expires_at } = await make('eternal', ['runs:read'], { expires_in_days: null })
    expect([expires_at, (await caller(key)('GET', '/runs')).status]).toEqual([null, 200])
  })

  test('has a name of its own among the live ones of its owner', async () => {
    const { id } = await make('twice', ['runs:read'])
    const again = await at.ann('POST', '/keys', { name: 'twice', scopes: ['runs:read'] })
    expect([again.status, again.problem.code]).toEqual([409, 'already_exists'])
    await make('twice', ['runs:read'], {}, at.root)
    const many = await Promise.all(
      Array.from({ length: 8 }, () => at.ann('POST', '/keys', { name: 'raced', scopes: ['runs:read'] })),
    )
    expect(many.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array<number>(7).fill(409)])
    await at.ann('POST', `/keys/${id}/revoke`)
    await make('twice', ['runs:read'])
    await at.engine.database.sql`update api_key set expires_at = now() where name = 'twice'`
    await make('twice', ['runs:read'])
  })

  test('makes another one with the scope "admin" alone, and is then no less than its owner and no more', async () => {
    const { key } = await make('maker', ['admin'])
    const second = await make('made', ['flows:read', 'admin'], {}, caller(key))
    expect(second.owner.email).toBe('ann@example.org')
    const reader = await make('reader', ['flows:read', 'runs:write'])
    const refused = await caller(reader.key)('POST', '/keys', { name: 'more', scopes: ['flows:read'] })
    expect([refused.status, refused.problem.required_scope]).toEqual([403, 'admin'])
    expect(refusal(await caller(second.key)('PUT', '/secrets/x', { value: 'x' }))).toEqual([
      403,
      'forbidden',
      'only a superuser may do this',
    ])
  })

  test('of a superuser without "flows:code" brings no code and no environment into a flow [R044, R285, R286, R456, R463, T26]', async () => {
    const scopes = ['flows:read', 'flows:write', 'flows:publish']
    const { key } = await make('writer', scopes, {}, at.root)
    const program = caller(key)
    const code = { mode: 'live', nodes: [{ id: 'n', type: 'exec', settings: { command: 'date' } }] }
    const saved = await at.root<{ version: number }>('PUT', '/flows/commands', code)
    expect(saved.status).toBe(201)
    const { version } = saved.value
    const other = { ...code.nodes[0], settings: { command: 'env' } }
    const refused = [
      await program('PUT', '/flows/mine', code),
      await program('PUT', '/flows/commands', { ...code, nodes: [other], version }),
      await program('PUT', '/flows/env', { mode: 'live', resources: { env: { LD_PRELOAD: './x.so' } } }),
      await program('POST', '/flows/commands/duplicate', {}),
      await program('PUT', '/flows/commands/nodes/n/source', { code: 'def run(): return {}' }),
      await program('DELETE', '/flows/library/some'),
    ]
    for (const { status, problem } of refused) expect([status, problem.required_scope]).toEqual([403, 'flows:code'])
    const titled = await program('PUT', '/flows/commands', { ...code, title: 'Commands', version })
    expect([titled.status, titled.text]).toEqual([200, expect.any(String)])
    const { key: coder } = await make('coder', [...scopes, 'flows:code'], {}, at.root)
    expect((await caller(coder)('POST', '/flows/commands/duplicate', {})).status).toBe(201)
    const { key: plain } = await make('plain', [...scopes, 'flows:code'])
    const own = await caller(plain)('PUT', '/flows/mine', code)
    expect([own.status, own.problem.required_scope]).toEqual([403, undefined])
  })

  test('is named by the audit trail, and what is done with it is done by its owner [T11]', async () => {
    const { key, id, expires_at } = await make('ci', ['runs:write', 'admin'])
    const run = await caller(key)<Run>('POST', '/runs/flows/sums', { params: { n: 1 } })
    expect(run.value.submitted_by).toBe('ann@example.org')
    await caller(key)('POST', `/keys/${id}/revoke`)
    const events = await at.root<ObservabilityEvent[]>('GET', '/observability/events?kind=audit')
    const about = events.value.filter(({ detail }) => detail['key'] === id)
    const detail = {
      key: id,
      name: 'ci',
      prefix: key.slice(0, 12),
      scopes: ['runs:write', 'admin'],
      owner: 'ann@example.org',
      expires_at,
    }
    const ann = { id: expect.any(String), email: 'ann@example.org' }
    expect(about.toReversed()).toMatchObject([
      { action: 'key.create', actor: { ...ann, via: 'session', name: null }, detail },
      { action: 'key.revoke', actor: { ...ann, via: 'key', name: 'ci' }, detail },
    ])
    expect(events.text).not.toContain(key.slice(13))
  })

  test('notes when it was used last, to the minute, beside the request', async () => {
    const { key, id } = await make('used', ['runs:read'])
    const lastUse = async () =>
      (await at.ann<ApiKey[]>('GET', '/keys')).value.find((item) => item.id === id)?.last_used_at ?? null
    expect(await lastUse()).toBeNull()
    await caller(key)('GET', '/users/me')
    await vi.waitFor(async () => expect(await lastUse()).toMatch(/:00\.000000\+00:00$/), 60_000)
    await at.engine.database.sql`update api_key set last_used_at = last_used_at - interval '1 hour' where id = ${id}`
    const earlier = await lastUse()
    // what is known of the key ends with its second
    await vi.waitFor(
      async () => {
        await caller(key)('GET', '/users/me')
        expect(Date.parse((await lastUse()) ?? '')).toBeGreaterThan(Date.parse(earlier ?? '') + 3_500_000)
      },
      { timeout: 60_000 },
    )
  })
})

describe('keys of others', () => {
  test('are listed for superusers alone, and for them by owner and name', async () => {
    await make('own', ['runs:read'])
    await make('own', ['runs:read'], {}, at.root)
    expect(refusal(await at.ann('GET', '/keys?all=true'))).toEqual([
      403,
      'forbidden',
      'only a superuser may list the keys of others: leave out "all"',
    ])
    const owners = (keys: ApiKey[]) => [...new Set(keys.map(({ owner }) => owner.email))]
    expect(owners((await at.ann<ApiKey[]>('GET', '/keys')).value)).toEqual(['ann@example.org'])
    expect(owners((await at.root<ApiKey[]>('GET', '/keys')).value)).toEqual(['root@example.org'])
    const all = (await at.root<ApiKey[]>('GET', '/keys?all=true')).value
    expect(owners(all)).toEqual(['ann@example.org', 'root@example.org'])
  })

  test('are revoked by superusers, and do not exist for anybody else', async () => {
    const [ofRoot, ofAnn] = [await make('kept', ['admin'], {}, at.root), await make('taken', ['admin'])]
    const nobodys = '01900000-0000-7000-8000-000000000009'
    for (const id of [ofRoot.id, nobodys]) {
      const refused = await at.ann('POST', `/keys/${id}/revoke`)
      expect(refusal(refused)).toEqual([404, 'not_found', `there is no key "${id}": list them to see their ids`])
    }
    expect((await at.ann('POST', '/keys/x/revoke')).status).toBe(422)
    const revoked = await at.root<ApiKey>('POST', `/keys/${ofAnn.id}/revoke`)
    expect([revoked.status, revoked.value.revoked_at]).toEqual([200, expect.any(String)])
    expect((await at.root<ApiKey>('POST', `/keys/${ofAnn.id}/revoke`)).value).toEqual(revoked.value)
    expect((await at.ann<ApiKey>('POST', `/keys/${ofAnn.id}/revoke`)).value).toEqual(revoked.value)
  })
})

describe('a key that signs nobody in', () => {
  /** Opens a socket with a key; what it is closed with. */
  async function closing(key: string): Promise<Promise<unknown[]>[]> {
    const url = `${at.origin.replace('http', 'ws')}/api/v1/flows/ws`
    const { value } = await caller(key)<{ ticket: string }>('POST', '/flows/ws-ticket')
    const sockets = [
      new WebSocket(url, { headers: { authorization: `Bearer ${key}` } }),
      new WebSocket(`${url}?ticket=${value.ticket}`),
    ]
    onTestFinished(() => {
      for (const socket of sockets) socket.terminate()
    })
    await Promise.all(sockets.map((socket) => once(socket, 'message')))
    return sockets.map((socket) => once(socket, 'close'))
  }

  test('is refused with the next request, and its sockets close, when it is revoked [T11]', async () => {
    const { key, id } = await make('revoked', ['messages:read'])
    const closed = await closing(key)
    const { value: left } = await caller(key)<{ ticket: string }>('POST', '/flows/ws-ticket')
    await at.ann('POST', `/keys/${id}/revoke`)
    expect(refusal(await caller(key)('GET', '/users/me'))).toEqual([
      401,
      'unauthenticated',
      'the key "revoked" was revoked: use another one',
    ])
    for (const [code] of await Promise.all(closed)) expect(code).toBe(1008)
    const late = new WebSocket(`${at.origin.replace('http', 'ws')}/api/v1/flows/ws?ticket=${left.ticket}`)
    late.on('error', () => undefined)
    const [, answer] = (await once(late, 'unexpected-response')) as [unknown, { statusCode: number }]
    expect(answer.statusCode).toBe(401)
  })

  test('is refused, and its sockets close, when it has expired', async () => {
    const { key, id } = await make('ending', ['messages:read'])
    const { sql } = at.engine.database
    const closed = await closing(key)
    await sql`update api_key set expires_at = now() where id = ${id}`
    await at.engine.accountNews.changed(id)
    for (const [code] of await Promise.all(closed)) expect(code).toBe(1008)
    expect(refusal(await caller(key)('GET', '/users/me'))).toEqual([
      401,
      'unauthenticated',
      'the key "ending" has expired: use another one',
    ])
  })

  test('is refused, and its sockets close, when its owner may not sign in any more [T11]', async () => {
    const bob = await at.signUp('bob@example.org')
    const { key } = await make('orphan', ['messages:read'], {}, bob)
    const closed = await closing(key)
    const { sql } = at.engine.database
    const [row] = await sql<{ id: string }[]>`
      update account set is_active = false where email = 'bob@example.org' returning id`
    await at.engine.accountNews.changed(row?.id ?? '')
    expect(refusal(await caller(key)('GET', '/users/me'))).toEqual([
      401,
      'unauthenticated',
      'the key "orphan" is of a user who may not sign in: use another one',
    ])
    for (const [code] of await Promise.all(closed)) expect(code).toBe(1008)
    await sql`delete from account where email = 'bob@example.org'`
    await at.engine.accountNews.changed(row?.id ?? '')
    expect((await caller(key)('GET', '/users/me')).problem.detail).toMatch(/^there is no such key/)
  })

  test.each([
    ['another secret', (key: string) => key.slice(0, 13) + 'A'.repeat(43)],
    ['another prefix', (key: string) => `fsk_00000000${key.slice(12)}`],
    ['its prefix alone', (key: string) => key.slice(0, 12)],
    ['a letter more', (key: string) => `${key}A`],
    ['a letter less', (key: string) => key.slice(0, -1)],
  ])('with %s is no key', async (_what, change) => {
    const { value } = await at.ann<ApiKey[]>('GET', '/keys')
    const made = value.find(({ name }) => name === 'guessed')
    if (made) await at.ann('POST', `/keys/${made.id}/revoke`)
    const { key } = await make('guessed', ['runs:read'])
    expect((await caller(key)('GET', '/users/me')).status).toBe(200)
    expect((await caller(change(key))('GET', '/users/me')).status).toBe(401)
  })
})

test('a user who is no superuser any more is none with the very next request [T11]', async () => {
  const eve = await at.signUp('eve@example.org', true)
  const { key } = await make('demoted', ['admin'], {}, eve)
  const { sql } = at.engine.database
  for (const program of [eve, caller(key)])
    expect((await program('PUT', '/secrets/s', { value: 'x' })).status).toBe(204)
  const [row] = await sql<{ id: string }[]>`
    update account set is_superuser = false where email = 'eve@example.org' returning id`
  await at.engine.accountNews.changed(row?.id ?? '')
  for (const program of [eve, caller(key)])
    expect((await program('PUT', '/secrets/s', { value: 'x' })).status).toBe(403)
})

test('a flag that is taken without any news is gone all the same, once what is known of the caller is a second old', async () => {
  const mallory = await at.signUp('mallory@example.org', true)
  const { key } = await make('unheard', ['admin'], {}, mallory)
  for (const program of [mallory, caller(key)])
    expect((await program('PUT', '/secrets/s', { value: 'x' })).status).toBe(204)
  await at.engine.database.sql`update account set is_superuser = false where email = 'mallory@example.org'`
  const statuses = () =>
    Promise.all(
      [mallory, caller(key)].map(async (program) => (await program('PUT', '/secrets/s', { value: 'x' })).status),
    )
  await expect.poll(statuses).toEqual([403, 403])
})
