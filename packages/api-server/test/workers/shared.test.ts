/** Flavors and tokens of workers of two engines on one database. */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { MintedWorkerToken, Run, WorkerEntry } from '@flow-service/protocol'
import { findPython, runWorker } from '@flow-service/worker-agent'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'

import { AwakeTime } from '../../../../test/components/awake-time.ts'
import { openDoor } from '../../../../test/components/door.ts'
import type { ServiceConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/db/database.ts'
import { Lifecycle } from '../../src/process/lifecycle.ts'
import { createService } from '../../src/service.ts'
import { Flavors } from '../../src/workers/flavors.ts'
import { databaseAt } from '../backend.ts'
import { quiet } from '../use-database.ts'

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'flavors-'))
  // engines that open at the same moment would both make it
  await databaseAt(dataDir)
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

const signingKey = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))

/** An engine that listens, with a data folder of its own; it ends with the test. */
async function service(name: string, more: ServiceConfig = {}) {
  const opened = await createService({
    ...(await databaseAt(dataDir)),
    dataDir: join(dataDir, name),
    environment: 'local',
    port: 0,
    logLevel: 'silent',
    python: 'no-such-python',
    artifactsDir: join(dataDir, 'artifacts'),
    sessionKey: 'the-same-sessions-of-both-engines-here',
    secretKey: 'the-same-secret-of-both-engines-here',
    oauthSigningKey: signingKey,
    ...more,
  })
  onTestFinished(() => opened.close())
  const { baseUrl } = await opened.listen()
  /** What an engine answers a superuser. */
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${await opened.superuserToken()}`, 'content-type': 'application/json' }
    const sent = body === undefined ? null : JSON.stringify(body)
    const answer = await fetch(`${baseUrl}${path}`, { method, headers, body: sent })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }
  return { baseUrl, ask }
}

test('a token of one engine attaches workers at the other, and is revoked at both at once [R577, T30]', async () => {
  const [one, two] = [await service('one'), await service('two')]
  const { token, jti } = await one.ask<MintedWorkerToken>('POST', '/workers/tokens', { name: 'far' })
  const knock = ({ baseUrl }: { readonly baseUrl: string }) => {
    const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/workers/attach`, {
      headers: { authorization: `Bearer ${token}` },
    })
    socket.on('error', () => undefined)
    return socket
  }
  const sockets = [one, two].map(knock)
  await Promise.all(sockets.map((socket) => once(socket, 'open')))
  using awake = new AwakeTime()
  const closed = sockets.map((socket) => once(socket, 'close').then(([code]) => Number(code)))
  await one.ask('POST', `/workers/tokens/${jti}/revoke`)
  expect(await Promise.all(closed)).toEqual([4003, 4003])
  // by the news, and not by the look at all guests each half minute
  expect(awake.ms).toBeLessThan(15_000)
  const [, refused] = (await once(knock(two), 'unexpected-response')) as [unknown, { statusCode: number }]
  expect(refused.statusCode).toBe(401)
})

/** Notes that it has begun, and waits for a file. */
const waiting = `import os, time
def run(n, notes, gate):
    with open(notes, "a") as file:
        file.write(f"{n} ")
    while not os.path.exists(gate):
        time.sleep(0.02)
    return {"out": n}
`

const python = await findPython(process.env)

test.skipIf(python === null)(
  'a worker with two places executes runs of three engines: the call beyond them waits at its engine, and each is made once',
  async () => {
    const [notes, gate] = [join(dataDir, 'notes'), join(dataDir, 'gate')]
    const names = ['a', 'b', 'c']
    const doors = await Promise.all(names.map(() => openDoor()))
    const engines = await Promise.all(
      names.map(async (name, at) => {
        const started = await service(name, { advertiseUrl: doors[at]?.url ?? null, maxRuns: 1 })
        doors[at]?.leadTo(started.baseUrl)
        return started
      }),
    )
    const [first] = engines as [(typeof engines)[0]]
    const { token } = await first.ask<MintedWorkerToken>('POST', '/workers/tokens', { name: 'shared' })
    const stop = new AbortController()
    const ended = runWorker({
      url: doors[0]?.url ?? '',
      token,
      parallel: 2,
      python: python?.path ?? null,
      signal: stop.signal,
      env: { PATH: process.env['PATH'], SERVICE_ARTIFACT_CACHE: join(dataDir, 'kept') },
    })
    onTestFinished(async () => {
      stop.abort()
      await ended
    })
    const workers = () => Promise.all(engines.map(({ ask }) => ask<WorkerEntry[]>('GET', '/workers')))
    await expect
      .poll(async () => (await workers()).map((list) => list.map(({ name }) => name)))
      .toEqual([['shared'], ['shared'], ['shared']])
    const port = (direction: string, name: string, dtype: string) => ({ direction, name, dtype })
    const { version } = await first.ask<{ version: number }>('PUT', '/flows/wait', {
      mode: 'batch',
      inputs: [{ name: 'n', dtype: 'int', initial: 3 }],
      outputs: [{ name: 'out' }],
      nodes: [
        {
          id: 'work',
          type: 'python',
          source: waiting,
          worker: 'shared',
          cache: false,
          settings: { notes, gate },
          ports: [port('input', 'n', 'int'), port('output', 'out', 'any')],
        },
      ],
    })
    await first.ask('POST', '/flows/wait/publish', { version })
    const runs = await Promise.all([1, 2, 3].map((n) => first.ask<Run>('POST', '/runs/flows/wait', { params: { n } })))
    await expect
      .poll(async () => (await workers()).map(([worker]) => worker?.calls.length ?? 0).toSorted((a, b) => a - b))
      .toEqual([0, 1, 1])
    const nodes = async () =>
      (await Promise.all(runs.map(({ id }) => first.ask<Run>('GET', `/runs/${id}`)))).flatMap((run) => run.nodes)
    await expect
      .poll(async () => (await nodes()).filter(({ status }) => status === 'queued'))
      .toMatchObject([{ waiting_for: 'shared' }])
    await writeFile(gate, '')
    await expect.poll(async () => (await nodes()).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok'])
    expect((await readFile(notes, 'utf8')).trim().split(' ').toSorted()).toEqual(['1', '2', '3'])
  },
)
