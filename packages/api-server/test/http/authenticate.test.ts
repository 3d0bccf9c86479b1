import { once } from 'node:events'
import { connect } from 'node:net'

import { describe, expect, test } from 'vitest'
import * as z from 'zod'

import { createAuthenticator } from '../../src/http/authenticate.ts'
import { endpoint, reply } from '../../src/http/endpoint.ts'
import { bind } from '../../src/http/mount.ts'
import { serve, user } from './server.ts'

const contract = {
  me: endpoint({
    id: 'users.me',
    method: 'get',
    path: '/me',
    summary: 'Me',
    auth: 'user',
    scope: null,
    query: z.object({ token: z.string().optional(), access_token: z.string().optional() }),
    replies: { 200: reply.json('E-mail', z.string()) },
  }),
}
const api = () =>
  serve(bind(contract, { me: ({ principal }) => ({ status: 200, value: principal.email }) }), {
    authenticate: createAuthenticator([
      async (token) => (token === 'other-kind' ? { ...user, email: 'other@example.org' } : null),
      async (token) => (token === 'good' ? user : null),
    ]),
  })

/** The status of a request whose header lines are sent exactly as given. */
async function statusOf(port: number, path: string, lines: string[]): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  socket.end(
    `GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`,
  )
  let answer = ''
  socket.on('data', (data) => {
    answer += data.toString('latin1')
  })
  await once(socket, 'close')
  return Number(answer.split(' ')[1])
}

describe('the bearer token', () => {
  test.each([
    ['is accepted', ['Authorization: Bearer good'], 200],
    ['may have its scheme in lower case (RFC 9110)', ['authorization: bearer good'], 200],
    ['may stand after several spaces', ['Authorization: Bearer   good '], 200],
    ['is asked from the verifiers in turn', ['Authorization: Bearer other-kind'], 200],
    ['is missing', [], 401],
    ['is empty', ['Authorization: Bearer '], 401],
    ['is only a scheme', ['Authorization: Bearer'], 401],
    ['has another scheme', ['Authorization: Basic good'], 401],
    ['has no scheme', ['Authorization: good'], 401],
    ['is unknown', ['Authorization: Bearer bad'], 401],
    ['is followed by a second one', ['Authorization: Bearer good, Bearer bad'], 401],
    ['is sent twice', ['Authorization: Bearer good', 'Authorization: Bearer good'], 401],
    ['is sent twice, the wrong one first', ['Authorization: Bearer bad', 'Authorization: Bearer good'], 401],
    ['is quoted', ['Authorization: Bearer "good"'], 401],
    ['has other white space', ['Authorization: Bearer\tgood'], 401],
    ['is too long', [`Authorization: Bearer ${'x'.repeat(9000)}`], 401],
    ['is longer than a header may be', [`Authorization: Bearer ${'x'.repeat(20_000)}`], 431],
    ['is only in a cookie', ['Cookie: access_token=good; Authorization=Bearer good'], 401],
    ['is in a proxy header', ['Proxy-Authorization: Bearer good', 'X-Authorization: Bearer good'], 401],
  ])('%s [R622, T13]', async (_title, lines, status) => {
    await using running = await api()
    expect(await statusOf(running.port, '/me', lines)).toBe(status)
  })

  test('of the query is not looked at [R622, T12]', async () => {
    await using running = await api()
    expect(await statusOf(running.port, '/me?token=good&access_token=good', [])).toBe(401)
  })

  test('is asked for by WWW-Authenticate, and no cookie is ever set [T7]', async () => {
    await using running = await api()
    const answer = await fetch(`${running.url}/me`)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(await answer.json()).toMatchObject({ code: 'unauthenticated', status: 401 })
  })
})
