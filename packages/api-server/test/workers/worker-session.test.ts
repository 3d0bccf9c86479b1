import type { CodeCall, CodeError } from '@flow-service/core'
import type { CallMark, HelloFrame, WelcomeFrame, WorkerFrame } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import type { AttachedWorker } from '../../src/workers/attached-worker.ts'
import { callsInMemory, type KeptCalls } from '../../src/workers/kept-calls.ts'
import { codeCall } from './code-call.ts'
import { outcome, type PuppetWorker, settled, setup } from './puppet-pool.ts'

const node = { worker: 'w', worker_policy: 'require' } as const
const hello = { name: 'w', parallel: 2, resume: { session: null, calls: [] } } satisfies Partial<HelloFrame>
const typeOf = (error: unknown): string => (error as CodeError).type

/** A worker that can come back, in an engine that lets it. */
function resuming(kept?: KeptCalls) {
  const around = setup({ resumeS: 60, ...(kept && { kept }) })
  const worker = around.attach(hello)
  const session = welcomeOf(worker).session as string
  const back = (calls: CallMark[], options?: { jti: string }): PuppetWorker =>
    around.attach({ ...hello, resume: { session, calls } }, options)
  const begin = (mode: 'batch' | 'live' = 'batch', more = {}, rest: Partial<CodeCall> = {}) => {
    const call = { ...codeCall({ mode, node: { ...node, ...more } }), ...rest }
    return { call, done: outcome(around.dispatcher.call(call)) }
  }
  return { ...around, worker, session, back, begin }
}

const welcomeOf = ({ frames }: PuppetWorker): WelcomeFrame =>
  frames.find((frame): frame is WelcomeFrame => frame.type === 'welcome') as WelcomeFrame
const emit = (call: string, seq: number): WorkerFrame => ({ type: 'emit', call, batch: [[{ loss: seq }, 0]], seq })
const result = (call: string, seq: number): WorkerFrame => ({ type: 'result', call, outputs: { y: seq }, seq })
const acks = ({ frames }: PuppetWorker): number[] =>
  frames.flatMap((frame) => (frame.type === 'ack' ? [frame.seq] : []))
const cancels = ({ frames }: PuppetWorker): string[] =>
  frames.flatMap((frame) => (frame.type === 'cancel' ? [frame.call] : []))

test('without the setting nothing is said of coming back, and a lost link fails its calls at once', async () => {
  const { attach, dispatcher } = setup()
  const worker = attach(hello)
  expect(Object.keys(welcomeOf(worker))).not.toEqual(expect.arrayContaining(['resume_s']))
  expect(welcomeOf(worker)).not.toHaveProperty('session')
  const done = outcome(dispatcher.call(codeCall({ node })))
  worker.disconnect()
  expect(typeOf(await done)).toBe('worker_lost')
})

test('a worker that knows nothing of it is served as before', async () => {
  const { attach, dispatcher } = setup({ resumeS: 60 })
  const { resume: _, ...older } = hello
  const worker = attach(older)
  expect(welcomeOf(worker)).not.toHaveProperty('resume_s')
  const done = outcome(dispatcher.call(codeCall({ node })))
  worker.disconnect()
  expect(typeOf(await done)).toBe('worker_lost')
})

test('a batch call outlives its link, and each of its frames is applied once and in order', async () => {
  const { worker, begin, back, pool, clock, session } = resuming()
  const { call, done } = begin()
  await settled()
  void worker.send({ type: 'started', call: call.id, pid: 1, seq: 1 })
  void worker.send(emit(call.id, 2))
  const [before] = pool.list()
  worker.disconnect()
  await clock.advance(59_000)
  const again = back([{ call: call.id, seq: 4 }])
  expect(welcomeOf(again)).toMatchObject({ session, resume_s: 60, resumed: [{ call: call.id, seq: 2 }], dropped: [] })
  expect(pool.list()).toEqual([before])
  for (const frame of [emit(call.id, 2), emit(call.id, 3), result(call.id, 4)]) void again.send(frame)
  expect(await done).toEqual({ y: 4 })
  expect(call.record.emits.map(([values]) => values)).toEqual([{ loss: 2 }, { loss: 3 }])
  expect(call.record.places).toEqual([{ worker: 'w' }])
})

test('while it is away nothing is placed on a worker, and its last contact stands', async () => {
  const { worker, begin, back, pool, clock } = resuming()
  const first = begin()
  await settled()
  worker.disconnect()
  await clock.advance(20_000)
  expect(pool.list()[0]?.view()).toMatchObject({
    status: 'attached',
    last_contact_at: '1970-01-01T00:00:00.000000+00:00',
    calls: [{ call: first.call.id, status: 'running' }],
  })
  const second = begin()
  await settled()
  expect(second.call.record.places).toEqual([{ waitingFor: 'w' }])
  const again = back([{ call: first.call.id, seq: 0 }])
  await settled()
  expect(again.calls()).toEqual([second.call.id])
})

test('after its time the calls are lost, and what it asks for then is dropped', async () => {
  const { worker, begin, back, pool, clock, news } = resuming()
  const { call, done } = begin()
  await settled()
  worker.disconnect()
  await clock.advance(59_999)
  expect(pool.list()).toHaveLength(1)
  await clock.advance(1)
  expect(typeOf(await done)).toBe('worker_lost')
  expect(pool.list()).toEqual([])
  expect(news.map(({ action, detail }) => [action, detail])).toEqual([['worker.away', { worker: 'w', calls: 1 }]])
  const welcome = welcomeOf(back([{ call: call.id, seq: 7 }]))
  expect(welcome).toMatchObject({ resumed: [], dropped: [call.id] })
})

test('a live call of a lost link fails at once, and one that is placed then goes to another worker', async () => {
  const { worker, begin, attach, back } = resuming()
  const [batch, live] = [begin(), begin('live')]
  await settled()
  worker.disconnect()
  expect(typeOf(await live.done)).toBe('worker_lost')
  const other = attach({ ...hello, parallel: 1 })
  const next = begin('live')
  await settled()
  expect(other.calls()).toEqual([next.call.id])
  expect(welcomeOf(back([{ call: batch.call.id, seq: 0 }])).dropped).toEqual([])
})

test('a cancel while the worker is away settles the call, and the worker hears of it when it is back', async () => {
  const { worker, begin, back } = resuming()
  const [kept, cancelled] = [begin(), begin()]
  await settled()
  worker.disconnect()
  cancelled.call.record.cancel()
  expect(typeOf(await cancelled.done)).toBe('cancelled')
  const again = back([kept, cancelled].map(({ call }) => ({ call: call.id, seq: 3 })))
  expect(welcomeOf(again).dropped).toEqual([])
  expect(cancels(again)).toEqual([cancelled.call.id])
  void again.send(result(kept.call.id, 4))
  expect(await kept.done).toEqual({ y: 4 })
})

test('when all is cancelled that somebody waited for, the worker is waited for no longer', async () => {
  const { worker, begin, back, pool } = resuming()
  const { call, done } = begin()
  await settled()
  worker.disconnect()
  call.record.cancel()
  expect(typeOf(await done)).toBe('cancelled')
  expect(pool.list()).toEqual([])
  expect(welcomeOf(back([{ call: call.id, seq: 3 }])).dropped).toEqual([call.id])
})

test('a call that has never reached the worker is placed again', async () => {
  const { worker, begin, back } = resuming()
  const { call, done } = begin()
  await settled()
  worker.disconnect()
  const again = back([])
  await settled()
  expect(again.calls()).toEqual([call.id])
  void again.send(result(call.id, 1))
  expect(await done).toEqual({ y: 1 })
})

test('a worker that comes back without calls numbers its frames anew, and hears of those alone', async () => {
  const { begin, back, worker, clock } = resuming()
  const first = begin()
  await settled()
  for (let seq = 1; seq <= 40; seq += 1) void worker.send(emit(first.call.id, seq))
  void worker.send(result(first.call.id, 41))
  await first.done
  await clock.advance(1000)
  expect(acks(worker)).toEqual([41])
  // the engine takes the old link for open
  const again = back([])
  expect(acks(again)).toEqual([])
  const { call, done } = begin()
  await settled()
  void again.send(emit(call.id, 1))
  await clock.advance(1000)
  expect(acks(again)).toEqual([1])
  void again.send(result(call.id, 2))
  expect(await done).toEqual({ y: 2 })
})

test('a call that a worker lists twice goes on once', async () => {
  const { begin, back, worker } = resuming()
  const { call, done } = begin()
  await settled()
  worker.disconnect()
  const again = back([1, 2].map(() => ({ call: call.id, seq: 0 })))
  expect(welcomeOf(again).resumed).toEqual([{ call: call.id, seq: 0 }])
  void again.send(result(call.id, 1))
  expect(await done).toEqual({ y: 1 })
})

test('a worker that is back over a new link counts, though the engine takes the old one for open', async () => {
  const { worker, begin, back } = resuming()
  const [batch, live] = [begin(), begin('live')]
  await settled()
  void worker.send(emit(batch.call.id, 1))
  const again = back([{ call: batch.call.id, seq: 2 }])
  expect(typeOf(await live.done)).toBe('worker_lost')
  void worker.send(result(batch.call.id, 2))
  worker.disconnect()
  void again.send(emit(batch.call.id, 2))
  void again.send(result(batch.call.id, 3))
  expect(await batch.done).toEqual({ y: 3 })
  expect(batch.call.record.emits).toHaveLength(2)
})

test('the calls of another token are not handed out', async () => {
  const { worker, begin, back, pool } = resuming()
  const { call, done } = begin()
  await settled()
  worker.disconnect()
  expect(welcomeOf(back([{ call: call.id, seq: 1 }], { jti: 'other' }))).toMatchObject({
    resumed: [],
    dropped: [call.id],
  })
  expect(pool.list()).toHaveLength(2)
  void back([{ call: call.id, seq: 1 }]).send(result(call.id, 1))
  expect(await done).toEqual({ y: 1 })
})

test('a token that is revoked ends the session, with its link or at once', async () => {
  const { worker, begin, pool } = resuming()
  const { done } = begin()
  await settled()
  pool.revoked('j')
  worker.disconnect()
  expect(typeOf(await done)).toBe('worker_lost')
  const other = resuming()
  const call = other.begin()
  await settled()
  other.worker.disconnect()
  other.pool.revoked('j')
  expect(typeOf(await call.done)).toBe('worker_lost')
})

test('the silence of a call does not run while its worker is away, and runs anew after that', async () => {
  const { worker, begin, back, clock } = resuming()
  const { call, done } = begin('batch', { timeout: 10 })
  await settled()
  void worker.send({ type: 'started', call: call.id, pid: 1, seq: 1 })
  worker.disconnect()
  await clock.advance(55_000)
  const again = back([{ call: call.id, seq: 1 }])
  await clock.advance(9_000)
  expect(cancels(again)).toEqual([])
  await clock.advance(14_000)
  expect(typeOf(await done)).toBe('timeout')
  expect(cancels(again)).toEqual([call.id])
})

test('a worker that is silent after it came back fails its calls, and not for the time before', async () => {
  const { worker, begin, back, clock } = resuming()
  const { call, done } = begin()
  await settled()
  await clock.advance(80_000)
  worker.disconnect()
  await clock.advance(50_000)
  back([{ call: call.id, seq: 0 }])
  for (let tick = 0; tick < 8; tick++) await clock.advance(10_000)
  expect(call.signal.aborted).toBe(false)
  await clock.advance(20_000)
  expect(typeOf(await done)).toBe('worker_silent')
})

test('frames are acknowledged each second, and each 256 of them', async () => {
  const { worker, begin, clock } = resuming()
  const { call } = begin()
  await settled()
  void worker.send(emit(call.id, 1))
  await clock.advance(999)
  expect(acks(worker)).toEqual([])
  await clock.advance(1)
  expect(acks(worker)).toEqual([1])
  await clock.advance(5_000)
  for (let seq = 2; seq <= 258; seq++) void worker.send(emit(call.id, seq))
  expect(acks(worker)).toEqual([1, 257])
})

test('only what is durable is acknowledged, and the end of a call is known until then', async () => {
  const safe: PromiseWithResolvers<void>[] = []
  const applied: [string, number][] = []
  const ended: string[] = []
  const { worker, begin, back, clock } = resuming({
    ...callsInMemory,
    applied: (call, seq) => void applied.push([call, seq]),
    ended: (call) => void ended.push(call),
    safe() {
      const asked = Promise.withResolvers<void>()
      safe.push(asked)
      return asked.promise
    },
  })
  const [first, second] = [begin(), begin()]
  await settled()
  void worker.send(emit(first.call.id, 1))
  await clock.advance(1000)
  void worker.send(result(first.call.id, 2))
  // of the last frame the end tells
  expect(applied).toEqual([[first.call.id, 1]])
  expect(ended).toEqual([first.call.id])
  await clock.advance(1000)
  expect(safe).toHaveLength(1)
  safe[0]?.resolve()
  await settled()
  expect(acks(worker)).toEqual([1])
  expect(safe).toHaveLength(2)
  worker.disconnect()
  // the worker has the result still, and is not asked for it again
  const again = back([first, second].map(({ call }) => ({ call: call.id, seq: 2 })))
  expect(welcomeOf(again)).toMatchObject({ resumed: [{ seq: 2 }, { seq: 0 }], dropped: [] })
  expect(acks(again)).toEqual([1])
  safe[1]?.resolve()
  await settled()
  expect(acks(again)).toEqual([1, 2])
})

test('a call is kept before its worker hears of it; one that is cancelled or not kept never gets there', async () => {
  const begun: PromiseWithResolvers<void>[] = []
  const { worker, begin } = resuming({
    ...callsInMemory,
    begin() {
      const asked = Promise.withResolvers<void>()
      begun.push(asked)
      return asked.promise
    },
  })
  const [first, second] = [begin(), begin()]
  await settled()
  expect(worker.calls()).toEqual([])
  second.call.record.cancel()
  for (const asked of begun) asked.resolve()
  expect(typeOf(await second.done)).toBe('cancelled')
  await settled()
  expect(worker.calls()).toEqual([first.call.id])
  const third = begin()
  await settled()
  begun[2]?.reject(new Error('the disk is full'))
  expect(await third.done).toMatchObject({ type: 'not_kept', message: 'the disk is full' })
  expect(worker.calls()).toEqual([first.call.id])
})

test('frames of a call are applied one after the other, and none is acknowledged before', async () => {
  const applied: number[] = []
  const { worker, begin, clock } = resuming({ ...callsInMemory, applied: (_, seq) => void applied.push(seq) })
  const room = Promise.withResolvers<void>()
  const logs: string[] = []
  const { call } = begin(
    'batch',
    {},
    { behind: () => room.promise, onLog: (_: string, text: string) => logs.push(text) },
  )
  await settled()
  void worker.send(emit(call.id, 1))
  void worker.send({ type: 'log', call: call.id, stream: 'stdout', text: 'after', seq: 2 })
  await clock.advance(2000)
  expect({ applied, logs, acks: acks(worker) }).toEqual({ applied: [], logs: [], acks: [] })
  room.resolve()
  await clock.advance(2000)
  expect({ applied, logs, acks: acks(worker) }).toEqual({ applied: [1, 2], logs: ['after'], acks: [2] })
})

test('a worker that asks again before it had its answer gets the calls that were adopted', async () => {
  const call = codeCall({ node })
  const answer = Promise.withResolvers<void>()
  let adoptions = 0
  const { attach, pool } = setup({
    resumeS: 60,
    kept: {
      ...callsInMemory,
      async adopt() {
        adoptions += 1
        await answer.promise
        const take = (worker: AttachedWorker): void =>
          void worker.goOn({ timeout_s: null }, call, { cpus: 1, gpus: 0, ramMb: 0 })
        return { resumed: [{ call: call.id, seq: 5, take }], dropped: [] }
      },
    },
  })
  const asking = { ...hello, resume: { session: 'before', calls: [{ call: call.id, seq: 7 }] } }
  attach(asking).disconnect()
  const worker = attach(asking)
  await settled()
  expect(worker.frames).toEqual([])
  answer.resolve()
  await settled()
  expect(adoptions).toBe(1)
  expect(welcomeOf(worker)).toMatchObject({ session: 'before', resumed: [{ call: call.id, seq: 5 }], dropped: [] })
  expect(pool.list().map(({ isAway }) => isAway)).toEqual([false])
})

test('calls of a session that is not in memory may be adopted, and go on', async () => {
  const call = codeCall({ node })
  const adopted = Promise.withResolvers<unknown>()
  const asked: unknown[] = []
  const { attach, pool } = setup({
    resumeS: 60,
    kept: {
      ...callsInMemory,
      async adopt(...of) {
        asked.push(of)
        const take = (worker: Parameters<Awaited<ReturnType<KeptCalls['adopt']>>['resumed'][number]['take']>[0]) =>
          adopted.resolve(worker.goOn({ timeout_s: null }, call, { cpus: 1, gpus: 0, ramMb: 0 }))
        return { resumed: [{ call: call.id, seq: 5, take }], dropped: ['other'] }
      },
    },
  })
  const calls = [call.id, 'other'].map((id) => ({ call: id, seq: 7 }))
  const worker = attach({ ...hello, resume: { session: 'before', calls } })
  await settled()
  expect(asked).toEqual([['before', 'j', calls]])
  expect(welcomeOf(worker)).toMatchObject({
    session: 'before',
    resumed: [{ call: call.id, seq: 5 }],
    dropped: ['other'],
  })
  expect(pool.list()[0]?.calls).toEqual([call])
  for (const frame of [emit(call.id, 5), emit(call.id, 6), result(call.id, 7)]) void worker.send(frame)
  expect(await adopted.promise).toEqual({ y: 7 })
  expect(call.record.emits.map(([values]) => values)).toEqual([{ loss: 6 }])
})
