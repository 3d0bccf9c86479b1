import { expect, test } from 'vitest'

import { codeCall } from './code-call.ts'
import { type PuppetWorker, settled, setup } from './puppet-pool.ts'

test('a live node that moves to the worker it prefers leaves no process where it was', async () => {
  const { dispatcher, attach } = setup()
  const engine = attach({ name: 'engine' }, { local: true })
  const execute = async (on: PuppetWorker): Promise<void> => {
    const call = codeCall({ mode: 'live', node: { worker: 'gpu', worker_policy: 'prefer' } })
    const done = dispatcher.call(call)
    await settled()
    void on.send({ type: 'result', call: call.id, outputs: {} })
    await done
  }
  await execute(engine)
  await execute(engine)
  expect(engine.frames.map(({ type }) => type)).toEqual(['welcome', 'call', 'call'])
  const worker = attach({ name: 'gpu' })
  await execute(worker)
  expect(engine.frames.at(-1)).toEqual({ type: 'release', flow: 'fit', node: 'train' })
  expect(worker.frames.map(({ type }) => type)).toEqual(['welcome', 'call'])
})

test('the end of a live node is told to every worker', () => {
  const { dispatcher, attach } = setup()
  const workers = [attach({}, { local: true }), attach({ name: 'b' })]
  dispatcher.release('climate', 'smooth')
  for (const worker of workers) {
    expect(worker.frames.at(-1)).toEqual({ type: 'release', flow: 'climate', node: 'smooth' })
  }
})

test('a live node stays with its process, however busy its worker is, until it is released or the worker is gone', async () => {
  const { dispatcher, attach } = setup()
  const first = attach({ name: 'a', labels: ['gpu'], parallel: 1 })
  const second = attach({ name: 'b', labels: ['gpu'], parallel: 1 })
  const call = () => codeCall({ mode: 'live', node: { worker: 'gpu' } })
  const execute = async (on: PuppetWorker): Promise<string> => {
    const execution = call()
    const done = dispatcher.call(execution)
    await settled()
    void on.send({ type: 'result', call: execution.id, outputs: {} })
    await done
    return execution.id
  }
  await execute(first)
  // the other one has fewer calls now
  const other = codeCall({ node: { worker: 'a' } })
  const busy = dispatcher.call(other)
  const waiting = call()
  const done = dispatcher.call(waiting)
  await settled()
  expect([waiting.record.places, second.calls()]).toEqual([[{ waitingFor: 'gpu' }], []])
  void first.send({ type: 'result', call: other.id, outputs: {} })
  await busy
  await settled()
  expect(first.calls()).toContain(waiting.id)
  first.disconnect()
  await expect(done).rejects.toMatchObject({ type: 'worker_lost' })
  const moved = await execute(second)
  expect(second.calls()).toEqual([moved])
  const third = attach({ name: 'c', labels: ['gpu'], parallel: 1 })
  const blocks = codeCall({ node: { worker: 'b' } })
  void dispatcher.call(blocks)
  dispatcher.release('fit', 'train')
  await settled()
  const released = await execute(third)
  expect(third.calls()).toEqual([released])
})
