import { commandsView } from '@flow-service/node-types'
import { expect, test } from 'vitest'

const port = (direction: 'input' | 'output', name: string, message: string, dtype: 'str' | 'int' | 'float') => ({
  direction,
  port: name,
  message,
  dtype,
})
const values: Readonly<Record<string, unknown>> = { 'home.room': 'kitchen', 'home.cold': -30, 'lights.k1': 40 }
const moment = {
  valueOf: (message: string) => values[message] ?? null,
  atMs: Date.parse('2027-03-21T22:30:00Z'),
  timeZone: 'Pacific/Auckland',
}
const ports = [
  port('input', 'prompt', 'home.said', 'str'),
  port('input', 'presence', 'home.room', 'str'),
  port('input', 'outdoor', 'home.cold', 'float'),
  port('output', 'kitchen_brightness', 'lights.k1', 'int'),
  port('output', 'kitchen_light', 'lights.k2', 'str'),
  port('output', 'cellar_light', 'lights.c', 'str'),
  port('output', 'bathroom_heat', 'heat.b', 'int'),
]

test('a document is seen as its node sees it when a prompt comes', () => {
  const { context, apply, minConfidence } = commandsView({ settings: { min_confidence: 0.8 }, ports }, moment)
  expect([apply, minConfidence]).toEqual([false, 0.8])
  // half past eleven in the morning
  expect(context).toMatchObject({ presence: 'kitchen', outdoor: -5, dark: false })
  expect(context.devices.filter(({ wired }) => wired)).toEqual([
    { area: 'kitchen', kind: 'light', value: 40, wired: true },
    { area: 'bathroom', kind: 'heating', value: null, wired: true },
  ])
  expect(context.devices.filter(({ wired }) => !wired)).toHaveLength(6)
})

test('a call comes to a value for each target of its device, or to none', () => {
  const { writes } = commandsView({ settings: { apply: true }, ports }, moment)
  expect(writes({ call: 'lights_off', area: 'kitchen', kind: 'light', args: {} })).toEqual([
    { message: 'lights.k1', value: 0 },
    { message: 'lights.k2', value: 'off' },
  ])
  expect(writes({ call: 'heating_boost', area: 'bathroom', kind: 'heating', args: {} })).toEqual([
    { message: 'heat.b', value: null },
  ])
  expect(writes({ call: 'lights_off', area: 'office', kind: 'light', args: {} })).toEqual([])
})

test('settings of a draft that could not be published count as not set', () => {
  expect(commandsView({ settings: { apply: 'yes' }, ports: [] }, moment)).toMatchObject({
    apply: false,
    minConfidence: 0.93,
  })
})
