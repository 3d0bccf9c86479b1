import type { DeviceDetail, Message } from '@flow-service/client-sdk'
import { expect, test } from 'vitest'

import { describeDevice, nodeLine, presence } from '../src/device-text.ts'

const port = (name: string, direction: 'in' | 'out', dtype: 'float' | 'bool' | 'image', onDemand = false) => ({
  name,
  direction,
  dtype,
  on_demand: onDemand,
  title: null,
  options: {},
})
const binding = (name: string, direction: 'in' | 'out', message: string) => ({
  port: name,
  direction,
  message,
  dtype: 'float' as const,
  interval: null,
  on_demand: false,
  flow: 'house',
  node: 'panel',
  config: {},
})
const hall: DeviceDetail = {
  id: 'hall',
  name: 'Panel in the hall',
  board: 'esp32',
  firmware: '1.4',
  version: 1,
  paired: true,
  online: true,
  last_seen: null,
  report: {},
  reported_at: null,
  created_at: '',
  updated_at: '',
  io: [port('lux', 'in', 'float'), port('camera', 'in', 'image', true), port('relay1', 'out', 'bool')],
  bindings: [binding('lux', 'in', 'house.lux'), binding('lux', 'in', 'attic.lux'), binding('fan', 'out', 'house.fan')],
}

test('a port has a line for each message that it is wired to, and those that are not reported come last', () => {
  const messages = [{ name: 'house.lux', value: 412, ts: null }] as unknown as Message[]
  expect(describeDevice(hall, messages)).toBe(
    [
      'hall  Panel in the hall  online',
      'board esp32, firmware 1.4, has not said what ports it has',
      '  PORT    DIRECTION  DTYPE                 WIRED TO   VALUE  AT',
      '  lux     in         float                 house.lux  412    -',
      '  lux     in         float                 attic.lux  -      -',
      '  camera  in         image (on demand)     -          -      -',
      '  relay1  out        bool                  -          -      -',
      '  fan     out        float (not reported)  house.fan  -      -',
    ].join('\n'),
  )
})

test('a device that is away tells since when, and one without a credential that it has none', () => {
  expect(presence({ paired: false, online: false, last_seen: '2020-01-01T00:00:00Z' })).toBe('not paired')
  expect(presence({ paired: true, online: false, last_seen: null })).toBe('never seen')
  expect(presence({ paired: true, online: false, last_seen: '2020-06-15T12:00:00Z' })).toMatch(/^seen 2020-06-15 /)
})

test('the line for a flow has the ports of the report, and stands for an example where there are none', () => {
  expect(nodeLine(hall)).toBe(
    "const { lux, camera } = use(device('hall', { out: { lux: t.float, camera: t.image }, in: { relay1: t.bool }, onDemand: ['camera'] }), { relay1: m.relay1 })",
  )
  expect(nodeLine({ id: 'hall', io: [port('re-lay', 'out', 'bool')] })).toBe(
    "use(device('hall', { out: { lux: t.float } }))",
  )
})
