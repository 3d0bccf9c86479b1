import { CodeError } from '@flow-service/core'
import { VirtualClock } from '@flow-service/core/testing'
import { describe, expect, test } from 'vitest'

import { codeCall } from './code-call.ts'
import { inFlight, outcome, settled, setup } from './puppet-pool.ts'

describe('the choice of a worker', () => {
  test('a node that requires a label waits until a worker with the label attaches [R057]', async () => {
    const { dispatcher, attach } = setup()
    attach({ name: 'engine' }, { local: true })
    const call = codeCall({ node: { worker: 'gpu' } })
    const done = dispatcher.call(call)
    await settled()
    expect(call.record.places).toEqual([{ waitingFor: 'gpu' }])
    const worker = attach({ name: 'big', labels: ['gpu'] })
    await settled()
    expect(worker.calls()).toEqual([call.id])
    void worker.send({ type: 'started', call: call.id, pid: 1 })
    void worker.send({ type: 'result', call: call.id, outputs: { y: 1 } })
    await expect(done).resolves.toEqual({ y: 1 })
    expect(call.record.places).toEqual([{ waitingFor: 'gpu' }, { worker: 'big' }])
  })

  test('of two workers the labelled one executes [R055]', async () => {
    const { dispatcher, attach } = setup()
    const other = attach({ name: 'a', labels: ['cpu'] })
    const labelled = attach({ name: 'b', labels: ['gpu'] })
    void dispatcher.call(codeCall({ node: { worker: 'gpu' } }))
    await settled()
    expect([other.calls().length, labelled.calls().length]).toEqual([0, 1])
  })

  test('a worker is meant by its name too', async () => {
    const { dispatcher, attach } = setup()
    const worker = attach({ name: 'lab-3' })
    void dispatcher.call(codeCall({ node: { worker: 'lab-3' } }))
    await settled()
    expect(worker.calls()).toHaveLength(1)
  })

  test('with prefer the engine executes while no attached worker is meant [R058]', async () => {
    const { dispatcher, attach } = setup()
    const engine = attach({ name: 'engine' }, { local: true })
    void dispatcher.call(codeCall({ node: { worker: 'gpu', worker_policy: 'prefer' } }))
    await settled()
    expect(engine.calls()).toHaveLength(1)
    const worker = attach({ name: 'big', labels: ['gpu'] })
    void dispatcher.call(codeCall({ node: { worker: 'gpu', worker_policy: 'prefer' } }))
    await settled()
    expect([engine.calls().length, worker.calls().length]).toEqual([1, 1])
  })

  test('a worker without a label gets no call that names none [R633]', async () => {
    const { dispatcher, attach } = setup()
    const worker = attach({ name: 'remote' })
    const call = codeCall({})
    void dispatcher.call(call)
    await settled()
    expect(worker.calls()).toEqual([])
    expect(call.record.places).toEqual([{ waitingFor: 'process' }])
  })

  test('a demand waits for a worker that has the amounts free [R045]', async () => {
    const { dispatcher, attach } = setup()
    const small = attach({ name: 'small', labels: ['lab'], parallel: 4 })
    const first = codeCall({ node: { worker: 'lab' }, resources: { gpus: 1 } })
    void dispatcher.call(first)
    await settled()
    expect([small.calls(), first.record.places]).toEqual([[], [{ waitingFor: 'lab' }]])
    const large = attach({ name: 'large', labels: ['lab'], parallel: 4, resources: { cpus: 4, gpus: 1, ram_mb: 1 } })
    const second = codeCall({ node: { worker: 'lab' }, resources: { gpus: 1 } })
    void dispatcher.call(second)
    await settled()
    expect(large.calls()).toEqual([first.id])
    void large.send({ type: 'result', call: first.id, outputs: {} })
    await settled()
    expect(large.calls()).toEqual([first.id, second.id])
  })

  test('a flavor gives the demand that the document leaves open, in live and batch flows [R045, R136]', async () => {
    const big = { name: 'big', cpus: 3, gpus: 1, ram_mb: 600, description: '' }
    const { dispatcher, attach, pool } = setup({ flavors: [big] })
    const engine = attach({ parallel: 4, resources: { cpus: 8, gpus: 1, ram_mb: 1000 } }, { local: true })
    const free = () => pool.list()[0]?.free
    const batch = codeCall({ resources: { flavor: 'big', cpus: 0.5, gpus: 0 } })
    const live = codeCall({ mode: 'live', resources: { flavor: 'big', memory: 300 } })
    for (const call of [batch, live, codeCall({ resources: { flavor: 'deleted' } })]) void dispatcher.call(call)
    await settled()
    expect(engine.calls()).toHaveLength(3)
    expect(free()).toEqual({ cpus: 4.5, gpus: 0, ramMb: 100 })
  })

  test('a flavor that becomes smaller lets go what waits for it [R136]', async () => {
    const huge = { name: 'huge', cpus: 64, gpus: 0, ram_mb: 0, description: '' }
    const { dispatcher, attach, change, pool } = setup({ flavors: [huge] })
    const engine = attach({ parallel: 4 }, { local: true })
    const call = codeCall({ resources: { flavor: 'huge' } })
    void dispatcher.call(call)
    await settled()
    expect([engine.calls(), call.record.places]).toEqual([[], [{ waitingFor: 'process with 64 CPUs free' }]])
    change({ ...huge, cpus: 4 })
    await settled()
    expect([engine.calls(), pool.list()[0]?.free.cpus]).toEqual([[call.id], 0])
    // what runs keeps what it has taken
    change({ ...huge, cpus: 1 })
    expect(pool.list()[0]?.free.cpus).toBe(0)
  })

  test('calls of a run beyond the parallel limit of a worker wait in the order in which they came [R591]', async () => {
    const { dispatcher, attach } = setup()
    const engine = attach({ parallel: 2 }, { local: true })
    const calls = [codeCall({}), codeCall({}), codeCall({}), codeCall({})]
    for (const call of calls) void dispatcher.call(call)
    await settled()
    expect(engine.calls()).toEqual([calls[0]?.id, calls[1]?.id])
    void engine.send({ type: 'result', call: calls[1]?.id ?? '', outputs: {} })
    await settled()
    expect(engine.calls()).toEqual([calls[0]?.id, calls[1]?.id, calls[2]?.id])
  })
})

test('places go round the runs: a run with many calls keeps no other waiting', async () => {
  const { dispatcher, attach } = setup()
  const engine = attach({ parallel: 2 }, { local: true })
  const wide = Array.from({ length: 5 }, () => ({ ...codeCall({}), run: 'wide' }))
  const narrow = Array.from({ length: 2 }, () => ({ ...codeCall({}), run: 'narrow' }))
  for (const call of [...wide, ...narrow]) void dispatcher.call(call)
  for (let ended = 0; ended < 5; ended += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one end after the other
    await settled()
    void engine.send({ type: 'result', call: engine.calls()[ended] ?? '', outputs: {} })
  }
  await settled()
  const names = new Map([...wide, ...narrow].map((call, at) => [call.id, `${call.run} ${at}`]))
  expect(engine.calls().map((id) => names.get(id))).toEqual([
    'wide 0',
    'wide 1',
    'narrow 5',
    'wide 2',
    'narrow 6',
    'wide 3',
    'wide 4',
  ])
})

describe('a call in flight', () => {
  test('emissions and output arrive in order with their times', async () => {
    const { worker, call, done } = inFlight()
    await settled()
    const batch: [Record<string, unknown>, number][] = [
      [{ loss: 0.5 }, 10],
      [{ loss: 0.25 }, 20],
    ]
    void worker.send({ type: 'emit', call: call.id, batch })
    void worker.send({ type: 'log', call: call.id, stream: 'stderr', text: 'hm' })
    void worker.send({ type: 'result', call: call.id, outputs: {} })
    await done
    expect(call.record.emits).toEqual(batch)
    expect(call.record.logs).toEqual([['stderr', 'hm']])
  })

  test('a time that cannot be is that of the arrival, and none lies before the one before it [T34, F39]', async () => {
    const { worker, call, clock } = inFlight()
    await settled()
    await clock.advance(60_000)
    const times = [1e300, -1e300, 60_400, 60_300, 86_460_000, 60_700]
    for (const time of times) void worker.send({ type: 'emit', call: call.id, batch: [[{ loss: 1 }, time]] })
    expect(call.record.emits.map(([, atMs]) => atMs)).toEqual([60_000, 60_000, 60_400, 60_400, 60_400, 60_700])
    await clock.advance(10_000)
    void worker.send({ type: 'emit', call: call.id, batch: [[{ loss: 1 }, 5]] })
    expect(call.record.emits.at(-1)).toEqual([{ loss: 1 }, 70_000])
  })

  test('a worker is held back while what its code emitted is not kept yet [F68]', async () => {
    const room = Promise.withResolvers<void>()
    let emitted = 0
    const { worker, call } = inFlight({
      onEmit: () => void (emitted += 1),
      behind: () => (emitted > 2 ? room.promise : undefined),
    })
    await settled()
    const send = (count: number) =>
      worker.send({ type: 'emit', call: call.id, batch: Array.from({ length: count }, () => [{ loss: 1 }, 1]) })
    expect(send(2)).toBeUndefined()
    const behind = send(2)
    expect(behind).toBeInstanceOf(Promise)
    room.resolve()
    await behind
    expect(emitted).toBe(4)
  })

  test('a failure of the code keeps its type, message and traceback [R094]', async () => {
    const { worker, call, done } = inFlight()
    await settled()
    const error = { type: 'ValueError', message: 'bad lr', traceback: 'Traceback …' }
    void worker.send({ type: 'error', call: call.id, error })
    expect(await done).toMatchObject({ name: 'CodeError', ...error })
  })

  test('a disconnect fails it at once as worker_lost [R442]', async () => {
    const { worker, done } = inFlight()
    await settled()
    worker.disconnect()
    expect(await done).toMatchObject({ type: 'worker_lost' })
  })

  test('a worker that says good-bye gets no further call', async () => {
    const { dispatcher, attach } = setup()
    const leaving = attach({ name: 'a', labels: ['gpu'] })
    void leaving.send({ type: 'bye', reason: 'max_idle' })
    const call = codeCall({ node: { worker: 'gpu' } })
    void outcome(dispatcher.call(call))
    await settled()
    const next = attach({ name: 'b', labels: ['gpu'] })
    expect([leaving.calls(), next.calls()]).toEqual([[], [call.id]])
  })

  test('90 seconds without contact fail it as worker_silent, late heartbeats prevent that; what comes later is dropped [R679, F30, F31]', async () => {
    const { worker, call, done, clock, pool } = inFlight()
    await settled()
    await clock.advance(80_000)
    void worker.send({ type: 'heartbeat', calls: [call.id] })
    await clock.advance(85_000)
    expect(worker.frames.some((frame) => frame.type === 'cancel')).toBe(false)
    await clock.advance(10_000)
    expect(await done).toMatchObject({ type: 'worker_silent' })
    expect(worker.frames.at(-1)).toEqual({ type: 'cancel', call: call.id })
    // it was only stopped
    void worker.send({ type: 'result', call: call.id, outputs: { y: 1 } })
    expect([pool.droppedResults, pool.list()[0]?.load]).toEqual([1, 0])
  })

  test('a worker that only says that it is there does not outlive the timeout of a call', async () => {
    const { worker, call, done, clock } = inFlight({ node: { timeout: 30 } })
    await settled()
    const alive = async (seconds: number): Promise<void> => {
      for (let passed = 0; passed < seconds; passed += 5) {
        // oxlint-disable-next-line no-await-in-loop -- one sign of life after the other
        await clock.advance(5_000)
        void worker.send({ type: 'heartbeat', calls: [call.id] })
      }
    }
    void worker.send({ type: 'started', call: call.id, pid: 1 })
    await alive(25)
    void worker.send({ type: 'emit', call: call.id, batch: [[{ loss: 1 }, clock.now()]] })
    await alive(40)
    expect(worker.frames.some((frame) => frame.type === 'cancel')).toBe(false)
    await alive(5)
    expect(await done).toMatchObject({
      type: 'timeout',
      message: 'nothing was emitted for 30 seconds, and worker "w" did not end the call',
    })
    expect(worker.frames.at(-1)).toEqual({ type: 'cancel', call: call.id })
  })

  test('an engine that stands still for an hour blames no worker [F72]', async () => {
    let isBlocked = true
    // nothing that is set comes before the hour is over
    const clock = new (class extends VirtualClock {
      override setTimer(delayMs: number, run: () => void) {
        return super.setTimer(isBlocked ? 3_600_000 : delayMs, run)
      }
    })(0)
    const { dispatcher, attach } = setup({ clock })
    const worker = attach({ name: 'engine' }, { local: true })
    const call = codeCall({})
    const done = dispatcher.call(call)
    await settled()
    void worker.send({ type: 'started', call: call.id, pid: 1 })
    await clock.advance(3_599_999)
    isBlocked = false
    await clock.advance(60_000)
    expect(worker.frames.some((frame) => frame.type === 'cancel')).toBe(false)
    void worker.send({ type: 'result', call: call.id, outputs: { y: 1 } })
    await expect(done).resolves.toEqual({ y: 1 })
  })

  test('a cancelled call ends at once, its late result is dropped and counted, and its slot stays taken until then [F33]', async () => {
    const { worker, call, done, dispatcher, pool } = inFlight()
    const next = codeCall({})
    void outcome(dispatcher.call(next))
    await settled()
    call.record.cancel()
    expect(await done).toMatchObject({ type: 'cancelled' })
    expect(worker.frames.at(-1)).toEqual({ type: 'cancel', call: call.id })
    void worker.send({ type: 'emit', call: call.id, batch: [[{ loss: 1 }, 1]] })
    expect(call.record.emits).toEqual([])
    expect(worker.calls()).toEqual([call.id])
    void worker.send({ type: 'error', call: call.id, error: { type: 'cancelled', message: '', traceback: null } })
    await settled()
    expect(worker.calls()).toEqual([call.id, next.id])
    // that is how a cancelled call ends; a result is one that came too late
    expect(pool.droppedResults).toBe(0)
    next.record.cancel()
    void worker.send({ type: 'result', call: next.id, outputs: { y: 1 } })
    await settled()
    expect(pool.droppedResults).toBe(1)
  })

  test('of several results the first counts, and nothing that follows it; the others are counted [F33]', async () => {
    const { worker, call, done, dispatcher, pool } = inFlight()
    await settled()
    void worker.send({ type: 'result', call: 'unknown', outputs: { y: 0 } })
    void worker.send({ type: 'result', call: call.id, outputs: { y: 1 } })
    void worker.send({ type: 'result', call: call.id, outputs: { y: 2 } })
    void worker.send({ type: 'error', call: call.id, error: { type: 'late', message: '', traceback: null } })
    void worker.send({ type: 'emit', call: call.id, batch: [[{ loss: 1 }, 1]] })
    void worker.send({ type: 'log', call: call.id, stream: 'stdout', text: 'late' })
    void worker.send({ type: 'started', call: call.id, pid: 1 })
    expect(await done).toEqual({ y: 1 })
    expect(call.record).toMatchObject({ emits: [], logs: [] })
    expect(call.record.places).toEqual([])
    expect(pool.droppedResults).toBe(3)
    // The one slot is free again, once: two calls would not fit.
    const [second, third] = [codeCall({}), codeCall({})]
    void dispatcher.call(second)
    void dispatcher.call(third)
    await settled()
    expect(worker.calls()).toEqual([call.id, second.id])
    void worker.send({ type: 'result', call: second.id, outputs: {} })
    await settled()
    expect(worker.calls()).toEqual([call.id, second.id, third.id])
  })

  test('an emission that the engine refuses fails the call and stops the process', async () => {
    const { worker, call, done } = inFlight({
      onEmit: () => {
        throw new CodeError('DtypeViolation', 'not a float', null)
      },
    })
    await settled()
    void worker.send({ type: 'emit', call: call.id, batch: [[{ loss: 'x' }, 1]] })
    expect(await done).toMatchObject({ type: 'DtypeViolation' })
    expect(worker.frames.at(-1)).toEqual({ type: 'cancel', call: call.id })
  })
})

test('a call that is cancelled while it waits never reaches a worker', async () => {
  const { dispatcher, attach } = setup()
  const call = codeCall({ node: { worker: 'gpu' } })
  const done = outcome(dispatcher.call(call))
  await settled()
  call.record.cancel()
  expect(await done).toMatchObject({ type: 'cancelled' })
  const worker = attach({ labels: ['gpu'] })
  await settled()
  expect(worker.calls()).toEqual([])
})

test('the frame carries code, ports, environment and the seconds of silence', async () => {
  const { dispatcher, attach } = setup()
  const engine = attach({}, { local: true })
  void dispatcher.call(codeCall({ node: { timeout: 3, source: 'def run(): ...' }, resources: { env: { A: '1' } } }))
  await settled()
  expect(engine.frames.at(-1)).toMatchObject({
    type: 'call',
    kind: 'python',
    entry: 'run',
    source: 'def run(): ...',
    source_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    env: { A: '1' },
    timeout_s: 3,
    outputs: [{ port: 'loss', dtype: 'float', stream: true }],
  })
})
