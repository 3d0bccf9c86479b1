/**
 * A webhook with a switch behind it against a bare Express 5 handler that parses the same body: requests a second at
 * 100 connections, each server in a process of its own, in alternating rounds. Only the ratio is judged. The same for a
 * durable webhook against a plain one.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

import autocannon from 'autocannon'
import { afterAll, expect, test } from 'vitest'

const ROUNDS = 5
const SECONDS = 3
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGTERM')
})

async function start(file: string, ...args: string[]): Promise<string> {
  const child = fork(join(import.meta.dirname, 'servers', file), args, {
    execArgv: ['--conditions=@flow-service/source'],
  })
  children.push(child)
  const [url] = (await once(child, 'message')) as [string]
  return url
}

async function rate(url: string, seconds: number): Promise<{ perSecond: number; p99: number }> {
  const result = await autocannon({
    url,
    connections: 100,
    duration: seconds,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"temp":31.5}',
  })
  expect([result.non2xx, result.errors]).toEqual([0, 0])
  return { perSecond: result.requests.average, p99: result.latency.p99 }
}

interface Named {
  readonly name: string
  readonly url: string
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Requests a second that `measured` takes for one that `baseline` takes. */
async function ratioOf(measured: Named, baseline: Named): Promise<number> {
  for (const { url } of [baseline, measured]) await rate(url, 2)
  const rounds: { baseline: number; measured: number }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({
      baseline: (await rate(baseline.url, SECONDS)).perSecond,
      measured: (await rate(measured.url, SECONDS)).perSecond,
    })
  }
  const ratio = median(rounds.map((round) => round.measured / round.baseline))
  console.log(
    `${measured.name} ${Math.round(median(rounds.map((round) => round.measured)))}/s, ${baseline.name} ` +
      `${Math.round(median(rounds.map((round) => round.baseline)))}/s: ratio ${ratio.toFixed(2)}`,
  )
  return ratio
}

test('a webhook takes at least 80 % of the requests of a bare Express handler', async () => {
  const [bare, hook] = await Promise.all([start('express-hook.ts'), start('service-hook.ts')])
  const ratio = await ratioOf({ name: 'webhook', url: hook }, { name: 'bare Express', url: bare })
  expect(ratio).toBeGreaterThan(0.8)
})

test('a durable webhook takes at least half the requests of a plain one', async () => {
  const [plain, durable] = await Promise.all([start('service-hook.ts'), start('service-hook.ts', 'durable')])
  const ratio = await ratioOf({ name: 'durable webhook', url: durable }, { name: 'webhook', url: plain })
  expect(ratio).toBeGreaterThan(0.5)
})
