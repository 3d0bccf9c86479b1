import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { AddressRules } from '../../src/egress/address-rules.ts'
import { createDialer } from '../../src/egress/dialer.ts'
import { createOutgoingFetch } from '../../src/egress/outgoing-fetch.ts'

const local = new AddressRules({ isProduction: false, allow: [] })
const { fetch: outgoingFetch, close } = createOutgoingFetch(createDialer({ rules: local }))

interface Seen {
  readonly method: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

let servers: Server[]
let here: string
let there: string
/** `/<status>/<where>` redirects; everything else is answered with what came. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, status = '', rest = ''] = /^\/(\d+)\/(.*)$/.exec(request.url ?? '') ?? []
  if (rest !== '') {
    const count = /^count\/(\d+)$/.exec(rest)?.[1]
    const next = count === undefined ? rest : count === '1' ? '/' : `/${status}/count/${Number(count) - 1}`
    response.writeHead(Number(status), { location: next }).end('moved')
    return
  }
  let body = ''
  for await (const chunk of request) body += String(chunk)
  response.end(JSON.stringify({ method: request.method, headers: request.headers, body }))
}

async function start(): Promise<Server> {
  const server = createServer((request, response) => void answer(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

beforeAll(async () => {
  servers = [await start(), await start()]
  ;[here = '', there = ''] = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
afterAll(async () => {
  await close()
  for (const server of servers) server.close()
})
const secret = { authorization: 'Bearer x', cookie: 'a=b', 'x-other': 'kept' }
const json = async (response: Promise<Response>): Promise<Seen> => (await (await response).json()) as Seen

test('credentials follow a redirect on the same origin and are dropped on the way to another', async () => {
  const same = await json(outgoingFetch(`${here}/302//`, { headers: secret }))
  expect(same.headers).toMatchObject(secret)
  const other = await json(outgoingFetch(`${here}/302/${there}/`, { headers: secret }))
  expect(other.headers).toMatchObject({ 'x-other': 'kept' })
  expect(other.headers).not.toHaveProperty('authorization')
  expect(other.headers).not.toHaveProperty('cookie')
})

test('five redirects are followed, a sixth is refused', async () => {
  expect((await outgoingFetch(`${here}/302/count/5`)).status).toBe(200)
  await expect(outgoingFetch(`${here}/302/count/6`)).rejects.toThrow('more than 5 times')
})

test('a POST becomes a GET after 301, 302 and 303, and is sent again after 307 and 308', async () => {
  const post = { method: 'POST', body: 'text', headers: { 'content-type': 'text/plain' } }
  for (const status of [301, 302, 303]) {
    expect(await json(outgoingFetch(`${here}/${status}//`, post))).toMatchObject({ method: 'GET', body: '' })
  }
  for (const status of [307, 308]) {
    expect(await json(outgoingFetch(`${here}/${status}//`, post))).toMatchObject({ method: 'POST', body: 'text' })
  }
})

test('a caller who handles redirects gets them', async () => {
  expect((await outgoingFetch(`${here}/302//`, { redirect: 'manual' })).status).toBe(302)
  await expect(outgoingFetch(`${here}/302//`, { redirect: 'error' })).rejects.toThrow('redirects to /')
})
