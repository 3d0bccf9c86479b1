import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Ended, runService } from './cli-process.ts'
import { startService, type TestService } from './service.ts'

let at: TestService
const folder = mkdtempSync(join(tmpdir(), 'cli-users-'))
beforeAll(async () => {
  at = await startService()
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const service = (args: string[], input = ''): Promise<Ended> =>
  runService(args, { cwd: folder, env: { SERVICE_DATA_DIR: at.dataDir }, input })
const signIn = async (username: string, password: string): Promise<number> => {
  const body = new URLSearchParams({ username, password })
  return (await fetch(`${at.baseUrl}/login/access-token`, { method: 'POST', body })).status
}

test('users are added, listed, changed and deleted; passwords are piped in and never shown', async () => {
  const added = await service(
    ['users', 'add', 'Ann@example.org', '--name', 'Ann Lee', '--password'],
    'a long password\n',
  )
  expect([added.code, added.out]).toEqual([0, 'Added ann@example.org.\n'])
  const invited = await service(['users', 'add', 'bob@example.org', '--superuser'])
  expect(invited.out).toMatch(
    /^Added bob@example\.org\. Hand them this link.*\nhttp:\/\/127\.0\.0\.1:\d+\/reset-password#token=\S+\n$/,
  )
  const listed = await service(['users'])
  expect(listed.out).toMatch(/^E-MAIL +NAME +ROLE +STATE +SIGNS IN BY +LAST SIGN-IN\n/)
  expect(listed.out).toMatch(/^ann@example\.org +Ann Lee +user +active +password +never$/m)
  expect(listed.out).toMatch(/^bob@example\.org +- +superuser +invited +- +never$/m)
  expect((await service(['users', 'passwd', 'ann@example.org'], 'another password\n')).code).toBe(0)
  expect(await signIn('ann@example.org', 'another password')).toBe(200)
  await service(['users', 'deactivate', 'ann@example.org'])
  expect(await signIn('ann@example.org', 'another password')).toBe(400)
  await service(['users', 'activate', 'ann@example.org'])
  expect(await signIn('ann@example.org', 'another password')).toBe(200)
  expect((await service(['users', 'promote', 'ann@example.org'])).out).toBe('ann@example.org is a superuser.\n')
  expect((await service(['users', 'demote', 'ann@example.org'])).out).toBe('ann@example.org is an ordinary user.\n')
  expect((await service(['users', 'delete', 'bob@example.org'])).out).toBe('Deleted bob@example.org.\n')
  const last = await service(['users', 'demote', 'admin@localhost'])
  expect([last.code, last.err]).toEqual([1, expect.stringContaining('nobody else is an active superuser')])
  const nobody = await service(['users', 'promote', 'nobody@example.org'])
  expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining('there is no user "nobody@example.org"')])
  for (const { out, err } of [added, invited, listed]) expect(out + err).not.toContain('a long password')
})

test('with --data they are those of an engine that does not run, whose audit trail tells so', async () => {
  const running = await service(['users', 'list', '--data', at.dataDir])
  expect([running.code, running.err]).toEqual([1, expect.stringContaining('in use')])
  const { dataDir } = at
  await at.close()
  const reset = await service(['users', 'passwd', 'admin@localhost', '--data', dataDir], 'known again\n')
  expect([reset.code, reset.err]).toEqual([0, ''])
  const short = await service(['users', 'passwd', 'admin@localhost', '--data', dataDir], 'short\n')
  expect([short.code, short.err]).toEqual([1, expect.stringContaining('8 to 128 characters')])
  const last = await service(['users', 'delete', 'admin@localhost', '--data', dataDir])
  expect([last.code, last.err]).toEqual([1, expect.stringContaining('nobody else is an active superuser')])
  const missing = await service(['users', 'list', '--data', join(folder, 'nowhere')])
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('there is no database in')])
  at = await startService({ dataDir })
  expect(await signIn('admin@localhost', 'known again')).toBe(200)
  const events = await at.client.observability.events({ kind: 'audit', limit: 50 })
  expect(events.find(({ action }) => action === 'user.password')).toMatchObject({
    actor: { via: 'cli' },
    detail: { user: 'admin@localhost' },
  })
})
