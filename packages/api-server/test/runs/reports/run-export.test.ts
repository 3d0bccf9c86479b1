import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { v7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'

import { type Database, openDatabase } from '../../../src/db/database.ts'
import { bind } from '../../../src/http/mount.ts'
import { createCurveStore } from '../../../src/runs/curves/curve-store.ts'
import { exportEndpoints, exportHandlers } from '../../../src/runs/reports/export-routes.ts'
import { createExportStore } from '../../../src/runs/reports/export-store.ts'
import { RunExports } from '../../../src/runs/reports/run-export.ts'
import { databaseAt } from '../../backend.ts'
import { type Running, serve } from '../../http/server.ts'
import { createdAt, Past } from '../curves/curve-rows.ts'

const log = { info() {}, warn() {}, error() {} }
let dataDir: string
let database: Database
let past: Past
let api: Running
let statements = 0
const flushed: string[] = []

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'export-'))
  database = await openDatabase({ ...(await databaseAt(dataDir)), log })
  const curves = createCurveStore(counting(database))
  const store = createExportStore(counting(database))
  const exports = new RunExports({
    store,
    curves,
    flush: async (id) => void flushed.push(id),
    secrets: { mask: (shown) => shown },
  })
  api = await serve(bind(exportEndpoints, exportHandlers({ exports })))
})
beforeEach(async () => {
  await database.sql`truncate run, run_document, run_flow, metric cascade`
  past = new Past(database)
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await database.close()
  await rm(dataDir, { recursive: true, force: true })
})

/** Counts statements: parts of one are made by the same call, and are not awaited. */
const counting = ({ sql }: Database): Database['sql'] =>
  new Proxy(sql, {
    apply(target, self, parameters) {
      const query = Reflect.apply(target as never, self, parameters) as PromiseLike<unknown>
      const then = query.then.bind(query)
      query.then = ((...handlers: []) => {
        statements += 1
        return then(...handlers)
      }) as never
      return query
    },
  })

const input = (name: string, value: unknown, dtype = 'float') => ({ name, dtype, value, default: false }) as never
const table = async (path: string) => {
  const response = await fetch(`${api.url}/runs/export/${path}`)
  const text = await response.text()
  return { status: response.status, headers: response.headers, text }
}
const lines = async (path: string) => (await table(path)).text.split('\r\n')
const objects = async (path: string) =>
  (await table(path)).text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
const fixed =
  'id,flow,status,created_at,started_at,finished_at,duration_s,seed,group_id,parent,external_id,digest,commit'

test('a table of runs has a row for each, newest first, with all inputs and all numeric outputs [R514, R516, R519]', async () => {
  await past.document('fit', 'sha256:a', {
    inputs: [{ name: 'lr', dtype: 'float', initial: 0, title: '' }],
    outputs: [
      { name: 'best', port: 'best' },
      { name: 'label', port: 'label' },
    ],
    nodes: [
      {
        id: 'n',
        ports: [
          { direction: 'output', port: 'best', name: 'fit.best', dtype: 'float' },
          { direction: 'output', port: 'label', name: 'fit.label', dtype: 'str' },
        ],
      },
    ] as never,
  })
  const [old, young] = await past.runs([
    {
      flow: 'fit',
      created_at: createdAt(1),
      digest: 'sha256:a',
      inputs: [input('lr', 'NaN')],
      result: { best: '-Infinity', label: 'x' },
    },
    {
      flow: 'raw',
      created_at: createdAt(2),
      external_id: 'e-1',
      inputs: [input('name', '7', 'str')],
      result: { score: 0.5, note: 'n' },
    },
  ])
  const { headers, text } = await table('runs')
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(headers.get('content-disposition')).toBe('attachment; filename="runs.csv"')
  expect([headers.get('x-truncated'), headers.get('x-total-count')]).toEqual([null, null])
  const times = (at: number) => `${createdAt(at)},${createdAt(at)},${createdAt(at)},0`
  expect(text.split('\r\n')).toEqual([
    `${fixed},params.lr,params.name,metrics.best,metrics.score`,
    `${young},raw,ok,${times(2)},,,,e-1,,,,7,,0.5`,
    `${old},fit,ok,${times(1)},,,,,sha256:a,,NaN,,-inf,`,
    '',
  ])
  const rows = await objects('runs?format=jsonl')
  expect(rows).toMatchObject([
    { id: young, external_id: 'e-1', params: { name: '7' }, metrics: { score: 0.5 } },
    { id: old, duration_s: 0, seed: null, params: { lr: 'NaN' }, metrics: { best: '-Infinity' } },
  ])
  expect(Object.keys(rows[0] ?? {}).join()).toBe(`${fixed},params,metrics`)
  expect((await table('runs?format=jsonl')).headers.get('content-type')).toBe('application/x-ndjson')
})

test('columns are chosen, and dotted paths reach into records by own members only [R518, T94]', async () => {
  await past.runs([
    {
      flow: 'fit',
      created_at: createdAt(1),
      inputs: [input('opt', { lr: 0.1, tags: ['a', 'b'] }, 'object'), input('a.b', 2)],
      result: { report: { f1: 0.9, name: 'x' }, text: 'plain' },
    },
  ])
  const choice = 'params=opt.lr,opt.tags,a.b,__proto__.x,missing&metrics=report.f1,report.name,constructor.name'
  const [head, row] = await lines(`runs?${choice}`)
  expect(head).toBe(
    `${fixed},params.opt.lr,params.opt.tags,params.a.b,params.__proto__.x,params.missing,` +
      'metrics.report.f1,metrics.report.name,metrics.constructor.name',
  )
  expect(row?.slice(row.indexOf(',,,,,,') + 7)).toBe('0.1,"[""a"",""b""]",2,,,0.9,x,')
  expect(await objects(`runs?format=jsonl&${choice}`)).toMatchObject([
    {
      params: { 'opt.lr': 0.1, 'opt.tags': ['a', 'b'], 'a.b': 2, missing: null },
      metrics: { 'report.f1': 0.9, 'report.name': 'x', 'constructor.name': null },
    },
  ])
})

test('texts that a spreadsheet would calculate begin with an apostrophe, numbers stay numbers [T93]', async () => {
  const texts = [
    '=1+1',
    '+1',
    '-1',
    '@a',
    '\tx',
    '\rx',
    '＝1',
    '＋1',
    '－1',
    '＠a',
    'a,b',
    'say "x"',
    'two\nlines',
    'plain',
  ]
  await past.runs([
    {
      flow: 'fit',
      created_at: createdAt(1),
      external_id: '=cmd()',
      inputs: texts.map((text, at) => input(`t${at}`, text, 'str')),
      result: { low: -1.5 },
    },
  ])
  const names = texts.map((_, at) => `t${at}`).join()
  const { text } = await table(`runs?params=${names}`)
  const row = text.slice(text.indexOf('\r\n') + 2)
  expect(row).toContain(",'=cmd(),")
  expect(row.slice(row.indexOf(",'=1+1"))).toBe(
    `,'=1+1,'+1,'-1,'@a,'\tx,"'\rx",'＝1,'＋1,'－1,'＠a,"a,b","say ""x""","two\nlines",plain,-1.5\r\n`,
  )
})

test('a table of points has a row for each, with the ids of runs and the chosen inputs [R513, R520]', async () => {
  await past.document('copy', 'sha256:c', {
    nodes: [{ id: 'learn', ports: [{ direction: 'output', port: 'loss', name: 'copy.cost' }] }] as never,
  })
  const [own, copy, running] = (await past.runs([
    { flow: 'fit', created_at: createdAt(1), inputs: [input('lr', 0.1)] },
    { flow: 'copy', created_at: createdAt(2), digest: 'sha256:c', inputs: [input('lr', 'Infinity')] },
    { flow: 'fit', created_at: createdAt(3) },
  ])) as [string, string, string]
  await database.sql`
    update run set status = 'running', lease_token = ${v7()}, lease_until = now() where id = ${running}`
  const loss = { run: own, node: 'n', port: 'loss', message: 'loss' }
  await past.chunks([
    { ...loss, vals: [1, 'NaN'] },
    { ...loss, seq: 1, step: 2, vals: ['-Infinity'] },
    { ...loss, port: 'acc', message: 'acc', vals: [-4] },
  ])
  await past.cached(copy, 'learn', { run: own, node: 'n' })
  flushed.length = 0
  const ts = (second: number) => `1970-01-01T00:00:0${second}.000000+00:00`
  expect(await lines('metrics?params=lr&metrics=loss,copy.cost')).toEqual([
    'run,flow,name,step,ts,value,params.lr',
    `${copy},copy,copy.cost,0,${ts(0)},1,inf`,
    `${copy},copy,copy.cost,1,${ts(1)},NaN,inf`,
    `${copy},copy,copy.cost,2,${ts(2)},-inf,inf`,
    `${own},fit,fit.loss,0,${ts(0)},1,0.1`,
    `${own},fit,fit.loss,1,${ts(1)},NaN,0.1`,
    `${own},fit,fit.loss,2,${ts(2)},-inf,0.1`,
    '',
  ])
  expect(flushed).toEqual([running])
  expect(await objects(`metrics?format=jsonl&ids=${own}`)).toEqual([
    { run: own, flow: 'fit', name: 'fit.loss', step: 0, ts: ts(0), value: 1 },
    { run: own, flow: 'fit', name: 'fit.loss', step: 1, ts: ts(1), value: 'NaN' },
    { run: own, flow: 'fit', name: 'fit.loss', step: 2, ts: ts(2), value: '-Infinity' },
    { run: own, flow: 'fit', name: 'fit.acc', step: 0, ts: ts(0), value: -4 },
  ])
  const [row] = await objects('metrics?format=jsonl&flow=fit&metrics=acc&params=lr')
  expect(row).toMatchObject({ name: 'fit.acc', params: { lr: 0.1 } })
})

test('filters choose runs; `until` includes its time [R517]', async () => {
  const group = v7()
  const ids = await past.runs([
    { flow: 'a', created_at: createdAt(1), group_id: group },
    { flow: 'b', created_at: createdAt(2), status: 'error' },
    { flow: 'a', created_at: createdAt(3) },
  ])
  const chosen = async (query: string) => {
    const { text } = await table(`runs?format=jsonl&${query}`)
    return [...text.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => ids.indexOf(id ?? ''))
  }
  const at = (us: number) => encodeURIComponent(createdAt(us))
  expect(await chosen(`until=${at(2)}`)).toEqual([1, 0])
  expect(await chosen(`before=${at(2)}`)).toEqual([0])
  expect(await chosen(`since=${at(2)}&until=${at(2)}`)).toEqual([1])
  expect(await chosen(`ids=${ids[2]},${ids[0]}`)).toEqual([2, 0])
  expect(await chosen('flow=a,b&status=error')).toEqual([1])
  expect(await chosen(`group=${group}`)).toEqual([0])
  expect(await chosen('flow=nobody')).toEqual([])
  expect(await lines('runs?flow=nobody')).toEqual([fixed, ''])
})

test('the newest 10,000 runs are exported, and two headers tell when more match [R681, R682]', async () => {
  const flow = await past.flow('many')
  await database.sql`
    with added as (
      insert into run (id, flow, status, created_at, draft, no_cache)
      select gen_random_uuid(), ${flow}, 'ok', '2026-01-01T00:00:00Z'::timestamptz + at * interval '1 us', false, false
      from generate_series(1, 10001) as at
      returning id, extract(microseconds from created_at)::int as at
    )
    insert into run_content (run, inputs)
    select id, json_build_array(
      json_build_object('name', case at when 1 then 'oldest' else 'n' end, 'dtype', 'int', 'value', at))
    from added`
  const { headers, text } = await table('runs')
  expect([headers.get('x-truncated'), headers.get('x-total-count')]).toEqual(['10000', '10001'])
  const [head, ...rows] = text.trim().split('\r\n')
  expect(head).toBe(`${fixed},params.n`)
  expect(rows).toHaveLength(10_000)
  expect([rows[0], rows.at(-1)]).toEqual([
    expect.stringContaining(createdAt(10_001)),
    expect.stringContaining(createdAt(2)),
  ])
  expect((await table('metrics')).headers.get('x-total-count')).toBe('10001')
})

test('what cannot be exported is refused by its parameter [T94]', async () => {
  for (const [query, name] of [
    ['format=xml', 'format'],
    ['params=a,,b', 'params'],
    [`metrics=${Array.from({ length: 201 }, (_, at) => at).join()}`, 'metrics'],
    ["ids=a';--", 'ids'],
    ['until=now', 'until'],
    ['limit=3', 'limit'],
  ]) {
    for (const kind of ['runs', 'metrics']) {
      const { status, text } = await table(`${kind}?${query}`)
      expect({ status, body: JSON.parse(text) as unknown }).toMatchObject({
        status: 422,
        body: { errors: [{ path: `query.${name}` }] },
      })
    }
  }
  const ids = Array.from({ length: 100_000 }, () => 'x').join()
  expect((await table(`runs?ids=${ids}`)).status).toBeLessThan(500)
})

test('strings that PostgreSQL keeps as JSON text only come out as they went in', async () => {
  await past.runs([
    { flow: 'odd', created_at: createdAt(1), inputs: [input('s', 'a\0b', 'str')], result: { x: 1, s: '\0\uD800' } },
  ])
  const [row] = await objects('runs?format=jsonl')
  expect(row).toMatchObject({ params: { s: 'a\0b' }, metrics: { x: 1 } })
  expect((await lines('runs'))[1]).toContain(',a\0b,1')
})

test('a reader that stalls holds no connection, and one that leaves ends the work [F45]', async () => {
  const runs = await past.runs(Array.from({ length: 20 }, (_, at) => ({ flow: 'big', created_at: createdAt(at) })))
  const vals = Array.from({ length: 500 }, (_, at) => at)
  for (const run of runs) {
    const curve = { run, node: 'n', port: 'p', message: 'p', vals }
    await past.chunks(Array.from({ length: 40 }, (_, seq) => ({ ...curve, seq, step: 500 * seq })))
  }
  const path = '/runs/export/metrics'
  statements = 0
  await (await fetch(api.url + path)).arrayBuffer()
  const whole = statements
  statements = 0
  const closed = Promise.withResolvers<void>()
  api.server.once('request', (_request, response) => response.once('close', closed.resolve))
  const stalled = request(api.url + path)
  const begun = Promise.withResolvers<void>()
  stalled.on('error', () => {})
  stalled.on('response', (response) => {
    response.pause()
    begun.resolve()
  })
  stalled.end()
  await begun.promise
  // the kernel's buffers fill up, and then nothing is read any more
  let seen = -1
  await vi.waitUntil(
    () => {
      const isStill = seen === statements
      seen = statements
      return isStill
    },
    { interval: 300, timeout: 60_000 },
  )
  expect(statements).toBeLessThan(whole)
  if (database.backend === 'server') {
    const busy = await database.sql`
      select 1 from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle' and query like '%metric_chunk%'`
    expect(busy).toEqual([])
  } else expect(await database.sql`select 1 as free`).toEqual([{ free: 1 }])
  stalled.destroy()
  await closed.promise
  await new Promise((resolve) => setImmediate(resolve))
  const after = statements
  await database.sql`select 1`
  expect(statements).toBe(after)
})
