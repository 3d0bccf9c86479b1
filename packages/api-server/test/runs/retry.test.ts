import { expect, test } from 'vitest'

import type { TestEngine } from './engine.ts'
import { double, input, node, output } from './flows.ts'
import { useEngine } from './use-engine.ts'

let engine: TestEngine
useEngine({ maxRuns: 2 }, async (opened) => {
  engine = opened
  engine.code['double'] = async ({ inputs }) => ({ y: 2 * (inputs['x'] as number) })
  await engine.publish('double', double)
})

const retry = (id: string) => engine.runs.retry(id, 'bob@example.org')

test('a retry takes values, seed, group, priority and draft flag over, and names its parent [R089, R410, R411]', async () => {
  await engine.publish('seeded', {
    inputs: [
      { name: 'seed', dtype: 'int', initial: 1 },
      { name: 'x', dtype: 'float', initial: 2 },
    ],
    outputs: [{ name: 'y' }],
    nodes: [node('double', [input('seed', 'int'), input('x'), output('y')])],
  })
  const sweep = { runs: [{ seed: 5 }], draft: false, no_cache: true, priority: 9 }
  const { group_id, runs } = await engine.runs.sweep('seeded', sweep, 'ann@example.org')
  const parent = await engine.finished(runs[0]?.id ?? '')
  const queued = await retry(parent.id)
  expect(queued).toMatchObject({
    status: 'queued',
    parent: parent.id,
    group_id,
    seed: 5,
    priority: 9,
    params: { seed: 5, x: 2 },
    idempotency_key: null,
    submitted_by: 'bob@example.org',
  })
  expect(queued.id).not.toBe(parent.id)
  expect(await engine.finished(queued.id)).toMatchObject({ status: 'ok', result: { y: 4 } })
})

test('it executes the flow as it is now, with the values of then also where the initial ones have changed [R412]', async () => {
  await engine.publish('edited', double)
  const parent = await engine.submit('edited')
  await engine.finished(parent.id)
  const next = {
    ...double,
    inputs: [{ name: 'x', dtype: 'float', initial: 100 }],
    nodes: [node('triple', [input('x'), output('y')])],
  }
  await engine.publish('edited', next as typeof double)
  engine.code['triple'] = async ({ inputs }) => ({ y: 3 * (inputs['x'] as number) })
  const again = await engine.finished((await retry(parent.id)).id)
  expect(again).toMatchObject({ params: { x: 2 }, result: { y: 6 } })
  expect(again.digest).not.toBe(parent.digest)
})

test('of a draft run reads the draft when it starts, still with the values of then', async () => {
  await engine.draft('sketch', double)
  const parent = await engine.submit('sketch', { draft: true })
  await engine.finished(parent.id)
  await engine.draft('sketch', { ...double, inputs: [{ name: 'x', dtype: 'float', initial: 100 }] })
  expect(await engine.finished((await retry(parent.id)).id)).toMatchObject({
    draft: true,
    params: { x: 2 },
    result: { y: 4 },
  })
})

test('what succeeded before the failure comes from the cache [R413]', async () => {
  await engine.publish('two', {
    inputs: [{ name: 'x', dtype: 'float', initial: 41 }],
    outputs: [{ name: 'z' }],
    nodes: [node('first', [input('x'), output('y')]), node('second', [input('y'), output('z')])],
  })
  let calls = 0
  engine.code['first'] = async () => ({ y: ++calls })
  engine.code['second'] = () => Promise.reject(new Error('out of memory'))
  const parent = await engine.submit('two')
  expect(await engine.finished(parent.id)).toMatchObject({ status: 'error' })
  engine.code['second'] = async ({ inputs }) => ({ z: inputs['y'] })
  const again = await engine.finished((await retry(parent.id)).id)
  expect(again).toMatchObject({
    status: 'ok',
    result: { z: 1 },
    nodes: [{ node: 'first', cached: true }, { cached: false }],
  })
  expect(calls).toBe(1)
})

test('a run that is not finished is refused until it is cancelled [R420]', async () => {
  engine.code['double'] = () => new Promise(() => {})
  const running = await engine.submit('double')
  await engine.event((event) => event.type === 'node' && event.run === running.id && event.status === 'running')
  await expect(retry(running.id)).rejects.toMatchObject({ code: 'run_active', extensions: { runs: [running.id] } })
  await engine.runs.cancel(running.id)
  engine.code['double'] = async () => ({ y: 1 })
  expect(await engine.finished((await retry(running.id)).id)).toMatchObject({ status: 'ok', parent: running.id })
})

test('it is refused when the flow is gone, has nothing published, or has other inputs now [R410]', async () => {
  await engine.publish('old', double)
  const { id } = await engine.submit('old')
  await engine.finished(id)
  await engine.publish('old', { ...double, inputs: [], nodes: [node('double', [output('y')])] })
  await expect(retry(id)).rejects.toMatchObject({
    code: 'validation_failed',
    extensions: { errors: [{ path: '/params/x', code: 'unknown_param' }] },
  })
  const flow = engine.flows.get('old')
  if (flow) flow.published = null
  await expect(retry(id)).rejects.toMatchObject({ code: 'not_published' })
  engine.flows.delete('old')
  await expect(retry(id)).rejects.toMatchObject({ code: 'not_found' })
  await expect(retry('01900000-0000-7000-8000-00000000ffff')).rejects.toMatchObject({ code: 'not_found' })
})
