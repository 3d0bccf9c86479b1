import { expect, test } from 'vitest'

import type { TestEngine } from './engine.ts'
import { node, output, stream } from './flows.ts'
import { useEngine } from './use-engine.ts'

let engine: TestEngine
useEngine({}, (opened) => {
  engine = opened
})

test('every number of a streaming port is a point under flow.message, all visible when the run has ended [R097, R101, R102, R103]', async () => {
  await engine.publish('curves', {
    outputs: [{ name: 'best' }],
    nodes: [node('train', [stream('loss'), stream('note', { dtype: 'any' }), output('best')], { cache: false })],
  })
  const startMs = 1_700_000_000_000
  engine.code['train'] = async (call) => {
    for (let step = 0; step < 1234; step += 1) call.onEmit({ loss: step === 7 ? Number.NaN : step / 4 }, startMs + step)
    call.onEmit({ note: true }, startMs)
    call.onEmit({ note: 'text' }, startMs)
    return { loss: 0.5, best: 3 }
  }
  const run = await engine.finished((await engine.submit('curves')).id)
  expect(run.metrics).toEqual([{ name: 'curves.loss', count: 1235, last: 0.5, step: 1234 }])
  const [series, ...others] = await engine.runs.metrics(run.id, { stride: 1 })
  expect(others).toEqual([])
  expect(series).toMatchObject({ name: 'curves.loss', node: 'train', port: 'loss', run: run.id, count: 1235 })
  expect(series?.points.map(({ step }) => step)).toEqual(Array.from({ length: 1235 }, (_, step) => step))
  expect(series?.points[7]).toEqual({ step: 7, ts: '2023-11-14T22:13:20.007000+00:00', value: 'NaN' })
  expect(series?.points[1233]).toEqual({ step: 1233, ts: '2023-11-14T22:13:21.233000+00:00', value: 1233 / 4 })
})

test('curves are chosen by bare or qualified name, and thinned by a stride [R509]', async () => {
  await engine.publish('two', {
    outputs: [{ name: 'best' }],
    nodes: [node('fit', [stream('loss'), stream('acc'), output('best')], { cache: false })],
  })
  engine.code['fit'] = async (call) => {
    for (let step = 0; step < 10; step += 1) call.onEmit({ loss: step, acc: -step }, step)
    return { best: 0 }
  }
  const { id } = await engine.finished((await engine.submit('two')).id)
  const names = async (list?: string[]) =>
    (await engine.runs.metrics(id, { names: list, stride: 4 })).map(({ name }) => name)
  expect(await names()).toEqual(['two.loss', 'two.acc'])
  expect(await names(['acc'])).toEqual(['two.acc'])
  expect(await names(['two.loss'])).toEqual(['two.loss'])
  expect(await names(['other.loss'])).toEqual([])
  const [loss] = await engine.runs.metrics(id, { names: ['loss'], stride: 4 })
  expect(loss?.points.map(({ step }) => step)).toEqual([0, 4, 8, 9])
})

test('a running run shows the points it has so far [R074]', async () => {
  await engine.publish('slow', {
    outputs: [{ name: 'best' }],
    nodes: [node('slow', [stream('loss'), output('best')], { cache: false })],
  })
  const goOn = Promise.withResolvers<void>()
  engine.code['slow'] = async (call) => {
    call.onEmit({ loss: 1 }, 1)
    await goOn.promise
    return { best: 0 }
  }
  const { id } = await engine.submit('slow')
  await engine.event((event) => event.type === 'value' && event.run === id)
  expect(await engine.runs.get(id)).toMatchObject({
    status: 'running',
    metrics: [{ count: 1 }],
    nodes: [{ status: 'running' }],
  })
  goOn.resolve()
  expect((await engine.finished(id)).metrics).toMatchObject([{ count: 1, last: 1 }])
})

test('an interval thins what is shown, not what is stored [R075]', async () => {
  await engine.publish('thin', {
    outputs: [{ name: 'best' }],
    nodes: [node('thin', [stream('loss', { interval: 60 }), output('best')], { cache: false })],
  })
  engine.code['thin'] = async (call) => {
    for (let step = 0; step < 100; step += 1) call.onEmit({ loss: step }, step)
    return { best: 0 }
  }
  const run = await engine.finished((await engine.submit('thin')).id)
  expect(run.metrics).toMatchObject([{ count: 100 }])
  const shown = engine.events.flatMap((event) => (event.type === 'value' && event.run === run.id ? [event] : []))
  expect(shown).toMatchObject([
    { message: 'thin.loss', value: 0, step: 0, node: 'thin', port: 'loss' },
    { message: 'thin.loss', value: 99, step: 99 },
  ])
})

test('points of a cancelled run that were emitted before the cancellation are kept', async () => {
  await engine.publish('stopped', {
    outputs: [{ name: 'best' }],
    nodes: [node('stopped', [stream('loss'), output('best')], { cache: false })],
  })
  engine.code['stopped'] = (call) => {
    call.onEmit({ loss: 1 }, 1)
    return new Promise(() => {})
  }
  const { id } = await engine.submit('stopped')
  await engine.event((event) => event.type === 'value' && event.run === id)
  expect(await engine.runs.cancel(id)).toMatchObject({
    status: 'cancelled',
    metrics: [{ name: 'stopped.loss', count: 1 }],
  })
})
