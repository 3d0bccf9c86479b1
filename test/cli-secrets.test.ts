import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Ended, runService } from './cli-process.ts'
import { startService, type TestService } from './service.ts'

let at: TestService
const folder = mkdtempSync(join(tmpdir(), 'cli-secrets-'))
beforeAll(async () => {
  at = await startService()
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const service = (args: string[], input = '', env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  runService(args, { cwd: folder, env: { SERVICE_DATA_DIR: at.dataDir, ...env }, input })

test('a value is piped in, listed by name with its users, kept while it is used, and never shown', async () => {
  const set = await service(['secrets', 'set', 'door'], 'piped-value\n')
  expect([set.code, set.err]).toEqual([0, ''])
  const settings = { url: 'in', secret: { $secret: 'door' } }
  const ports = [{ direction: 'output', name: 'got' }]
  await at.send('PUT', '/flows/entry', { nodes: [{ id: 'hook', type: 'http', settings, ports }] })
  const listed = await service(['secrets', 'list'])
  expect(listed.out).toMatch(/^SECRET +CHANGED +USED BY\ndoor +\S+ +entry\.hook\n$/)
  const json = await service(['secrets', 'list', '--json'])
  expect(JSON.parse(json.out)).toMatchObject([{ name: 'door', used_by: [{ flow: 'entry', node: 'hook' }] }])
  const used = await service(['secrets', 'delete', 'door'])
  expect([used.code, used.err]).toEqual([1, expect.stringContaining('"hook" of "entry"')])
  await at.send('DELETE', '/flows/entry')
  expect((await service(['secrets', 'delete', 'door'])).code).toBe(0)
  expect((await service(['secrets', 'list'])).out).toBe('No secrets are stored.\n')
  for (const { out, err } of [set, listed, json, used]) expect(out + err).not.toContain('piped-value')
})

test('a value is not taken from the command line, nor an empty one', async () => {
  const named = await service(['secrets', 'set', 'door', 'typed-value'])
  expect([named.code, named.err]).toEqual([2, expect.stringContaining('too many arguments')])
  const empty = await service(['secrets', 'set', 'door'])
  expect([empty.code, empty.err]).toEqual([2, expect.stringContaining('no value was given')])
})

test('an engine with another key ends at once with one line that says what to do [T82]', async () => {
  const other = await startService()
  await other.close()
  const { code, err } = await service(['serve', '--port', '0', '--data', other.dataDir], '', {
    SERVICE_SECRET_KEY: 'another key for secrets of at least 32 bytes',
  })
  expect(code).toBe(2)
  expect(err.trim()).toMatch(
    /^error: the secrets of this database are sealed under the key [0-9a-f]{16}, .*nothing was changed$/,
  )
  rmSync(other.dataDir, { recursive: true, force: true })
})
