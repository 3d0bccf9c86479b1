import { VirtualClock } from '@flow-service/core/testing'
import { expect, test } from 'vitest'

import { DevicePresence } from '../../src/devices/device-presence.ts'

function presenceAt() {
  const clock = new VirtualClock(0)
  const noted: string[] = []
  const changes: string[] = []
  const presence = new DevicePresence({ clock, note: (device) => void noted.push(device) })
  presence.onChange((device) => changes.push(`${device} ${presence.isOnline(device) ? 'comes' : 'goes'}`))
  return { clock, noted, changes, presence }
}

test('a device is online from its first socket to the end of its last [R118]', () => {
  const { changes, presence } = presenceAt()
  const [one, two] = [presence.opened('a'), presence.opened('a')]
  expect([presence.isOnline('a'), presence.isOnline('b')]).toEqual([true, false])
  one()
  expect(presence.isOnline('a')).toBe(true)
  two()
  expect(presence.isOnline('a')).toBe(false)
  expect(changes).toEqual(['a comes', 'a goes'])
})

test('a request through the portal counts for a minute from the last one, a direct one does not count', async () => {
  const { clock, changes, presence } = presenceAt()
  presence.asked('a', false)
  expect(presence.isOnline('a')).toBe(false)
  presence.asked('a', true)
  await clock.advance(59_999)
  presence.asked('a', true)
  await clock.advance(59_999)
  expect(presence.isOnline('a')).toBe(true)
  await clock.advance(1)
  expect(presence.isOnline('a')).toBe(false)
  expect(changes).toEqual(['a comes', 'a goes'])
})

test('that a device was heard of is noted at most each ten seconds [R119]', async () => {
  const { clock, noted, presence } = presenceAt()
  for (let times = 0; times < 100; times += 1) presence.heard('a')
  presence.asked('b', false)
  expect(noted).toEqual(['a', 'b'])
  await clock.advance(9_999)
  presence.heard('a')
  expect(noted).toEqual(['a', 'b'])
  await clock.advance(1)
  presence.heard('a')
  expect(noted).toEqual(['a', 'b', 'a'])
})

test('a device that is connected elsewhere is online here, and told once', () => {
  const { changes, presence } = presenceAt()
  const here: string[] = []
  presence.onHere((device) => here.push(device))
  presence.setElsewhere(new Set(['a', 'b']))
  const left = presence.opened('a')
  presence.setElsewhere(new Set(['b']))
  expect(changes).toEqual(['a comes', 'b comes'])
  left()
  presence.setElsewhere(new Set())
  expect(changes).toEqual(['a comes', 'b comes', 'a goes', 'b goes'])
  expect(here).toEqual(['a', 'a'])
})
