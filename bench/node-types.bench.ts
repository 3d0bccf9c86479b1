/**
 * The catalogue of node types, with the JSON Schema of each, against a bare server that sends the same text. One request
 * at a time, in alternating rounds; the service and the bare server share this process with the client. The target is
 * absolute: 5 ms an answer.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { startService, type TestService } from '../packages/api-server/test/observability/service.ts'

const ROUNDS = 300
const TARGET_MS = 5
let at: TestService
let bare: ReturnType<typeof createServer>
let text = ''

beforeAll(async () => {
  at = await startService()
  bare = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(text),
  ).listen(0, '127.0.0.1')
  await once(bare, 'listening')
}, 60_000)
afterAll(async () => {
  bare.closeAllConnections()
  bare.close()
  await at[Symbol.asyncDispose]()
})

const sorted = (values: number[]): number[] => values.toSorted((a, b) => a - b)
const shown = (values: number[]): string => {
  const all = sorted(values)
  return `p50 ${all[all.length >> 1]?.toFixed(2)} ms, p99 ${all[Math.floor(all.length * 0.99)]?.toFixed(2)} ms`
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

test('the catalogue of node types is answered within 5 ms', async () => {
  const list = async (): Promise<unknown[]> => (await at.ann<unknown[]>('GET', '/flows/node-types')).value
  const first = await timed(list)
  const types = await list()
  text = JSON.stringify(types)
  const address = `http://127.0.0.1:${(bare.address() as AddressInfo).port}/`
  const service: number[] = []
  const plain: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    plain.push(await timed(async () => (await fetch(address)).json()))
    service.push(await timed(list))
  }
  console.log(
    `${types.length} node types, ${text.length} bytes: first ${first.toFixed(1)} ms; service ${shown(service)}; bare ${shown(plain)}`,
  )
  expect(types.length).toBeGreaterThan(16)
  expect(sorted(service)[ROUNDS >> 1]).toBeLessThan(TARGET_MS)
  expect(sorted(service)[ROUNDS >> 1]! / sorted(plain)[ROUNDS >> 1]!).toBeLessThan(6)
})
