import type { ChildProcess } from 'node:child_process'
/**
 * 300 MB from an S3-compatible store through `/artifacts`, against a bare `node:http` proxy that hashes them between store and
 * client, each in a process of its own, in alternating rounds. The upload, which goes by the disk of the engine, is told. The
 * ratio of downloads and the growth of memory are judged; the store is an emulator, and no measure of stores.
 */
import { randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

import { expect, test } from 'vitest'

import { useServers } from './child-servers.ts'

const ROUNDS = 3
const CHUNK = 2 ** 20
const CHUNKS = 300
/** Four parts of 8 MiB, and those of before that the garbage collector has not taken yet. */
const MAX_GROWTH = 200 * 2 ** 20
const { startAt } = useServers()

interface Target {
  readonly url: string
  readonly token: string
}
const headersOf = ({ token }: Target): Record<string, string> =>
  token === '' ? {} : { authorization: `Bearer ${token}` }

const piece = randomFillSync(Buffer.alloc(CHUNK))
function* bytes(): Generator<Buffer> {
  for (let at = 0; at < CHUNKS; at++) {
    const chunk = Buffer.from(piece)
    chunk.writeUInt32LE(at)
    yield chunk
  }
}

/** The digest, and MB a second. */
async function upload(target: Target): Promise<{ hex: string; rate: number }> {
  const started = performance.now()
  const headers = { ...headersOf(target), 'content-length': CHUNK * CHUNKS }
  const request = httpRequest(target.url, { method: 'PUT', headers })
  Readable.from(bytes(), { objectMode: false }).pipe(request)
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk
  const rate = CHUNKS / ((performance.now() - started) / 1000)
  return { hex: (JSON.parse(text) as { digest: string }).digest.slice('sha256:'.length), rate }
}

/** MB a second. */
async function download(target: Target, path: string): Promise<number> {
  const started = performance.now()
  const request = httpRequest(target.url + path, { headers: headersOf(target) }).end()
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  let size = 0
  for await (const chunk of answer) size += (chunk as Buffer).length
  expect([answer.statusCode, size]).toEqual([200, CHUNK * CHUNKS])
  return CHUNKS / ((performance.now() - started) / 1000)
}

async function tell(child: ChildProcess, order: 'base' | 'peak'): Promise<number> {
  child.send(order)
  const [value] = (await once(child, 'message')) as [number]
  return value
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

test('300 MB from a store pass at least at 70 % of the speed of a bare proxy, and memory stays flat', async () => {
  const store = await startAt<{ url: string; objects: string }>('s3-store.ts')
  const { child, at: service } = await startAt<Target>('service-s3-artifacts.ts', store.at.url)
  const { at: bare } = await startAt<Target>('bare-store-proxy.ts', store.at.objects)
  await tell(child, 'base')
  const { hex, rate } = await upload(service)
  const key = `/sha256/${hex.slice(0, 2)}/${hex}`
  await download(bare, key)
  await download(service, `/${hex}`)
  const rates: Record<'down' | 'bare', number[]> = { down: [], bare: [] }
  for (let round = 0; round < ROUNDS; round++) {
    rates.bare.push(await download(bare, key))
    rates.down.push(await download(service, `/${hex}`))
  }
  const grown = await tell(child, 'peak')
  const [down, bareDown] = [median(rates.down), median(rates.bare)]
  console.log(
    `upload ${Math.round(rate)} MB/s; download ${Math.round(down)} MB/s, bare ${Math.round(bareDown)}, ` +
      `ratio ${(down / bareDown).toFixed(2)}; memory grew by ${Math.round(grown / 2 ** 20)} MiB`,
  )
  expect(down / bareDown).toBeGreaterThan(0.7)
  expect(grown).toBeLessThan(MAX_GROWTH)
})
