/**
 * 300 MB to and from `/artifacts` against a bare `node:http` server that hashes them between socket and file, each in a
 * process of its own, in alternating rounds. The bytes of every round are new; they are downloaded as the upload left
 * them, and once more when the engine has to hash them first. Ratios and the growth of memory are judged.
 */
import type { ChildProcess } from 'node:child_process'
import { createHash, randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

import { expect, test } from 'vitest'

import { useServers } from './child-servers.ts'

const ROUNDS = 3
const CHUNK = 2 ** 20
const CHUNKS = 300
const MAX_GROWTH = 100 * 2 ** 20
const { startAt } = useServers()

interface Target {
  readonly child: ChildProcess
  readonly url: string
  readonly headers: Record<string, string>
}

async function start(file: string): Promise<Target> {
  const {
    child,
    at: { url, token },
  } = await startAt<{ url: string; token: string }>(file)
  return { child, url, headers: token === '' ? {} : { authorization: `Bearer ${token}` } }
}

/** One piece, told apart by its number and the round: making 300 MB of random bytes would cost more than sending them. */
const piece = randomFillSync(Buffer.alloc(CHUNK))
function* bytes(round: number): Generator<Buffer> {
  for (let at = 0; at < CHUNKS; at++) {
    const chunk = Buffer.from(piece)
    chunk.writeUInt32LE(round * CHUNKS + at)
    yield chunk
  }
}
const digestOf = (round: number): string => {
  const digest = createHash('sha256')
  for (const chunk of bytes(round)) digest.update(chunk)
  return digest.digest('hex')
}

/** MB a second. */
async function upload(target: Target, round: number): Promise<number> {
  const headers = { ...target.headers, 'content-length': CHUNK * CHUNKS }
  const started = performance.now()
  const request = httpRequest(target.url, { method: 'PUT', headers })
  Readable.from(bytes(round), { objectMode: false }).pipe(request)
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk
  const rate = CHUNKS / ((performance.now() - started) / 1000)
  expect(text).toContain(digestOf(round))
  return rate
}

/** MB a second. */
async function download({ url, headers }: Target, path: string): Promise<number> {
  const started = performance.now()
  const request = httpRequest(url + path, { headers }).end()
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  let size = 0
  for await (const chunk of answer) size += (chunk as Buffer).length
  expect([answer.statusCode, size]).toEqual([200, CHUNK * CHUNKS])
  return CHUNKS / ((performance.now() - started) / 1000)
}

async function tell({ child }: Target, order: 'base' | 'peak' | 'forget'): Promise<number> {
  child.send(order)
  const [value] = (await once(child, 'message')) as [number]
  return value
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

test('300 MB pass at least at 70 % of the speed of a bare server, and memory stays flat', async () => {
  const [bare, service] = [await start('bare-artifacts.ts'), await start('service-artifacts.ts')]
  await tell(service, 'base')
  await upload(bare, 0)
  await upload(service, 0)
  await download(bare, '')
  await download(service, `/${digestOf(0)}`)
  const rates: Record<'up' | 'bareUp' | 'down' | 'hashed' | 'bareDown', number[]> = {
    up: [],
    bareUp: [],
    down: [],
    hashed: [],
    bareDown: [],
  }
  for (let round = 1; round <= ROUNDS; round++) {
    rates.bareUp.push(await upload(bare, round))
    rates.up.push(await upload(service, round))
    rates.bareDown.push(await download(bare, ''))
    rates.down.push(await download(service, `/${digestOf(round)}`))
    await tell(service, 'forget')
    rates.hashed.push(await download(service, `/${digestOf(round)}`))
  }
  const grown = await tell(service, 'peak')
  const [up, bareUp] = [median(rates.up), median(rates.bareUp)]
  const [down, hashed, bareDown] = [median(rates.down), median(rates.hashed), median(rates.bareDown)]
  console.log(
    `upload ${Math.round(up)} MB/s, bare ${Math.round(bareUp)}, ratio ${(up / bareUp).toFixed(2)}; ` +
      `download ${Math.round(down)} MB/s, hashed ${Math.round(hashed)}, bare ${Math.round(bareDown)}, ` +
      `ratios ${(down / bareDown).toFixed(2)} and ${(hashed / bareDown).toFixed(2)}; ` +
      `memory grew by ${Math.round(grown / 2 ** 20)} MiB`,
  )
  expect(up / bareUp).toBeGreaterThan(0.7)
  expect(Math.min(down, hashed) / bareDown).toBeGreaterThan(0.7)
  expect(grown).toBeLessThan(MAX_GROWTH)
})
