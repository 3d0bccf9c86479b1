/**
 * Reading many runs over HTTP. 100 curves of 10,000 points are read whole, and as 2,000 points each, against a bare read of their
 * values; 1,000 such curves do not fill the memory. 10,000 runs are exported as CSV, against a bare server that
 * makes CSV of one SELECT of the same columns.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { createdAt, Past } from '../packages/api-server/test/runs/curves/curve-rows.ts'
import { openTables, type Tables } from '../packages/api-server/test/runs/tables.ts'

const RUNS = 10_000
const COMPARED = 50
const POINTS = 10_000
const CHUNK = 500
const ROUNDS = 5
let dataDir: string
let tables: Tables
let ids: string[]
let past: Past

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bench-tables-'))
  tables = await openTables(dataDir)
  past = new Past(tables.database)
  await past.document('fit', 'sha256:a', {
    inputs: ['lr', 'depth', 'name'].map((name) => ({ name, dtype: 'any', initial: 0, title: '' })),
    outputs: ['best', 'f1'].map((name) => ({ name, port: name })),
  })
  ids = []
  for (let at = 0; at < RUNS; at += 1000) {
    const runs = Array.from({ length: 1000 }, (_, index) => ({
      flow: 'fit',
      created_at: createdAt(at + index),
      digest: 'sha256:a',
      inputs: [
        { name: 'lr', dtype: 'float', value: 1 / (at + index + 1), default: false },
        { name: 'depth', dtype: 'int', value: index, default: true },
        { name: 'name', dtype: 'str', value: `run ${index}`, default: false },
      ] as const,
      result: { best: Math.sin(index), f1: Math.cos(index) },
    }))
    ids.push(...(await past.runs(runs)))
  }
  const places = ['loss', 'acc'].flatMap((message) => ids.slice(0, COMPARED).map((run) => ({ run, message })))
  for (const { run, message } of places) {
    const curve = { run, node: 'fit', port: message, message }
    await past.chunks(
      Array.from({ length: POINTS / CHUNK }, (_, seq) => ({
        ...curve,
        seq,
        step: seq * CHUNK,
        vals: Array.from({ length: CHUNK }, (_value, at) => Math.sin(seq * CHUNK + at)),
      })),
    )
  }
}, 180_000)
afterAll(async () => {
  await tables[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true, force: true })
})

/** Milliseconds until the answer has been read, and its bytes. */
async function read(url: string, body?: object): Promise<{ ms: number; bytes: number }> {
  const started = performance.now()
  const json = { method: 'POST', headers: { 'content-type': 'application/json' } }
  const response = await fetch(url, body && { ...json, body: JSON.stringify(body) })
  const { byteLength } = await response.arrayBuffer()
  expect(response.status).toBe(200)
  return { ms: performance.now() - started, bytes: byteLength }
}

/** Milliseconds in which the database gives the values of all curves of runs, and until they are JSON as well. */
async function bareRead(chosen: readonly string[]): Promise<{ read: number; json: number }> {
  const started = performance.now()
  const rows = await tables.database.sql<{ vals: Buffer }[]>`
    select vals from metric_chunk where run = any(${[...chosen]}::uuid[]) order by run, metric, seq`
  expect(rows.reduce((sum, { vals }) => sum + vals.length, 0)).toBe(2 * COMPARED * POINTS * 8)
  const readMs = performance.now() - started
  const text = JSON.stringify(rows.map(({ vals }) => [...new Float64Array(new Uint8Array(vals.swap64()).buffer)]))
  Buffer.from(text)
  return { read: readMs, json: performance.now() - started }
}

/** Frees what the set-up has left: it would hide what the request takes. */
function collect(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

test('100 curves of 10,000 points are read whole as columns in at most twice, as points in six times, of a bare read made to JSON', async () => {
  const chosen = ids.slice(0, COMPARED)
  const times: Record<'points' | 'columns' | 'bare', number[]> = { points: [], columns: [], bare: [] }
  for (let round = 0; round < ROUNDS; round++) {
    times.bare.push((await bareRead(chosen)).json)
    const halves = []
    for (const metric of ['loss', 'acc'])
      halves.push(await read(`${tables.api.url}/runs/series/compare?ids=${chosen.join()}&metric=${metric}`))
    times.points.push(halves.reduce((sum, { ms }) => sum + ms, 0))
    const whole = { ids: chosen, metrics: ['loss', 'acc'], points: null }
    times.columns.push((await read(`${tables.api.url}/runs/series/compare`, whole)).ms)
  }
  const [points, columns, bare] = [median(times.points), median(times.columns), median(times.bare)]
  console.log(
    `100 curves of 10,000 points, median of ${ROUNDS}: as points in two requests ${points.toFixed(0)} ms, ` +
      `as columns ${columns.toFixed(0)} ms; a bare read of the values made to JSON ${bare.toFixed(0)} ms`,
  )
  expect(columns / bare).toBeLessThan(2)
  expect(points / bare).toBeLessThan(6)
})

test('100 curves of 10,000 points become 2,000 points each in at most five times of a bare read of the values', async () => {
  const chosen = ids.slice(0, COMPARED)
  const times: Record<'service' | 'bare', number[]> = { service: [], bare: [] }
  let bytes = 0
  for (let round = 0; round < ROUNDS; round++) {
    times.bare.push((await bareRead(chosen)).read)
    const request = { ids: chosen, metrics: ['loss', 'acc'], points: 2000 }
    const answer = await read(`${tables.api.url}/runs/series/compare`, request)
    times.service.push(answer.ms)
    bytes = answer.bytes
  }
  const [service, bare] = [median(times.service), median(times.bare)]
  console.log(
    `100 curves of 10,000 points as 2,000, median of ${ROUNDS}: ${service.toFixed(0)} ms, ${bytes >> 10} KiB; ` +
      `a bare read of the values ${bare.toFixed(0)} ms, ratio ${(service / bare).toFixed(2)}`,
  )
  // the values are in the caches since the test before: 2.2 without it, 3.2 to 3.8 with it
  expect(service / bare).toBeLessThan(5)
})

test('1,000 curves of 10,000 points are compared with less than 200 MB more of heap and buffers', async () => {
  const chosen = ids.slice(0, 1000)
  const vals = (seq: number): number[] => Array.from({ length: CHUNK }, (_, at) => Math.sin(seq * CHUNK + at))
  const columns = Array.from({ length: POINTS / CHUNK }, (_, seq) => ({ seq, step: seq * CHUNK, vals: vals(seq) }))
  for (let at = 0; at < chosen.length; at += 50) {
    const curves = chosen.slice(at, at + 50).map((run) => ({ run, node: 'fit', port: 'long', message: 'long' }))
    await past.chunks(curves.flatMap((curve) => columns.map((column) => ({ ...curve, ...column }))))
  }
  const held = (): number => {
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  collect()
  const before = held()
  let most = before
  const sampling = setInterval(() => void (most = Math.max(most, held())), 5)
  const { ms, bytes } = await read(`${tables.api.url}/runs/series/compare`, {
    ids: chosen,
    metrics: ['long'],
    points: 1000,
  })
  clearInterval(sampling)
  const grown = (most - before) >> 20
  console.log(
    `1,000 curves of 10,000 points as 1,000: ${ms.toFixed(0)} ms, ${bytes >> 20} MiB, ${grown} MiB more in memory`,
  )
  expect(grown).toBeLessThan(200)
})

test('an export of 10,000 runs takes at most 1.6 times as long as a bare SELECT made to CSV', async () => {
  const answer = async (response: ServerResponse): Promise<void> => {
    const rows = await tables.database.sql`
      select run.id, run_flow.name, run.status, run.created_at, run.started_at, run.finished_at,
        extract(epoch from run.finished_at - run.started_at)::float8 as duration_s, run.seed, run.group_id, run.parent,
        run.external_id, run.digest, run.commit, content.inputs, content.result
      from run join run_flow on run_flow.id = run.flow join run_content content on content.run = run.id order by run.created_at desc limit 10000`
    for (const { inputs, result, ...fixed } of rows) {
      const values = (inputs as { value: unknown }[]).map(({ value }) => value)
      response.write(`${[...Object.values(fixed), ...values, ...Object.values(result as object)].join(',')}\r\n`)
    }
    response.end()
  }
  const bare = createServer((_request, response) => void answer(response)).listen(0, '127.0.0.1')
  await once(bare, 'listening')
  const times: Record<'service' | 'bare', number[]> = { service: [], bare: [] }
  for (let round = 0; round < ROUNDS; round++) {
    times.bare.push((await read(`http://127.0.0.1:${(bare.address() as AddressInfo).port}/`)).ms)
    times.service.push((await read(`${tables.api.url}/runs/export/runs`)).ms)
  }
  bare.closeAllConnections()
  bare.close()
  const [service, plain] = [median(times.service), median(times.bare)]
  console.log(`10,000 runs, median of ${ROUNDS}: export ${service.toFixed(0)} ms, bare SELECT ${plain.toFixed(0)} ms`)
  expect(service / plain).toBeLessThan(1.6)
})
