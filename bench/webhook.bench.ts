/**
 * A webhook with three nodes behind it against a bare Express 5 handler that parses the same body: requests a second at
 * 100 connections, each server in a process of its own, in alternating rounds. The same for a durable webhook, which
 * answers when the arrival is on the disk. Only ratios are judged.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

import autocannon from 'autocannon'
import { afterAll, expect, test } from 'vitest'

const ROUNDS = 3
const SECONDS = 10
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

interface Rate {
  readonly perSecond: number
  /** In milliseconds. */
  readonly p99: number
}

async function rate(url: string, seconds: number): Promise<Rate> {
  const result = await autocannon({
    url,
    connections: 100,
    duration: seconds,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"temp":31.5}',
  })
  expect([result.non2xx, result.errors]).toEqual([0, 0])
  return { perSecond: result.requests.average, p99: Math.max(1, result.latency.p99) }
}

interface Named {
  readonly name: string
  readonly url: string
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

interface Compared {
  /** Of requests a second. */
  readonly rate: number
  /** Of the time that 99 of 100 requests stay below. */
  readonly p99: number
}

/** What `measured` is to `baseline`. */
async function compare(measured: Named, baseline: Named): Promise<Compared> {
  for (const { url } of [baseline, measured]) await rate(url, 2)
  const rounds: { baseline: Rate; measured: Rate }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ baseline: await rate(baseline.url, SECONDS), measured: await rate(measured.url, SECONDS) })
  }
  const of = (pick: (round: { baseline: Rate; measured: Rate }) => number): number => median(rounds.map(pick))
  const ratio = {
    rate: of((round) => round.measured.perSecond / round.baseline.perSecond),
    p99: of((round) => round.measured.p99 / round.baseline.p99),
  }
  console.log(
    `${measured.name} ${Math.round(of((round) => round.measured.perSecond))}/s, p99 ${of((round) => round.measured.p99)} ms; ` +
      `${baseline.name} ${Math.round(of((round) => round.baseline.perSecond))}/s, p99 ${of((round) => round.baseline.p99)} ms; ` +
      `ratios ${ratio.rate.toFixed(2)} and ${ratio.p99.toFixed(2)}`,
  )
  return ratio
}

test('a webhook takes at least 80 % of the requests of a bare Express handler, with less than twice its p99', async () => {
  const [bare, hook] = await Promise.all([start('express-hook.ts'), start('service-hook.ts')])
  const ratio = await compare({ name: 'webhook', url: hook }, { name: 'bare Express', url: bare })
  expect(ratio.rate).toBeGreaterThan(0.8)
  expect(ratio.p99).toBeLessThan(2)
})

test('a durable webhook takes at least half the requests of a bare Express handler', async () => {
  const [bare, durable] = await Promise.all([start('express-hook.ts'), start('service-hook.ts', 'durable')])
  const ratio = await compare({ name: 'durable webhook', url: durable }, { name: 'bare Express', url: bare })
  expect(ratio.rate).toBeGreaterThan(0.5)
})
