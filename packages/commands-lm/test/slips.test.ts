import { expect, it } from 'vitest'

import { mended, smallMeant } from '../src/slips.ts'
import { tokens } from '../src/tokens.ts'

const words = (text: string): string =>
  mended(tokens(text))
    .words.map(({ word }) => word)
    .join(' ')

it.each([
  ['kitchenlights off', 'kitchen lights off'],
  ['lightsonin the bathroom', 'lights on in the bathroom'],
  ['turn onthe tv', 'turn on the tv'],
  ['open the curtain sin the bedroom', 'open the curtains in the bedroom'],
  ['turn o nthe light', 'turn on the light'],
  ['litchen light 0ff', 'litchen light off'],
  ['office to 2o degress', 'office to 20 degrees'],
  ['water the lawn for ate minutes', 'water the lawn for eight minutes'],
  ['lamp off in to minutes', 'lamp off in two minutes'],
  ['stop the radio for minutes from now', 'stop the radio four minutes from now'],
  ['an our from now lamp off', 'an hour from now lamp off'],
  ['weight five minutes', 'wait five minutes'],
  ['clothes the curtains', 'close the curtains'],
  ['shot the blinds', 'shut the blinds'],
  ['put the bedroom hearing on', 'put the bedroom heating on'],
  ['lights off in the chicken', 'lights off in the kitchen'],
  ['oh pen the garage', 'open the garage'],
  ['tv off im 10 nins', 'tv off in 10 minutes'],
])('"%s" is "%s"', (text, read) => {
  expect(words(text)).toBe(read)
})

it.each([
  'the lighthouse',
  'turn off the lampshade',
  'put the chicken in the oven',
  'wash my clothes the blue ones',
  'what are we eating on sunday',
  'lights on for the kids',
])('leaves "%s" alone', (text) => {
  expect(words(text)).toBe(text)
})

it('counts what speaks against a reading, more where something else may be meant', () => {
  const cost = (text: string): number => mended(tokens(text)).words.reduce((sum, word) => sum + (word.cost ?? 0), 0)
  expect(cost('kitchenlights off')).toBeLessThan(0.2)
  expect(cost('turn in the kitchen light')).toBeGreaterThan(0.7)
})

it.each([
  ['tje', ['the']],
  ['abd', ['and']],
  ['pff', ['off']],
  ['min', []],
  ['tv', []],
])('"%s" may be %j', (word, meant) => {
  expect(smallMeant(word)).toEqual(meant)
})
