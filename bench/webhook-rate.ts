/** How fast webhook.bench.ts and many-engines.bench.ts have a webhook answer. */
import autocannon from 'autocannon'
import { expect } from 'vitest'

/** Of one webhook. */
export interface Rate {
  readonly perSecond: number
  /** In milliseconds. */
  readonly p99: number
}

/** Posts a small value over 100 connections; every request has to be taken. */
export async function rateOf(url: string, seconds: number): Promise<Rate> {
  const { errors, latency, non2xx, requests } = await autocannon({
    url,
    connections: 100,
    duration: seconds,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"temp":31.5}',
  })
  expect([non2xx, errors]).toEqual([0, 0])
  return { perSecond: requests.average, p99: Math.max(1, latency.p99) }
}
