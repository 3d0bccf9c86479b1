/** The connector of the guide, with the tests that the guide shows. */
import { contractSuite, mounted } from '@flow-service/connector-sdk/testing'
import { expect, test } from 'vitest'

import Meter from './meter.ts'

const params = { url: 'http://meter.local', token: { $secret: 'meter_token' } }
const answer = { watts: 230, total_kwh: 12.5 }

contractSuite(Meter, {
  test,
  params,
  fixtures: { fetch: () => Response.json(answer), reading: { power: 230, energy: 12.5 }, write: { limit: 100 } },
})

test('a meter that is away is degraded, then down, then fine again', async () => {
  let isAway = true
  const meter = await mounted(Meter, {
    settings: { ...params, poll_interval: 10 },
    secrets: { meter_token: 'open sesame' },
    fetch: () => (isAway ? new Response('', { status: 503 }) : Response.json(answer)),
  })
  await meter.advance(0)
  expect(meter.health).toEqual({ status: 'degraded', message: 'the meter answered 503 to GET /status' })
  await meter.advance(20_000)
  expect(meter.health.status).toBe('down')
  isAway = false
  await meter.advance(10_000)
  expect([meter.health.status, meter.sent]).toEqual(['ok', [{ power: 230, energy: 12.5 }]])
  await meter.stop()
})
