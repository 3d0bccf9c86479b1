import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { InvalidOption, type RemoteWorkerOptions } from '../src/index.ts'
import { type Behaviour, digestOf, fakeEngine, tokenOf } from './fake-engine.ts'
import { bundle, isAlive, python, until, welcome } from './harness.ts'
import { startWorker } from './remote-worker.ts'

const token = tokenOf({ name: 'gpu-1', labels: ['gpu', 'eu'] })
const code = { kind: 'code', entry: 'entry' } as const
const busy = { source: bundle('() => new Promise((r) => setTimeout(r, 1e6))'), ...code }

/** An engine, and a worker that dials it. */
async function start(behaviour: Behaviour = {}, more: Partial<RemoteWorkerOptions> = {}) {
  const engine = await fakeEngine(behaviour)
  return { engine, ...startWorker(engine.url, { token, ...more }) }
}

describe('what a worker says of itself', () => {
  test("is its host's name, the labels of its token, one call at a time, and what was found [R588, R589, R591]", async () => {
    const { engine } = await start()
    expect((await engine.link()).frames[0]).toMatchObject({
      type: 'hello',
      protocol: 1,
      name: hostname(),
      labels: ['gpu', 'eu'],
      parallel: 1,
      resources: { cpus: expect.any(Number), gpus: expect.any(Number), ram_mb: expect.any(Number) },
      python: null,
    })
  })

  test('is what it was told, where it was told [R588, R589, R591] [R593, R594, R595]', async () => {
    const resources = { cpus: 2, gpus: 0, ram_mb: 100 }
    const env = { SERVICE_WORKER_GPUS: '3' }
    const { engine } = await start({}, { name: 'lab', labels: ['x'], parallel: 4, resources, env })
    const [hello] = (await engine.link()).frames
    expect(hello).toMatchObject({ name: 'lab', labels: ['x'], parallel: 4, resources })
  })

  test('holds what variables say of the machine [R001] [R603]', async () => {
    const { engine } = await start({}, { env: { SERVICE_WORKER_GPUS: '3' } })
    expect((await engine.link()).frames[0]).toMatchObject({ resources: { gpus: 3 } })
  })

  test('has no labels where the token is no token: the engine says what is wrong with it', async () => {
    const { engine } = await start({}, { token: 'nonsense' })
    expect((await engine.link()).frames[0]).toMatchObject({ labels: [] })
  })
})

test('the name and labels of the welcome are told: those that the engine goes by [R588]', async () => {
  const onHello: Behaviour['onHello'] = (link) => link.send({ ...welcome, name: 'gpu-1', labels: ['gpu'] })
  const { events } = await start({ onHello })
  expect(await until(() => events.length > 0)).toBe(true)
  expect(events).toMatchObject([{ type: 'attached', welcome: { name: 'gpu-1', labels: ['gpu'] } }])
})

test('calls of TypeScript are served without any Python, and those of Python say what is missing', async () => {
  const { engine } = await start()
  const link = await engine.link()
  expect(await link.call({ source: bundle('() => ({ y: 1 })'), ...code })).toMatchObject({ outputs: { y: 1 } })
  expect(await link.call({ source: 'def run(): pass' })).toMatchObject({
    error: { message: expect.stringContaining('this worker has no Python') },
  })
})

test('a call is begun before its artifacts are there, and its cancel ends what is still fetched for it', async () => {
  const { promise: isOver, resolve: over } = Promise.withResolvers<boolean>()
  const { engine } = await start({
    artifacts(request) {
      request.socket.once('close', () => over(true))
      return true
    },
  })
  const link = await engine.link()
  const ref = { digest: digestOf(Buffer.from('x')), name: '', media_type: 'a/b', size: 1, volatile: false }
  const call = link.begin({ ...busy, inputs: { data: [ref] } })
  await link.seen('started')
  expect(await until(() => engine.requests.length === 1)).toBe(true)
  link.send({ type: 'cancel', call })
  expect(await link.last(call)).toMatchObject({ error: { type: 'cancelled' } })
  expect(await isOver).toBe(true)
})

describe.skipIf(python === null)('calls of Python over the wire', () => {
  test('emit, print, store and load; what is loaded twice is fetched once [R605] [R601]', async () => {
    const { engine } = await start({}, { python })
    const data = randomBytes(1000)
    engine.stored.set(digestOf(data), data)
    const source = [
      'def run(file):',
      '    emit(loss=1.5)',
      '    print("hello")',
      '    first = load_artifact(file)',
      '    assert first == load_artifact(file)',
      '    return {"y": save_artifact(first[::-1], "turned.bin", "application/x-turned")}',
    ].join('\n')
    const link = await engine.link()
    const file = { digest: digestOf(data), name: 'a', media_type: 'x/y', size: 1000, volatile: false }
    const last = await link.call({ source, inputs: { file } })
    const turned = data.toReversed()
    expect(last).toMatchObject({ type: 'result', outputs: { y: { digest: digestOf(turned), name: 'turned.bin' } } })
    expect(engine.stored.get(digestOf(turned))).toEqual(Buffer.from(turned))
    expect(engine.requests.map(({ method }) => method)).toEqual(['GET', 'PUT'])
    expect(engine.requests.every(({ headers }) => headers.authorization === `Bearer ${token}`)).toBe(true)
    expect(await link.seen('emit')).toMatchObject({ batch: [[{ loss: 1.5 }, expect.any(Number)]] })
    expect(await link.seen('log')).toMatchObject({ stream: 'stdout', text: 'hello\n' })
    expect(await link.seen('artifact')).toMatchObject({ ref: { digest: digestOf(turned) } })
  })

  test('see an artifact that is gone as a missing file, and no credential of the host [R599]', async () => {
    const { engine } = await start({}, { python })
    const missing = `def run():\n    load_artifact("${digestOf(Buffer.from('gone'))}")\n`
    const link = await engine.link()
    expect(await link.call({ source: missing })).toMatchObject({ error: { type: 'FileNotFoundError' } })
    const source =
      'import os\ndef run():\n    return {"y": sorted(k for k in os.environ if "AWS" in k or "TOKEN" in k)}\n'
    expect(await link.call({ source })).toMatchObject({ outputs: { y: [] } })
  })

  test('are ended by a cancel, and the next one runs [F67]', async () => {
    const { engine } = await start({}, { python })
    const link = await engine.link()
    const call = link.begin({ source: 'import time\ndef run():\n    time.sleep(1000)\n' })
    const { pid } = await link.seen('started')
    link.send({ type: 'cancel', call })
    expect(await link.last(call)).toMatchObject({ error: { type: 'cancelled' } })
    expect(isAlive(pid)).toBe(false)
    expect(await link.call({ source: 'def run():\n    return {"y": 1}\n' })).toMatchObject({ outputs: { y: 1 } })
  })

  test('lose their processes at once when the link breaks, even those that ignore being asked [F35] [F69]', async () => {
    const { engine, events } = await start({}, { python, parallel: 2 })
    const link = await engine.link()
    const deaf =
      'import signal, time\ndef run():\n    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n    time.sleep(1000)\n'
    const asked = link.begin({ source: deaf })
    link.begin({ source: deaf, node: 'other' })
    expect(await until(() => link.frames.filter(({ type }) => type === 'started').length === 2)).toBe(true)
    const pids = link.frames.flatMap((frame) => (frame.type === 'started' ? [frame.pid] : []))
    // one of them is within the time that a cancel gives
    link.send({ type: 'cancel', call: asked })
    link.socket.terminate()
    expect(await until(() => !pids.some(isAlive), 2000)).toBe(true)
    const next = await engine.link(2)
    expect(events.map(({ type }) => type)).toEqual(['attached', 'lost'])
    expect(await next.call({ source: 'def run():\n    return {"y": 1}\n' })).toMatchObject({ outputs: { y: 1 } })
    expect(next.frames.some((frame) => 'call' in frame && frame.call === asked && frame.type === 'error')).toBe(false)
  })

  test('that return more than a frame holds fail by themselves', async () => {
    const { engine } = await start({}, { python })
    const link = await engine.link()
    // 20 MB of text that JSON writes with six characters each
    const source = 'def run():\n    return {"y": "\\x01" * 20_000_000}\n'
    expect(await link.call({ source })).toMatchObject({
      type: 'error',
      error: { message: expect.stringContaining('use save_artifact()') },
    })
    expect(await link.call({ source: 'def run():\n    return {"y": 1}\n' })).toMatchObject({ outputs: { y: 1 } })
  })
})

test('TypeScript that returns or emits more than a frame holds fails by itself', async () => {
  const { engine } = await start()
  const link = await engine.link()
  const large = '"x".repeat(40_000_000)'
  const sources = [bundle(`() => ({ y: ${large} })`), bundle(`(_, ctx) => { ctx.emit({ loss: ${large} }) }`)]
  for (const source of sources) {
    expect(await link.call({ source, ...code })).toMatchObject({ type: 'error' })
  }
  expect(await link.call({ source: bundle('() => ({ y: 1 })'), ...code })).toMatchObject({ outputs: { y: 1 } })
})

test('heartbeats name the calls that run [R665]', async () => {
  const { engine } = await start({ onHello: (link) => link.send({ ...welcome, heartbeat_s: 0.05 }) })
  const link = await engine.link()
  const call = link.begin(busy)
  expect((await link.seen('heartbeat')).calls).toEqual([call])
})

describe('a worker attaches again', () => {
  test('after a refusal that may pass, a restart, and a broken link; the waits are its own [F32] [F35]', async () => {
    const { engine, events } = await start({
      refuse: (attempt) => (attempt === 1 ? { status: 503 } : null),
    })
    const first = await engine.link(1)
    first.socket.close(1012)
    const second = await engine.link(2)
    second.socket.terminate()
    await engine.link(3)
    expect(await until(() => events.length === 6)).toBe(true)
    expect(events.map((event) => (event.type === 'lost' ? event.detail : event.type))).toEqual([
      'no worker can attach there (HTTP 503)',
      'attached',
      'the engine restarts (code 1012)',
      'attached',
      'the connection broke',
      'attached',
    ])
  })

  test('when an engine says nothing for too long [F32]', async () => {
    const { engine, events } = await start({}, { silenceS: 0.3 })
    await engine.link(2)
    expect(events.some((event) => event.type === 'lost' && /nothing came/.test(event.detail))).toBe(true)
  })

  test('and waits longer after each failure, until it is welcomed [F34]', async () => {
    const waits: number[] = []
    const random = (): number => {
      waits.push(waits.length)
      return 0.002
    }
    const { engine, events } = await start(
      { refuse: (attempt) => (attempt <= 3 || attempt === 5 ? { status: 503 } : null) },
      { random },
    )
    ;(await engine.link(1)).socket.terminate()
    await engine.link(2)
    const retries = events.flatMap((event) => (event.type === 'lost' ? [event.retryMs] : []))
    expect(retries).toEqual([2, 4, 8, 2, 4])
  })

  test('and leaves nothing of the last attempt behind', async () => {
    const { engine, directory } = await start()
    for (let nth = 1; nth < 4; nth += 1) (await engine.link(nth)).socket.terminate()
    await engine.link(4)
    expect(readdirSync(directory).filter((name) => name.startsWith('flow-worker-'))).toHaveLength(1)
  })

  test('where there was no room for its files, and says so', async () => {
    const directory = join(mkdtempSync(join(tmpdir(), 'w-')), 'file')
    onTestFinished(() => rmSync(join(directory, '..'), { recursive: true }))
    writeFileSync(directory, '')
    const { engine, events } = await start({}, { directory })
    expect(await until(() => events.length > 1)).toBe(true)
    expect(events[0]).toMatchObject({ type: 'lost', detail: expect.stringMatching(/ENOTDIR|EEXIST/) })
    expect(engine.attempts()).toBeGreaterThan(1)
  })
})

describe('a worker ends', () => {
  test.each(['protocol_mismatch', 'labels_mismatch'] as const)(
    'when it is refused for %s [R439] [R589]',
    async (reason) => {
      const { end, engine } = await start({
        onHello(link) {
          link.send({ type: 'refused', code: reason, protocol: 2, detail: 'upgrade the worker' })
          link.socket.close(4001)
        },
      })
      expect(await end).toEqual({ kind: 'refused', detail: 'the engine refused this worker: upgrade the worker' })
      expect(engine.attempts()).toBe(1)
    },
  )

  test('when its token is not taken, or revoked while it is attached', async () => {
    const refused = await start({ refuse: () => ({ status: 401 }) })
    expect(await refused.end).toMatchObject({ kind: 'credential' })
    const revoked = await start()
    const link = await revoked.engine.link()
    link.begin(busy)
    const { pid } = await link.seen('started')
    link.socket.close(4003)
    expect(await revoked.end).toMatchObject({ kind: 'credential', detail: expect.stringContaining('revoked') })
    expect([isAlive(pid), revoked.engine.attempts()]).toEqual([false, 1])
  })

  test('when it is stopped: its calls fail as lost, and it says good-bye', async () => {
    const { engine, stop, end, directory } = await start()
    const link = await engine.link()
    const call = link.begin(busy)
    await link.seen('started')
    stop()
    expect(await end).toMatchObject({ kind: 'stopped' })
    expect(await link.last(call)).toMatchObject({ error: { type: 'worker_lost' } })
    expect([link.frames.at(-1), await link.closed]).toEqual([{ type: 'bye', reason: 'shutdown' }, 1000])
    expect(readdirSync(directory)).toEqual([])
  })

  test('when it is stopped before it is attached, and while it waits', async () => {
    const early = await start({ refuse: () => (early.stop(), null) })
    expect(await early.end).toMatchObject({ kind: 'stopped' })
    const never = await start({}, { signal: AbortSignal.abort() })
    expect([await never.end, never.engine.attempts()]).toEqual([expect.objectContaining({ kind: 'stopped' }), 0])
    const waiting = await start({ refuse: () => ({ status: 503 }) }, { random: () => 0.99 })
    expect(await until(() => waiting.events.length > 0)).toBe(true)
    waiting.stop()
    expect(await waiting.end).toMatchObject({ kind: 'stopped' })
  })

  test('when no call came for long enough; a call that runs is no idleness [R596]', async () => {
    const { engine, end } = await start({}, { maxIdleS: 0.4 })
    const link = await engine.link()
    const call = link.begin({
      source: bundle('() => new Promise((r) => setTimeout(() => r({ y: 1 }), 1000))'),
      ...code,
    })
    expect(await link.last(call)).toMatchObject({ outputs: { y: 1 } })
    expect(await end).toEqual({ kind: 'idle', detail: 'no call came for 0.4 seconds' })
    expect(link.frames.at(-1)).toEqual({ type: 'bye', reason: 'max_idle' })
  })
})

test.each<[Partial<RemoteWorkerOptions>, RegExp]>([
  [{ url: 'ws://10.0.0.1/api/v1/workers/attach' }, /in the clear/],
  [{ token: '' }, /the token is empty/],
  [{ token: 'two\nlines' }, /characters that no token has/],
  [{ env: { SERVICE_ARTIFACT_CACHE_BYTES: '1 GB' } }, /SERVICE_ARTIFACT_CACHE_BYTES/],
])('%j is refused before anything is sent [R001]', async (more, text) => {
  const { end, engine } = await start({}, more)
  const error: unknown = await end.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(InvalidOption)
  expect(String(error)).toMatch(text)
  expect(engine.attempts()).toBe(0)
})
