/** Flavors and tokens of workers of two engines on one database. */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'

import { openDatabase } from '../../src/db/database.ts'
import { Lifecycle } from '../../src/process/lifecycle.ts'
import { createService } from '../../src/service.ts'
import { Flavors } from '../../src/workers/flavors.ts'
import { databaseAt } from '../backend.ts'
import { quiet } from '../use-database.ts'

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'flavors-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const audit = async () => {}
const large = { name: 'large', cpus: 8, gpus: 0, ram_mb: 1024, description: '' }

/** An engine's flavors, and how often it has heard of a change. */
async function engine() {
  const lifecycle = new Lifecycle()
  const database = await lifecycle.open(
    async () => openDatabase({ ...(await databaseAt(dataDir)), log: quiet }),
    (opened) => opened.close(),
  )
  const flavors = new Flavors({ database, log: quiet })
  await lifecycle.open(
    () => flavors.open(),
    () => flavors.close(),
  )
  return { flavors, [Symbol.asyncDispose]: () => lifecycle.close() }
}

test('a change at one engine counts at the other, and is told there; one that starts later knows it [R136]', async () => {
  await using one = await engine()
  await using two = await engine()
  let heard = 0
  two.flavors.onChange(() => void (heard += 1))
  await one.flavors.create(large, audit)
  // who has changed it need not wait for the news
  expect(one.flavors.get('large')).toEqual(large)
  await expect.poll(() => two.flavors.get('large')).toEqual(large)
  await two.flavors.update('large', { cpus: 2 }, audit)
  await expect.poll(() => one.flavors.get('large')?.cpus).toBe(2)
  expect(heard).toBeGreaterThanOrEqual(2)
  {
    await using third = await engine()
    expect(third.flavors.get('large')).toEqual({ ...large, cpus: 2 })
  }
  await one.flavors.remove('large', audit)
  await expect.poll(() => two.flavors.has('large')).toBe(false)
})

test('changes at both at the same time end alike', async () => {
  await using one = await engine()
  await using two = await engine()
  await one.flavors.create({ ...large, name: 'contended' }, audit)
  const cpus = Array.from({ length: 20 }, (_, at) => at)
  await Promise.all(cpus.map((count) => (count % 2 ? one : two).flavors.update('contended', { cpus: count }, audit)))
  const [stored] = await one.flavors.list()
  await expect.poll(() => [one, two].map(({ flavors }) => flavors.get('contended'))).toEqual([stored, stored])
})

test('a token of one engine attaches workers at the other, and is revoked at both at once [R577, T30]', async () => {
  const shared = await databaseAt(dataDir)
  const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
  const service = async (name: string) => {
    const opened = await createService({
      ...shared,
      dataDir: join(dataDir, name),
      environment: 'local',
      port: 0,
      logLevel: 'silent',
      python: 'no-such-python',
      artifactsDir: join(dataDir, 'artifacts'),
      sessionKey: 'the-same-sessions-of-both-engines-here',
      secretKey: 'the-same-secret-of-both-engines-here',
      oauthSigningKey: String(key),
    })
    onTestFinished(() => opened.close())
    return { opened, baseUrl: (await opened.listen()).baseUrl }
  }
  const [one, two] = [await service('one'), await service('two')]
  const ask = async (path: string, body: object): Promise<{ token: string; jti: string }> => {
    const headers = { authorization: `Bearer ${await one.opened.superuserToken()}`, 'content-type': 'application/json' }
    const answer = await fetch(`${one.baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await answer.json()) as never
  }
  const { token, jti } = await ask('/workers/tokens', { name: 'far' })
  const knock = ({ baseUrl }: { readonly baseUrl: string }) => {
    const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/workers/attach`, {
      headers: { authorization: `Bearer ${token}` },
    })
    socket.on('error', () => undefined)
    return socket
  }
  const sockets = [one, two].map(knock)
  await Promise.all(sockets.map((socket) => once(socket, 'open')))
  const revokedAt = performance.now()
  const closed = sockets.map((socket) => once(socket, 'close').then(([code]) => Number(code)))
  await ask(`/workers/tokens/${jti}/revoke`, {})
  expect(await Promise.all(closed)).toEqual([4003, 4003])
  // by the news, and not by the look at all guests each half minute
  expect(performance.now() - revokedAt).toBeLessThan(15_000)
  const [, refused] = (await once(knock(two), 'unexpected-response')) as [unknown, { statusCode: number }]
  expect(refused.statusCode).toBe(401)
})
