/** What every connector keeps, held by this one, with a broker in this process. */
import { duplexPair } from 'node:stream'

import { contractSuite } from '@flow-service/connector-sdk/testing'
import { Aedes } from 'aedes'
import { test } from 'vitest'

import { HomeDevice } from '../src/index.ts'

const broker = await Aedes.createBroker()
const say = (topic: string, value: unknown, retain = false): Promise<void> =>
  new Promise((resolve, reject) => {
    const packet = { cmd: 'publish', dup: false, qos: 0, retain, topic, payload: JSON.stringify(value) } as const
    broker.publish(packet, (error) => (error ? reject(error) : resolve()))
  })
const exposes = [
  { type: 'binary', property: 'state', access: 3, value_on: 'ON', value_off: 'OFF' },
  { type: 'numeric', property: 'power', access: 1 },
]
await say('zigbee2mqtt/bridge/devices', [{ friendly_name: 'plug', definition: { exposes } }], true)

/** The end of a connection to the broker. */
function connect() {
  const [near, far] = duplexPair()
  broker.handle(far)
  return near
}

contractSuite(HomeDevice, {
  test,
  params: { device: 'plug', username: 'plant', password: { $secret: 'broker' } },
  fixtures: {
    connect,
    inputs: { state: 'bool' },
    outputs: { state: 'bool', power: 'float' },
    write: { state: true },
    push: () => say('zigbee2mqtt/plug', { state: 'ON', power: 12.5 }),
    badSettings: [{ device: '' }, { broker_host: 'mqtt://x' }, { base_topic: 'a/#' }, { discovery_prefix: 'x/' }],
  },
})
