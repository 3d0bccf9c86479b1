/** A motion sensor of Zigbee2MQTT switches a lamp of Home Assistant's discovery on: no topic stands in the flow. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'
import { HomeDevice } from '@flow-service/connector-mqtt-discovery'
import { liveFlow, nodeType, t } from '@flow-service/flow-sdk'
import { connectAsync } from 'mqtt'

import { startBroker } from './broker.ts'

const dataDir = await mkdtemp(join(tmpdir(), 'home-devices-'))
const broker = await startBroker(dataDir).catch((error: Error) => {
  console.error(`home-devices: ${error.message}`)
  process.exit(1)
})
const at = { broker_host: '127.0.0.1', broker_port: broker.port }

const hall = liveFlow('hall', { motion: t.bool, battery: t.float }, (m, use) => {
  const sensor = nodeType('home_device', {
    out: { occupancy: t.bool, battery: t.float },
    settings: { ...at, device: 'hall/motion' },
  })
  use(sensor, {}, { id: 'sensor', out: { occupancy: m.motion, battery: m.battery } })
  const lamp = nodeType('home_device', { in: { ceiling: t.bool }, settings: { ...at, device: 'Hall lamp' } })
  use(lamp, { ceiling: m.motion }, { id: 'lamp' })
})

const service = await createService({
  dataDir: join(dataDir, 'engine'),
  port: 0,
  logLevel: 'warn',
  environment: 'local',
  flows: [hall],
  connectors: [
    { package: '@flow-service/connector-mqtt-discovery', version: '0.0.0', nodeTypes: { home_device: HomeDevice } },
  ],
})
const devices = await connectAsync({ host: '127.0.0.1', port: broker.port })
try {
  // what a bridge and a lamp say once, and the broker keeps
  const exposes = [
    { type: 'binary', property: 'occupancy', access: 1, value_on: true, value_off: false },
    { type: 'numeric', property: 'battery', access: 1, unit: '%' },
  ]
  const sensor = { ieee_address: '0x00158d0001', friendly_name: 'hall/motion', definition: { exposes } }
  const lamp = {
    '~': 'lamps/hall',
    name: 'Ceiling',
    stat_t: '~',
    cmd_t: '~/set',
    dev: { ids: 'l1', name: 'Hall lamp' },
  }
  const keep = { retain: true, qos: 1 } as const
  await devices.publishAsync('zigbee2mqtt/bridge/devices', JSON.stringify([sensor]), keep)
  await devices.publishAsync('homeassistant/light/l1/config', JSON.stringify(lamp), keep)
  await devices.publishAsync('zigbee2mqtt/hall/motion', JSON.stringify({ occupancy: true, battery: 87 }), keep)
  await devices.subscribeAsync('lamps/hall/set')
  const commanded = new Promise<[topic: string, payload: string]>((resolve) =>
    devices.once('message', (topic, payload) => resolve([topic, payload.toString()])),
  )

  const { baseUrl } = await service.listen()
  const client = createClient({ baseUrl, token: await service.superuserToken() })
  const battery = client.subscribe(hall.messages.battery)
  const first = battery.next()
  await client.flows.start(hall.name)

  assert.equal((await first).value?.value, 87)
  assert.deepEqual(await commanded, ['lamps/hall/set', 'ON'])
  console.log('home-devices: motion in the hall switched the lamp on, and the battery has 87 %')
} finally {
  await devices.endAsync(true)
  await service.close()
  await broker.stop()
  await rm(dataDir, { recursive: true, force: true })
}
