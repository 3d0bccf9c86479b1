/** Threats to devices on real connections: from two addresses of this machine, and against time. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

import type { PendingDevice } from '@flow-service/protocol'
import { describe, expect, test } from 'vitest'

import { AwakeTime } from './components/awake-time.ts'
import { DeviceClient, pairDevice } from './device-client.ts'
import { startService, type TestService } from './service.ts'

/** Sooner than the look that an engine takes at all of its sockets by itself, 30 s after the first was opened. */
const BY_NOTICE_MS = 10_000

interface Asked {
  readonly status: number | undefined
  readonly body: Record<string, unknown>
}

/** A request whose connection comes from an address of this machine. */
async function from(
  { baseUrl, token }: TestService,
  localAddress: string,
  { method, path, body, as }: { method: string; path: string; body?: object; as?: 'user' },
): Promise<Asked> {
  const headers = {
    'content-type': 'application/json',
    ...(as === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  const asked = request(`${baseUrl}${path}`, { method, localAddress, headers })
  asked.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  const text = (await answer.setEncoding('utf8').toArray()).join('')
  return { status: answer.statusCode, body: JSON.parse(text) as Record<string, unknown> }
}

// elsewhere the machine has one loopback address alone
describe.skipIf(process.platform !== 'linux')('two addresses of this machine', () => {
  test('are limited each for itself in what they start, and are one network to adopt in [T38, T40]', async () => {
    await using at = await startService()
    const start = (address: string) => from(at, address, { method: 'POST', path: '/devices/pair', body: {} })
    for (let n = 0; n < 5; n++) expect(await start('127.0.0.1')).toMatchObject({ status: 201 })
    expect(await start('127.0.0.1')).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    const { status, body } = await start('127.0.0.2')
    expect(status).toBe(201)

    const asUser = (path: string, more: { method: string; body?: object }) =>
      from(at, '127.0.0.1', { path, as: 'user', ...more })
    const pending = (await asUser('/devices/pending', { method: 'GET' })).body as unknown as PendingDevice[]
    const found = pending.find(({ check }) => check === body['check'])
    expect(found).toMatchObject({ same_network: true })
    await asUser('/devices/near', { method: 'POST', body: {} })
    const adopted = await asUser('/devices/near/pair', { method: 'POST', body: { request: found?.id } })
    expect(adopted).toMatchObject({ status: 200, body: { paired: true } })
  })
})

test.each([
  ['unpaired', 'POST', '/devices/cut/unpair'],
  ['deleted', 'DELETE', '/devices/cut'],
])(
  'a device that is %s is cut off by a notice, and does not come back [R435, R436, R437, T43]',
  async (_how, method, path) => {
    await using at = await startService({ trustProxy: 1 })
    const credential = await pairDevice(at, 'cut')
    const device = await DeviceClient.connect(at, credential)
    using awake = new AwakeTime()
    await at.send(method, path)
    expect(await device.closed).toBe(1008)
    expect(awake.ms).toBeLessThan(BY_NOTICE_MS)
    await expect(DeviceClient.connect(at, credential)).rejects.toThrow('401')
    const authorization = `Bearer ${credential}`
    const asked = [
      await at.send('PUT', '/devices/cut/report', {}, { authorization }),
      await at.send('POST', '/messages/hall.lux', { value: 1 }, { authorization }),
      await at.send('PUT', '/artifacts?volatile=true&name=hall.camera', 'x', {
        authorization,
        'content-type': 'image/png',
      }),
    ]
    expect(asked.map(({ status }) => status)).toEqual([401, 401, 401])
  },
)
