import { expect, test } from 'vitest'

import { curveAnswer } from '../../../src/runs/curve-answer.ts'
import { type ChunkKey, createExecutionStore } from '../../../src/runs/execution-store.ts'
import { RunView } from '../../../src/runs/run-view.ts'
import { createRunsStore } from '../../../src/runs/store.ts'
import type { TestEngine } from '../engine.ts'
import { node, output, stream } from '../flows.ts'
import { useEngine } from '../use-engine.ts'
import { Past } from './curve-rows.ts'

let engine: TestEngine
useEngine({}, (opened) => {
  engine = opened
})

/** A view of runs, and how many chunks each of its statements has asked for. */
function watchedView() {
  const asked: number[] = []
  const executions = createExecutionStore(engine.database.sql)
  const view = new RunView({
    store: createRunsStore(engine.database.sql),
    executions: {
      ...executions,
      points(keys: readonly ChunkKey[]) {
        asked.push(keys.length)
        return executions.points(keys)
      },
    },
    flush: async () => {},
    secrets: { mask: (shown) => shown },
  })
  return { view, asked }
}

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
  const [ends] = await engine.runs.metrics(id, { names: ['loss'], stride: Number.MAX_SAFE_INTEGER })
  expect(ends?.points.map(({ step }) => step)).toEqual([0, 9])

  // no answer has more points than that; the first ones of each are given, and how many there are
  const cut = await engine.runs.metrics(id, { stride: 1, most: 12 })
  const six = [0, 1, 2, 3, 4, 5]
  expect(cut.map(({ count, points }) => [count, points.map(({ step }) => step)])).toEqual([
    [10, six],
    [10, six],
  ])

  // the name from before a rename of the flow is known too
  const flow = engine.flows.get('two')?.id ?? ''
  await engine.database.transaction(async (tx) => {
    await tx`update flow set name = 'twice' where id = ${flow}`
    await engine.runs.rename(tx, flow, 'twice')
  })
  expect(await names(['twice.loss'])).toEqual(['twice.loss'])
  expect(await names(['two.loss'])).toEqual(['twice.loss'])
  expect(await names(['other.loss'])).toEqual([])
})

test('of a long curve with a large stride only chunks with points that are given are read, some at a time', async () => {
  await engine.publish('long', {
    outputs: [{ name: 'best' }],
    nodes: [node('fit', [stream('loss'), output('best')], { cache: false })],
  })
  engine.code['fit'] = async () => ({ best: 0 })
  const { id } = await engine.finished((await engine.submit('long')).id)
  await new Past(engine.database).chunks(
    Array.from({ length: 300 }, (_, seq) => {
      const vals = Array.from({ length: 100 }, (_value, at) => seq * 100 + at)
      return { run: id, node: 'fit', port: 'loss', message: 'loss', seq, step: seq * 100, vals }
    }),
  )
  const { view, asked } = watchedView()
  const [thin] = await view.metrics(id, { stride: 10_000 })
  expect(thin?.points.map(({ value }) => value)).toEqual([0, 10_000, 20_000, 29_999])
  expect(asked.splice(0)).toEqual([4])
  const [whole] = await view.metrics(id, { stride: 7 })
  const steps = Array.from({ length: 30_000 }, (_, step) => step).filter((step) => step % 7 === 0 || step === 29_999)
  expect(whole?.points.map(({ value }) => value)).toEqual(steps)
  expect(asked).toEqual([100, 100, 100])
})

test('many points are answered as text that is made while it is read, and say what the value says', async () => {
  await engine.publish('million', {
    outputs: [{ name: 'best' }],
    nodes: [node('fit', [stream('first'), stream('long'), stream('last'), output('best')], { cache: false })],
  })
  engine.code['fit'] = async () => ({ best: 0 })
  const { id } = await engine.finished((await engine.submit('million')).id)
  const special = ['NaN', 'Infinity', '-Infinity', -0, 1e21, 1e-7] as const
  const vals = Array.from({ length: 500 }, (_, at) => special[at] ?? at / 7)
  const drawn = (message: string, chunks: number) =>
    Array.from({ length: chunks }, (_, seq) => {
      const curve = { run: id, node: 'fit', port: message, message }
      return { ...curve, seq, step: seq * 500, startMs: -1_000.25, vals }
    })
  await new Past(engine.database).chunks([...drawn('first', 1), ...drawn('long', 110), ...drawn('last', 1)])
  const { view, asked } = watchedView()
  const answer = await curveAnswer(await view.curves(id, { stride: 1 }))
  if (!('text' in answer)) throw new Error('such a curve is not answered as a whole')
  expect(asked).toEqual([])
  const pieces: string[] = []
  for await (const piece of answer.text) {
    // no page is read before the one before it is taken
    expect(asked).toHaveLength(pieces.length < 100 ? 1 : 2)
    pieces.push(piece)
  }
  expect(asked).toEqual([100, 12])
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(50_000)

  for (const query of [{ stride: 1 }, { stride: 1, most: 51_000 }]) {
    const many = await curveAnswer(await view.curves(id, query))
    if (!('text' in many)) throw new Error('such a curve is not answered as a whole')
    const whole = await view.metrics(id, query)
    expect(whole.map(({ name }) => name)).toEqual(['million.first', 'million.long', 'million.last'])
    let text = ''
    for await (const piece of many.text) text += piece
    expect(text).toBe(JSON.stringify(whole))
  }
  const few = await curveAnswer(await view.curves(id, { stride: 100 }))
  expect(few).toEqual({ value: await view.metrics(id, { stride: 100 }) })

  // those behind a step, which are read as they are stored
  const later = await curveAnswer(await engine.curveColumns.pointsAfter(id, { names: undefined, afterStep: 777 }))
  if (!('text' in later)) throw new Error('such a curve is not answered as a whole')
  let text = ''
  for await (const piece of later.text) text += piece
  const all = await view.metrics(id, { stride: 1 })
  const behind = all.map((curve) => ({ ...curve, points: curve.points.filter(({ step }) => step > 777) }))
  expect(JSON.parse(text)).toEqual(behind)
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

test('code that emits faster than points are kept is held back, and loses none of them [F68]', async () => {
  await engine.publish('fast', {
    outputs: [{ name: 'best' }],
    nodes: [node('fast', [stream('loss'), output('best')], { cache: false })],
  })
  let held = 0
  engine.code['fast'] = async (call) => {
    for (let step = 0; step < 100_000;) {
      let behind: Promise<void> | undefined
      const before = step
      // all in one turn, in which no write can end
      for (; !behind && step < 100_000; behind = call.behind?.()) call.onEmit({ loss: step++ }, step)
      expect(step - before).toBeLessThanOrEqual(20_000)
      if (behind) held += 1
      await behind
    }
    return { best: 0 }
  }
  const run = await engine.finished((await engine.submit('fast')).id)
  expect(run).toMatchObject({ status: 'ok', metrics: [{ count: 100_000, last: 99_999, step: 99_999 }] })
  expect(held).toBeGreaterThanOrEqual(4)
  const [series] = await engine.runs.metrics(run.id, { stride: 1 })
  expect(series?.points.every(({ step, value }, at) => step === at && value === at)).toBe(true)
})

test('a cancellation lets go of code that is held back [F68]', async () => {
  await engine.publish('flood', {
    outputs: [{ name: 'best' }],
    nodes: [node('flood', [stream('loss'), output('best')], { cache: false })],
  })
  const over = Promise.withResolvers<number>()
  const stuck = Promise.withResolvers<void>()
  engine.code['flood'] = async (call) => {
    let step = 0
    while (!call.signal.aborted) {
      call.onEmit({ loss: 1 }, step++)
      const behind = call.behind?.()
      if (!behind) continue
      stuck.resolve()
      await behind
    }
    over.resolve(step)
    return { best: 0 }
  }
  const { id } = await engine.submit('flood')
  await stuck.promise
  const run = await engine.runs.cancel(id)
  expect(run.status).toBe('cancelled')
  const [metric] = run.metrics
  expect(await over.promise).toBeGreaterThanOrEqual(metric?.count ?? 0)
  expect(metric?.count).toBeGreaterThan(0)
})

test('names, comparisons and exports of a running run hold all of which an event has told [R510, R511, R513]', async () => {
  await engine.publish('live', {
    outputs: [{ name: 'best' }],
    nodes: [node('live', [stream('loss'), output('best')], { cache: false })],
  })
  const goOn = Promise.withResolvers<void>()
  engine.code['live'] = async (call) => {
    call.onEmit({ loss: 'NaN' }, 1)
    await goOn.promise
    return { best: 0 }
  }
  const exported = async (ids: string[]): Promise<string> => {
    const { text } = await engine.runExports.metrics({ format: 'csv', filter: { ids } })
    let all = ''
    for await (const piece of text) all += piece
    return all
  }
  const reads = {
    names: (id: string) => engine.comparison.names({ ids: [id] }),
    compare: (id: string) => engine.comparison.compare({ ids: [id], metric: 'loss', x: 'step', stride: 1 }),
    export: (id: string) => exported([id]),
  }
  const seen: Record<string, unknown> = {}
  for (const [kind, read] of Object.entries(reads)) {
    const { id } = await engine.submit('live')
    await engine.event((event) => event.type === 'value' && event.run === id && event.step === 0)
    seen[kind] = await read(id)
  }
  expect(seen).toMatchObject({
    names: [{ name: 'live.loss', runs: 1 }],
    compare: { series: [{ status: 'running', points: [{ x: 0, y: 'NaN' }] }] },
    export: expect.stringContaining(',live,live.loss,0,1970-01-01T00:00:00.001000+00:00,NaN\r\n') as string,
  })
  goOn.resolve()
})
