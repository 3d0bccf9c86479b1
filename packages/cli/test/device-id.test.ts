import { expect, test } from 'vitest'

import { suggestedId } from '../src/device-id.ts'

const none = new Set<string>()

test.each([
  [['Panel in the hall'], 'panel-in-the-hall'],
  [['Küche – Süd'], 'kuche-sud'],
  [['  __Door!! '], 'door'],
  [[null, 'ESP32_hall'], 'esp32_hall'],
  [['…', 'board 7'], 'board-7'],
  [['日本', null], 'device'],
  [['pair'], 'pair-2'],
  [['x'.repeat(200)], 'x'.repeat(90)],
])('of %j the id "%s" is made', (said, id) => {
  expect(suggestedId(said, none)).toBe(id)
})

test('an id that is taken gets a number', () => {
  expect(suggestedId(['Hall'], new Set(['hall', 'hall-2']))).toBe('hall-3')
})
