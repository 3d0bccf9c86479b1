import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Ended, runService } from './cli-process.ts'
import { startService, type TestService } from './service.ts'

let at: TestService
const folder = mkdtempSync(join(tmpdir(), 'cli-keys-'))
beforeAll(async () => {
  at = await startService()
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const keys = (...args: string[]): Promise<Ended> =>
  runService(['keys', ...args], { cwd: folder, env: { SERVICE_DATA_DIR: at.dataDir } })
/** A command of a machine that has nothing but what its environment says. */
const elsewhere = (args: readonly string[], token: string, cwd = folder): Promise<Ended> =>
  runService(args, { cwd, env: { SERVICE_URL: at.baseUrl, SERVICE_TOKEN: token } })

test('a key is printed once and alone, works from the environment, and ends with its revocation', async () => {
  const created = await keys('create', 'ci', '--scope', 'flows:read', '--scope', 'runs:write', '--days', '30')
  expect([created.code, created.out]).toEqual([0, expect.stringMatching(/^fsk_[0-9A-Za-z]{8}_[\w-]{43}\n$/)])
  const key = created.out.trim()
  expect(created.err).toContain('The key ci of admin@localhost: shown this once, good until ')
  expect(created.err).toContain(' for flows:read, runs:write. Use it:\n')
  expect(created.err).toContain(`  SERVICE_URL=${at.baseUrl} SERVICE_TOKEN=... service flows list\n`)
  expect(created.err).not.toContain(key)
  const again = await keys('create', 'ci', '--scope', 'admin')
  expect([again.code, again.out, again.err]).toEqual([1, '', expect.stringContaining('"ci"')])

  expect(await elsewhere(['flows', 'list'], key)).toMatchObject({ code: 0, err: '' })
  const lacking = await elsewhere(['secrets', 'list'], key)
  expect([lacking.code, lacking.err]).toEqual([3, expect.stringContaining('the key "ci" lacks the scope "admin"')])

  const list = await keys()
  expect(list.out.split('\n')).toEqual([
    expect.stringMatching(/^KEY +STATE +SCOPES +USED +EXPIRES +BEGINS +ID$/),
    expect.stringMatching(/^ci +live +flows:read, runs:write +\S+.* fsk_\w{8} +[0-9a-f-]{36}$/),
    '',
  ])
  expect((await keys('list', '--all')).out).toMatch(/^OWNER +KEY .*\nadmin@localhost +ci +live /)
  const revoked = await keys('revoke', 'ci')
  expect([revoked.code, revoked.out]).toEqual([0, 'Revoked the key ci of admin@localhost.\n'])
  const refused = await elsewhere(['flows', 'list'], key)
  expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('the key "ci" was revoked')])
  const gone = await keys('revoke', 'ci')
  expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('service keys list')])
  expect((await keys('list')).out).toMatch(/\nci +revoked /)
})

test('for programs, a key comes with its id, by which it is revoked', async () => {
  const created = await keys('create', 'scripted', '--scope', 'admin', '--never', '--json')
  const { key, id, expires_at } = JSON.parse(created.out) as Record<string, string | null>
  expect([created.err, typeof key, expires_at]).toEqual(['', 'string', null])
  const revoked = JSON.parse((await keys('revoke', String(id), '--json')).out) as object
  expect(revoked).toMatchObject({ id, name: 'scripted', revoked_at: expect.any(String) })
  expect(JSON.parse((await keys('list', '--json')).out)).toContainEqual(revoked)
})

test.each([
  [['create', 'x'], "required option '--scope <scope>' not specified"],
  [['create', 'x', '--scope', 'flows'], 'Give one of flows:read, flows:write,'],
  [['create', 'x', '--scope', 'admin', '--days', '0'], 'Give a whole number above 0.'],
  [['create', 'x', '--scope', 'admin', '--days', '3', '--never'], 'cannot be used with'],
  [['forget'], "unknown command 'forget'"],
])('wrong usage is told: keys %j', async (args, text) => {
  const { code, err } = await keys(...args)
  expect([code, err]).toEqual([2, expect.stringContaining(text)])
})

test('an option wins over the environment, which wins over a sign-in file', async () => {
  const project = join(folder, 'project')
  mkdirSync(join(project, '.service'), { recursive: true })
  const signIn = { base_url: at.baseUrl, access_token: at.token }
  writeFileSync(join(project, '.service', 'cli.json'), JSON.stringify(signIn))
  const { key } = await at.client.keys.create({ name: 'reader', scopes: ['flows:read'] })
  const secrets = ['secrets', 'list']
  expect(await runService(secrets, { cwd: project })).toMatchObject({ code: 0 })
  expect(await elsewhere(secrets, key, project)).toMatchObject({ code: 3 })
  expect(await elsewhere([...secrets, '--token', at.token], key, project)).toMatchObject({ code: 0 })
})
