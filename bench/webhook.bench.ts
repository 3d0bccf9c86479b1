/**
 * A webhook with three nodes behind it against a bare Express 5 handler that parses the same body: requests a second at
 * 100 connections, each server in a process of its own, in alternating rounds. The same for a durable webhook, which
 * answers when the arrival is on the disk. Only ratios are judged.
 */
import { expect, test } from 'vitest'

import { useServers } from './child-servers.ts'
import { type Rate, rateOf } from './webhook-rate.ts'

const ROUNDS = 3
const SECONDS = 10
const { startAt } = useServers()

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
  for (const { url } of [baseline, measured]) await rateOf(url, 2)
  const rounds: { baseline: Rate; measured: Rate }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ baseline: await rateOf(baseline.url, SECONDS), measured: await rateOf(measured.url, SECONDS) })
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

test('a webhook takes at least 85 % of the requests of a bare Express handler, with less than twice its p99', async () => {
  const [bare, hook] = await Promise.all([startAt('express-hook.ts'), startAt('service-hook.ts')])
  const ratio = await compare({ name: 'webhook', url: hook.at }, { name: 'bare Express', url: bare.at })
  expect(ratio.rate).toBeGreaterThan(0.85)
  expect(ratio.p99).toBeLessThan(2)
})

test('a durable webhook takes at least 60 % of the requests of a bare Express handler', async () => {
  const [bare, durable] = await Promise.all([startAt('express-hook.ts'), startAt('service-hook.ts', 'durable')])
  const ratio = await compare({ name: 'durable webhook', url: durable.at }, { name: 'bare Express', url: bare.at })
  expect(ratio.rate).toBeGreaterThan(0.6)
})
