import { describe, expect, it } from 'vitest'

import { readSpan } from '../src/durations.ts'
import { readNumber } from '../src/numbers.ts'
import { editDistance, parted, repairs } from '../src/spelling.ts'
import { gaps, MAX_WORDS, tokens } from '../src/tokens.ts'

const words = (text: string): string =>
  tokens(text)
    .words.map(({ word }) => word)
    .join(' ')
const at =
  (text: string) =>
  (place: number): string | undefined =>
    text.split(' ')[place]

describe('words of a sentence', () => {
  it.each([
    ['Turn ON the Kitchen light!', 'turn on the kitchen light'],
    ["don't", 'do not'],
    ["I'd like the kitchen's light", "i would like the kitchen 's light"],
    ['dont 4get to close it', 'do not forget to close it'],
    ['pls turn the tv off thx', 'please turn the tv off thanks'],
    ['the the light', 'the light'],
    ['turn off the turn off the tv', 'turn off the tv'],
    ['um turn it er off', 'turn it off'],
    ['21,5° C', '21.5 degrees celsius'],
    ['at 65°F', 'at 65 degrees fahrenheit'],
    ['twenty-one', 'twenty one'],
    ['10m', '10 m'],
    ['at 7:30', 'at 7:30'],
    ['50%', '50 percent'],
    ['tv off and lights 2', 'tv off and lights too'],
    ['“Lights” — off…', 'lights off'],
    ['constructor toString', 'constructor tostring'],
  ])('%s', (text, read) => {
    expect(words(text)).toBe(read)
  })

  it('keeps what stands between words', () => {
    const { none, comma, stop, question } = gaps
    expect(tokens('light on. No, wait? off').words.map(({ gap }) => gap)).toEqual([none, none, stop, comma, question])
  })

  it('says when a sentence is too long', () => {
    expect(tokens('light '.repeat(MAX_WORDS + 1)).long).toBe(true)
  })
})

describe('numbers', () => {
  it.each([
    ['twenty one', 21],
    ['twenty one and a half', 21.5],
    ['nineteen point five', 19.5],
    ['21.5', 21.5],
    ['a hundred and twenty', 120],
    ['ninety', 90],
    ['sixty eight', 68],
  ])('%s', (text, value) => {
    expect(readNumber(at(text), 0)?.value).toBe(value)
  })

  it('reads none where none stands', () => {
    expect(readNumber(at('light on'), 0)).toBeNull()
  })
})

describe('spans of time', () => {
  it.each([
    ['half an hour', 1800],
    ['an hour and a half', 5400],
    ['two and a half hours', 9000],
    ['a couple of minutes', 120],
    ['three quarters of an hour', 2700],
    ['a quarter of an hour', 900],
    ['an hour and ten minutes', 4200],
    ['10 m', 600],
    ['2 hrs', 7200],
    ['ninety seconds', 90],
    ['a few minutes', null],
  ])('%s', (text, seconds) => {
    expect(readSpan(at(text), 0)).toMatchObject({ seconds, to: text.split(' ').length })
  })
})

describe('spelling', () => {
  it.each([
    ['kichten', 'kitchen'],
    ['bedrooom', 'bedroom'],
    ['curtians', 'curtains'],
    ['bthrm', 'bathroom'],
  ])('%s is %s', (said, meant) => {
    expect(repairs(said)[0]?.words.join(' ')).toBe(meant)
  })

  it.each([
    ['livingroom', 'living room'],
    ['blindsup', 'blinds up'],
    ['turnoffthelights', 'turn off the lights'],
    ['inthe', 'in the'],
    ['playin', 'playin'],
    ['lighthouse', 'lighthouse'],
  ])('%s was written as one: %s', (said, meant) => {
    const { words } = parted(tokens(said))
    expect(words.map(({ word }) => word).join(' ')).toBe(meant)
  })

  it.each(['lamb', 'of', 'hear', 'live', 'tree', 'zq'])('leaves "%s" alone', (word) => {
    expect(repairs(word)).toEqual([])
  })

  it('counts neighbours that changed places as one mistake', () => {
    expect(editDistance('lihgt', 'light', 2)).toBe(1)
    expect(editDistance('light', 'kitchen', 2)).toBe(3)
  })
})
