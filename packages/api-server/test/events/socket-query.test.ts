/** Whatever stands in the query of the event socket, it opens as documented or is refused as documented (wire decision V19). */
import { once } from 'node:events'

import { frameKindSchema, nameSchema, type Problem } from '@flow-service/protocol'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'

import type { Database } from '../../src/db/database.ts'
import { useDatabase } from '../use-database.ts'
import { bearer, startSockets, type TestSockets } from './sockets.ts'

let database: Database
let at: TestSockets
useDatabase((opened) => void (database = opened))
beforeAll(async () => {
  at = await startSockets(database)
})
afterAll(() => at[Symbol.asyncDispose]())

const run = '01963f2e-7a10-7c3e-9b1a-5d2f8e4c6a01'
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom(
    '',
    ' ',
    ',',
    ',,',
    '\0',
    '%',
    '%00',
    '\r\nx: y',
    '__proto__',
    'constructor',
    'null',
    '[]',
    '{}',
    '-1',
  ),
  fc.constantFrom('1e2', '0x64', '50.5', '١٠٠', '+50', ' 50', '9'.repeat(400), 'NaN', 'Infinity', 'x'.repeat(3000)),
)
const listOf = (item: fc.Arbitrary<string>) => fc.array(item, { maxLength: 5 }).map((items) => items.join(','))
/** Mostly what the key may have, so that several keys at once are right now and then. */
const mostly = (right: fc.Arbitrary<string>) => fc.oneof({ weight: 3, arbitrary: right }, hostile)
const pair = fc.oneof(
  fc.tuple(fc.constant('kinds'), mostly(listOf(mostly(fc.constantFrom(...frameKindSchema.options))))),
  fc.tuple(fc.constant('batch'), mostly(fc.integer({ min: 8, max: 1002 }).map(String))),
  fc.tuple(fc.constant('values'), mostly(fc.constant('newest'))),
  fc.tuple(fc.constant('flows'), mostly(listOf(fc.constantFrom('a', 'climate', 'a_b')))),
  fc.tuple(fc.constant('runs'), mostly(listOf(fc.constantFrom(run, run.toUpperCase())))),
  { weight: 1, arbitrary: fc.tuple(hostile, hostile) },
)

/** Whether the decision lets this query in, read from its words. */
function isRight(query: URLSearchParams): boolean {
  const items = (key: string): string[] => query.getAll(key).flatMap((list) => list.split(',').filter(Boolean))
  const [batch, values, kinds] = [query.getAll('batch'), query.getAll('values'), items('kinds')]
  const known = new Set(['batch', 'flows', 'kinds', 'runs', 'values'])
  return (
    [...query.keys()].every((key) => known.has(key)) &&
    kinds.every((kind) => (frameKindSchema.options as readonly string[]).includes(kind)) &&
    (kinds.length > 0 || !query.has('kinds')) &&
    items('flows').every((flow) => nameSchema.safeParse(flow).success) &&
    items('runs').every((id) => id.toLowerCase() === run) &&
    (batch.length === 0 || (batch.length === 1 && isWindow(batch[0] ?? ''))) &&
    (values.length === 0 || (values.length === 1 && values[0] === 'newest'))
  )
}
const isWindow = (text: string): boolean => /^\d+$/.test(text) && Number(text) >= 10 && Number(text) <= 1000

interface Refused {
  readonly status: number
  readonly problem: Problem
}

/** The first frame of a socket with this query, or what it is refused with. */
async function ask(query: string): Promise<Refused | { readonly first: unknown }> {
  const socket = new WebSocket(`${at.url}?${query}`, bearer)
  socket.on('error', () => undefined)
  const refused = once(socket, 'unexpected-response').then(async ([request, answer]) => {
    const chunks: Buffer[] = []
    for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk)
    ;(request as { destroy(): void }).destroy()
    const problem = JSON.parse(Buffer.concat(chunks).toString()) as Problem
    return { status: (answer as { statusCode: number }).statusCode, problem }
  })
  const opened = once(socket, 'message').then(async ([data]) => {
    socket.terminate()
    await once(socket, 'close')
    return { first: JSON.parse((data as Buffer).toString()) as unknown }
  })
  return Promise.race([refused, opened])
}

test('a query opens a socket, whose frames are arrays when it says so, or is refused with 422 and the place', async () => {
  const program = fc.asyncProperty(fc.array(pair, { maxLength: 5 }), async (pairs) => {
    const query = new URLSearchParams(pairs)
    fc.pre(!query.has('ticket'))
    const answer = await ask(query.toString())
    if (isRight(query)) {
      expect(answer).toMatchObject({ first: expect.anything() })
      const isBatched = query.has('batch') || query.has('values')
      expect(Array.isArray('first' in answer && answer.first)).toBe(isBatched)
      return
    }
    expect(answer).toMatchObject({ status: 422, problem: { status: 422, code: 'validation_failed' } })
    const { errors = [] } = (answer as Refused).problem
    expect(errors.length).toBeGreaterThan(0)
    for (const { path, message } of errors) {
      expect(path).toMatch(/^query\./)
      expect(message).not.toBe('')
    }
  })
  await fc.assert(program, {
    numRuns: 200,
    examples: [
      [
        [
          ['kinds', 'value'],
          ['kinds', 'log'],
          ['batch', '10'],
        ],
      ],
      [
        [
          ['values', 'newest'],
          ['values', 'newest'],
        ],
      ],
      [
        [
          ['batch', '1000'],
          ['flows', ''],
          ['runs', ''],
        ],
      ],
      [[['kinds', '']]],
      [[['__proto__', '1']]],
    ],
  })
  // nobody was left behind, and the engine goes on
  await expect.poll(() => at.sockets.count()).toBe(0)
  expect(await ask('')).toMatchObject({ first: { type: 'snapshot' } })
})

test.each(['%', '%zz', '%ff%fe', '&&&', '=', '?', 'batch', 'batch=%00', `kinds=${'value,'.repeat(900)}log`])(
  'the text %s as a query, which no form makes, is answered',
  async (query) => {
    const answer = await ask(query)
    if ('status' in answer) expect([answer.status, answer.problem.code]).toEqual([422, 'validation_failed'])
    else expect(answer.first).toMatchObject({ type: 'snapshot' })
  },
)
