import { afterAll, beforeAll, expect, test } from 'vitest'

import { sendRaw } from './raw-http.ts'
import { publish, startService, type TestService } from './service.ts'

const TOKEN = 'portal-token-of-this-test'
const SECRET = 'k9-of-the-hook'
const output = (name: string) => ({ direction: 'output', name, dtype: 'any' })
const plant = {
  mode: 'live',
  nodes: [
    { id: 'a', type: 'http', settings: { url: 'hook' }, ports: [output('a')] },
    { id: 'b', type: 'http', settings: { url: 'kept', secret: SECRET }, ports: [output('b')] },
    { id: 'c', type: 'websocket', settings: { url: 'socket' }, ports: [output('c')] },
    { id: 'd', type: 'websocket', settings: { url: 'kept-socket', secret: SECRET }, ports: [output('d')] },
  ],
}

let at: TestService
beforeAll(async () => {
  at = await startService({ portalToken: TOKEN })
  await publish(at, 'plant', plant)
  await at.send('POST', '/flows/plant/start')
})
afterAll(() => at[Symbol.asyncDispose]())

/** How a webhook and a socket answer: with no secret, and with the right one. */
async function statuses(headers: readonly string[]): Promise<number[]> {
  // a version that nobody speaks: refused only once the socket is found
  const upgrade = ['upgrade: websocket', 'connection: upgrade', 'sec-websocket-version: 7']
  const answers = await Promise.all([
    ...['hook', `kept/${SECRET}`].map((path) =>
      sendRaw(at.origin, [`POST /hooks/plant/${path} HTTP/1.1`, ...headers], '1'),
    ),
    ...['socket', `kept-socket/${SECRET}`].map((path) =>
      sendRaw(at.origin, [`GET /hooks/plant/${path} HTTP/1.1`, ...upgrade, ...headers]),
    ),
  ])
  return answers.map(({ status }) => status)
}
const open = async () => await statuses([])

test('hides what has no secret from who comes through its portal, and from nobody else [R202] [T59]', async () => {
  expect(await open()).toEqual([202, 202, 400, 400])
  expect(await statuses([`x-service-portal: ${TOKEN}`])).toEqual([404, 202, 404, 400])
})

test.each([
  ['a forged token', [`x-service-portal: ${TOKEN}x`]],
  ['a part of it', [`x-service-portal: ${TOKEN.slice(0, -1)}`]],
  ['another case', [`x-service-portal: ${TOKEN.toUpperCase()}`]],
  ['nothing', ['x-service-portal:']],
  ['a word for none', ['x-service-portal: undefined']],
  ['the token twice', [`x-service-portal: ${TOKEN}`, `x-service-portal: ${TOKEN}`]],
  ['the token in another header', [`x-portal: ${TOKEN}`, `authorization: Bearer ${TOKEN}`]],
])('takes %s in place of its token for nothing: neither more nor less is open [T59]', async (_what, headers) => {
  expect(await statuses(headers)).toEqual(await open())
})
