import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'

import { expect, test } from 'vitest'
import * as z from 'zod'

import { endpoint, reply } from '../../src/http/endpoint.ts'
import { bind } from '../../src/http/mount.ts'
import { flag, integer, nextPage, pageQuery } from '../../src/http/query.ts'
import { serve } from './server.ts'

const contract = {
  list: endpoint({
    id: 'runs.list',
    method: 'get',
    path: '/runs',
    summary: 'Runs',
    auth: 'open',
    query: pageQuery.extend({ all: flag.default(false), offset: integer({ min: 0 }).optional() }),
    replies: { 200: reply.json('The query', z.unknown()) },
  }),
}
const cursor = '2026-01-31T08:00:00.000001+00:00'
const api = () =>
  serve(
    bind(contract, {
      list: ({ query, request }) => ({
        status: 200,
        value: query,
        headers: nextPage(request, { rows: 3, limit: query.limit, cursor }),
      }),
    }),
  )

test('parameters of a list have their defaults and types', async () => {
  await using running = await api()
  const read = async (query: string) => (await fetch(`${running.url}/runs${query}`)).json()
  expect(await read('')).toEqual({ limit: 50, all: false })
  expect(await read('?limit=500&all=1&offset=7')).toEqual({ limit: 500, all: true, offset: 7 })
  expect(await read('?all=false')).toMatchObject({ all: false })
})

test('a time may come with its plus sign escaped or not', async () => {
  await using running = await api()
  const read = async (before: string) => (await fetch(`${running.url}/runs?before=${before}`)).json()
  expect(await read(encodeURIComponent(cursor))).toMatchObject({ before: cursor })
  expect(await read(cursor)).toMatchObject({ before: cursor })
  expect(await read('2026-01-31T08:00:00Z')).toMatchObject({ before: '2026-01-31T08:00:00Z' })
})

test.each([
  'limit=',
  'limit=1e2',
  'limit=0x10',
  'limit=+1',
  'limit=1.0',
  'offset=-1',
  'all=yes',
  'all=',
  'all=TRUE',
  'before=2026-01-31',
  'before=2026-01-31T08:00:00',
  'since=now',
  'since=0000-12-31T08:00:00Z',
  'since=2026-01-31T08:00:00%2B16:00',
  'before=2026-01-31T08:00:00-23:59',
])('%s is refused [R673]', async (query) => {
  await using running = await api()
  const answer = await fetch(`${running.url}/runs?${query}`)
  expect(answer.status).toBe(422)
  expect(await answer.json()).toMatchObject({ errors: [{ path: `query.${query.split('=')[0]}` }] })
})

test('a time that no database knows is refused by its place, as in an import [R673]', async () => {
  await using running = await api()
  const answer = await fetch(`${running.url}/runs?since=2026-01-31T08:00:00-16:00`)
  expect(await answer.json()).toMatchObject({ errors: [{ path: 'query.since', code: 'bad_time' }] })
})

test('a full page links to the next one, which begins before its last row; a page that is not full links nowhere', async () => {
  await using running = await api()
  const full = await fetch(`${running.url}/runs?limit=3&all=true`)
  expect(full.headers.get('link')).toBe(
    `<${running.url}/runs?limit=3&all=true&before=2026-01-31T08%3A00%3A00.000001%2B00%3A00>; rel="next"`,
  )
  expect((await fetch(`${running.url}/runs?limit=4`)).headers.get('link')).toBeNull()
})

test('the next page of one with an offset begins behind its last row, without an offset', async () => {
  await using running = await api()
  const answer = await fetch(`${running.url}/runs?offset=7&limit=3`)
  expect(answer.headers.get('link')).toBe(
    `<${running.url}/runs?limit=3&before=${encodeURIComponent(cursor)}>; rel="next"`,
  )
})

test('a list is answered whatever the client calls the host', async () => {
  await using running = await api()
  const request = get(`${running.url}/runs?limit=3`, { headers: { host: '[' } })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  expect(answer.statusCode).toBe(200)
  answer.resume()
})
