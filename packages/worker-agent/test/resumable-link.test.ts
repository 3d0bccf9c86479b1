import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { EngineFrame, HelloFrame, WelcomeFrame, WorkerFrame } from '@flow-service/protocol'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'

import type { LinkEnd } from '../src/remote/connection.ts'
import { ResumableLink, type ResumableLinkDeps } from '../src/remote/resumable-link.ts'
import { type ArtifactAccess, Unreachable } from '../src/transport.ts'
import { callFrame, welcome } from './harness.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const RESUME_S = 60
const MIB = 1024 * 1024

const hello: HelloFrame = {
  type: 'hello',
  protocol: 1,
  version: '0',
  name: 'w',
  labels: [],
  parallel: 1,
  resources: { cpus: 1, gpus: 0, ram_mb: 1 },
  python: null,
  platform: 'x',
}

const none = (): Promise<never> => Promise.reject(new Error('no artifacts here'))

/** A connection whose other end is the test. */
function wire(artifacts: ArtifactAccess = { get: none, put: none }) {
  const sent: WorkerFrame[] = []
  const over = Promise.withResolvers<LinkEnd>()
  const listeners: ((frame: EngineFrame) => void)[] = []
  return {
    sent,
    artifacts,
    ended: over.promise,
    send: (frame: WorkerFrame) => void sent.push(frame),
    sendText: (text: string) => void sent.push(JSON.parse(text) as WorkerFrame),
    onFrame: (listener: (frame: EngineFrame) => void) => void listeners.push(listener),
    tell: (frame: EngineFrame) => listeners.forEach((listener) => listener(frame)),
    async cut(end: LinkEnd = { kind: 'lost', detail: 'it broke' }) {
      over.resolve(end)
      await vi.advanceTimersByTimeAsync(0)
    },
  }
}

/** A link that is attached, with what its agent hears. */
function attached(deps: Partial<ResumableLinkDeps> = {}, resume_s: number = RESUME_S) {
  const directory = mkdtempSync(join(tmpdir(), 'link-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const heard: unknown[] = []
  const link = new ResumableLink({ directory: () => directory, onWelcome: () => undefined, random: () => 1, ...deps })
  onTestFinished(() => link.end())
  link.onFrame(({ type }) => heard.push(type))
  link.onClose(() => heard.push('closed'))
  link.onGap({
    lost: () => heard.push('lost'),
    dropped: (calls) => heard.push(['dropped', ...calls]),
    full: (call, { type, message }) => heard.push(['full', call, type, message]),
  })
  const first = wire()
  const used = link.use(first)
  void link.send(hello)
  first.tell({ ...welcome, ...(resume_s > 0 && { resume_s, session: 's' }) })
  const begin = (call: string, mode: 'batch' | 'live' = 'batch', on = first): void =>
    on.tell(callFrame(call, { source: '', mode }))
  const again = (more: Partial<WelcomeFrame> = {}, artifacts?: ArtifactAccess) => {
    const next = wire(artifacts)
    void link.use(next)
    if (more.type !== 'welcome') next.tell({ ...welcome, resume_s, session: 's', dropped: [], ...more })
    return next
  }
  return { link, first, used, heard, begin, again, directory }
}

const emit = (call: string, y: unknown): WorkerFrame => ({ type: 'emit', call, batch: [[{ y }, 0]] })
const result = (call: string): WorkerFrame => ({ type: 'result', call, outputs: {} })
/** Frames of calls as they went out: type, call and number. */
const ofCalls = (frames: readonly WorkerFrame[]): unknown[] =>
  frames.flatMap((frame) => ('seq' in frame ? [[frame.type, frame.call, frame.seq]] : []))

test('the first hello says that it can come back; frames of calls are numbered, others are not', () => {
  const { link, first, begin } = attached()
  expect(first.sent).toEqual([{ ...hello, resume: { session: null, calls: [] } }])
  begin('a')
  begin('b', 'live')
  for (const frame of [
    emit('a', 1),
    emit('b', 1),
    { type: 'heartbeat', calls: ['a'] },
    result('a'),
  ] satisfies WorkerFrame[])
    void link.send(frame)
  expect(ofCalls(first.sent)).toEqual([
    ['emit', 'a', 1],
    ['emit', 'b', 2],
    ['result', 'a', 3],
  ])
  expect(first.sent).toContainEqual({ type: 'heartbeat', calls: ['a'] })
})

test('a link that is lost without calls ends, and the next one asks for its session: calls on their way were never begun', async () => {
  const { link, first, used, begin } = attached()
  begin('a')
  void link.send(result('a'))
  first.tell({ type: 'ack', seq: 1 })
  await first.cut()
  expect(await used).toBe('over')
  expect(link.idleSession).toBe('s')
  const next = attached({ lastSession: link.idleSession })
  expect(next.first.sent).toEqual([{ ...hello, resume: { session: 's', calls: [] } }])
})

test('a link that gave up its calls says nothing of their session', async () => {
  const { link, first, begin } = attached()
  begin('a')
  await first.cut()
  await vi.advanceTimersByTimeAsync(RESUME_S * 1000)
  expect(link.isOver).toBe(true)
  expect(link.idleSession).toBeNull()
})

test('with an engine that does not offer it nothing is numbered, and a lost connection ends the link', async () => {
  const { link, first, used, begin } = attached({}, 0)
  begin('a')
  void link.send(emit('a', 1))
  expect(first.sent.at(-1)).toEqual(emit('a', 1))
  await first.cut()
  expect(await used).toBe('over')
  expect(link.isOver).toBe(true)
})

test('what was not acknowledged is said again after a gap, in its order, and what comes meanwhile after it', async () => {
  const { link, first, used, heard, begin, again } = attached()
  begin('a')
  begin('b')
  for (const frame of [emit('a', 1), emit('b', 2), emit('a', 3)]) void link.send(frame)
  first.tell({ type: 'ack', seq: 1 })
  await first.cut()
  expect(await used).toBe('away')
  expect(link.kept).toBe(2)
  void link.send(emit('b', 4))
  void link.send({ type: 'heartbeat', calls: ['a', 'b'] })
  const next = again({
    resumed: [
      { call: 'a', seq: 1 },
      { call: 'b', seq: 2 },
    ],
  })
  expect(next.sent[0]).toEqual({
    ...hello,
    resume: {
      session: 's',
      calls: [
        { call: 'a', seq: 3 },
        { call: 'b', seq: 4 },
      ],
    },
  })
  await vi.advanceTimersByTimeAsync(0)
  void link.send(result('a'))
  expect(ofCalls(next.sent)).toEqual([
    ['emit', 'a', 3],
    ['emit', 'b', 4],
    ['result', 'a', 5],
  ])
  expect(heard).toEqual(['welcome', 'call', 'call', 'lost', 'welcome'])
})

test('calls that the engine does not take back are dropped, and nothing more is said of them', async () => {
  const { link, first, heard, begin, again } = attached()
  for (const call of ['a', 'b', 'c']) begin(call)
  for (const call of ['a', 'b', 'c']) void link.send(emit(call, 1))
  await first.cut()
  const next = again({ resumed: [{ call: 'b', seq: 0 }], dropped: ['a'] })
  expect(heard.at(-2)).toEqual(['dropped', 'a', 'c'])
  await vi.advanceTimersByTimeAsync(0)
  for (const call of ['a', 'b', 'c']) void link.send(result(call))
  expect(ofCalls(next.sent)).toEqual([
    ['emit', 'b', 2],
    ['result', 'b', 4],
  ])
})

test('an engine that knows nothing of the session ends all calls, and the link serves on', async () => {
  const { link, first, heard, begin, again } = attached()
  begin('a')
  await first.cut()
  const next = again({ session: 'other' })
  expect(heard.slice(-2)).toEqual([['dropped', 'a'], 'welcome'])
  begin('b', 'batch', next)
  void link.send(emit('b', 1))
  expect(ofCalls(next.sent)).toEqual([['emit', 'b', 1]])
})

test('a call that ends in the gap is told of, until its end is acknowledged', async () => {
  const { link, first, begin, again } = attached()
  begin('a')
  await first.cut()
  void link.send(result('a'))
  expect([link.kept, link.isHolding]).toEqual([0, true])
  const next = again({ resumed: [{ call: 'a', seq: 0 }] })
  expect(ofCalls(next.sent)).toEqual([['result', 'a', 1]])
  await next.cut()
  expect(link.isOver).toBe(false)
  const third = again({ resumed: [{ call: 'a', seq: 1 }] })
  expect(ofCalls(third.sent)).toEqual([])
  third.tell({ type: 'ack', seq: 1 })
  expect(link.isHolding).toBe(false)
})

test('a call that comes a second time does not say what it said the first time', async () => {
  const { link, first, begin, again } = attached()
  begin('a')
  void link.send({ type: 'busy', call: 'a' })
  begin('a')
  await first.cut()
  const next = again({ resumed: [{ call: 'a', seq: 0 }] })
  await vi.advanceTimersByTimeAsync(0)
  expect(ofCalls(next.sent)).toEqual([])
})

test('calls of live nodes end with their connection; with no other call the link does', async () => {
  const { link, first, heard, begin, again } = attached()
  begin('a')
  begin('l', 'live')
  void link.send(emit('l', 1))
  await first.cut()
  expect(heard.at(-1)).toBe('lost')
  void link.send(result('l'))
  const next = again({ resumed: [{ call: 'a', seq: 0 }] })
  await vi.advanceTimersByTimeAsync(0)
  expect(ofCalls(next.sent)).toEqual([])
  begin('m', 'live', next)
  void link.send(result('a'))
  next.tell({ type: 'ack', seq: 9 })
  await next.cut()
  expect([link.isOver, heard.at(-1)]).toEqual([true, 'closed'])
})

test('the time for which calls are kept is that from the first loss to a welcome', async () => {
  const { link, first, begin, again } = attached()
  begin('a')
  await first.cut()
  await vi.advanceTimersByTimeAsync(50_000)
  const mute = again({ type: 'welcome' })
  await mute.cut()
  expect(link.isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(9_999)
  expect(link.isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(link.isOver).toBe(true)
})

test.each(['refused', 'credential', 'closed'] as const)('a connection that ended as %s ends the link', async (kind) => {
  const { first, used, begin } = attached()
  begin('a')
  await first.cut({ kind, detail: '' })
  expect(await used).toBe('over')
})

test('an engine that is there again hears what others take, and that the worker leaves', async () => {
  const { link, first, begin, again } = attached()
  const shared = { type: 'shared', calls: 1, resources: { cpus: 1, gpus: 0, ram_mb: 0 } } as const
  begin('a')
  await first.cut()
  void link.send(shared)
  void link.send({ type: 'bye', reason: 'shutdown' })
  const next = again({ resumed: [{ call: 'a', seq: 0 }] })
  expect(next.sent.slice(1)).toEqual([shared, { type: 'bye', reason: 'shutdown' }])
})

test('in a gap nobody waits, and what memory does not hold goes to files; after it, until that is said', async () => {
  const { link, first, begin, again, directory } = attached({ maxMemory: 2 * MIB })
  begin('a')
  await first.cut()
  const text = 'x'.repeat(MIB / 4)
  for (let at = 0; at < 40; at++) expect(link.send(emit('a', text))).toBeUndefined()
  expect(readdirSync(directory).length).toBeGreaterThan(0)
  const next = again({ resumed: [{ call: 'a', seq: 0 }] })
  let isFree = false
  void Promise.resolve(link.send(emit('a', 'last'))).then(() => (isFree = true))
  await vi.advanceTimersByTimeAsync(0)
  expect(ofCalls(next.sent).map((frame) => (frame as unknown[])[2])).toEqual(
    Array.from({ length: 41 }, (_, at) => at + 1),
  )
  expect(isFree).toBe(false)
  next.tell({ type: 'ack', seq: 40 })
  await vi.advanceTimersByTimeAsync(0)
  expect(isFree).toBe(true)
  expect(readdirSync(directory)).toEqual([])
})

test('who waits for acknowledgements waits no longer when the connection is lost', async () => {
  const { link, first, begin } = attached({ maxMemory: MIB })
  begin('a')
  expect(link.send(emit('a', 'x'.repeat(MIB / 2)))).toBeUndefined()
  const behind = link.send(emit('a', 'x'.repeat(MIB)))
  expect(behind).toBeInstanceOf(Promise)
  await first.cut()
  await behind
})

test('a call for whose frames there is no room fails as buffer_full, and others go on', async () => {
  const { link, first, heard, begin, again } = attached({ maxMemory: MIB, maxDisk: MIB })
  for (const call of ['a', 'b', 'c']) begin(call)
  await first.cut()
  for (let at = 0; at < 8; at++) void link.send(emit('a', 'x'.repeat(MIB / 4)))
  const message =
    'the engine was away for too long for what the call has said: 1 MiB in memory and 1 MiB in files are full'
  expect(heard.at(-1)).toEqual(['full', 'a', 'buffer_full', message])
  void link.send(emit('a', 'small'))
  void link.send({ type: 'error', call: 'a', error: { type: 'buffer_full', message, traceback: null } })
  void link.send({ type: 'result', call: 'c', outputs: { y: 'x'.repeat(MIB) } })
  void link.send(result('b'))
  const next = again({ resumed: ['a', 'b', 'c'].map((call) => ({ call, seq: 0 })) })
  await vi.advanceTimersByTimeAsync(0)
  const ends = next.sent.flatMap((frame) =>
    frame.type === 'error' ? [[frame.call, frame.error.type]] : frame.type === 'result' ? [[frame.call, 'result']] : [],
  )
  expect(ends).toEqual([
    ['a', 'buffer_full'],
    ['c', 'buffer_full'],
    ['b', 'result'],
  ])
  const seqs = ofCalls(next.sent).map((frame) => (frame as [string, string, number])[2])
  expect(seqs).toEqual(seqs.map((_, at) => at + 1))
})

test('artifacts that are out of reach in a gap are asked for until they are reached', async () => {
  const { link, first, begin, again } = attached({ random: () => 0 })
  begin('a')
  await first.cut()
  const lost = again(
    { resumed: [{ call: 'a', seq: 0 }] },
    { get: () => Promise.reject(new Unreachable('no way')), put: none },
  )
  const got = link.artifacts.get('d')
  await vi.advanceTimersByTimeAsync(20_000)
  await lost.cut()
  again({ resumed: [{ call: 'a', seq: 0 }] }, { get: async () => new Uint8Array([7]), put: none })
  await vi.advanceTimersByTimeAsync(20_000)
  expect(await got).toEqual(new Uint8Array([7]))
  const put = link.artifacts.put(new Uint8Array(), { name: '', mediaType: '', volatile: false })
  await expect(put).rejects.toThrow('no artifacts here')
})

test('artifacts that stay out of reach fail after the time for which calls are kept', async () => {
  const { link, first, begin, again } = attached({ random: () => 0 })
  begin('a')
  await first.cut()
  again({ resumed: [{ call: 'a', seq: 0 }] }, { get: () => Promise.reject(new Unreachable('no way')), put: none })
  const failure = link.artifacts.get('d').catch((error: Error) => error.message)
  await vi.advanceTimersByTimeAsync(180_000)
  expect(await failure).toBe('no way')
})
