/** What people and programs read of a sentence that was tried. */
import type { ExplainedReading, Explanation } from '@flow-service/commands-lm'
import { expect, test } from 'vitest'

import { describedHouse, type House } from '../src/house.ts'
import { houseText, triedDocument, triedText } from '../src/tried-sentence.ts'

const house = describedHouse(
  { presence: 'living room', dark: true, device: ['kitchen_light=on', 'bedroom_setpoint=20'] },
  new Date(2027, 2, 21, 12),
)
const reading = (call: ExplainedReading['call'], more: Partial<ExplainedReading> = {}): ExplainedReading => ({
  call,
  area: 'kitchen',
  kind: 'light',
  args: {},
  delay_s: 0,
  confidence: 0.98765,
  words: 'lights off',
  score: 3.2,
  lost: null,
  ...more,
})
const said = (text: string, repairs: Readonly<Record<string, string>> = {}): Explanation['words'] =>
  text.split(' ').map((word) => ({ said: word, read: repairs[word] ?? word }))

const explanation: Explanation = {
  words: said('Turn of the kichen light', { Turn: 'turn', of: 'off', kichen: 'kitchen' }),
  readings: [
    reading('lights_off'),
    reading('heating_set', { area: 'bedroom', kind: 'heating', args: { temperature: 21.5 }, delay_s: 5400 }),
    reading('heating_boost', { area: 'bedroom', kind: 'heating', delay_s: 600, confidence: 0.92999 }),
    reading('lights_on', { area: 'office', delay_s: 3600 }),
    reading('lights_on', { score: 1.234, words: 'light\u001b[2J', lost: 'of says off' }),
  ],
  refusal: null,
}
const tried = (at: House, of: Explanation = explanation) => ({ sentence: 'x', house: at, explanation: of })

test('calls stand in a table with whether they are written and why not, and readings that lost with the reason', () => {
  expect(triedText(tried(house)).split('\n')).toEqual([
    'read as  turn off the kitchen light',
    '',
    'CALL           AREA     WITH     WHEN           CONFIDENCE  WRITTEN',
    'lights_off     kitchen  -        now            0.987       yes',
    'heating_set    bedroom  21.5 °C  in 1 h 30 min  0.987       yes',
    'heating_boost  bedroom  -        in 10 min      0.929       no: below 0.93',
    'lights_on      office   -        in 1 h         0.987       no: not wired',
    '',
    'LOST       AREA     WITH  WHEN  SCORE  MADE OF         WHY',
    'lights_on  kitchen  -     now   1.23   light\\u001b[2J  of says off',
  ])
})

test('where targets are known, it is told what is written to which message, and what has no value for a call', () => {
  const at: House = {
    ...house,
    writes: ({ call }) =>
      call === 'heating_set'
        ? [{ message: 'home.boost', value: null }]
        : [
            { message: 'home.lamp', value: 'off' },
            { message: 'home.spots', value: false },
            { message: 'home.level', value: null },
          ],
  }
  const readings = explanation.readings.slice(0, 2)
  expect(
    triedText(tried(at, { words: [], readings, refusal: null }))
      .split('\n')
      .slice(1),
  ).toEqual([
    'lights_off   kitchen  -        now            0.987       home.lamp = off, home.spots = false',
    'heating_set  bedroom  21.5 °C  in 1 h 30 min  0.987       no: home.boost has no value for it',
  ])
  expect(triedDocument(tried(at))).toMatchObject({
    readings: [
      { written: true, writes: [{ message: 'home.lamp', value: 'off' }, { message: 'home.spots' }] },
      { written: false, writes: [] },
      {},
      {},
      {},
    ],
  })
})

test('what was understood and cannot be done is never written', () => {
  const none = { words: [], readings: [reading('lights_off', { confidence: 0 })], refusal: null }
  expect(triedText(tried({ ...house, minConfidence: 0 }, none))).toContain('0.000       no: it cannot be done')
})

test('words are shown where one of them was repaired, and capitals are no repair', () => {
  expect(triedText(tried(house, { ...explanation, words: said('Turn it off', { Turn: 'turn' }) }))).toMatch(/^CALL/)
})

test('of many that lost the best are shown, and how many there are', () => {
  const readings = Array.from({ length: 11 }, (_, at) => reading('lights_on', { lost: `no ${at}` }))
  const lines = triedText(tried(house, { words: [], readings, refusal: 'it is a question' })).split('\n')
  expect(lines.slice(0, 2)).toEqual(['Nothing is done: it is a question', ''])
  expect(lines.filter((line) => line.startsWith('lights_on'))).toHaveLength(8)
  expect(lines.at(-1)).toBe('and 3 others: --json')
})

test('readings that differ in the area alone are one row', () => {
  const readings = (['office', 'kitchen', 'bedroom', 'patio', 'garage', 'garden'] as const).flatMap((area) => [
    reading('lights_off', { area, confidence: 0.9 }),
    reading('lights_on', { area, confidence: area === 'office' ? 0.95 : 0.9 }),
  ])
  const full = describedHouse({}, new Date(2027, 2, 21, 12))
  expect(
    triedText(tried(full, { words: [], readings, refusal: null }))
      .split('\n')
      .slice(1),
  ).toEqual([
    'lights_off  office, kitchen, bedroom, patio, 2 more  -     now   0.900       no: below 0.93',
    'lights_on   office                                   -     now   0.950       yes',
    'lights_on   kitchen, bedroom, patio, garage, garden  -     now   0.900       no: below 0.93',
  ])
})

test('what is not understood is told with what can be said', () => {
  const text = triedText(tried(house, { words: said('bla'), readings: [], refusal: null }))
  expect(text).toBe(
    'Nothing is done: this was not understood\nSay what to do with which device, such as "turn off the kitchen light" or "heat the bedroom in ten minutes".',
  )
})

test('the house stands above in four lines, a long list of devices cut', () => {
  expect(houseText(house).split('\n')).toEqual([
    'speaker  in the living room; outside 20 °C, dark',
    'house    of these devices',
    'wired    kitchen_light=on, bedroom_heating=20',
    'writes   from a confidence of 0.93',
  ])
  const full = describedHouse({ light: true }, new Date(2027, 2, 21, 12))
  expect(houseText({ ...full, applies: false }).split('\n')).toEqual([
    'speaker  away; outside 20 °C, light',
    'house    a full one; yours by --device, or by --flow',
    'wired    living_room_light, kitchen_light, bathroom_light, bedroom_light, office_light, garden_light and 23 more',
    'writes   nothing: "apply" is off',
  ])
})

test('programs get all of it, each reading with whether it is written and why not', () => {
  expect(triedDocument(tried({ ...house, applies: false }))).toMatchObject({
    sentence: 'x',
    context: { presence: 'living_room', devices: { length: 7 } },
    min_confidence: 0.93,
    apply: false,
    words: { length: 5 },
    readings: [
      { call: 'lights_off', confidence: 0.98765, written: false, reason: '"apply" is off' },
      { call: 'heating_set', args: { temperature: 21.5 }, delay_s: 5400, reason: '"apply" is off' },
      { call: 'heating_boost', written: false, reason: 'below 0.93' },
      { call: 'lights_on', written: false, reason: 'not wired' },
      { call: 'lights_on', written: false, reason: 'of says off' },
    ],
    refusal: null,
  })
  expect(triedDocument(tried(house))).toMatchObject({ readings: [{ written: true, reason: null }, {}, {}, {}, {}] })
})
