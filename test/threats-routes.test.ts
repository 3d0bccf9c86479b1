import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { callersKey, createCallers } from '../packages/api-server/test/auth/callers.ts'
import { scaleFlow } from './documents.ts'
import { sendRaw } from './raw-http.ts'
import { operations, sampleOf } from './sample-requests.ts'
import { publish, startService, type TestService } from './service.ts'

let at: TestService
let user: string
beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'service-'))
  user = (await createCallers(dataDir, 'a long password')).user
  at = await startService({ dataDir, sessionKey: callersKey })
  for (const name of ['health', 'docs', 'redoc', 'openapi-json', 'healthz', 'hooks']) await publish(at, name, scaleFlow)
})
afterAll(() => at[Symbol.asyncDispose]())

const signedIn = (): string => `authorization: Bearer ${at.token}`

/** Spellings of a path by which a check of the text and a router may disagree. */
const spellings: [string, (path: string) => string][] = [
  ['a suffix of another kind', (path) => `${path}.svg`],
  ['a suffix of the docs', (path) => `${path}/docs`],
  ['a suffix of liveness', (path) => `${path}/healthz`],
  ['a path parameter', (path) => `${path};x=1`],
  ['a session in the path', (path) => `${path};jsessionid=1/healthz`],
  ['a trailing dot', (path) => `${path}.`],
  ['a trailing slash', (path) => `${path}/`],
  ['two trailing slashes', (path) => `${path}//`],
  ['a trailing space', (path) => `${path}%20`],
  ['a trailing NUL', (path) => `${path}%00`],
  ['capitals', (path) => path.toUpperCase()],
  ['a capital base', (path) => path.replace('/api/', '/Api/')],
  ['two slashes in front', (path) => `/${path}`],
  ['two slashes within', (path) => path.replace('/v1/', '/v1//')],
  ['a dot segment', (path) => path.replace('/v1/', '/v1/./')],
  ['a detour over an open path', (path) => path.replace('/v1/', '/v1/login/access-token/../../')],
  ['an escaped detour', (path) => path.replace('/v1/', '/v1/login/access-token/%2e%2e/%2e%2e/')],
  ['a detour over the docs', (path) => `/docs/..${path}`],
  ['a detour over liveness', (path) => `/healthz/..${path}`],
  ['a detour over the hooks', (path) => `/hooks/..${path}`],
  ['an escaped slash', (path) => path.replace('/v1/', '/v1%2f')],
  ['an escaped base', (path) => path.replace('/api/', '/%61pi/')],
  [
    'an escaped letter',
    (path) => path.replace(/\/([a-z])([^/]*)$/, (_, a: string, b: string) => `/%${a.charCodeAt(0).toString(16)}${b}`),
  ],
  ['a backslash', (path) => path.replace('/v1/', '/v1\\')],
  ['an absolute address', (path) => `http://localhost${path}`],
  ['a query that looks like a path', (path) => `${path}?/healthz`],
  ['a fragment', (path) => `${path}#/healthz`],
]

/** Headers by which proxies and frameworks let a request pass for another. */
const overrides: string[][] = [
  ['X-HTTP-Method-Override: GET'],
  ['X-HTTP-Method: GET'],
  ['X-Method-Override: GET'],
  ['X-Original-URL: /healthz'],
  ['X-Rewrite-URL: /healthz'],
  ['X-Forwarded-For: 127.0.0.1', 'X-Real-IP: 127.0.0.1'],
  ['X-Forwarded-User: admin@localhost', 'Remote-User: admin@localhost'],
  ['X-Forwarded-Prefix: /docs'],
]

const seeds = {
  run: '01900000-0000-7000-8000-000000000001',
  stageRun: '01900000-0000-7000-8000-000000000001',
  trackedRun: '01900000-0000-7000-8000-000000000001',
  digest: `sha256:${'0'.repeat(64)}`,
  deadLetter: '01900000-0000-7000-8000-000000000002',
  jti: '01900000-0000-4000-8000-000000000003',
  test: '01900000-0000-4000-8000-000000000003',
  key: '01900000-0000-7000-8000-000000000004',
  agent: '01900000-0000-7000-8000-000000000004',
  program: '01900000-0000-7000-8000-000000000005',
  credential: '',
  code: 'ABCDEFGH',
  secret: '',
  user: '01900000-0000-7000-8000-000000000004',
  invite: '',
  consoleCode: () => '',
  email: '',
  password: '',
}
const closed = operations.filter(({ levels }) => !levels.includes('open'))
const targets = closed.map((operation) => ({
  id: operation.id,
  sample: sampleOf(operation, seeds),
  isForSuperusers: operation.levels.includes('superuser'),
}))

describe('no spelling of a path is a way around the authentication of what it reaches [R445, T22]', () => {
  test.each(spellings)('%s', async (_what, spell) => {
    for (const { id, sample, isForSuperusers } of targets) {
      const path = spell(`/api/v1${sample.path.split('?')[0] ?? ''}`)
      const head = [`${sample.init.method} ${path} HTTP/1.1`, 'content-type: application/json']
      if (isForSuperusers) {
        const { status } = await sendRaw(at.origin, [...head, `authorization: Bearer ${user}`], sample.init.body)
        expect([id, path, status]).toEqual([
          id,
          path,
          expect.toSatisfy((code) => [400, 403, 404, 405].includes(code as number)),
        ])
      }
      const answer = await sendRaw(at.origin, head, sample.init.body)
      expect([id, path, answer.status]).toEqual([
        id,
        path,
        expect.toSatisfy((status) => [400, 401, 404, 405].includes(status as number)),
      ])
      if (answer.body !== '') expect(answer.headers.get('content-type')).toBe('application/problem+json')
    }
  })

  test.each(overrides)('%s', async (...headers) => {
    for (const { id, sample } of targets) {
      const answer = await sendRaw(at.origin, [`${sample.init.method} /api/v1${sample.path} HTTP/1.1`, ...headers])
      expect([id, answer.status]).toEqual([id, 401])
    }
  })

  test('HEAD asks for what GET asks for', async () => {
    for (const { id, sample } of targets.filter(({ sample: { init } }) => init.method === 'GET')) {
      const answer = await sendRaw(at.origin, [`HEAD /api/v1${sample.path} HTTP/1.1`])
      expect([id, answer.status, answer.body]).toEqual([id, 401, ''])
    }
  })

  test.each(['TRACE', 'TRACK', 'PROPFIND', 'LOCK', 'PATCH', 'SEARCH', 'QUERY'])(
    '%s does nothing and echoes nothing',
    async (method) => {
      const answer = await sendRaw(at.origin, [
        `${method} /api/v1/flows/health HTTP/1.1`,
        signedIn(),
        'x-canary: canary',
      ])
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.text).not.toContain('canary')
      expect((await at.send('GET', '/flows/health')).status).toBe(200)
    },
  )
})

describe('a request that names two hosts is 400, whether they differ or not [T22]', () => {
  test.each(['/', '/healthz', '/metrics', '/docs', '/api/v1/users/me', '/hooks/health', '/api/v1/hooks/health'])(
    'at %s',
    async (path) => {
      for (const host of ['localhost', 'evil.example']) {
        // the helper names one itself
        const answer = await sendRaw(at.origin, [`GET ${path} HTTP/1.1`, `host: ${host}`, signedIn()])
        expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('send one Host header')])
      }
    },
  )

  test('also one that asks for a socket', async () => {
    const head = ['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13', `host: evil.example`]
    const path = '/api/v1/flows/ws'
    const answer = await sendRaw(at.origin, [
      `GET ${path} HTTP/1.1`,
      ...head,
      'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
    ])
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('send one Host header')])
  })
})

describe('the name of a flow never makes its addresses open [T22]', () => {
  test.each(['health', 'docs', 'redoc', 'openapi-json', 'healthz', 'hooks'])('a flow named %s', async (name) => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const answer = await sendRaw(at.origin, [`${method} /api/v1/flows/${name} HTTP/1.1`])
      expect([method, answer.status]).toEqual([method, 401])
    }
    expect((await at.send('GET', `/flows/${name}`)).status).toBe(200)
  })

  test.each([
    'x.svg',
    'flow.json',
    'openapi.json',
    'a/b',
    'a%2fb',
    '..',
    '.',
    '%00',
    'ws',
    'library',
    '__proto__',
    'a b',
  ])('none can be named %s [R673]', async (name) => {
    const path = `/api/v1/flows/${name.includes('%') ? name : encodeURIComponent(name)}`
    const body = JSON.stringify(scaleFlow)
    const head = [`PUT ${path} HTTP/1.1`, 'content-type: application/json']
    expect((await sendRaw(at.origin, head, body)).status).toBe(401)
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      expect([method, (await sendRaw(at.origin, [`${method} ${path} HTTP/1.1`])).status]).toEqual([method, 401])
    }
    const answer = await sendRaw(at.origin, [...head, signedIn()], body)
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([422, { code: 'validation_failed' }])
  })
})

describe('a browser of another site gets nothing [T97]', () => {
  test('an answer is shared with no origin, and no preflight is granted', async () => {
    for (const origin of ['https://evil.example', 'null', at.origin.replace('127.0.0.1', 'localhost')]) {
      for (const head of [
        ['GET /api/v1/flows/ HTTP/1.1', signedIn()],
        ['POST /api/v1/login/access-token HTTP/1.1'],
        [
          'OPTIONS /api/v1/flows/ HTTP/1.1',
          'access-control-request-method: PUT',
          'access-control-request-headers: authorization',
        ],
        ['GET /healthz HTTP/1.1'],
        ['GET /docs HTTP/1.1'],
        ['GET /hooks/f/in HTTP/1.1'],
      ]) {
        const answer = await sendRaw(at.origin, [...head, `origin: ${origin}`])
        const sharing = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))
        expect([head[0], sharing]).toEqual([head[0], []])
      }
    }
  })

  test.each(['/api/v1/flows/', '/api/v1/nothing', '/api/v1/%zz', '/healthz', '/docs', '/nothing', '/hooks/f/in', '/'])(
    '%s is neither sniffed nor framed, and does not name its software',
    async (path) => {
      const { headers } = await sendRaw(at.origin, [`GET ${path} HTTP/1.1`])
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'/)
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect([headers.has('x-powered-by'), headers.has('server')]).toEqual([false, false])
    },
  )
})
