import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type Scope, scopes } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type CallerTokens, callersKey, createCallers } from '../packages/api-server/test/auth/callers.ts'
import { type Level, matrix, operationsOf } from './authorization-matrix.ts'
import { pythonFlow } from './documents.ts'
import { atRest, connectors, type Operation, operations, sampleOf, seed, type Seeds } from './sample-requests.ts'
import { startService, type TestService } from './service.ts'

const account = { email: 'superuser@example.org', password: 'a long password' }
let at: TestService
let tokens: CallerTokens
let seeds: Seeds
let workerToken: string
let [agentToken, endedAgentToken]: string[] = []
/** Keys of a superuser, by their one scope, and by the one that they lack. */
const [only, without] = [new Map<Scope, string>(), new Map<Scope, string>()]
beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'service-'))
  tokens = await createCallers(dataDir, account.password)
  at = await startService({ dataDir, sessionKey: callersKey, connectors })
  seeds = await seed(at, account, tokens.user)
  for (const scope of scopes) {
    const name = scope.replace(':', '-')
    const others = scopes.filter((other) => other !== scope && other !== 'admin')
    only.set(scope, await keyOf({ name, scopes: [scope] }))
    without.set(scope, await keyOf({ name: `not-${name}`, scopes: others }))
  }
  const { body } = await at.send('POST', '/keys', { name: 'theirs', scopes: ['runs:read'] }, bearer(tokens.user))
  seeds = { ...seeds, key: String(body?.['id']) }
  agentToken = (await agentOf('theirs')).token
  const ended = await agentOf('ended')
  endedAgentToken = ended.token
  await at.send('POST', `/oauth/tokens/${ended.id}/revoke`)
  workerToken = String((await at.send('POST', '/workers/tokens', { name: 'lab' })).body?.['token'])
})
afterAll(() => at[Symbol.asyncDispose]())

/** A column: a credential, and the levels that it has; without any it is nobody's. */
interface Caller {
  readonly name: string
  readonly levels: readonly Level[]
  headers(): Record<string, string>
  query?(): string
}

/** Makes a key of the superuser. */
async function keyOf(request: object): Promise<string> {
  const { body } = await at.send('POST', '/keys', request)
  return String(body?.['key'])
}

/** Lets in an agent of the ordinary user, for everything. */
async function agentOf(client: string): Promise<{ readonly id: string; readonly token: string }> {
  const { body } = await at.send('POST', '/oauth/tokens', { client, scopes: ['admin'] }, bearer(tokens.user))
  return { id: String(body?.['id']), token: String(body?.['token']) }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const basic = `Basic ${Buffer.from(`${account.email}:${account.password}`).toString('base64')}`
const superuser: Caller = {
  name: 'a superuser',
  levels: ['user', 'superuser'],
  headers: () => bearer(tokens.superuser),
}
const agent: Caller = {
  name: 'an agent of a user, of the scope "admin"',
  levels: ['user'],
  headers: () => bearer(agentToken ?? ''),
}
const callers: readonly Caller[] = [
  { name: 'nobody', levels: [], headers: () => ({}) },
  { name: 'garbage', levels: [], headers: () => bearer('garbage') },
  { name: 'an expired token', levels: [], headers: () => bearer(tokens.expired) },
  { name: 'a deactivated superuser', levels: [], headers: () => bearer(tokens.deactivated) },
  { name: 'a name and password', levels: [], headers: () => ({ authorization: basic }) },
  { name: 'a token in a cookie', levels: [], headers: () => ({ cookie: `access_token=${tokens.superuser}` }) },
  { name: 'a token in the query', levels: [], headers: () => ({}), query: () => `access_token=${tokens.superuser}` },
  { name: 'a revoked key', levels: [], headers: () => bearer(tokens.revokedKey) },
  { name: 'an expired key', levels: [], headers: () => bearer(tokens.expiredKey) },
  { name: 'a key of a deactivated superuser', levels: [], headers: () => bearer(tokens.deactivatedKey) },
  { name: 'a key in a cookie', levels: [], headers: () => ({ cookie: `access_token=${tokens.superuserKey}` }) },
  { name: 'a key in the query', levels: [], headers: () => ({}), query: () => `token=${tokens.superuserKey}` },
  { name: 'an agent that was ended', levels: [], headers: () => bearer(endedAgentToken ?? '') },
  { name: 'a worker', levels: ['worker'], headers: () => bearer(workerToken) },
  { name: 'a device', levels: ['device'], headers: () => bearer(seeds.credential) },
  { name: 'a user', levels: ['user'], headers: () => bearer(tokens.user) },
  { name: 'a user of OpenID Connect', levels: ['user'], headers: () => bearer(tokens.elsewhere) },
  { name: 'a key of a user, of the scope "admin"', levels: ['user'], headers: () => bearer(tokens.userKey) },
  superuser,
  {
    name: 'a key of a superuser, of the scope "admin"',
    levels: ['user', 'superuser'],
    headers: () => bearer(tokens.superuserKey),
  },
  agent,
]

const rowOf = (operation: Operation): readonly Level[] => [matrix[operation.id] ?? []].flat()
const isOpen = (operation: Operation): boolean => rowOf(operation).includes('open')
const mayCall = (caller: Caller, operation: Operation): boolean =>
  isOpen(operation) || rowOf(operation).some((level) => caller.levels.includes(level))

async function call(operation: Operation, caller: Caller): Promise<Response> {
  const { path, init } = sampleOf(operation, seeds)
  const query = caller.query ? `${path.includes('?') ? '&' : '?'}${caller.query()}` : ''
  return fetch(`${at.baseUrl}${path}${query}`, { ...init, headers: { ...init.headers, ...caller.headers() } })
}

/** A key of a superuser with no more than an operation asks for. */
const keyFor = ({ scope }: Operation): Caller => ({
  name: `a key of "${scope ?? 'devices:write'}"`,
  levels: ['user', 'superuser'],
  headers: () => bearer(only.get(scope ?? 'devices:write') ?? ''),
})

/** Measurements, which change by themselves, and backups, which are sealed anew each time. */
const moving = /^(?:observability|utils|metrics)\.|^workers\.resources$|^backup\.make$/

/** Everything that a superuser can read. */
async function digest(): Promise<string> {
  const reads = operations.filter(({ method, id }) => method === 'GET' && !moving.test(id))
  const answers = await Promise.all(
    reads.map(async (operation) => {
      const answer = await call(operation, superuser)
      return `${operation.id} ${answer.status} ${atRest(await answer.text())}`
    }),
  )
  return answers.join('\n')
}

describe('the matrix and the API are one', () => {
  const ids = new Set(operations.map(({ id }) => id))

  test('every operation has a row [T21]', () => {
    expect([...ids].filter((id) => !Object.hasOwn(matrix, id))).toEqual([])
  })

  test('every row has an operation', () => {
    expect(Object.keys(matrix).filter((id) => !ids.has(id))).toEqual([])
    expect(
      Object.values(operationsOf)
        .flat()
        .filter((id) => !ids.has(id)),
    ).toEqual([])
  })

  test.each(operations)('$id asks for no less than its row', (operation) => {
    expect(operation.levels).not.toEqual([])
    expect(rowOf(operation)).toEqual(expect.arrayContaining([...operation.levels]))
  })
})

describe('every operation that lets users in has the scope of its row', () => {
  test.each(operations)('$id', ({ id, scope }) => {
    const rows = Object.entries(operationsOf).flatMap(([row, ids]) => (ids.includes(id) ? [row] : []))
    expect(rows).toEqual(scope === undefined ? [] : [scope ?? 'none'])
  })
})

describe('a caller who may not is refused before anything happens [R445, R575, R582, R622, R668, R669, T21, T23]', () => {
  let before: string
  beforeAll(async () => {
    before = await digest()
  })

  // everything is read after some of them together: it takes longer than to be refused
  const TOGETHER = 8
  const closed = operations.filter((operation) => !isOpen(operation))

  test.each(closed)('$id', async (operation) => {
    for (const caller of callers) {
      if (mayCall(caller, operation)) continue
      const answer = await call(operation, caller)
      const { code } = (await answer.json()) as { code: string }
      const [status, wanted] = caller.levels.length === 0 ? [401, 'unauthenticated'] : [403, 'forbidden']
      expect([caller.name, answer.status, code]).toEqual([caller.name, status, wanted])
      expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
    const { scope } = operation
    if (scope) {
      const headers = (): Record<string, string> => bearer(without.get(scope) ?? '')
      const answer = await call(operation, { name: 'a key without the scope', levels: [], headers })
      const { code, required_scope } = (await answer.json()) as Record<string, unknown>
      expect([answer.status, code, required_scope]).toEqual([403, 'forbidden', scope])
      expect(answer.headers.get('www-authenticate')).toBe(`Bearer error="insufficient_scope", scope="${scope}"`)
    }
    const place = closed.indexOf(operation)
    if (place % TOGETHER < TOGETHER - 1 && place < closed.length - 1) return
    // what has changed something is told once
    const [was, is] = [before, await digest()]
    before = is
    expect(is, `after the ${TOGETHER} operations up to ${operation.id}`).toBe(was)
  })

  test('the digest would have shown a change', async () => {
    await at.send('PUT', '/flows/shown', {})
    expect(await digest()).not.toBe(before)
    await at.send('DELETE', '/flows/shown')
    expect(await digest()).toBe(before)
  })
})

describe('acting on a run or a node is asked for as such, not as reading [T24]', () => {
  const runs = ['submit', 'cancel', 'retry'].map((name) => `runs.${name}`)
  const nodes = ['trigger', 'cancel', 'acknowledge'].map((name) => `flows.nodes.${name}`)
  const acting = new Set([
    ...runs,
    ...nodes,
    'flows.run',
    'flows.try',
    'flows.step',
    'flows.pause',
    'flows.resume',
    'observability.replay',
  ])

  test.each(operations.filter(({ id }) => acting.has(id)))('$id', async (operation) => {
    expect(operation.method).toBe('POST')
    // no row of it lets a device, a worker or the public in
    expect(rowOf(operation)).toEqual([expect.toSatisfy((level) => level === 'user' || level === 'superuser')])
    const before = await digest()
    for (const caller of callers.filter(({ levels }) => levels.length > 0)) {
      for (const method of ['GET', 'HEAD']) {
        const { path } = sampleOf(operation, seeds)
        const answer = await fetch(`${at.baseUrl}${path}`, { method, headers: caller.headers() })
        expect([method, answer.status]).toEqual([method, 405])
      }
    }
    expect(await digest()).toBe(before)
  })

  test('every one of them exists', () => {
    expect([...acting].filter((id) => !operations.some((operation) => operation.id === id))).toEqual([])
  })
})

describe('what a body claims about its caller or about what it makes is refused, or not heard [T25]', () => {
  const CLAIM = 'claimed-by-a-body'
  const ofCallers = ['jti', 'exp', 'sub', 'is_superuser', 'is_active', 'email', 'user_id', 'credential']
  const ofThings = [
    'id',
    'owner',
    'origin',
    'online',
    'digest',
    'status',
    'lease_token',
    'published_version',
    'has_draft',
  ]
  const names = [...ofCallers, ...ofThings, 'created_at', 'updated_by']
  /** A device may say more of itself than the service knows. */
  const lenient = new Set(['pairing.start', 'panels.startPairing'])
  const takesJson = operations.filter(({ body }) => body?.type === 'application/json')

  test.each(takesJson)('$id', async (operation) => {
    const before = await digest()
    const { path, init } = sampleOf(operation, seeds)
    for (const name of names) {
      const body = JSON.stringify({ ...(JSON.parse(init.body ?? '{}') as object), [name]: CLAIM })
      const answer = await fetch(`${at.baseUrl}${path}`, {
        ...init,
        body,
        headers: { ...init.headers, ...superuser.headers() },
      })
      const text = await answer.text()
      // a report is a device's own
      if (answer.status === 422 || (operation.id === 'devices.report' && answer.status === 403)) continue
      // the keys of a layout belong to whoever draws
      if (operation.id === 'flows.saveLayout') {
        await at.send('PUT', path, { nodes: {} })
        continue
      }
      // a flow is saved and checked as it was read, with what the engine says of it
      expect(text).not.toContain(CLAIM)
      if (operation.id === 'flows.validate' && answer.status === 200) continue
      if (lenient.has(operation.id)) continue
      expect([operation.id, name, answer.status]).toEqual(['flows.save', name, 201])
      expect(await digest()).not.toContain(CLAIM)
      expect((await at.send('DELETE', path)).status).toBe(204)
    }
    const after = await digest()
    if (lenient.has(operation.id)) expect(after).not.toContain(CLAIM)
    else expect(after).toBe(before)
  })
})

describe('beside the API', () => {
  test('measurements are for users [R445]', async () => {
    for (const caller of callers) {
      const query = caller.query ? `?${caller.query()}` : ''
      const answer = await fetch(`${at.origin}/metrics${query}`, { headers: caller.headers() })
      const status = caller.levels.includes('user') ? 200 : 403
      expect([caller.name, answer.status]).toEqual([caller.name, caller.levels.length === 0 ? 401 : status])
    }
  })

  test('measurements are for keys of "observability:read"', async () => {
    const statuses = async (keys: ReadonlyMap<Scope, string>) =>
      Promise.all(
        [...keys].map(async ([scope, key]) => [
          scope,
          (await fetch(`${at.origin}/metrics`, { headers: bearer(key) })).status,
        ]),
      )
    const may = (scope: Scope): boolean => scope === 'observability:read' || scope === 'admin'
    expect(await statuses(only)).toEqual(scopes.map((scope) => [scope, may(scope) ? 200 : 403]))
    expect(await statuses(without)).toEqual(scopes.map((scope) => [scope, scope === 'observability:read' ? 403 : 200]))
  })

  test('that the engine lives may be asked by everybody, who learns no more', async () => {
    for (const caller of callers) {
      const answer = await fetch(`${at.origin}/healthz`, { headers: caller.headers() })
      expect([answer.status, await answer.text()]).toEqual([200, ''])
    }
  })
})

describe('a user who is no superuser brings no code into a flow [R638, R639, T26]', () => {
  const code = pythonFlow('def run(n):\n    return {"out": 666}\n')
  test.each([
    ['a new flow with code', '/flows/mine'],
    ['other code in a flow', '/flows/coded'],
    ['code in a flow without', '/flows/scale'],
  ])('%s', async (_what, path) => {
    const version = (await at.send('GET', path)).body?.version ?? 0
    const before = await digest()
    const answer = await at.send('PUT', path, { ...code, version }, bearer(tokens.user))
    expect([answer.status, answer.body?.code]).toEqual([403, 'forbidden'])
    expect(await digest()).toBe(before)
  })
})

/** What only an engine with an S3-compatible store does; this one keeps artifacts in a folder, and says so. */
const ofStores: ReadonlySet<string> = new Set(['artifacts.beginUpload', 'artifacts.completeUpload'])

/** What lets others in: an agent may not, whatever its scopes. */
const ofPeople: ReadonlySet<string> = new Set(['keys.create', 'oauth.mintToken'])

/** What is one user's own: others are refused, although they are users. */
const ofOwners: ReadonlySet<string> = new Set(['runs.append'])

test.each(operations.filter(({ id }) => ofPeople.has(id)))('$id is nothing for an agent [T91]', async (operation) => {
  const before = await digest()
  const answer = await call(operation, agent)
  expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'forbidden' }])
  expect(await digest()).toBe(before)
})

describe('a caller who may is let in, with the same request, and is sent no cookie [T7]', () => {
  const last = ({ id, method }: Operation): number => {
    // with it the tokens of the callers end
    if (id === 'users.changePassword') return 3
    return method === 'DELETE' ? 2 : method === 'GET' ? 0 : 1
  }

  test.each(operations.toSorted((a, b) => last(a) - last(b)))('$id', async (operation) => {
    const allowed = callers.filter(
      (caller) => mayCall(caller, operation) && !(caller === agent && ofPeople.has(operation.id)),
    )
    if (operation.scope !== undefined) allowed.push(keyFor(operation))
    for (const [index, caller] of allowed.entries()) {
      const answer = await call(operation, caller)
      const body = await answer.text()
      const told = [caller.name, answer.status, body]
      // the sign-in by OpenID Connect has the one cookie, and is not configured here
      expect(answer.headers.get('set-cookie')).toBeNull()
      if (caller.query) continue
      if (ofOwners.has(operation.id) && answer.status === 403) {
        expect([caller.name, body]).toEqual([caller.name, expect.stringContaining('begun by another user')])
        continue
      }
      expect(told).not.toEqual([caller.name, expect.toSatisfy((status) => status === 401 || status === 403), body])
      // the first one proves that the request is not refused for another reason
      if (index > 0) continue
      if (ofStores.has(operation.id)) expect(told).toEqual([caller.name, 400, expect.stringContaining('in a folder')])
      else expect(told).toEqual([caller.name, expect.toSatisfy(isTaken), body])
    }
  })

  /** Done, or not possible in this state or configuration, or not so soon again. */
  const isTaken = (status: number): boolean => status < 400 || [409, 429, 503].includes(status)
})
