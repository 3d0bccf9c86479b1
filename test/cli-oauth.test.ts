import type { AgentToken, OAuthClient } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { runService } from './cli-process.ts'
import { startService, type TestService } from './service.ts'

let at: TestService
beforeAll(async () => {
  at = await startService()
})
afterAll(() => at[Symbol.asyncDispose]())

const run = (...words: string[]) => runService(words, { cwd: at.dataDir, env: { SERVICE_DATA_DIR: at.dataDir } })

test('a token of an agent is printed alone, listed without its text, and ended by the name of the agent', async () => {
  const made = await run('oauth', 'token', '--client', 'desk', '--scope', 'flows:read runs:read', '--days', '2')
  expect([made.code, made.err]).toEqual([0, expect.stringContaining('shown this once')])
  const token = made.out.trim()
  const flows = () => fetch(`${at.baseUrl}/flows`, { headers: { authorization: `Bearer ${token}` } })
  expect((await flows()).status).toBe(200)
  const listed = await run('oauth', 'tokens', '--json')
  expect(listed.out).not.toContain(token)
  expect(JSON.parse(listed.out) as AgentToken[]).toMatchObject([
    { client: 'desk', scopes: ['flows:read', 'runs:read'], revoked_at: null },
  ])
  const ended = await run('oauth', 'revoke', 'desk')
  expect([ended.code, ended.out]).toEqual([0, expect.stringContaining('Ended the agent desk')])
  expect((await flows()).status).toBe(401)
  expect((await run('oauth', 'tokens')).out).toMatch(/desk +revoked/)
  expect(await run('oauth', 'revoke', 'desk')).toMatchObject({ code: 1, err: expect.stringContaining('"desk"') })
})

test('a word that is no scope is refused with those that are', async () => {
  const made = await run('oauth', 'token', '--client', 'desk', '--scope', 'flows:everything')
  expect(made).toMatchObject({ code: 1, out: '', err: expect.stringContaining('flows:read') })
})

test('a program is added by its name and where it sends users back to, and removed', async () => {
  const added = await run('oauth', 'client', 'add', 'Desk', '--redirect', 'http://127.0.0.1/back')
  const id = added.out.trim()
  expect(added.code).toBe(0)
  const listed = JSON.parse((await run('oauth', 'client', '--json')).out) as OAuthClient[]
  expect(listed).toMatchObject([{ id, name: 'Desk', redirect_uris: ['http://127.0.0.1/back'], registered: false }])
  expect(await run('oauth', 'client', 'add', 'Desk', '--redirect', 'http://desk.example')).toMatchObject({ code: 1 })
  expect((await run('oauth', 'client', 'remove', 'Desk')).code).toBe(0)
  expect(await run('oauth', 'client', 'list')).toMatchObject({ code: 0, out: expect.stringContaining('No program') })
})
