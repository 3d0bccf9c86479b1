/** What a worker gives back because calls of other engines have its places (attached-worker.A6, dispatch.D4). */
import type { CodeCall } from '@flow-service/core'
import { describe, expect, test } from 'vitest'

import { codeCall } from './code-call.ts'
import { outcome, settled, setup } from './puppet-pool.ts'

describe('a worker that other engines use too', () => {
  const shared = (calls: number, more: object = {}) =>
    ({ type: 'shared', calls, resources: { cpus: 0, gpus: 0, ram_mb: 0, ...more } }) as const

  test('gets no call beyond what they leave of it, and the next one when they leave more', async () => {
    const { dispatcher, attach, pool } = setup()
    const worker = attach({ name: 'far', parallel: 2 })
    void worker.send(shared(1, { cpus: 3 }))
    const [small, large] = [1, 2].map((cpus) => codeCall({ node: { worker: 'far' }, resources: { cpus } }))
    for (const call of [large, small]) void dispatcher.call(call as CodeCall)
    await settled()
    expect([worker.calls(), pool.list()[0]?.free.cpus]).toEqual([[small?.id], 0])
    expect(worker.frames.at(-1)).toMatchObject({ demand: { cpus: 1, gpus: 0, ram_mb: 0 } })
    void worker.send(shared(1, { cpus: 1 }))
    expect(worker.calls()).toEqual([small?.id])
    void worker.send(shared(0))
    expect(worker.calls()).toEqual([small?.id, large?.id])
  })

  test('gives a call back that it has not begun: it is placed again before those that came later, and has not failed (dispatch.D4)', async () => {
    const { dispatcher, attach } = setup()
    const worker = attach({ name: 'far' })
    const calls = [1, 2, 3].map(() => codeCall({ node: { worker: 'far' } }))
    const done = calls.map((call) => dispatcher.call(call))
    await settled()
    const [first, second] = calls.map(({ id }) => id)
    void worker.send(shared(1))
    void worker.send({ type: 'busy', call: first ?? '' })
    await settled()
    expect(worker.calls()).toEqual([first])
    expect(calls[0]?.record.places).toEqual([{ waitingFor: 'far' }])
    void worker.send(shared(0))
    void worker.send({ type: 'result', call: first ?? '', outputs: { y: 1 } })
    await settled()
    expect(worker.calls()).toEqual([first, first, second])
    expect(await done[0]).toEqual({ y: 1 })
  })

  test('gets nothing that takes as much as a call that it gave back, until it tells anew what others have (attached-worker.A6)', async () => {
    const { dispatcher, attach } = setup()
    const worker = attach({ name: 'far', parallel: 3 })
    const far = (cpus: number) => codeCall({ node: { worker: 'far' }, resources: { cpus } })
    const large = far(2)
    void dispatcher.call(large)
    await settled()
    void worker.send({ type: 'busy', call: large.id })
    // a call that it has not got is none that it gives back
    void worker.send({ type: 'busy', call: 'unknown' })
    const [small, larger] = [far(1), far(2)]
    for (const call of [larger, small]) void dispatcher.call(call)
    await settled()
    expect(worker.calls()).toEqual([large.id, small.id])
    void worker.send(shared(0))
    expect(worker.calls()).toEqual([large.id, small.id, large.id])
  })

  test('gives a call back that was cancelled meanwhile: it is placed nowhere, and its place is free', async () => {
    const { dispatcher, attach, pool } = setup()
    const worker = attach({ name: 'far' })
    const call = codeCall({ node: { worker: 'far' } })
    const done = outcome(dispatcher.call(call))
    await settled()
    call.record.cancel()
    void worker.send({ type: 'busy', call: call.id })
    expect(await done).toMatchObject({ type: 'cancelled' })
    expect([worker.calls(), pool.list()[0]?.load]).toEqual([[call.id], 0])
    const second = codeCall({ node: { worker: 'far' } })
    const other = outcome(dispatcher.call(second))
    void worker.send({ type: 'busy', call: second.id })
    second.record.cancel()
    expect(await other).toMatchObject({ type: 'cancelled' })
  })

  test('keeps no live node that it has not begun: the node goes to another one that suits', async () => {
    const { dispatcher, attach } = setup()
    const [first, second] = [attach({ name: 'a', labels: ['far'] }), attach({ name: 'b', labels: ['far'] })]
    const call = codeCall({ mode: 'live', node: { worker: 'far' } })
    void dispatcher.call(call)
    await settled()
    void first.send(shared(1))
    void first.send({ type: 'busy', call: call.id })
    await settled()
    expect([first.calls(), second.calls()]).toEqual([[call.id], [call.id]])
  })
})
