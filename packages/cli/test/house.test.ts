/** The house that options describe, and what they change of one that a flow has. */
import type { CommandDevice } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { areaOf, changedHouse, describedHouse, deviceOfPort, type HouseFlags } from '../src/house.ts'

const noon = new Date(2027, 2, 21, 12)
const names = (devices: readonly CommandDevice[], isWired: boolean) =>
  devices.filter(({ wired }) => wired === isWired).map(({ area, kind }) => `${area}_${kind}`)

test('without any named, every device that a house may have is there, and nobody knows what it does', () => {
  const { context, minConfidence, applies } = describedHouse({}, noon)
  expect(context).toMatchObject({ presence: null, outdoor: 20, dark: false })
  expect([minConfidence, applies, context.devices.length]).toEqual([0.93, true, 29])
  expect(context.devices.every(({ wired, value }) => wired && value === null)).toBe(true)
})

test('devices that are named are wired, each once; others that a house is supposed to have are not', () => {
  const device = ['kitchen_lamp', 'office_tv', 'living_room_setpoint=20.5', 'kitchen_light=false']
  const { devices } = describedHouse({ device }, noon).context
  expect(devices.filter(({ wired }) => wired)).toEqual([
    { area: 'kitchen', kind: 'light', value: false, wired: true },
    { area: 'office', kind: 'media', value: null, wired: true },
    { area: 'living_room', kind: 'heating', value: 20.5, wired: true },
  ])
  expect(names(devices, false)).toEqual([
    'living_room_light',
    'bathroom_light',
    'bedroom_light',
    'office_light',
    'bedroom_heating',
  ])
})

test.each([
  [6, true],
  [7, false],
  [17, false],
  [18, true],
])('at %i o’clock it is dark: %s, unless it is said', (hour, dark) => {
  const now = new Date(2027, 2, 21, hour)
  expect(describedHouse({}, now).context.dark).toBe(dark)
  expect(describedHouse({ dark: true }, now).context.dark).toBe(true)
  expect(describedHouse({ light: true }, now).context.dark).toBe(false)
})

test('an area may be said as people say it, and so may being away', () => {
  expect(['living room', 'Living-Room', 'living_room', 'lounge'].map(areaOf)).toEqual([
    'living_room',
    'living_room',
    'living_room',
    null,
  ])
  expect(describedHouse({ presence: 'living room' }, noon).context.presence).toBe('living_room')
  expect(describedHouse({ presence: 'away' }, noon).context.presence).toBeNull()
})

test.each([
  ['kitchen_lamp', 'kitchen light'],
  ['living_room_boost', 'living_room heating'],
  ['garage_shutter', 'garage cover'],
  ['garden_sprinkler', 'garden water'],
  ['cellar_light', null],
  ['kitchen_kettle', null],
  ['kitchen', null],
  ['kitchen_', null],
  ['light', null],
])('the port %s stands for %s', (port, expected) => {
  const place = deviceOfPort(port)
  expect(place === null ? null : `${place.area} ${place.kind}`).toBe(expected)
})

test.each<[HouseFlags, string]>([
  [{ presence: 'moon' }, '"moon" is no area; give --presence one of living_room, kitchen, '],
  [{ outdoor: 31 }, '31 is out of range; give --outdoor degrees Celsius from -5 to 30'],
  [{ outdoor: -6 }, '-6 is out of range'],
  [{ minConfidence: 1.5 }, '1.5 is out of range; give --min-confidence a number from 0 to 1'],
  [
    { device: ['cellar_light=on'] },
    '"cellar_light" is no device; write <area>_<kind>=<value>, such as kitchen_light=on',
  ],
  [
    { device: ['kitchen_kettle'] },
    'kinds: light, lamp, brightness, setpoint, heating, heat, boost, media, music, tv, ',
  ],
])('%j is refused with what is allowed', (flags, text) => {
  expect(() => describedHouse(flags, noon)).toThrow(
    expect.objectContaining({ code: 2, message: expect.stringContaining(text) }),
  )
})

test('options change what a flow says, and name none of its devices that is not wired', () => {
  const house = { ...describedHouse({ device: ['kitchen_light=true'] }, noon), title: 'home.voice' }
  const changed = changedHouse(house, { device: ['kitchen_light=false'], presence: 'office', minConfidence: 0.5 })
  expect(changed).toMatchObject({ minConfidence: 0.5, title: 'home.voice', context: { presence: 'office' } })
  expect(changed.context.devices[0]).toEqual({ area: 'kitchen', kind: 'light', value: false, wired: true })
  expect(changed.context.devices.slice(1)).toEqual(house.context.devices.slice(1))
  // supposed to be there, and not wired
  expect(() => changedHouse(house, { device: ['office_light=on'] })).toThrow(
    'office_light is not wired in home.voice, which has kitchen_light',
  )
})
