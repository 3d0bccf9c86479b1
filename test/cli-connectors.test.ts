/** `service connectors` against a service with a package of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Ended, runService } from './cli-process.ts'
import { connectors } from './sample-requests.ts'
import { publish, startService, type TestService } from './service.ts'

const folder = mkdtempSync(join(tmpdir(), 'cli-connectors-'))
let at: TestService
beforeAll(async () => {
  at = await startService({ connectors })
  const ports = [{ direction: 'output', name: 'reading' }]
  await publish(at, 'house', { mode: 'live', nodes: [{ id: 'meter', type: 'acme_meter', ports }] })
  await at.send('POST', '/flows/house/start')
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const service = (...args: string[]): Promise<Ended> =>
  runService(['connectors', ...args], { cwd: folder, env: { SERVICE_DATA_DIR: at.dataDir } })

test('types are listed with their packages, and built-in ones on request [R353]', async () => {
  const { out } = await service('types')
  expect(out).toMatch(/^acme_meter +acme 1\.0\.0 +acme_meter +poll_interval$/m)
  expect(out).not.toContain('built in')
  expect((await service('types', '--all')).out).toMatch(/^http +built in /m)
})

test('keys of a package are listed and forgotten, and learned anew at the next publication [R388, R561, R562, R563]', async () => {
  expect((await service('state', 'list', 'acme_meter')).out).toMatch(/^KEY\npairing\n$/)
  const forgot = await service('state', 'forget', 'acme_meter', 'pairing')
  expect(forgot.out).toMatch(/^Forgot pairing\. Nodes of the package learn it anew when/)
  expect((await service('state', 'list', 'acme_meter')).out).toBe('Its package keeps nothing.\n')
  const again = await service('state', 'forget', 'acme_meter', 'pairing')
  expect([again.code, again.err]).toEqual([
    1,
    expect.stringContaining('the package "acme" has stored nothing under "pairing"'),
  ])
  const { body } = await at.send('GET', '/flows/house')
  const published = await at.send('POST', '/flows/house/publish', { version: body?.['version'] })
  expect(published.body?.['rebuilt']).toEqual(['meter'])
  expect((await service('state', 'list', 'acme_meter', '--json')).out).toBe('[\n  "pairing"\n]\n')
  expect((await service('state', 'clear', 'acme_meter')).code).toBe(0)
  expect((await service('state', 'list', 'http')).err).toContain(
    'no installed connector package has the node type "http"',
  )
})
