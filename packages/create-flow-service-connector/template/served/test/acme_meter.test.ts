import { contractSuite, mounted } from '@flow-service/connector-sdk/testing'
import { expect, test } from 'vitest'

import AcmeMeter from '../src/acme_meter.ts'

const params = { token: { $secret: 'acme_meter' } }
const secrets = { acme_meter: 'open sesame' }
const headers = { 'x-device-token': 'open sesame' }

contractSuite(AcmeMeter, {
  test,
  params,
  fixtures: {
    secrets,
    push: async ({ ctx }) => {
      await ctx.request('POST', '/event', { headers, body: { power: 230 }, isSignedIn: false })
    },
    badSettings: [{ token: '' }],
  },
})

test('what the device sends is published', async () => {
  const node = await mounted(AcmeMeter, { settings: params, secrets })
  const sent = { headers, body: { power: 230 }, isSignedIn: false }
  expect((await node.ctx.request('POST', '/event', sent)).status).toBe(204)
  expect(node.sent).toEqual([{ power: 230 }])
  await node.stop()
})

test.each([
  [401, { body: { power: 230 } }],
  [401, { headers: { 'x-device-token': 'open' }, body: { power: 230 } }],
  [400, { headers, body: { power: 'much' } }],
  [400, { headers, body: 'power 230' }],
])('what the device may not send is refused with %i: %j', async (status, sent) => {
  const node = await mounted(AcmeMeter, { settings: params, secrets })
  expect((await node.ctx.request('POST', '/event', { ...sent, isSignedIn: false })).status).toBe(status)
  expect(node.sent).toEqual([])
  await node.stop()
})
