/** `GET /runs` and what people say about runs, over HTTP at an engine that executes. */
import type { EngineEvent, FlowDocument, RunSummary } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { bind } from '../../../src/http/mount.ts'
import { listEndpoints, listHandlers } from '../../../src/runs/lists/routes.ts'
import { caller, type Running, serve } from '../../http/server.ts'
import { openEngine, type TestEngine } from '../engine.ts'
import { input, node, output, stream } from '../flows.ts'

let engine: TestEngine
let api: Running
const held: { emit: (loss: number) => void; end: () => void }[] = []
/** What the node that waits can be told, once it executes. */
const begun = async () => {
  await expect.poll(() => held).toHaveLength(1)
  return held.pop() as (typeof held)[number]
}
beforeAll(async () => {
  engine = await openEngine({
    code: {
      train: async ({ inputs, onEmit }) => {
        for (const [step, loss] of [3, Number(inputs['lr']), 'NaN', 2].entries()) onEmit({ loss }, step)
        return { best: inputs['lr'] }
      },
      score: async ({ inputs }) => ({ f1: inputs['best'], words: 'good', all: [1] }),
      held: async ({ onEmit }) =>
        new Promise((resolve) => {
          held.push({ emit: (loss) => onEmit({ loss }, 0), end: () => resolve({ best: 1 }) })
        }),
    },
  })
  const nodes = [
    node('train', [input('lr'), stream('loss'), output('best')]),
    node('score', [input('best'), output('f1'), output('words', 'str'), output('all', 'any')], { cache: false }),
  ]
  const outputs = ['f1', 'words', 'all'].map((name) => ({ name }))
  const lr = { name: 'lr', dtype: 'float', initial: 0.1 } as const
  await engine.publish('fit', { inputs: [lr, { name: 'text', dtype: 'str', initial: '' }], outputs, nodes })
  await engine.publish('held', {
    outputs: [{ name: 'best' }],
    nodes: [node('held', [stream('loss'), output('best')], { cache: false })],
  })
  api = await serve(bind(listEndpoints, listHandlers({ runs: engine.runs })))
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await engine[Symbol.asyncDispose]()
})

const call = caller(() => api.url)
const listed = async (query: string): Promise<RunSummary[]> =>
  (await call('GET', `/runs?${query}`)).body as RunSummary[]
const finished = async (flow: string, params: Record<string, unknown> = {}) =>
  engine.finished((await engine.submit(flow, { params: params as never })).id)

test('what is included of a run is what it was given, gave and drew; also of a stage that was taken over', async () => {
  const long = 'x'.repeat(2000)
  const first = await finished('fit', { lr: 0.5, text: long })
  const again = await finished('fit', { lr: 0.5, text: 'short' })
  expect(again.nodes[0]).toMatchObject({ cached: true })
  const [b, a] = await listed('flow=fit&include=params,results,metrics,progress')
  const metrics = { loss: { count: 4, step: 3, last: 2, min: 0.5, max: 3 } }
  const results = { f1: 0.5, words: 'good' }
  const progress = { total: 2, done: 2, cached: 0, failed: 0, running: 0, waiting_for: null }
  expect(a).toMatchObject({ id: first.id, params_cut: ['text'], results, metrics, progress })
  expect(a?.params).toEqual({ lr: 0.5, text: null })
  expect(b).toMatchObject({ id: again.id, params_cut: [], results, metrics, progress: { ...progress, cached: 1 } })
  expect(b?.params).toEqual({ lr: 0.5, text: 'short' })
  expect((await listed('flow=fit'))[0]).toMatchObject({ params: null, results: null, metrics: null, progress: null })
  expect((await listed(`flow=fit&filter=${encodeURIComponent('params.text=* metrics.loss:min<1')}`)).length).toBe(2)
})

test('a run that executes is listed with what it has drawn by now', async () => {
  const { id } = await engine.submit('held')
  const now = await begun()
  now.emit(7)
  const [run] = await listed('flow=held&include=metrics,progress&filter=metrics.loss=7')
  expect(run).toMatchObject({ id, status: 'running', metrics: { loss: { count: 1, last: 7, min: 7, max: 7 } } })
  expect(run?.progress).toMatchObject({ total: 1, done: 0, running: 1 })
  now.end()
  await engine.finished(id)
})

describe('pages', () => {
  test('each leads to the next by its cursor, and the header counts all', async () => {
    for (let at = 0; at < 5; at += 1) await finished('fit', { lr: at })
    const query = `flow=fit&filter=params.lr%3E=1&sort=-params.lr&limit=2&include=total,params`
    const first = await call('GET', `/runs?${query}`)
    expect(first.headers.get('x-total-count')).toBe('4')
    const link = /^<(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const second = await fetch(link)
    const lrs = [...(first.body as RunSummary[]), ...((await second.json()) as RunSummary[])].map(
      (run) => run.params?.['lr'],
    )
    expect(lrs).toEqual([4, 3, 2, 1])
    const other = link.replace('sort=-params.lr', 'sort=params.lr')
    expect(await (await fetch(other)).json()).toMatchObject({ errors: [{ path: 'query.cursor', code: 'bad_cursor' }] })
    const after = /^<(.*)>; rel="next"$/.exec(second.headers.get('link') ?? '')?.[1] ?? ''
    expect(await (await fetch(after)).json()).toEqual([])
    // who jumps in a table begins at a place, and goes on by the cursor from there
    const there = await call('GET', `/runs?flow=fit&sort=-params.lr&limit=2&at=2&include=params`)
    expect((there.body as RunSummary[]).map((run) => run.params?.['lr'])).toEqual([2, 1])
    const behind = /^<(.*)>; rel="next"$/.exec(there.headers.get('link') ?? '')?.[1] ?? ''
    expect(behind).not.toMatch(/[?&]at=/)
    expect(((await (await fetch(behind)).json()) as RunSummary[])[0]?.params?.['lr']).toBe(0)
  })

  test.each([
    ['cursor=abc', 'query.cursor', /take it from the Link/],
    ['offset=10001', 'query.offset', /cursor/],
    ['at=1000001', 'query.at', /1000000/],
    ['include=curves', 'query.include', /params, results, metrics, progress, total/],
    ['sort=lr', 'query.sort', /no field to sort by/],
    ['sort=a,b,c,d', 'query.sort', /at most 3/],
    ['filter=lr%3C1', 'query.filter', /^at 1: /],
    ['archived=maybe', 'query.archived', /./],
  ])('%s is refused', async (query, path, message) => {
    expect(await call('GET', `/runs?${query}`)).toMatchObject({
      status: 422,
      body: { errors: [{ path, message: expect.stringMatching(message) as string }] },
    })
  })
})

describe('what people say', () => {
  test('a note, tags and a pin stay, are told, and are listed; an archived run is listed where asked for', async () => {
    const { id } = await finished('fit', { lr: 0.25 })
    engine.events.length = 0
    const said = { note: 'look\nagain', tags: ['a', 'b'], pinned: true }
    const patched = await call('PATCH', `/runs/${id}`, { ...said, tags: ['b', 'a', 'b'] })
    expect(patched).toMatchObject({ status: 200, body: { id, ...said, archived: false } })
    expect(engine.events).toMatchObject([{ type: 'run', run: { id, status: 'ok', ...said } }])
    expect(await listed('filter=pinned=true%20tags=a%20note~AGAIN')).toMatchObject([{ id }])
    await call('PATCH', `/runs/${id}`, { archived: true })
    const ids = async (query: string) => (await listed(query)).map((run) => run.id)
    expect(await ids('limit=500')).not.toContain(id)
    expect(await ids('limit=500&archived=any')).toContain(id)
    expect(await ids('archived=true')).toEqual([id])
    expect((await engine.runs.get(id)).tags).toEqual(['a', 'b'])
  })

  test('what is said of a run that executes is in its end, too', async () => {
    const { id } = await engine.submit('held')
    const now = await begun()
    await call('PATCH', `/runs/${id}`, { note: 'this one' })
    now.end()
    await engine.finished(id)
    const told = engine.events.filter((event): event is Extract<EngineEvent, { type: 'run' }> => event.type === 'run')
    expect(told.findLast(({ run }) => run.id === id)?.run).toMatchObject({ status: 'ok', note: 'this one' })
  })

  test('many runs change, or none', async () => {
    const { body } = await call('GET', '/runs?flow=fit&limit=3')
    const ids = (body as RunSummary[]).map(({ id }) => id)
    expect(await call('PATCH', '/runs', { ids, add_tags: ['x', 'y'], pinned: true })).toMatchObject({
      status: 200,
      body: { changed: 3 },
    })
    expect((await call('PATCH', '/runs', { ids, add_tags: ['x'] })).body).toEqual({ changed: 0 })
    expect((await call('PATCH', '/runs', { ids, remove_tags: ['x'], add_tags: ['z'] })).body).toEqual({ changed: 3 })
    const missing = '00000000-0000-7000-8000-000000000000'
    expect(await call('PATCH', '/runs', { ids: [...ids, missing], archived: true })).toMatchObject({ status: 404 })
    const many = Array.from({ length: 31 }, (_, at) => `t${at}`)
    expect(await call('PATCH', '/runs', { ids, add_tags: many })).toMatchObject({
      status: 422,
      body: { errors: [{ path: '/add_tags', message: expect.stringMatching(/33 tags/) as string }] },
    })
    expect(await listed('flow=fit&filter=tags=z%20tags=y%20tags!=x')).toHaveLength(3)
  })

  test.each([
    [{ tags: ['two words'] }],
    [{ tags: [''] }],
    [{ tags: ['\0'] }],
    [{ tags: Array.from({ length: 33 }, (_, at) => `t${at}`) }],
    [{ note: 'x'.repeat(10_001) }],
    [{ note: '\uD800' }],
    [{ status: 'ok' }],
  ])('%j is refused', async (body) => {
    const { id } = (await listed('limit=1'))[0] as RunSummary
    expect(await call('PATCH', `/runs/${id}`, body)).toMatchObject({ status: 422 })
  })
})

test('the document is the one that a run executed, after another one was published, too', async () => {
  await engine.publish('changed', {
    outputs: [{ name: 'best' }],
    nodes: [node('train', [input('lr'), output('best')])],
    inputs: [{ name: 'lr', dtype: 'float', initial: 1 }],
  })
  const { id } = await finished('changed')
  await engine.publish('changed', { outputs: [], nodes: [] })
  const { status, body } = await call('GET', `/runs/${id}/document`)
  expect({ status, nodes: (body as FlowDocument).nodes.map((one) => one.id) }).toEqual({
    status: 200,
    nodes: ['train'],
  })
  expect(await call('GET', '/runs/00000000-0000-7000-8000-000000000000/document')).toMatchObject({ status: 404 })
})
