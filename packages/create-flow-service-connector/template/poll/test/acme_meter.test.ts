import { contractSuite, mounted } from '@flow-service/connector-sdk/testing'
import { expect, test } from 'vitest'

import AcmeMeter from '../src/acme_meter.ts'

const params = { url: 'http://device.local/status' }

contractSuite(AcmeMeter, {
  test,
  params,
  fixtures: {
    fetch: () => Response.json({ power: 230 }),
    reading: { power: 230 },
    badSettings: [{ url: 'device.local' }],
  },
})

test('a device that is away is degraded, then down, then fine again', async () => {
  let isAway = true
  const node = await mounted(AcmeMeter, {
    settings: { ...params, poll_interval: 10 },
    fetch: () => (isAway ? new Response('', { status: 503 }) : Response.json({ power: 230 })),
  })
  await node.advance(0)
  expect(node.health).toEqual({ status: 'degraded', message: 'the device answered 503' })
  await node.advance(20_000)
  expect(node.health.status).toBe('down')
  isAway = false
  await node.advance(10_000)
  expect([node.health.status, node.sent]).toEqual(['ok', [{ power: 230 }]])
  await node.stop()
})
