import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createService, type Service } from '@flow-service/api-server'
import { batchFlow, input, liveFlow, stage, t } from '@flow-service/flow-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { ApiError, type Client, createClient, RunFailed } from '../src/index.ts'

const halve = stage('halve', {
  in: { n: t.float },
  out: { half: t.float },
  run({ n }) {
    if (n < 0) throw new RangeError(`${n} is negative`)
    return { half: n / 2 }
  },
})
const halving = batchFlow('halving', { n: input(t.float, 8) }, (p, use) => use(halve, p))
const meter = liveFlow('meter', { level: t.float }, () => {})

let dataDir: string
let service: Service
let baseUrl: string
let client: Client
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'client-'))
  service = await createService({ dataDir, port: 0, environment: 'local', logLevel: 'silent', flows: [halving, meter] })
  ;({ baseUrl } = await service.listen())
  const token = await service.superuserToken()
  client = createClient({ baseUrl: `${baseUrl}/`, token: async () => token })
})
afterAll(async () => {
  await service.close()
  await rm(dataDir, { recursive: true, force: true })
})

describe('requests', () => {
  test('a refusal rejects with the problem, its code and its status', async () => {
    const refused = await client.flows.get({ name: 'nobody' }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ApiError)
    expect(refused).toMatchObject({ status: 404, problem: { code: 'not_found' } })
    expect((refused as Error).message).toContain('nobody')
  })

  test('a client without a token is told to sign in', async () => {
    await expect(createClient({ baseUrl }).users.me()).rejects.toMatchObject({ status: 401 })
  })

  test('an answer that is no problem document still rejects with a status', async () => {
    const broken = createClient({ baseUrl, fetch: async () => new Response('gateway', { status: 502 }) })
    await expect(broken.users.me()).rejects.toMatchObject({ status: 502, problem: { detail: 'gateway' } })
  })
})

describe('runs by flow objects', () => {
  test('submit, wait and result', async () => {
    const handle = await client.submit(halving, { params: { n: 5 } })
    expect(handle.submitted.status).toBe('queued')
    expect(await handle.result()).toEqual({ half: 2.5 })
    expect((await handle.wait()).status).toBe('ok')
  })

  test('NaN and the infinities arrive as numbers in both directions', async () => {
    const result = await (await client.submit(halving, { params: { n: Infinity } })).result()
    expect(result.half).toBe(Infinity)
  })

  test('a run that fails rejects the result with the run and the node', async () => {
    const failure = await (
      await client.submit(halving, { params: { n: -1 } })
    )
      .result()
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(RunFailed)
    expect((failure as RunFailed).message).toMatch(/node halve.*-1 is negative/)
    expect((failure as RunFailed).run.status).toBe('error')
  })

  test('equal idempotency keys are one run', async () => {
    const [one, two] = await Promise.all(
      [1, 2].map(() => client.submit(halving, { params: { n: 3 }, idempotencyKey: 'nightly' })),
    )
    expect(one?.id).toBe(two?.id)
  })

  test('waiting ends when its signal aborts', async () => {
    const stop = new AbortController()
    const handle = await client.submit(halving)
    await handle.wait()
    stop.abort(new Error('enough'))
    const sleeper = client.wait(handle.id, { signal: stop.signal })
    await expect(sleeper).resolves.toMatchObject({ status: 'ok' })
  })
})

describe('messages by Refs', () => {
  test('subscribe begins with the last value and goes on with what is published', async () => {
    await client.publish(meter.messages.level, 1.5)
    const values = client.subscribe(meter.messages.level)
    expect((await values.next()).value?.value).toBe(1.5)
    await client.publish(meter.messages.level, Number.NaN)
    expect((await values.next()).value?.value).toBeNaN()
    await values.return()
  })

  test('events reject when nothing answers at first, and when the sign-in is refused', async () => {
    await expect(createClient({ baseUrl: 'http://127.0.0.1:1/api/v1' }).events().next()).rejects.toThrow('fetch failed')
    await expect(createClient({ baseUrl, token: 'stale' }).events().next()).rejects.toMatchObject({ status: 401 })
  })

  test('events survive a restart of the engine: a fresh snapshot comes', async () => {
    const stop = new AbortController()
    const frames = client.events({ signal: stop.signal })
    expect((await frames.next()).value?.type).toBe('snapshot')
    const { port, hostname } = new URL(baseUrl)
    const next = frames.next() // waits through the time when nothing answers
    await service.close()
    service = await createService({
      dataDir,
      host: hostname,
      port: Number(port),
      environment: 'local',
      logLevel: 'silent',
      flows: [halving, meter],
    })
    await service.listen()
    expect((await next).value?.type).toBe('snapshot')
    stop.abort()
    expect((await frames.next()).done).toBe(true)
  })
})
