import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { serveTables } from '../packages/api-server/test/http/table-server.ts'

const ROUNDS = 10
const ROWS = 100_000

let tables: Awaited<ReturnType<typeof serveTables>>
beforeAll(async () => {
  tables = await serveTables(500, ROWS)
})
afterAll(() => tables.close())

/** Bytes of an answer, and the time until its end. */
async function ask(path: string, codings: string): Promise<{ readonly bytes: number; readonly ms: number }> {
  const from = performance.now()
  const sent = request(tables.url + path, { headers: { 'accept-encoding': codings } }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  let bytes = 0
  for await (const chunk of answer) bytes += (chunk as Buffer).length
  return { bytes, ms: performance.now() - from }
}
async function best(rounds: number, work: () => Promise<{ bytes: number; ms: number }>) {
  let least = { bytes: 0, ms: Infinity }
  for (let round = 0; round < rounds; round += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what is measured
    const next = await work()
    if (next.ms < least.ms) least = next
  }
  return least
}
const told = (what: string, of: { bytes: number; ms: number }, plain: { bytes: number; ms: number }): void => {
  const times = `${of.ms.toFixed(1)} ms for ${plain.ms.toFixed(1)} ms (${(of.ms / plain.ms).toFixed(1)} times)`
  process.stdout.write(
    `${what}: ${of.bytes} of ${plain.bytes} bytes (${((100 * of.bytes) / plain.bytes).toFixed(1)} %), ${times}\n`,
  )
}

test('a page of 500 runs', async () => {
  const plain = await best(ROUNDS, () => ask('/page', 'identity'))
  const br = await best(ROUNDS, () => ask('/page', 'br'))
  const zipped = await best(ROUNDS, () => ask('/page', 'gzip'))
  told('Brotli', br, plain)
  told('gzip', zipped, plain)
  expect(br.bytes).toBeLessThan(plain.bytes / 3)
  expect(br.bytes).toBeLessThan(zipped.bytes * 1.1)
  const timed = async (pack: (body: Buffer) => Promise<Buffer> | null) =>
    best(ROUNDS, async () => {
      const from = performance.now()
      const bytes = (await pack(tables.page))?.length ?? 0
      return { bytes, ms: performance.now() - from }
    })
  const usual = await timed(promisify(gzip))
  const ours = await timed((body) => tables.packed(body, 'br'))
  const quick = await timed((body) => tables.packed(body, 'gzip'))
  process.stdout.write(
    `Brotli in ${ours.ms.toFixed(1)} ms, gzip in ${quick.ms.toFixed(1)} ms, at its usual level in ${usual.ms.toFixed(1)} ms ` +
      `with ${usual.bytes} bytes\n`,
  )
  expect(ours.ms).toBeLessThan(2 * usual.ms)
  expect(quick.ms).toBeLessThan(usual.ms)
  expect(quick.bytes).toBeLessThan(usual.bytes * 1.15)
})

test('a table of 100,000 rows, with the loop free', async () => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const plain = await ask('/rows', 'identity')
  delay.enable()
  const zipped = await ask('/rows', 'gzip')
  delay.disable()
  told('gzip', zipped, plain)
  process.stdout.write(`the loop was late by ${(delay.percentile(99) / 1e6).toFixed(1)} ms (99 %)\n`)
  expect(zipped.bytes).toBeLessThan(plain.bytes / 3)
})
