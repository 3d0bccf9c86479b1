/** Keys of two engines on one database. */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { MintedApiKey } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'

import { databaseAt } from '../backend.ts'
import { startService } from '../observability/service.ts'

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'keys-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const oauthSigningKey = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))

test('a key of one engine is one at the other, and is refused at both as soon as it is revoked, whose sockets of it close [T11]', async () => {
  const { databaseUrl = '' } = await databaseAt(dataDir)
  const engine = (name: string) =>
    startService({
      dataDir: join(dataDir, name),
      artifactsDir: join(dataDir, 'artifacts'),
      databaseUrl,
      oauthSigningKey,
    })
  await using one = await engine('one')
  await using two = await engine('two')
  const { key, id } = (await one.root<MintedApiKey>('POST', '/keys', { name: 'both', scopes: ['messages:read'] })).value
  const sockets = [one, two].map(({ origin }) => {
    const headers = { authorization: `Bearer ${key}` }
    return new WebSocket(`${origin.replace('http', 'ws')}/api/v1/flows/ws`, { headers })
  })
  await Promise.all(sockets.map((socket) => once(socket, 'message')))
  const revokedAt = performance.now()
  const closed = sockets.map((socket) => once(socket, 'close').then(([code]) => Number(code)))
  await one.root('POST', `/keys/${id}/revoke`)
  expect((await one.caller(key)('GET', '/users/me')).status).toBe(401)
  expect(await Promise.all(closed)).toEqual([1008, 1008])
  // by the news, and not by the look at all guests each half minute
  expect(performance.now() - revokedAt).toBeLessThan(15_000)
  expect((await two.caller(key)('GET', '/users/me')).status).toBe(401)
})
