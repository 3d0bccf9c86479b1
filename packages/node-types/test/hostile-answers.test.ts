/** What a server may do to a node that asks it something. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'

import { httpNode, tsdbNode } from '@flow-service/node-types'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import { Rigs } from './rigs.ts'

/** Members of a gzip file unpack one after the other (RFC 1952, section 2.2): a hundred of them are 1 GB. */
const tenMegabytes = gzipSync(Buffer.alloc(10_000_000, ' '))
const megabyte = Buffer.alloc(1_000_000, ' ')
/** By how much a process may grow (T76). */
const MOST_BYTES = 30_000_000

let server: Server
let origin: string
/** Bytes of endless answers that were taken. */
let sent = 0
const answers: Record<string, (response: ServerResponse) => void> = {
  '/warm': (response) => response.end('{"y":1}'),
  '/bomb': (response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    for (let n = 0; n < 100; n++) response.write(tenMegabytes)
    response.end()
  },
  '/endless': (response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(megabyte)) sent += megabyte.length
    }
    response.on('drain', more)
    more()
  },
  // a byte, and then nothing for ever
  '/drip': (response) => void response.write('{'),
  '/deep': (response) => response.end(`${'['.repeat(100_000)}${']'.repeat(100_000)}`),
  '/headers': (response) => response.writeHead(200, { 'x-long': 'x'.repeat(100_000) }).end('{"y":1}'),
  '/wrong-length': (response) =>
    response.writeHead(200, { 'content-length': 100 }).end('{"y":1}', () => response.destroy()),
  '/broken-gzip': (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'),
}
beforeAll(async () => {
  server = createServer((request, response) => answers[new URL(request.url ?? '', 'http://x').pathname]?.(response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const rigs = new Rigs()
afterEach(() => rigs.close())
const asking = (path: string) =>
  rigs.run(httpNode, { settings: { url: origin + path, method: 'GET' }, inputs: { x: 'any' }, outputs: { y: 'any' } })

describe('an http node', () => {
  test.each(['/bomb', '/endless'])('grows by less than 30 MB through a gigabyte at %s [T76]', async (path) => {
    const script = fileURLToPath(new URL('fixtures/answer-memory.ts', import.meta.url))
    const args = ['--conditions=@flow-service/source', script, `${origin}/warm`, origin + path]
    // when garbage is collected moves it by megabytes: what is really kept is there each time
    let least = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < 8 && least >= MOST_BYTES; tries++) {
      const { stdout } = await promisify(execFile)(process.execPath, args)
      const { failure, grown } = JSON.parse(stdout) as { failure: string; grown: number }
      expect(failure).toBe('answer_too_large')
      least = Math.min(least, grown)
    }
    expect(least).toBeLessThan(MOST_BYTES)
  })

  test('hangs up on an answer without an end', async () => {
    const rig = await asking('/endless')
    sent = 0
    await expect(rig.arrive({ x: 1 })).rejects.toMatchObject({ name: 'answer_too_large' })
    // what it takes, and what the connection holds
    expect(sent).toBeLessThan(30_000_000)
  })

  test('waits for an answer that drips for its timeout as a whole [T76]', async () => {
    const rig = await asking('/drip')
    const asked = once(server, 'request')
    const failure = rig.arrive({ x: 1 }).catch((error: Error) => error.name)
    await asked
    await rig.advance(29)
    expect(rig.timers).toBe(1)
    await rig.advance(1)
    expect(await failure).toBe('timeout')
  })

  test.each([
    ['/deep', 'answer_too_large', 'more than 64 levels of JSON'],
    ['/headers', 'unreachable', 'Headers Overflow'],
    ['/wrong-length', 'unreachable', 'failed'],
    ['/broken-gzip', 'unreachable', 'incorrect header check'],
  ])('fails in words on %s, and asks again [T76]', async (path, name, words) => {
    const rig = await asking(path)
    await expect(rig.arrive({ x: 1 })).rejects.toMatchObject({ name, message: expect.stringContaining(words) })
    await expect(rig.arrive({ x: 1 })).rejects.toMatchObject({ name })
    expect(rig.timers).toBe(0)
  })
})

test('a tsdb node does not take a bomb either [T76]', async () => {
  const settings = { url: `${origin}/bomb/`, org: 'o', bucket: 'b', queries: { y: { measurement: 'm', field: 'f' } } }
  const rig = await rigs.run(tsdbNode, { settings, outputs: { y: 'any' } })
  answers['/bomb/api/v2/query'] = answers['/bomb']!
  await expect(rig.trigger()).rejects.toMatchObject({ name: 'answer_too_large' })
})
