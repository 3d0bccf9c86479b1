import { type Duplex, duplexPair } from 'node:stream'

import { contractSuite, mounted } from '@flow-service/connector-sdk/testing'
import { expect, test } from 'vitest'

import AcmeMeter from '../src/acme_meter.ts'

const params = { host: 'device.local' }

/** A device that takes connections. */
class Device {
  /** Its ends of them. */
  readonly connections: Duplex[] = []

  readonly connect = (): Duplex => {
    const [near, far] = duplexPair()
    this.connections.push(far)
    return near
  }

  say(text: string): void {
    for (const connection of this.connections) connection.write(text)
  }
}

const device = new Device()
contractSuite(AcmeMeter, {
  test,
  params,
  fixtures: {
    connect: device.connect,
    push: () => device.say('{"power":230}\n'),
    badSettings: [{ host: '' }, { port: 0 }],
  },
})

test('what the device says is published, in whatever pieces it comes', async () => {
  const other = new Device()
  const node = await mounted(AcmeMeter, { settings: params, connect: other.connect })
  await node.advance(0)
  other.say('{"power":23')
  other.say('0}\n{"power":231}\nhello\n')
  await node.advance(0)
  expect(node.sent).toEqual([{ power: 230 }, { power: 231 }])
  expect(node.health).toEqual({ status: 'degraded', message: 'the device said what is no status: hello' })
  await node.stop()
})

test('a connection that is lost is opened again', async () => {
  const other = new Device()
  const node = await mounted(AcmeMeter, { settings: params, connect: other.connect })
  await node.advance(0)
  expect(node.health.status).toBe('ok')
  node.ctx.network.disconnect()
  await node.advance(0)
  expect(node.health).toEqual({ status: 'degraded', message: 'the device has closed the connection' })
  await node.advance(1000)
  expect(node.health.status).toBe('ok')
  expect(other.connections).toHaveLength(2)
  await node.stop()
})
