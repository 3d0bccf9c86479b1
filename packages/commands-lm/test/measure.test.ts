/** What the score counts. */
import type { CommandReading } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { confusable, confusion, faultsOf, worstFirst } from '../corpus/errors.ts'
import { calibration, calibrationError, judgeReadings, measure } from '../corpus/measure.ts'
import { sentenceOf } from '../corpus/sentence.ts'

const sentence = (calls: string) => sentenceOf(`what was said\t-\t${calls}\tplain`, 'test')
const read = (confidence: number, more: Partial<CommandReading> = {}): CommandReading => ({
  call: 'lights_on',
  area: 'kitchen',
  kind: 'light',
  args: {},
  delay_s: 0,
  confidence,
  ...more,
})
const judged = (calls: string, ...readings: CommandReading[]) => judgeReadings(sentence(calls), readings)

test.each([
  ['lights_on kitchen', [read(0.99)], true, 0],
  ['lights_on kitchen', [read(0.5)], true, 0],
  ['lights_on kitchen', [], false, 0],
  ['lights_on kitchen', [read(0.99), read(0.99)], false, 0],
  ['lights_on kitchen', [read(0.99, { delay_s: 60 })], false, 1],
  ['lights_on kitchen', [read(0.92, { area: 'office' })], false, 0],
  ['lights_on kitchen; lights_on office', [read(0.99, { area: 'office' }), read(0.99)], true, 0],
  ['lights_on kitchen; ~lights_on office', [read(0.99), read(0.9, { area: 'office' })], true, 0],
  ['lights_on kitchen; ~lights_on office', [read(0.99), read(0.99, { area: 'office' })], false, 1],
  ['~lights_on kitchen', [read(0.9)], true, 0],
  ['~lights_on kitchen', [read(0.92)], false, 0],
  ['~lights_on kitchen', [read(0.93)], false, 1],
  ['none', [read(0)], true, 0],
  ['none', [read(0.1)], false, 0],
  ['none', [read(0.93)], false, 1],
])('%s, read as %j', (calls, readings, exact, wrong) => {
  const { exact: isExact, wrongWrites } = judged(calls, ...readings)
  expect([isExact, wrongWrites.length]).toEqual([exact, wrong])
})

test('shares are those of sentences, of calls to be written, and of what is written', () => {
  const some = [
    judged('lights_on kitchen', read(0.99)),
    judged('lights_on kitchen', read(0.5)),
    judged('~lights_on kitchen', read(0.95)),
    judged('none'),
  ]
  expect(measure(some)).toEqual({
    exact: { of: 4, right: 3 },
    harmless: { of: 4, right: 3 },
    written: { of: 2, right: 1 },
    confident: { of: 2, right: 1 },
  })
})

test('a reading that was said counts as right for calibration, doubtful or not', () => {
  const bins = calibration([
    judged('~lights_on kitchen', read(0.5)),
    judged('lights_on office', read(0.52)),
    judged('lights_on kitchen', read(1)),
  ])
  expect(bins.map(({ from, of, right }) => [from, of, right])).toEqual([
    [0.5, 2, 1],
    [0.9, 1, 1],
  ])
  expect(calibrationError(bins)).toBeCloseTo(0.02 / 3)
})

test('faults are told apart, and the worst come first', () => {
  const some = [
    judged('lights_on kitchen', read(0.99)),
    judged('lights_on kitchen'),
    judged('lights_on kitchen', read(0.5, { area: 'office' })),
    judged('none', read(0.99)),
    judged('lights_on kitchen +60', read(0.99, { delay_s: 120 })),
    judged('lights_off kitchen', read(0.8)),
    judged('~lights_on kitchen', read(0.91)),
  ]
  expect(some.map((each) => faultsOf(each).join())).toEqual([
    '',
    'call missed',
    'other area',
    'call too many',
    'other delay',
    'other call',
    'doubtful and said firmly',
  ])
  expect(worstFirst(some).map((each) => some.indexOf(each))).toEqual([3, 4, 5, 2, 1, 6])
  const cell = (expected: (typeof confusable)[number], as: (typeof confusable)[number]) =>
    confusion(some)[confusable.indexOf(expected)]?.[confusable.indexOf(as)]
  expect([cell('lights_on', 'lights_on'), cell('lights_on', null), cell(null, 'lights_on')]).toEqual([4, 1, 1])
  expect(cell('lights_off', 'lights_on')).toBe(1)
})

test.each([
  ['text\t-\tlights_on kitchen', 'four columns'],
  ['text\t-\tlights_on cellar\tplain', '"cellar" is no area'],
  ['text\t-\tlights_dim kitchen\tplain', '"lights_dim" is no call'],
  ['text\t-\tlights_on kitchen 20\tplain', 'is no call'],
  ['text\t-\theating_set kitchen\tplain', 'is no call'],
  ['text\t-\theating_set kitchen 40\tplain', '40 is no temperature'],
  ['text\t-\tlights_on kitchen +90\tplain', '90 is no delay'],
  ['text\t-\tlights_on kitchen; lights_on kitchen\tplain', 'a call twice'],
  ['text\tweather=bad\tnone\tplain', '"weather" is no key'],
  ['text\tpresence=cellar\tnone\tplain', '"cellar" is none of'],
  ['text\thouse=flat on=office.light\tnone\tplain', 'no device "office.light"'],
])('a line that breaks the format is refused: %j', (line, why) => {
  expect(() => sentenceOf(line, 'test')).toThrow(why)
})
