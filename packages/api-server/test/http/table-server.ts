/** A server of a page of runs and of a table of many, without an engine, for what compressing them costs. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import * as z from 'zod'

import { packed } from '../../src/http/compression.ts'
import { reply } from '../../src/http/endpoint.ts'
import { send } from '../../src/http/send.ts'
import { newId } from '../../src/process/new-id.ts'

/** A run as lists tell it. */
const runOf = (at: number) => ({
  id: newId(),
  flow: 'training',
  flow_version: 3,
  status: at % 7 === 0 ? 'error' : 'ok',
  created_at: new Date(1_790_000_000_000 + at * 61_000).toISOString(),
  duration_s: Math.random() * 900,
  submitted_by: 'ann@example.org',
  tags: ['sweep', `night-${at % 9}`],
  params: { lr: Math.random(), batch: 2 ** (at % 8), optimizer: at % 2 === 0 ? 'adam' : 'sgd' },
  results: { loss: Math.random(), accuracy: Math.random() },
})

async function* table(rows: number) {
  for (let at = 0; at < rows; at += 100)
    yield Array.from({ length: 100 }, (_, n) => `${JSON.stringify(runOf(at + n))}\n`).join('')
}

/** Serves a page of runs at `/page` and a table of rows at `/rows`. */
export async function serveTables(pageSize: number, rows: number) {
  const page = Array.from({ length: pageSize }, (_, at) => runOf(at))
  const server = createServer((request, response) => {
    const isPage = request.url === '/page'
    const spec = isPage ? reply.json('Runs.', z.any()) : reply.stream('Rows.', ['application/x-ndjson'])
    const answer = isPage ? { value: page } : { type: 'application/x-ndjson', body: table(rows) }
    void send({ spec, answer: { status: 200, ...answer }, isCompressible: true }, request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The page as text. */
    page: Buffer.from(JSON.stringify(page)),
    packed,
    close: () => void server.close(),
  }
}
