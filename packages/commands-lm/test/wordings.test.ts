/**
 * Commands in many words: verbs and their particles, names of places, groups, exceptions, words written as one.
 */
import { indoorAreas } from '@flow-service/protocol'
import { describe, expect, it } from 'vitest'

import { calls, inside } from './house.ts'

const inAll = (call: string, areas: readonly string[]): string =>
  areas
    .map((area) => `${call} ${area}`)
    .toSorted()
    .join('; ')
const indoors = (call: string, but = ''): string =>
  inAll(
    call,
    indoorAreas.filter((area) => area !== but),
  )
const everywhere = (call: string, but = ''): string =>
  inAll(
    call,
    [...indoorAreas, 'garden', 'patio', 'garage', 'driveway', 'balcony'].filter((area) => area !== but),
  )

describe('verbs and particles', () => {
  it.each([
    ['bring up the lights in the living room', 'lights_on living_room'],
    ['power down the tv in the bedroom', 'media_stop bedroom'],
    ['shut down the radio in the kitchen', 'media_stop kitchen'],
    ['pull the curtains in the living room', 'shutters_down living_room'],
    ['pull back the curtains in the bedroom', 'shutters_up bedroom'],
    ['part the curtains in the living room', 'shutters_up living_room'],
    ['send the blinds down in the office', 'shutters_down office'],
    ['carry on with the music in the office', 'media_play office'],
    ['snuff out the bedroom lamp', 'lights_off bedroom'],
    ['boost the bathroom', 'heating_boost bathroom'],
    ['take the chill off the bedroom', 'heating_boost bedroom'],
    ['kill the power to the kitchen lights', 'lights_off kitchen'],
    ['make the lights come on in the garage', 'lights_on garage'],
    ['ensure the patio lights are on', 'lights_on patio'],
    ['kitchen lights to be turned off please', 'lights_off kitchen'],
    ['fire the tv up in the sitting room', 'media_play living_room'],
    ['wake the bedroom tv', 'media_play bedroom'],
    ['put the office lights to sleep', 'lights_off office'],
    ['carry on playing in the bathroom', 'media_play bathroom'],
    ['ease off the radiator in the bathroom', '~heating_off bathroom'],
    ['call off the sprinkler in the yard', 'watering_stop garden'],
    ['how about we kill the stereo in the study', 'media_stop office'],
    ["it's high time the balcony lights went off", 'lights_off balcony'],
    ['have the light on the driveway put out', 'lights_off driveway'],
    ['let the target for the office be 20 degrees', 'heating_set office 20'],
    ['turn the patio lamp inside out', ''],
    ['let the kitchen light go dark', 'lights_off kitchen'],
    ['the light in the kitchen has to go', 'lights_off kitchen'],
    ["we won't be needing the kitchen light", 'lights_off kitchen'],
    ['give the kitchen light a rest', 'lights_off kitchen'],
    ['let the kitchen climb to 20', 'heating_set kitchen 20'],
    ['get some warmth into the lounge', 'heating_boost living_room'],
    ['get the lawn misted', 'watering_start garden'],
    ['knock the heating on the head in the bedroom', 'heating_off bedroom'],
    ["the garage bulb isn't needed anymore", 'lights_off garage'],
    ['let the radio play on in the study', ''],
    ['pipe music through the lounge', 'media_play living_room'],
    ['shut down the bedroom', '~lights_off bedroom'],
    ['hot take: pineapple belongs on pizza', ''],
    ['more warmth in the kitchen please', 'heating_boost kitchen'],
    ['kitchen lights please', 'lights_on kitchen'],
    ['thanks, the kitchen lights are perfect now', ''],
    ['would it be terribly inconvenient to have the blinds in the bedroom lowered', 'shutters_down bedroom'],
    ['let the light in the office burning', ''],
  ])('%s', (text, expected) => {
    expect(calls(text)).toBe(expected)
  })
})

describe('places', () => {
  it.each([
    ['turn on the lamp on the desk in the study', 'lights_on office'],
    ['turn on the lamp next to the sofa in the lounge', 'lights_on living_room'],
    ['turn on the light above the kitchen sink', 'lights_on kitchen'],
    ['turn off the light up in the bedroom', 'lights_off bedroom'],
    ['turn on the lights round the patio', 'lights_on patio'],
    ["turn off the house's kitchen light", 'lights_off kitchen'],
    ['turn on the lights in the house garage', 'lights_on garage'],
    ['turn on the lights in the garden area', 'lights_on garden'],
    ['turn on the patio lights outside', 'lights_on patio'],
    ['turn on the lights at the front of the house', ''],
    ['lights off, the kitchen ones', 'lights_off kitchen'],
    ['light on on the patio', 'lights_on patio'],
    ['light and radio off in the bathroom', 'lights_off bathroom; media_stop bathroom'],
    ['turn off the kitchen lights as well as those in the office', 'lights_off kitchen; lights_off office'],
    ['bathroom light off, garage shut', 'lights_off bathroom; shutters_down garage'],
    ['put the bedroom lamp on and set it to 18 in there', 'heating_set bedroom 18; lights_on bedroom'],
    ['the tv and the lights in the lounge, off with the lot', 'lights_off living_room; media_stop living_room'],
    ['the tv in the bedroom can go off and so can the light', 'lights_off bedroom; media_stop bedroom'],
    ['study light on now and off again in twenty minutes', 'lights_off office +1200; lights_on office'],
    [
      'switch the bathroom heater on and the kitchen light off in five minutes',
      'heating_boost bathroom +300; lights_off kitchen +300',
    ],
    ['turn on the kitchen, office, and bedroom lights', 'lights_on bedroom; lights_on kitchen; lights_on office'],
  ])('%s', (text, expected) => {
    expect(calls(text)).toBe(expected)
  })
})

describe('groups and the rest of them', () => {
  it.each([
    ['turn off all the lights inside the house', indoors('lights_off')],
    ['turn off the other lights', everywhere('lights_off', 'office')],
    ['lights off in the rest of the house', everywhere('lights_off', 'office')],
    ['turn off every light except this one', everywhere('lights_off', 'office')],
    ['no heating anywhere', indoors('heating_off')],
    ['turn off every radiator we have', indoors('heating_off')],
    ['turn off all the radiators there are', indoors('heating_off')],
    ['switch off the lot', '~heating_off office; ~lights_off office; ~media_stop office'],
    ["turn off anything that's on", '~heating_off office; ~lights_off office; ~media_stop office'],
  ])('%s', (text, expected) => {
    expect(calls(text, inside('office'))).toBe(expected)
  })

  it('takes what was named before from the others', () => {
    expect(calls('leave the kitchen light on and turn off all the others')).toBe(everywhere('lights_off', 'kitchen'))
    expect(calls('kitchen light off and the rest on')).toBe(
      [...everywhere('lights_on', 'kitchen').split('; '), 'lights_off kitchen'].toSorted().join('; '),
    )
  })
})

describe('what is excepted', () => {
  it.each([
    'turn off all the radiators, leaving the study on',
    'turn off all the radiators, only the study is spared',
    'turn off all the radiators but let the study be',
    'leaving out the study, all radiators off',
    "put all the radiators off bar the study, mum's orders",
    'all the radiators off, none in the study',
    'turn off all the radiators, the study excepted',
    'turn off all the radiators with the study left on',
    'turn off all the radiators. Not the study one.',
    "turn off all the radiators and leave the study's on",
    "turn off all the radiators, don't turn off the study",
    'all radiators off, the study can stay on',
    'all radiators off but the study one stays on',
    'turn off all but the study radiator',
    'turn off any radiators that are not in the study',
    'radiators off except in the study',
    'everywhere but the study, heating off',
    'everywhere but the study turn off the heating',
    'the study aside, heating off everywhere',
    'apart from the study, all radiators off',
    'in every room except the study the heating can go off',
    'except for the radiator in the study, turn them all off',
    'radiators: all off but the study',
    'all rooms except the study heating off',
    "turn off all the radiators but don't you touch the study",
  ])('%s', (text) => {
    expect(calls(text)).toBe(indoors('heating_off', 'office'))
  })

  it('a thing at a place is that thing alone', () => {
    expect(calls('turn off everything in the lounge and the study except the heating in the lounge')).toBe(
      '~heating_off office; ~lights_off living_room; ~lights_off office; ~media_stop living_room; ~media_stop office',
    )
  })
})

describe('what is said behind something else', () => {
  it.each([
    ['open the blinds in the bedroom, the ones in the kitchen I meant', 'shutters_up kitchen'],
    ['water the patio, the balcony I mean', 'watering_start balcony'],
    ['water the lawn but do water the patio', 'watering_start garden; watering_start patio'],
    ['ten more minutes of telly, then it goes off in the lounge', 'media_stop living_room +600'],
    [
      'in ten minutes open the office blinds and twenty minutes after that close them',
      'shutters_down office +1800; shutters_up office +600',
    ],
    ['water the lawn for 8 minutes, starting in an hour', 'watering_start garden +3600; watering_stop garden +4080'],
    ['garage door down, in one minute flat', 'shutters_down garage +60'],
    ['5 minute timer then kill the light in the bedroom', 'lights_off bedroom +300'],
    ["bedroom twenty, no wait, that's too hot, eighteen degrees", 'heating_set bedroom 18'],
    ["heat on in the office, oh wait, I'm in the lounge", 'heating_boost living_room'],
    ["bath light off, bedroom's on", 'lights_off bathroom; lights_on bedroom'],
    ['telly off in the lounge in five minutes, no arguments', 'media_stop living_room +300'],
  ])('%s', (text, expected) => {
    expect(calls(text)).toBe(expected)
  })
})

describe('slips', () => {
  it.each([
    ['turn onthe kitchen light', 'lights_on kitchen'],
    ['turnoffthe kitchenlights', 'lights_off kitchen'],
    ['bedroomlight on', 'lights_on bedroom'],
    ['turn the bedroom lights oof', 'lights_off bedroom'],
    ['turn of the lights in the live in room', 'lights_off living_room'],
    ['witch off the bathroom light', 'lights_off bathroom'],
  ])('%s', (text, expected) => {
    expect(calls(text)).toBe(expected)
  })
})
