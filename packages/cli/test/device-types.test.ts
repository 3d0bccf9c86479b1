import { readFileSync } from 'node:fs'

import { expect, test } from 'vitest'

import { deviceTypes, reportedDevices } from '../src/device-types.ts'

const port = (name: string, direction: string, dtype: string) => ({ name, direction, dtype })

test('devices and their ports stand in alphabetical order, whatever the order of the reports', () => {
  const devices = reportedDevices([
    { id: 'weather_of_types', report: { io: [port('temp', 'in', 'float')] } },
    {
      id: 'hall-panel-of-types',
      report: { io: [port('relay1', 'out', 'bool'), port('lux', 'in', 'float'), port('camera', 'in', 'image')] },
    },
    { id: 'new', report: null },
    { id: 'dumb', report: { io: [] } },
  ])
  // what the compiler makes of this file is tested beside device(…)
  const file = new URL('../../node-types/test/fixtures/flow-devices.d.ts', import.meta.url)
  expect(deviceTypes(devices)).toBe(readFileSync(file, 'utf8'))
})

test('what a device calls its ports cannot end the text that it stands in', () => {
  const report = { io: [port(`'}/*"\n`, 'in', 'float'), port('a b', 'in', 'no such dtype')] }
  expect(deviceTypes(reportedDevices([{ id: '1st', report }]))).toContain(`in: { "'}/*\\"\\n": 'float'; 'a b': 'any' }`)
})
