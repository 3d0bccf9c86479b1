/** Two engines on one database and one S3-compatible store. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { ArtifactRef } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { credentials, type S3Server, s3Servers, urlOf } from '../../../../test/components/s3-servers.ts'
import { databaseAt } from '../backend.ts'
import { startService, type TestService } from '../observability/service.ts'

let server: S3Server
let directory: string
let databaseUrl: string
beforeAll(async () => {
  const [s3rver] = s3Servers
  if (!s3rver) throw new Error('there is no s3rver')
  server = await s3rver.start()
  directory = await mkdtemp(join(tmpdir(), 's3-shared-'))
  databaseUrl = (await databaseAt(directory)).databaseUrl ?? ''
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const oauthSigningKey = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
async function engine(name: string, prefix: string): Promise<TestService> {
  const artifactsUrl = urlOf(server.port, prefix)
  return startService({ dataDir: join(directory, name), databaseUrl, artifactsUrl, oauthSigningKey, ...credentials })
}

test('engines of one database that start at the same moment agree on the store, and need no disk in common [T9]', async () => {
  const [one, two] = await Promise.all([engine('one', 'shared'), engine('two', 'shared')])
  await using _first = one
  await using _second = two
  const bytes = (at: TestService, path: string, init: RequestInit = {}) =>
    fetch(`${at.origin}/api/v1/artifacts${path}`, { ...init, headers: { authorization: `Bearer ${at.annToken}` } })
  const { digest } = (await (await bytes(one, '', { method: 'PUT', body: 'shared' })).json()) as ArtifactRef
  expect(await (await bytes(two, `/${digest}`)).text()).toBe('shared')
  // the ticket of one engine is one for the other
  const { value } = await one.ann<{ ticket: string }>('POST', `/artifacts/${digest}/ticket`)
  const shown = await fetch(`${two.origin}/api/v1/artifacts/${digest}?ticket=${value.ticket}`)
  expect([shown.status, await shown.text()]).toEqual([200, 'shared'])
  await expect(engine('three', 'elsewhere')).rejects.toThrow(/whose store-id is .* has none/)
})
