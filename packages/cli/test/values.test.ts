import { expect, test } from 'vitest'

import { instant, jsonOrText, matcher } from '../src/values.ts'

test.each([
  ['21.5', 21.5],
  ['-3', -3],
  ['true', true],
  ['null', null],
  ['{"a":[1]}', { a: [1] }],
  ['"21.5"', '21.5'],
  ['at night', 'at night'],
  ['', ''],
  ['{broken', '{broken'],
])('%j is the value %j', (text, value) => {
  expect(jsonOrText(text)).toEqual(value)
})

const now = Date.UTC(2027, 2, 21, 12)
test.each([
  ['30s', '2027-03-21T11:59:30.000Z'],
  ['10m', '2027-03-21T11:50:00.000Z'],
  ['2h', '2027-03-21T10:00:00.000Z'],
  ['3d', '2027-03-18T12:00:00.000Z'],
  ['2027-03-20T08:00:00Z', '2027-03-20T08:00:00.000Z'],
  ['2027-03-20T08:00:00.250+02:00', '2027-03-20T06:00:00.250Z'],
  ['2027-03-20', '2027-03-20T00:00:00.000Z'],
])('%s is a point in time', (text, ts) => {
  expect(instant(text, now)).toBe(ts)
})

test.each(['', 'soon', '10', '10 m', '-1h', '2027', '2027-13-40', '12/03/2027'])('%j is no point in time', (text) => {
  expect(instant(text, now)).toBeNull()
})

test('a star stands for anything in a pattern, and every other sign for itself', () => {
  const names = ['climate.temp', 'climate.target', 'climate_temp', 'attic.temp', 'climateXtemp']
  const fitting = (pattern: string) => names.filter(matcher(pattern))
  expect(fitting('climate.*')).toEqual(['climate.temp', 'climate.target'])
  expect(fitting('*.temp')).toEqual(['climate.temp', 'attic.temp'])
  expect(fitting('climate.temp')).toEqual(['climate.temp'])
  expect(fitting('*')).toEqual(names)
  expect(fitting('(')).toEqual([])
})
