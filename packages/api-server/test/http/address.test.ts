import { expect, test } from 'vitest'
import * as z from 'zod'

import { endpoint, reply } from '../../src/http/endpoint.ts'
import { bind } from '../../src/http/mount.ts'
import { serve } from './server.ts'

const contract = {
  where: endpoint({
    id: 'test.where',
    method: 'get',
    path: '/where',
    summary: 'Where',
    auth: 'open',
    replies: { 200: reply.json('Where', z.object({ address: z.string(), baseUrl: z.string() })) },
  }),
}
const forwarded = {
  'x-forwarded-for': '10.0.0.1, 198.51.100.7, 203.0.113.9',
  'x-forwarded-proto': 'http, https',
  'x-forwarded-host': 'evil.example, flows.example.org',
}
const where = async (trustProxy: number, headers: Record<string, string>) => {
  await using api = await serve(
    bind(contract, {
      where: ({ request: { address, baseUrl } }) => ({ status: 200, value: { address, baseUrl } }),
    }),
    { trustProxy },
  )
  const answer = (await (await fetch(`${api.url}/where`, { headers })).json()) as object
  return JSON.parse(JSON.stringify(answer).replaceAll(api.url, 'DIRECT')) as object
}

test('without proxies nothing that a client says of its address is believed', async () => {
  expect(await where(0, forwarded)).toEqual({ address: '127.0.0.1', baseUrl: 'DIRECT' })
})

test('each proxy adds one entry that is believed', async () => {
  expect(await where(1, forwarded)).toMatchObject({ address: '203.0.113.9' })
  expect(await where(2, forwarded)).toMatchObject({ address: '198.51.100.7' })
  expect(await where(9, forwarded)).toMatchObject({ address: '10.0.0.1' })
  expect(await where(1, {})).toEqual({ address: '127.0.0.1', baseUrl: 'DIRECT' })
})

test('links begin with the scheme and host that the nearest proxy names', async () => {
  expect(await where(1, forwarded)).toMatchObject({ baseUrl: 'https://flows.example.org/api/v1' })
})
