import { Writable } from 'node:stream'

import express from 'express'
import pino from 'pino'
import { expect, test } from 'vitest'
import * as z from 'zod'

import { endpoint, reply } from '../../src/http/endpoint.ts'
import { answerErrors } from '../../src/http/errors.ts'
import { bind, mount } from '../../src/http/mount.ts'
import { listen, user } from './server.ts'

/** What a driver or a node may throw in the middle of a request. */
const thrown: [string, unknown][] = [
  ['line ends', new Error('one\r\n{"level":10,"msg":"forged"}\nthree')],
  ['colours', new Error('\u001b[31mred\u001b[0m \u0007')],
  ['a path and a query', new Error('select secret from /home/service/data/session.key')],
  ['a text', 'only text\nwith a line end'],
  ['nothing', undefined],
  ['an object without a text', Object.create(null)],
  ['a circle', Object.assign(new Error('round'), { self: {} as object })],
  ['a huge text', new Error('x'.repeat(1_000_000))],
]

const contract = {
  fail: endpoint({
    id: 'test.fail',
    method: 'get',
    path: '/fail/{index}',
    summary: 'Fail',
    auth: 'user',
    scope: null,
    params: z.object({ index: z.coerce.number() }),
    replies: { 200: reply.json('Never.', z.object({})) },
  }),
}

test('whatever a handler throws is one line of JSON in the log, and a 500 without a word of it on the wire [R694, T98]', async () => {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const circle = thrown.find(([what]) => what === 'a circle')?.[1] as { self: object }
  circle.self = circle
  const fail = ({ params }: { params: { index: number } }): never => {
    throw thrown[params.index]?.[1]
  }
  const app = express()
  const router = mount(bind(contract, { fail }), { authenticate: async () => user })
  app.use('/api/v1', router, answerErrors(pino({ base: null }, sink)))
  const { server, port } = await listen(app)
  try {
    for (const [index, [what]] of thrown.entries()) {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/fail/${index}`)
      const body = await answer.text()
      expect([what, answer.status, answer.headers.get('content-type')]).toEqual([what, 500, 'application/problem+json'])
      const { error_id: id } = JSON.parse(body) as { error_id: string }
      expect(body).not.toMatch(/forged|red|session\.key|only text|round|xxx|\n/)
      const written = lines.splice(0)
      expect(written).toHaveLength(1)
      expect(written[0]).toMatch(/^[^\p{Cc}]*\n$/u)
      expect(JSON.parse(written[0] ?? '')).toMatchObject({ level: 50, error_id: id })
    }
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
