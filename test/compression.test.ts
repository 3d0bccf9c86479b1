/** Every operation of the API, asked by a client that takes compressed answers. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { connectors, type Operation, operations, sampleOf, seed, type Seeds } from './sample-requests.ts'
import { startService, type TestService } from './service.ts'

/**
 * What holds secrets, lets somebody in, or is compressed already: the size of an answer of these must tell nothing. An id, or
 * the beginning of ids.
 */
const spared = [
  'login.',
  'users.',
  'oauth.',
  'keys.',
  'secrets.',
  'modules.',
  'connectors.',
  'artifacts.',
  'backup.',
  'pairing.',
  'panels.pollPairing',
  'workers.listTokens',
]
/** The operations that read by POST. */
const reading = ['metrics.compareMany']

const mayBeCompressed = ({ id, method }: Operation): boolean =>
  (method === 'GET' || reading.includes(id)) && !spared.some((beginning) => id.startsWith(beginning))

const account = { email: 'root@example.org', password: 'the long password of root' }
let at: TestService
let seeds: Seeds
beforeAll(async () => {
  at = await startService({
    connectors,
    firstSuperuser: account.email,
    firstSuperuserPassword: account.password,
  })
  seeds = await seed(at, account)
})
afterAll(() => at[Symbol.asyncDispose]())

/** The head of an answer as it comes over the wire. */
async function headOf(url: string, method: string, body?: string, type?: string): Promise<IncomingMessage['headers']> {
  const headers = {
    authorization: `Bearer ${at.token}`,
    'accept-encoding': 'gzip, deflate, br',
    ...(type === undefined ? {} : { 'content-type': type }),
  }
  const sent = request(url, { method, headers }).end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  if ((answer.statusCode ?? 0) >= 400) return {}
  return answer.headers
}

describe('an operation is compressed, or for a reason not', () => {
  const asked = operations.filter(({ method, id }) => method === 'GET' || reading.includes(id))
  test.each(asked)('$id', async (operation) => {
    const { path, init } = sampleOf(operation, seeds)
    const head = await headOf(`${at.baseUrl}${path}`, operation.method, init.body, init.headers?.['content-type'])
    // what is refused here has no answer to look at
    if (head['content-length'] === undefined && head['transfer-encoding'] === undefined) return
    const says = String(head['vary'] ?? '').includes('Accept-Encoding')
    const advice = 'add its path to http/compression.ts and its id to "spared" of this test where it may hold a secret'
    const told = (is: boolean) => `${operation.id} ${is ? 'is' : 'is not'} compressed: ${advice}`
    expect(told(says)).toBe(told(mayBeCompressed(operation)))
    if (!says) expect(head['content-encoding']).toBeUndefined()
  })

  test('each that changes something is sent as it is', () => {
    expect(
      operations.filter((operation) => operation.method !== 'GET' && mayBeCompressed(operation)).map(({ id }) => id),
    ).toEqual(reading)
  })

  test('and every reason has an operation', () => {
    expect(spared.filter((beginning) => !operations.some(({ id }) => id.startsWith(beginning)))).toEqual([])
  })
})

test('measurements and the document of the API are compressed as well', async () => {
  for (const url of [`${at.origin}/metrics`, `${at.baseUrl}/openapi.json`])
    expect((await headOf(url, 'GET'))['content-encoding']).toBe('br')
})

test('a service with SERVICE_COMPRESSION=off compresses nothing', async () => {
  await using off = await startService({ compression: 'off' })
  const answer = await fetch(`${off.baseUrl}/flows/node-types`, { headers: { authorization: `Bearer ${off.token}` } })
  expect([answer.status, answer.headers.get('content-encoding'), answer.headers.get('vary')]).toEqual([200, null, null])
})
