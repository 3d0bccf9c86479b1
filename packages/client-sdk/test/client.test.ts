import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createService, type Service } from '@flow-service/api-server'
import { batchFlow, input, liveFlow, stage, stream, t } from '@flow-service/flow-sdk'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'

import { ApiError, type Client, createClient, MediaRefused, RunFailed } from '../src/index.ts'

const halve = stage('halve', {
  in: { n: t.float },
  out: { half: t.float },
  run({ n }) {
    if (n < 0) throw new RangeError(`${n} is negative`)
    return { half: n / 2 }
  },
})
const halving = batchFlow('halving', { n: input(t.float, 8) }, (p, use) => use(halve, p))
const count = stage('count', {
  in: { points: t.int },
  out: { level: stream(t.int) },
  async *run({ points }) {
    for (let step = 0; step < points; step++) {
      await new Promise((resolve) => setImmediate(resolve))
      yield { level: step * step }
    }
    return {}
  },
})
const counting = batchFlow('counting', { points: input(t.int, 3) }, (p, use) => use(count, p))
const meter = liveFlow('meter', { level: t.float, frame: t.image }, () => {})

let dataDir: string
let service: Service
let baseUrl: string
let client: Client
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'client-'))
  service = await createService({
    dataDir,
    port: 0,
    environment: 'local',
    logLevel: 'silent',
    flows: [halving, counting, meter],
  })
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
    const refused = await client.flows.get('nobody').catch((error: unknown) => error)
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

describe('one spelling of every operation', () => {
  /** What a call sends. */
  async function sent(call: (recorded: Client) => Promise<unknown>) {
    const requests: Request[] = []
    const recorded = createClient({
      baseUrl: 'http://127.0.0.1/api/v1',
      fetch: async (input, init) => {
        requests.push(new Request(input, init))
        return Response.json({})
      },
    })
    await call(recorded)
    const [{ method, url, body }, text] = [requests[0]!, await requests[0]!.text()]
    return [method, url.slice('http://127.0.0.1/api/v1'.length), body === null ? null : JSON.parse(text)]
  }

  test('what stands in the path is positional, by its name or by what has it', async () => {
    const byName = await sent((at) => at.flows.get('halving', { published: true }))
    expect(byName).toEqual(['GET', '/flows/halving?published=true', null])
    expect(await sent((at) => at.flows.get(halving, { published: true }))).toEqual(byName)
    expect(await sent((at) => at.http.runs.get({ id: 'r1' }))).toEqual(await sent((at) => at.runs.get('r1')))
    const newest = await sent((at) => at.messages.history(meter.messages.level, { limit: 1 }))
    expect(newest).toEqual(['GET', '/messages/meter.level/history?limit=1', null])
    const digest = await sent((at) => at.http.artifacts.delete({ digest: 'sha256:1' }))
    expect(digest).toEqual(await sent((at) => at.artifacts.delete('sha256:1')))
    expect(await sent((at) => at.flows.nodes.cancel(meter, 'n1'))).toEqual([
      'POST',
      '/flows/meter/nodes/n1/cancel',
      null,
    ])
  })

  test('all else is one object of options, whose names are those of the wire in camelCase', async () => {
    const metrics = await sent((at) => at.runs.metrics('r1', { name: 'loss', afterStep: 3 }))
    expect(metrics).toEqual(['GET', '/runs/r1/metrics?name=loss&after_step=3', null])
    const change = { addTags: ['good'], ids: ['r1', { id: 'r2' }] }
    expect(await sent((at) => at.runs.updateMany(change))).toEqual([
      'PATCH',
      '/runs',
      { add_tags: ['good'], ids: ['r1', 'r2'] },
    ])
    const names = await sent((at) => at.metrics.names({ flow: halving, ids: [{ id: 'r1' }, 'r2'] }))
    expect(names).toEqual(['GET', '/runs/metrics/names?flow=halving&ids=r1,r2', null])
    expect(await sent((at) => at.secrets.set('key', { value: 'x' }))).toEqual(['PUT', '/secrets/key', { value: 'x' }])
  })

  test('a name of both path and body is told apart by its place', async () => {
    expect(await sent((at) => at.flows.rename(halving, { name: 'half' }))).toEqual([
      'POST',
      '/flows/halving/rename',
      { name: 'half' },
    ])
    const copied = await sent((at) => at.dashboards.duplicate('overview', { name: 'copy' }))
    expect(copied).toEqual(['POST', '/dashboards/overview/duplicate', { name: 'copy' }])
    expect(await sent((at) => at.flows.duplicate('halving'))).toEqual(['POST', '/flows/halving/duplicate', {}])
  })

  test('a document is an argument of its own, and goes as it is', async () => {
    const document = { name: 'other', mode: 'batch' as const, nodes: [] }
    expect(await sent((at) => at.flows.save('drawn', document))).toEqual(['PUT', '/flows/drawn', document])
    const report = await sent((at) => at.devices.report('board', { some_key: 1 }))
    expect(report).toEqual(['PUT', '/devices/board/report', { some_key: 1 }])
  })

  test('a signal ends the request, headers go along, and the generated functions are beside them', async () => {
    const gone = client.flows.list({ signal: AbortSignal.abort(new Error('enough')) })
    await expect(gone).rejects.toThrow('enough')
    const raw = await sent((at) => at.http.runs.submit({ name: 'halving', no_cache: true }))
    expect(raw).toEqual(['POST', '/runs/flows/halving', { no_cache: true }])
    expect(await sent((at) => at.runs.submit(halving, { noCache: true }))).toEqual(raw)
  })
})

describe('runs by flow objects', () => {
  test('submit, wait and result', async () => {
    const handle = await client.runs.submit(halving, { params: { n: 5 } })
    expect(handle.flow).toBe('halving')
    expect(await handle.result()).toEqual({ half: 2.5 })
    expect((await handle.wait()).status).toBe('ok')
  })

  test('NaN and the infinities arrive as numbers in both directions', async () => {
    const result = await (await client.runs.submit(halving, { params: { n: Infinity } })).result()
    expect(result.half).toBe(Infinity)
  })

  test('a run that fails rejects the result with the run and the node', async () => {
    const failure = await (
      await client.runs.submit(halving, { params: { n: -1 } })
    )
      .result()
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(RunFailed)
    expect((failure as RunFailed).message).toMatch(/node halve.*-1 is negative/)
    expect((failure as RunFailed).run.status).toBe('error')
  })

  test('a sweep queues every combination once for each seed, all under one group', async () => {
    const search = { grid: { n: [4, 6] }, seeds: [1, 2] }
    const { groupId, runs } = await client.runs.sweep(halving, search)
    expect(await Promise.all(runs.map((run) => run.result()))).toEqual([2, 2, 3, 3].map((half) => ({ half })))
    const listed = await client.runs.list({ group: groupId })
    expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(runs.map(({ id }) => id)))
    expect(listed.map(({ seed }) => Number(seed)).toSorted((a, b) => a - b)).toEqual([1, 1, 2, 2])
  })

  test('a plan tells what a submission or sweep would execute, and executes nothing', async () => {
    const before = await client.runs.list({ flow: 'halving' })
    const one = await client.runs.plan(halving, { params: { n: 1234 } })
    expect(one.stages).toMatchObject([{ node: 'halve', runs: 1, hits: 0, misses: 1 }])
    const several = await client.runs.plan(halving, { grid: { n: [1234, 1235] }, seeds: [1, 2] })
    expect(several).toMatchObject({ runs: 4, stages: [{ misses: 4, why: ['cache: false'] }] })
    expect(await client.runs.list({ flow: 'halving' })).toHaveLength(before.length)
  })

  test('a curve is followed from its first point to the end of its run, and compared with others', async () => {
    const slow = await client.runs.submit(counting, { params: { points: 12 } })
    const values: number[] = []
    for await (const { step, value } of slow.metrics('level')) values[step] = value
    expect(values).toEqual(Array.from({ length: 12 }, (_, step) => step * step))
    const thinned: number[] = []
    const asked = vi.spyOn(client.http.runs, 'metrics')
    for await (const { step } of slow.metrics('counting.level', { stride: 5 })) thinned.push(step)
    expect(thinned).toEqual([0, 5, 10, 11])
    // bare: a flow that is renamed meanwhile has no such name any more
    expect(asked).toHaveBeenCalledWith({ id: slow.id, name: 'level' })
    asked.mockRestore()
    const short = await client.runs.submit(counting, { params: { points: 2 } })
    await short.wait()
    const { series } = await client.metrics.compare([slow, short.id], 'level')
    expect(series.map(({ points }) => points.length)).toEqual([12, 2])
  })

  test('a finished run is retried with its values, and bytes are uploaded with their type', async () => {
    const first = await client.runs.submit(halving, { params: { n: 18 } })
    await first.wait()
    const again = await first.retry()
    expect(await again.wait()).toMatchObject({ parent: first.id, result: { half: 9 } })
    const ref = await client.artifacts.put('a,b', { name: 'table.csv', mediaType: 'text/csv' })
    expect(ref).toMatchObject({ name: 'table.csv', media_type: 'text/csv', size: 3 })
  })

  test('a flow by its name takes the same options, in camelCase', async () => {
    const handle = await client.runs.submit('halving', { params: { n: 5 }, noCache: true, priority: 2 })
    expect(await handle.result()).toEqual({ half: 2.5 })
    expect(await client.runs.get(handle)).toMatchObject({ flow: 'halving', priority: 2 })
    const { runs } = await client.runs.sweep('halving', { grid: { n: [4, 6] } })
    expect((await client.runs.plan('halving', { params: { n: 1234 } })).runs).toBe(1)
    expect(await Promise.all(runs.map((run) => run.result()))).toEqual([{ half: 2 }, { half: 3 }])
    await expect(client.runs.submit('nobody')).rejects.toMatchObject({ problem: { code: 'not_found' } })
  })

  test('equal idempotency keys are one run', async () => {
    const [one, two] = await Promise.all(
      [1, 2].map(() => client.runs.submit(halving, { params: { n: 3 }, idempotencyKey: 'nightly' })),
    )
    expect(one?.id).toBe(two?.id)
  })

  test('waiting ends when its signal aborts', async () => {
    const stop = new AbortController()
    const handle = await client.runs.submit(halving)
    await handle.wait()
    stop.abort(new Error('enough'))
    const sleeper = client.runs.wait(handle.id, { signal: stop.signal })
    await expect(sleeper).resolves.toMatchObject({ status: 'ok' })
  })
})

describe('messages by Refs', () => {
  test('subscribe begins with the last value and goes on with what is published', async () => {
    await client.messages.publish(meter.messages.level, 1.5)
    const values = client.messages.subscribe(meter.messages.level)
    expect((await values.next()).value?.value).toBe(1.5)
    await client.messages.publish(meter.messages.level, Number.NaN)
    expect((await values.next()).value?.value).toBeNaN()
    await values.return()
  })

  test('media begin with the current picture and go on with what is published [R647]', async () => {
    const take = async (picture: string | Uint8Array<ArrayBuffer>): Promise<string> => {
      const ref = await client.artifacts.put(picture, { name: 'frame', mediaType: 'image/svg+xml', volatile: true })
      await client.messages.publish(meter.messages.frame, ref)
      return ref.digest
    }
    const digest = await take('<svg/>')
    const frames = client.media([meter.messages.frame])
    const { value: first } = await frames.next()
    expect(first).toMatchObject({ message: 'meter.frame', mediaType: 'image/svg+xml', digest })
    expect(new TextDecoder().decode(first?.bytes)).toBe('<svg/>')
    const large = new Uint8Array(7 * 1024 * 1024).fill(7)
    await take(large)
    expect((await frames.next()).value?.bytes).toEqual(large)
    await frames.return()
    await expect(client.media(['meter.nothing']).next()).rejects.toThrow(MediaRefused)
  })

  test('events reject when nothing answers at first, and when the sign-in is refused', async () => {
    await expect(createClient({ baseUrl: 'http://127.0.0.1:1/api/v1' }).events().next()).rejects.toThrow('fetch failed')
    await expect(createClient({ baseUrl, token: 'stale' }).events().next()).rejects.toMatchObject({ status: 401 })
  })
})

/** The same service again, at the same address. */
async function restart(): Promise<void> {
  const { port, hostname } = new URL(baseUrl)
  await service.close()
  service = await createService({
    dataDir,
    host: hostname,
    port: Number(port),
    environment: 'local',
    logLevel: 'silent',
    flows: [halving, counting, meter],
  })
  await service.listen()
}

// a restart takes as long as the machine lets it
describe('the stream of events', { timeout: 60_000 }, () => {
  afterEach(() => vi.restoreAllMocks())

  test('begins with a snapshot of the chosen flows, and numbers its frames', async () => {
    const frames = client.events({ flows: ['meter'] })
    const first = (await frames.next()).value
    expect(first).toMatchObject({ type: 'snapshot', flows: [{ name: 'meter' }] })
    await client.messages.publish(meter.messages.level, 3)
    expect((await frames.next()).value).toMatchObject({ type: 'value', message: 'meter.level', value: 3 })
    await frames.return()
  })

  test('of no flows tells nothing', async () => {
    const frames = client.events({ flows: [] })
    expect((await frames.next()).value).toMatchObject({ type: 'snapshot', flows: [], values: [] })
    await frames.return()
  })

  test('ends at once by return(), also while nothing comes', async () => {
    for (const stream of [client.events({ flows: [] }), client.messages.subscribe(meter.messages.level)]) {
      await stream.next()
      const waiting = stream.next()
      expect((await stream.return()).done).toBe(true)
      expect((await waiting).done).toBe(true)
      expect((await stream.next()).done).toBe(true)
    }
  })

  test('ends when its signal aborts: before it begins, while it connects, while it waits', async () => {
    expect((await client.events({ signal: AbortSignal.abort() }).next()).done).toBe(true)
    const connecting = new AbortController()
    const first = client.events({ signal: connecting.signal }).next()
    connecting.abort()
    expect((await first).done).toBe(true)
    const waiting = new AbortController()
    const values = client.messages.subscribe(meter.messages.level, { signal: waiting.signal })
    await values.next()
    const next = values.next()
    waiting.abort()
    expect((await next).done).toBe(true)
  })

  test('leaves a loop by break, and closes its socket', async () => {
    const closed = vi.spyOn(WebSocket.prototype, 'close')
    for await (const frame of client.events()) {
      expect(frame.type).toBe('snapshot')
      break
    }
    expect(closed).toHaveBeenCalled()
  })

  test('rejects when nothing answers at first, and when the sign-in is refused, at the first try', async () => {
    await expect(createClient({ baseUrl: 'http://127.0.0.1:1/api/v1' }).events().next()).rejects.toThrow('fetch failed')
    const asked = vi.fn<typeof fetch>(fetch)
    const refused = createClient({ baseUrl, token: 'stale', fetch: asked }).events()
    await expect(refused.next()).rejects.toMatchObject({ status: 401 })
    expect(asked).toHaveBeenCalledTimes(1)
    expect((await refused.next()).done).toBe(true)
  })

  test('waits longer after each try while the engine is away, at most 5 seconds, and ends meanwhile by return()', async () => {
    let answers = 0
    const away: typeof fetch = (...request) =>
      ++answers === 1 ? fetch(...request) : Promise.resolve(new Response('starting', { status: 503 }))
    const pauses: number[] = []
    const { setTimeout: real } = globalThis
    const stream = createClient({ baseUrl, token: () => service.superuserToken(), fetch: away }).events()
    expect((await stream.next()).value?.type).toBe('snapshot')
    const enough = Promise.withResolvers<void>()
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms = 0) => {
      // only those of the stream: answered at once, and the last one never
      if (ms < 125 || !new Error().stack?.includes('event-stream')) return real(run, ms)
      pauses.push(ms)
      if (pauses.length < 9) return real(run, 0)
      enough.resolve()
      return real(run, 2 ** 30)
    }) as typeof setTimeout)
    const waiting = stream.next()
    await restart()
    await enough.promise
    for (const [step, ms] of pauses.entries()) {
      const longest = Math.min(250 * 2 ** step, 5_000)
      expect(ms).toBeGreaterThanOrEqual(longest / 2)
      expect(ms).toBeLessThanOrEqual(longest)
    }
    await stream.return()
    expect((await waiting).done).toBe(true)
  })

  test('survives a restart of the engine with a fresh snapshot, and subscriptions go on', async () => {
    await client.messages.publish(meter.messages.level, 7)
    const stop = new AbortController()
    const frames = client.events({ signal: stop.signal })
    const values = client.messages.subscribe(meter.messages.level)
    expect((await frames.next()).value?.type).toBe('snapshot')
    expect((await values.next()).value?.value).toBe(7)
    // these wait through the time when nothing answers
    const [next, again] = [frames.next(), values.next()]
    await restart()
    expect((await next).value).toMatchObject({ type: 'snapshot' })
    expect((await again).value?.value).toBe(7)
    stop.abort()
    expect((await frames.next()).done).toBe(true)
    await values.return()
  })

  test('rejects when it comes back and its sign-in has ended meanwhile', async () => {
    let current = await service.superuserToken()
    const frames = createClient({ baseUrl, token: () => current }).events()
    await frames.next()
    current = 'ended'
    const next = frames.next().catch((error: unknown) => error)
    await restart()
    expect(await next).toMatchObject({ status: 401 })
  })
})
