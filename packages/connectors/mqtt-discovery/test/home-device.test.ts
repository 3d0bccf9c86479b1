/** Devices at a mosquitto, as Zigbee2MQTT and Home Assistant's discovery announce them. */
import { connect as connectPlain } from 'node:net'

import { nodeTypeOf } from '@flow-service/connector-sdk'
import { connectAsync } from 'mqtt'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { hasMosquitto, type MosquittoServer, startMosquitto } from '../../../../test/components/mosquitto.ts'
import { flow, input, output } from '../../../core/test/documents.ts'
import { engine } from '../../../core/test/live/live-engine.ts'
import { HomeDevice } from '../src/index.ts'

const type = nodeTypeOf('home_device', HomeDevice)
type Ports = ReturnType<typeof input>[]
let prefixes = 0

const lamp = {
  ieee_address: '0x01',
  friendly_name: 'hall/lamp',
  type: 'Router',
  definition: {
    exposes: [
      {
        type: 'light',
        features: [
          { type: 'binary', property: 'state', access: 7, value_on: 'ON', value_off: 'OFF' },
          { type: 'numeric', property: 'brightness', access: 7, value_min: 0, value_max: 254 },
        ],
      },
      { type: 'numeric', property: 'linkquality', access: 1 },
    ],
  },
}

describe.skipIf(!hasMosquitto())('with mosquitto', () => {
  let server: MosquittoServer
  beforeAll(async () => (server = await startMosquitto()))
  afterAll(() => server.stop())

  /** Topics of the test's own, what is published to them, and a node that is told of the device. */
  async function home(at: MosquittoServer = server) {
    const base = `z${++prefixes}`
    const prefix = `ha${prefixes}`
    const client = await connectAsync({
      host: '127.0.0.1',
      port: at.port,
      username: at.username,
      password: at.password,
    })
    const sent: [string, string][] = []
    client.on('message', (topic, payload) => void sent.push([topic, payload.toString()]))
    onTestFinished(() => client.endAsync(true))
    const say = (topic: string, value: unknown, retain = false) =>
      client.publishAsync(topic, typeof value === 'string' ? value : JSON.stringify(value), { retain, qos: 1 })
    const watch = async (device: string, ports: Ports, settings = {}) => {
      const { host, runtime, start } = engine([type], {
        connect: ({ host: name, port }) => connectPlain({ host: name, port, noDelay: true }),
      })
      const { username, password } = at
      const own = { device, broker_host: '127.0.0.1', broker_port: at.port, base_topic: base, discovery_prefix: prefix }
      const live = await start(
        flow([{ id: 'd', type: 'home_device', settings: { ...own, username, password, ...settings }, ports }]),
      )
      const state = () => live.nodeStates()[0]
      const after =
        <T>(seconds: number, look: () => T) =>
        async (): Promise<T> => {
          await host.advance(seconds * 1000)
          return look()
        }
      return { host, runtime, live, state, after, health: () => state()?.health, message: () => state()?.message }
    }
    return { base, prefix, client, sent, say, watch }
  }

  test('a device of Zigbee2MQTT is asked, read as one delivery, and set', async () => {
    const at = await home()
    await at.client.subscribeAsync([`${at.base}/hall/lamp/set`, `${at.base}/hall/lamp/get`])
    await at.say(`${at.base}/bridge/devices`, [lamp], true)
    const rig = await at.watch('0x01', [
      output('state', { dtype: 'bool' }),
      output('brightness', { dtype: 'int' }),
      input('state:switch', { dtype: 'bool' }),
      input('brightness:dim', { dtype: 'float' }),
    ])
    await expect.poll(() => at.sent).toContainEqual([`${at.base}/hall/lamp/get`, '{"state":""}'])
    await at.say(`${at.base}/hall/lamp`, { state: 'ON', brightness: 100, linkquality: 3 })
    await expect.poll(() => [rig.host.values('f.state'), rig.host.values('f.brightness')]).toEqual([[true], [100]])
    expect(new Set(rig.host.records.map(({ cascade }) => cascade)).size).toBe(1)
    rig.runtime.publish('f.switch', false)
    rig.runtime.publish('f.dim', 20)
    const sets = () => at.sent.filter(([topic]) => topic.endsWith('/set')).map(([, text]) => text)
    await expect.poll(sets).toEqual(['{"state":"OFF"}', '{"brightness":20}'])
    rig.runtime.publish('f.dim', 300)
    await expect.poll(() => rig.state()?.error?.message).toBe('input "brightness": 300 is not between 0 and 254')
    expect(rig.health()).toBe('ok')
  })

  test('a device of Home Assistant’s discovery has its entities as ports, and what the broker keeps is no news twice', async () => {
    const at = await home()
    const dev = { ids: ['boiler-7'], name: 'Boiler' }
    const temp = {
      name: 'Water temperature',
      stat_t: 'b/t',
      unit_of_meas: '°C',
      dev,
      val_tpl: '{{ value_json.t | round(1) }}',
    }
    await at.say(`${at.prefix}/sensor/boiler/t/config`, temp, true)
    await at.say(
      `${at.prefix}/switch/boiler/pump/config`,
      { '~': `${at.base}/pump`, stat_t: '~', cmd_t: '~/set', name: 'Pump', dev },
      true,
    )
    await at.say('b/t', { t: 55.04 }, true)
    await at.client.subscribeAsync(`${at.base}/pump/set`)
    const rig = await at.watch('Boiler', [
      output('water_temperature:t', { dtype: 'float' }),
      input('pump', { dtype: 'bool' }),
    ])
    await expect.poll(() => rig.host.values('f.t')).toEqual([55])
    rig.runtime.publish('f.pump', true)
    await expect.poll(() => at.sent).toEqual([[`${at.base}/pump/set`, 'ON']])
    await at.say('b/t', 'boiling')
    await expect.poll(rig.message).toBeNull()
    await at.say('b/t', { t: 'hot' })
    await expect
      .poll(rig.message)
      .toBe('device "Boiler", output "water_temperature": "hot" is no number; it was dropped')
    await at.say('b/t', { t: 56 })
    await expect.poll(rig.health).toBe('ok')
  })

  test('what nobody announces, what the device lacks and what does not fit is told with what there is', async () => {
    const at = await home()
    const other = { ...lamp, ieee_address: '0x02', friendly_name: 'other' }
    await at.say(`${at.base}/bridge/devices`, [other], true)
    const rig = await at.watch('hall/lamp', [output('state', { dtype: 'bool' }), output('temp', { dtype: 'float' })])
    await expect
      .poll(rig.after(1, rig.message))
      .toBe(`broker 127.0.0.1:${server.port} has no device "hall/lamp"; there are other`)
    expect(rig.host.logs.map(({ text }) => text)).toEqual(['devices that were announced: other'])
    await at.say(`${at.base}/bridge/devices`, [other, lamp], true)
    await expect
      .poll(rig.message)
      .toBe(
        'device "hall/lamp": there is no "temp"; it has state (bool), brightness (float), linkquality (float) to read and ' +
          'state (bool), brightness (float) to set',
      )
    const wrong = await at.watch('hall/lamp', [output('brightness', { dtype: 'str' })])
    await expect.poll(wrong.message).toContain('the port "brightness" is str, and the device has float')
    const readOnly = await at.watch('hall/lamp', [input('linkquality', { dtype: 'float' })])
    await expect.poll(readOnly.message).toContain('"linkquality" cannot be set')
  })

  test('a device that is away is down, and is fine again when it comes back', async () => {
    const at = await home()
    await at.say(`${at.base}/bridge/devices`, [lamp], true)
    await at.say(`${at.base}/hall/lamp/availability`, { state: 'offline' }, true)
    const rig = await at.watch('hall/lamp', [output('state', { dtype: 'bool' })])
    await expect.poll(rig.health).toBe('down')
    expect(rig.message()).toBe('device "hall/lamp" is offline; look to its power and its radio')
    await at.say(`${at.base}/hall/lamp/availability`, 'online', true)
    await expect.poll(rig.health).toBe('ok')
    await at.say(`${at.base}/bridge/state`, { state: 'offline' }, true)
    await expect.poll(rig.health).toBe('down')
  })

  test('hostile announcements and payloads are told, and others go on', async () => {
    const at = await home()
    await at.say(`${at.prefix}/sensor/big/config`, `{"stat_t":"x","name":"${'x'.repeat(1 << 20)}"}`)
    await at.say(`${at.prefix}/sensor/odd/config`, '['.repeat(50_000), true)
    await at.say(
      `${at.prefix}/sensor/wild/config`,
      { stat_t: '#', name: 'Wild', unit_of_meas: 'W', dev: { ids: 'm', name: 'meter' } },
      true,
    )
    await at.say(
      `${at.prefix}/sensor/power/config`,
      { stat_t: `${at.base}/p`, name: 'Power', unit_of_meas: 'W', dev: { ids: 'm', name: 'meter' } },
      true,
    )
    const rig = await at.watch('meter', [output('power', { dtype: 'float' }), output('wild', { dtype: 'float' })])
    await expect
      .poll(rig.message)
      .toContain('of "wild" "#" is no topic; it has power (float) to read and nothing to set')
    await at.say(`${at.prefix}/sensor/big/config`, `{"stat_t":"x","name":"${'x'.repeat(1 << 20)}"}`)
    await expect.poll(() => rig.host.logs.map(({ text }) => text).join()).toContain('and at most 262144 are read')
    expect(rig.host.logs.map(({ text }) => text).join()).toContain('sensor/odd/config" is no JSON object')
    await at.say(`${at.base}/p`, 'x'.repeat(2 << 20))
    await at.say(`${at.base}/p`, '41')
    await expect.poll(() => rig.host.values('f.power')).toEqual([41])
  })

  test('a broker that crashes and comes back is found again, and a command meanwhile fails', async () => {
    const own = await startMosquitto()
    onTestFinished(() => own.stop())
    const at = await home(own)
    await at.say(`${at.base}/bridge/devices`, [lamp], true)
    const rig = await at.watch('hall/lamp', [
      output('state', { dtype: 'bool' }),
      input('state:switch', { dtype: 'bool' }),
    ])
    await expect.poll(rig.health).toBe('ok')
    await at.client.endAsync(true)
    await own.crash()
    await expect.poll(rig.health).toBe('degraded')
    rig.runtime.publish('f.switch', true)
    await expect.poll(rig.after(1, () => rig.state()?.error?.message ?? '')).toContain(`broker 127.0.0.1:${own.port}: `)
    await own.start()
    // a crash has taken what the broker kept
    const back = await home(own)
    await back.say(`${at.base}/bridge/devices`, [lamp], true)
    await expect.poll(rig.after(1, rig.health)).toBe('ok')
    await rig.live.stop()
    expect(rig.host.clock.pending).toBe(0)
  })

  test('a wrong password is told without it', async () => {
    const at = await home()
    const rig = await at.watch('x', [output('y')], { password: 'canary-1234' })
    await expect.poll(rig.message).toContain('Not authorized')
    expect(JSON.stringify([rig.host.events, rig.host.logs])).not.toContain('canary')
  })
})
