import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { VirtualClock } from '@flow-service/core/testing'
import {
  type EngineFrame,
  type ForeignHelloFrame,
  type HelloFrame,
  type ObservabilitySummary,
  WORKER_PROTOCOL,
  type WorkerFrame,
  workerFrameSchema,
} from '@flow-service/protocol'
import { createWorker, type EngineTransport, memoryTransport, WorkerRefused } from '@flow-service/worker-agent'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'

import { createService } from '../../src/service.ts'
import { createDispatcher } from '../../src/workers/dispatch.ts'
import { WorkerPool } from '../../src/workers/pool.ts'
import { startService } from '../observability/service.ts'
import { codeCall, noFlavors } from './code-call.ts'

const [OLDER, NEWER] = [WORKER_PROTOCOL - 1, WORKER_PROTOCOL + 1]

const hello: HelloFrame = {
  type: 'hello',
  protocol: WORKER_PROTOCOL,
  version: '1.0.0',
  name: 'lab',
  labels: ['gpu'],
  parallel: 4,
  resources: { cpus: 4, gpus: 0, ram_mb: 1000 },
  python: '3.12.0',
  platform: 'linux-x64',
}
/** What the hello of another version is read as. */
const foreign = (protocol: number, name = 'lab', version = '0.9.0'): ForeignHelloFrame => ({
  type: 'hello',
  protocol,
  version,
  name,
})

const unused = (): Promise<never> => Promise.reject(new Error('no artifacts here'))
const tokenOf = (name: string) => ({ kind: 'worker', jti: 'j', name, labels: ['gpu'] }) as const
const newPool = (): WorkerPool =>
  new WorkerPool({ clock: new VirtualClock(0), newId: () => 'w', engineVersion: '1.0.0' })

/** Attaches a link that stays open for a while after it was closed, as a socket does, and says hello on it. */
function attach(pool: WorkerPool, frame: HelloFrame | ForeignHelloFrame) {
  const { worker, engine } = memoryTransport({ get: unused, put: unused })
  const frames: EngineFrame[] = []
  const endings: unknown[] = []
  worker.onFrame((got) => void frames.push(got))
  pool.attach({ ...engine, close: (reason) => void endings.push(reason) }, tokenOf(frame.name))
  void worker.send(frame)
  return { frames, endings, send: (next: WorkerFrame) => worker.send(next) }
}

/** The engine's end of a link on which a worker says that it speaks another version. */
const speaking = (transport: EngineTransport, protocol: number): EngineTransport => ({
  ...transport,
  onFrame: (listener) =>
    transport.onFrame((frame) => listener(frame.type === 'hello' ? { ...frame, protocol } : frame)),
})

describe('a worker of another version of the protocol', () => {
  test.each([
    ['an older one', OLDER, 'upgrade the worker'],
    ['a newer one', NEWER, 'upgrade the engine first, then its workers'],
  ])('%s is told both versions and what to do, and its link is closed [R690]', (_, protocol, remedy) => {
    const pool = newPool()
    const { frames, endings } = attach(pool, foreign(protocol))
    expect(frames).toEqual([
      {
        type: 'refused',
        code: 'protocol_mismatch',
        protocol: WORKER_PROTOCOL,
        detail:
          `worker "lab" (version 0.9.0) speaks protocol ${protocol}, ` +
          `this engine (version 1.0.0) speaks protocol ${WORKER_PROTOCOL}: ${remedy}`,
      },
    ])
    expect(endings).toEqual(['refused'])
    expect(pool.list()).toEqual([])
  })

  test('one of the same version is welcomed, and nothing is closed [R690]', () => {
    const pool = newPool()
    const { frames, endings } = attach(pool, hello)
    expect(frames).toMatchObject([{ type: 'welcome', protocol: WORKER_PROTOCOL }])
    expect([endings, pool.list().length, pool.needingUpgrade()]).toEqual([[], 1, []])
  })

  test('gets no call, also not by saying hello again on the link that was refused [R690]', async () => {
    const pool = newPool()
    const dispatcher = createDispatcher({ pool, bundleOf: async () => '', inProcess: () => null, flavors: noFlavors })
    const refused = attach(pool, foreign(OLDER))
    void refused.send(hello)
    const call = codeCall({ node: { worker: 'lab' } })
    const done = dispatcher.call(call)
    await expect.poll(() => call.record.places).toEqual([{ waitingFor: 'lab' }])
    expect([refused.frames.length, pool.list()]).toEqual([1, []])
    call.record.cancel()
    await expect(done).rejects.toMatchObject({ type: 'cancelled' })
  })

  test('is understood whatever else its hello holds, and one of this version has to be whole [R690]', () => {
    const next = { type: 'hello', protocol: NEWER, version: '2.0.0', name: 'lab', offers: [{ cpu: 4 }] }
    expect(workerFrameSchema.parse(next)).toEqual(foreign(NEWER, 'lab', '2.0.0'))
    expect(workerFrameSchema.parse(hello)).toEqual(hello)
    expect(workerFrameSchema.safeParse({ ...next, protocol: WORKER_PROTOCOL }).success).toBe(false)
    expect(workerFrameSchema.safeParse({ ...next, protocol: 1.5 }).success).toBe(false)
  })
})

describe('the list of workers that need an upgrade', () => {
  test('an old worker at a newer engine is in it until one of its name attaches [R691]', () => {
    const pool = newPool()
    attach(pool, foreign(OLDER, 'lab'))
    attach(pool, foreign(OLDER, 'hall', '0.8.0'))
    // it tries again
    attach(pool, foreign(OLDER, 'lab', '0.9.1'))
    const hall = { name: 'hall', version: '0.8.0', protocol: OLDER }
    const lab = { name: 'lab', version: '0.9.1', protocol: OLDER, status: 'needs_upgrade', labels: ['gpu'] }
    expect(pool.needingUpgrade()).toMatchObject([hall, lab])
    attach(pool, hello)
    expect(pool.needingUpgrade()).toMatchObject([hall])
  })

  test('forgets the oldest of more than 1,000 names', () => {
    const pool = newPool()
    for (let at = 0; at <= 1000; at += 1) attach(pool, foreign(OLDER, `w${at}`))
    const names = pool.needingUpgrade().map(({ name }) => name)
    expect([names.length, names[0], names.at(-1)]).toEqual([1000, 'w1', 'w1000'])
  })
})

test('an agent that the pool refuses ends with the reason of the pool [R690]', async () => {
  const pool = newPool()
  const { worker, engine } = memoryTransport({ get: unused, put: unused })
  pool.attach(speaking(engine, OLDER), tokenOf('lab'))
  const agent = createWorker(worker, { name: 'lab', python: null })
  const reason = await agent.ready.catch((error: unknown) => error)
  expect(reason).toBeInstanceOf(WorkerRefused)
  expect(reason).toMatchObject({
    code: 'protocol_mismatch',
    message: expect.stringMatching(new RegExp(`"lab" .* speaks protocol ${OLDER}, .*: upgrade the worker$`)),
  })
  expect(pool.needingUpgrade()).toMatchObject([{ name: 'lab', protocol: OLDER }])
})

describe('an engine', () => {
  afterEach(() => vi.restoreAllMocks())

  test('counts the workers that need an upgrade, and those that are attached [R691]', async () => {
    const attached = vi.spyOn(WorkerPool.prototype, 'attach')
    await using at = await startService()
    const pool = attached.mock.contexts[0] as WorkerPool
    const workers = async () => (await at.ann<ObservabilitySummary>('GET', '/observability/summary')).value.workers
    attach(pool, foreign(OLDER))
    expect(await workers()).toEqual({ attached: 0, needs_upgrade: 1 })
    attach(pool, hello)
    expect(await workers()).toEqual({ attached: 1, needs_upgrade: 0 })
  })

  test('does not start with an agent of another version in its own process', async () => {
    // oxlint-disable-next-line typescript/unbound-method -- it is called on the pool that is asked
    const { attach: original } = WorkerPool.prototype
    vi.spyOn(WorkerPool.prototype, 'attach').mockImplementation(function attachOlder(this: WorkerPool, link, options) {
      original.call(this, speaking(link, OLDER), options)
    })
    const dataDir = await mkdtemp(join(tmpdir(), 'versions-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
    await expect(createService({ dataDir, environment: 'local', logLevel: 'silent' })).rejects.toThrow(
      `the engine refused this worker: worker "engine"`,
    )
  })
})
