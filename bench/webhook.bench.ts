/**
 * A webhook with a switch behind it against a bare Express 5 handler that parses the same body: requests a second at
 * 100 connections, each server in a process of its own, in alternating rounds. Only the ratio is judged.
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

async function start(file: string): Promise<string> {
  const child = fork(join(import.meta.dirname, 'servers', file), { execArgv: ['--conditions=@flow-service/source'] })
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

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

test('a webhook takes at least 80 % of the requests of a bare Express handler', async () => {
  const [bare, hook] = await Promise.all([start('express-hook.ts'), start('service-hook.ts')])
  for (const url of [bare, hook]) await rate(url, 2)
  const rounds: { bare: number; hook: number }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ bare: (await rate(bare, SECONDS)).perSecond, hook: (await rate(hook, SECONDS)).perSecond })
  }
  const ratio = median(rounds.map((round) => round.hook / round.bare))
  console.log(
    `webhook ${Math.round(median(rounds.map((round) => round.hook)))}/s, bare Express ` +
      `${Math.round(median(rounds.map((round) => round.bare)))}/s: ratio ${ratio.toFixed(2)}`,
  )
  expect(ratio).toBeGreaterThan(0.8)
})
