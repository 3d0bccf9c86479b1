/** The connector of the guide against recorded answers, as the guide on tests shows it. */
import { contractSuite, mounted, recordedHttp } from '@flow-service/connector-sdk/testing'
import { expect, test } from 'vitest'

import Meter from './meter.ts'

const exchanges = new URL('meter.json', import.meta.url)
const params = { url: 'http://meter.local', token: { $secret: 'meter_token' } }

contractSuite(Meter, {
  test,
  params,
  fixtures: { fetch: recordedHttp(exchanges).fetch, reading: { power: 230.5, energy: 12.5 }, write: { limit: 100 } },
})

test('a limit reaches the meter, and its token is the secret', async () => {
  const recorded = recordedHttp(exchanges)
  const settings = { ...params, poll_interval: 10 }
  const meter = await mounted(Meter, { settings, secrets: { meter_token: 'let me in' }, fetch: recorded.fetch })
  await meter.advance(60_000)
  expect(meter.sent).toEqual([{ power: 230.5, energy: 12.5 }])

  await meter.write({ limit: 100 })
  expect(meter.ctx.network.reached.at(-1)?.content).toContain('authorization: Bearer let me in')
  recorded.assertUsed()
  await meter.stop()
})

test('a meter whose network is away is told, and noticed when it is back', async () => {
  const settings = { ...params, poll_interval: 10 }
  const { fetch } = recordedHttp(exchanges)
  const meter = await mounted(Meter, { settings, secrets: { meter_token: 'let me in' }, fetch })
  meter.ctx.network.failWith(new Error('no route to the meter'))
  await meter.advance(20_000)
  expect(meter.health).toEqual({ status: 'down', message: 'no route to the meter' })
  meter.ctx.network.failWith(null)
  await meter.advance(10_000)
  expect([meter.health.status, meter.sent.length]).toEqual(['ok', 1])
  await meter.stop()
})
