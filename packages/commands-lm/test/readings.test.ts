import { interpret } from '@flow-service/commands-lm'
import { expect, test } from 'vitest'

test('what is due now has a delay of 0, and none of less', () => {
  const house = { presence: null, outdoor: 12, dark: false, devices: [] }
  expect(interpret('lights off in the kitchen', house).map(({ delay_s }) => Object.is(delay_s, 0))).toEqual([true])
})
