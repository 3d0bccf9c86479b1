import { describe, expect, it } from 'vitest'

import { explain, interpret } from '../src/index.ts'
import { away, calls, devices, inside } from './house.ts'

describe('what is ordered', () => {
  it.each([
    ['turn on the kitchen light', 'lights_on kitchen'],
    ['telly off in the bedroom', 'media_stop bedroom'],
    ['draw the curtains in the study', 'shutters_down office'],
    ['open the garage', 'shutters_up garage'],
    ['stop the blinds in the office right there', 'shutters_stop office'],
    ['water the lawn', 'watering_start garden'],
    ['quit watering the patio', 'watering_stop patio'],
    ['set the bedroom to twenty one and a half', 'heating_set bedroom 21.5'],
    ['put the office at seventy degrees fahrenheit', 'heating_set office 21'],
    ['keep the kitchen at 19', 'heating_set kitchen 19'],
    ['turn the radiator down in the study', '~heating_off office'],
    ['less heat in the bathroom please', '~heating_off bathroom'],
    ['play some jazz in the kitchen', '~media_play kitchen'],
    ['open the light in the kitchen', '~lights_on kitchen'],
    ['turn off the kitchen', '~lights_off kitchen'],
    ['no more music in the kitchen', 'media_stop kitchen'],
    ['no music in the kitchen please', 'media_stop kitchen'],
    ['I want no light in the bedroom', 'lights_off bedroom'],
    ['the heating does not have to be on in the bedroom', 'heating_off bedroom'],
    ['the lawn has had enough water', 'watering_stop garden'],
    ['play some Arooj Aftab in the kitchen', '~media_play kitchen'],
    ['put some Sigrid on in the bedroom', '~media_play bedroom'],
    ['play Light My Fire by the Doors in the kitchen', '~media_play kitchen'],
    ['get me the headlines on the office radio', '~media_play office'],
    ['I wonder whether the radio in the kitchen could be turned on', 'media_play kitchen'],
    ['lights on on the balcony', 'lights_on balcony'],
    ['trun of teh kichen lite', 'lights_off kitchen'],
    ['stop all the sprinklers', 'watering_stop balcony; watering_stop garden; watering_stop patio'],
  ])('%s', (text, expected) => {
    expect(calls(text)).toBe(expected)
  })

  it.each([
    ['turn on the light', inside('kitchen'), 'lights_on kitchen'],
    ['lights off in here', inside('office'), 'lights_off office'],
    ['lights off in here', away, ''],
    ['toggle the light', inside('office', { devices: devices(['office.light']) }), 'lights_off office'],
    ['turn it off', inside('office', { devices: devices(['office.media']) }), '~media_stop office'],
    ['turn it off', inside('office'), ''],
    ['off please', inside('office', { devices: devices(['office.light']) }), '~lights_off office'],
    ['off with the telly', inside('office'), 'media_stop office'],
  ])('%s, by the context', (text, context, expected) => {
    expect(calls(text, context)).toBe(expected)
  })
})

describe('when it is to happen', () => {
  it.each([
    ['turn off the tv and the light in the kitchen in ten minutes', 'lights_off kitchen +600; media_stop kitchen +600'],
    [
      'in half an hour close the kitchen blinds and the office ones',
      'shutters_down kitchen +1800; shutters_down office +1800',
    ],
    ['kitchen light off now and the patio one in an hour', 'lights_off kitchen; lights_off patio +3600'],
    ['water the garden for ten minutes', 'watering_start garden; watering_stop garden +600'],
    ['lights off in the kitchen in 90 seconds', '~lights_off kitchen +120'],
    ['turn off the kitchen light at seven', ''],
    ['turn off the kitchen light later', ''],
    ['heat the study in 26 hours', ''],
    ['garage light off in twenty, thanks', 'lights_off garage +1200'],
    ['in ten turn off the office radio', 'media_stop office +600'],
    ['shut the garage in 4 min, kitchen light off in 6', 'lights_off kitchen +360; shutters_down garage +240'],
    ['water the patio for 20', 'watering_start patio; watering_stop patio +1200'],
    ['set the heating in the office to 20 in 10', 'heating_set office 20 +600'],
    ['kitchen light off in 1h15', 'lights_off kitchen +4500'],
    ['two minutes and the kitchen light goes off', 'lights_off kitchen +120'],
    ['half an hour, then the office radio off', 'media_stop office +1800'],
    ['after ten minutes have gone by turn off the kitchen tv', 'media_stop kitchen +600'],
    ['let half an hour pass, then turn off the office heating', 'heating_off office +1800'],
    ['kitchen lamp off with a ten minute delay', 'lights_off kitchen +600'],
    ['not now, in twelve minutes: kitchen blind up', 'shutters_up kitchen +720'],
    ['light the patio for the next hour', 'lights_off patio +3600; lights_on patio'],
    ['half an hour of music in the kitchen please', 'media_play kitchen; media_stop kitchen +1800'],
    ['for 45 minutes I want no heating in the kitchen', 'heating_boost kitchen +2700; heating_off kitchen'],
    ['kitchen radio off in five or ten minutes', ''],
    ['kitchen radio off in an hour or two', ''],
    ['every ten minutes flick the driveway light on', ''],
    ['half six, bedroom heating on', ''],
    ['kitchen light out at 2200', ''],
    ['7 on the dot, kill the lounge tv', ''],
    ['before too long, open the office blinds', ''],
    ['heating on at 6 in the bathroom', ''],
    ['warm up the bathroom for seven', ''],
    ['heating on in the lounge from six to eight', ''],
    ['turn on the patio light on the 24th', ''],
    ['heating at 19 in the office', 'heating_set office 19'],
    ['water the garden for ten minutes, actually fifteen', 'watering_start garden; watering_stop garden +900'],
  ])('%s', (text, expected) => {
    expect(calls(text)).toBe(expected)
  })
})

describe('how warm it is to be', () => {
  it.each([
    ['aim for 21 in the office', 'heating_set office 21'],
    ["let's say 63 fahrenheit for the bedroom", 'heating_set bedroom 17'],
    ['fahrenheit 68 in the study', 'heating_set office 20'],
    ['put the bedroom at 66 on the fahrenheit scale', 'heating_set bedroom 19'],
    ['the office down from 22 to 20', 'heating_set office 20'],
    ['no less than thirty degrees in the bathroom', 'heating_set bathroom 30'],
    ['ten celsius will do in the office', 'heating_set office 10'],
    ['heating down 5 in the office', ''],
    ['lounge nineteen five', 'heating_set living_room 19.5'],
    [
      'aim for 21 in the lounge and 18 in the bedroom, and switch the office heating off',
      'heating_off office; heating_set bedroom 18; heating_set living_room 21',
    ],
    ['is 19 too cold for the baby', ''],
    ['at 20 the lounge was too cold', ''],
    ['21 people are coming to the office', ''],
    ['room 101, lamp on', ''],
    ['two more degrees in the lounge', ''],
    ['put 20 quid on my travel card', ''],
    ['play songs from 1985 in the kitchen', '~media_play kitchen'],
  ])('%s', (text, expected) => {
    expect(calls(text)).toBe(expected)
  })
})

describe('what is left out, corrected, excepted', () => {
  it.each([
    ['kitchen light on, bedroom off', 'lights_off bedroom; lights_on kitchen'],
    ['lights on in the study, and the same in the lounge', 'lights_on living_room; lights_on office'],
    ['office 19, bedroom 17', 'heating_set bedroom 17; heating_set office 19'],
    ['the kitchen light on, no, the office', 'lights_on office'],
    ['set the bathroom to twenty, sorry, twenty two', 'heating_set bathroom 22'],
    ['close the kitchen blind, sorry, open it', 'shutters_up kitchen'],
    ['turn off the kitchen radio, never mind', ''],
    ['pause the patio speaker. Ignore that.', ''],
    ['kitchen light on. Undo.', ''],
    ["all lights off. wait i'm still in, cancel", ''],
    ['office light on. Scratch that, the study and the kitchen', 'lights_on kitchen; lights_on office'],
    ['water the lawn. Let me rephrase: water the balcony', 'watering_start balcony'],
    ['garage light on. Did I say garage? Driveway.', 'lights_on driveway'],
    ['kitchen light on, I tell a lie, bedroom light on', 'lights_on bedroom'],
    ['set the office to 20. wrong, 22', 'heating_set office 22'],
    ['in ten minutes, make that fifteen, turn the patio lamp off', 'lights_off patio +900'],
    ['lamp off in the office in ten minutes. make that twenty', 'lights_off office +1200'],
    ['turn the bedroom light on. And the radio. No, not the radio.', 'lights_on bedroom'],
    ['close the blinds in the office and the kitchen. no, not the kitchen', 'shutters_down office'],
    ['bathroom heater on, then off after 25 minutes', 'heating_boost bathroom; heating_off bathroom +1500'],
    ['kitchen lamp on now, off again in an hour', 'lights_off kitchen +3600; lights_on kitchen'],
    ['turn off the kitchen radio, oh wait, I am still listening', ''],
    ["turn on the heating in the office, no, it's warm enough", ''],
    ["open the blinds in the kitchen. Actually, it doesn't matter", ''],
    ['pause the radio on the patio. Ignore that.', ''],
    ["don't turn off the tv, turn off the light in the kitchen", 'lights_off kitchen'],
    ["don't forget to close the garage door", 'shutters_down garage'],
    [
      'all the heating off but the kitchen and the office',
      'heating_off bathroom; heating_off bedroom; heating_off living_room',
    ],
    ['turn on the kitchen and the hallway lights', '~lights_on kitchen'],
    ['turn on the light in the basement', ''],
  ])('%s', (text, expected) => {
    expect(calls(text)).toBe(expected)
  })
})

describe('what is no order', () => {
  it.each([
    'is the kitchen light on',
    'who turned on the kitchen light',
    'I turned off the kitchen light',
    'somebody has closed the blinds in the office',
    'my brother turned off the tv in the kitchen',
    'the heating has been on in the office all morning',
    'I told you to turn off the kitchen light',
    'thanks for turning off the light in the kitchen',
    'leave the kitchen light on',
    'if it rains, stop the sprinklers',
    'dim the kitchen light',
    'turn on the fan in the kitchen',
    'add light bulbs to the shopping list',
    'what does the kitchen light cost',
    'play the shutters in the kitchen',
    'turn on the lamb in the kitchen',
    'he shouted "turn off the light in the kitchen"',
    '"close the curtains in the office" is what she yelled at him',
    'I would have turned off the kitchen light',
    'we should have closed the blinds in the office',
    'she wanted to turn on the telly in the office but it was broken',
    'the telly in the office turned itself off',
    'you turned off the wrong light in the kitchen',
    'just telling you the kitchen light is off',
    'stop turning the lights off in the kitchen',
    "I don't want you to close the curtains in the office",
    'on no account switch the heating off in the office',
    'in case it freezes, turn the heating on in the bathroom',
    'the minute dad leaves, turn up the stereo in the living room',
    'is it possible that the garage door is open',
    '',
    '💡💡💡',
  ])('%s', (text) => {
    expect(calls(text, inside('kitchen'))).toBe('')
  })
})

describe('what somebody feels', () => {
  it.each([
    ["it's freezing in here", inside('kitchen'), 'heating_boost kitchen'],
    ["it's freezing in here", inside('kitchen', { outdoor: 23 }), '~heating_boost kitchen'],
    ["I'm boiling", inside('office'), 'heating_off office'],
    ["I can't see a thing", inside('office', { dark: true }), 'lights_on office'],
    ["it's so dark in here", inside('office'), 'shutters_up office'],
    ["it's too bright in here", inside('bathroom'), 'lights_off bathroom'],
    ['let some sun in', inside('office'), 'shutters_up office'],
    ['the lawn looks thirsty', away, '~watering_start garden'],
    ["it's too loud in here", inside('office'), '~media_stop office'],
    ["I'm back", inside('office', { dark: true }), '~lights_on office'],
    ['is it me or is it freezing in here', inside('office'), 'heating_boost office'],
    ['how about some natural light in the study', away, 'shutters_up office'],
    ["I'm cold in the hall and the office", inside('kitchen'), '~heating_boost office'],
    ['the soup is cold', inside('kitchen'), ''],
    ["that's so cool", inside('kitchen'), ''],
    ["I've got a cold", inside('kitchen'), ''],
    ['I like dark chocolate', inside('kitchen'), ''],
    ["that's a hot topic", inside('kitchen'), ''],
    ["it isn't cold in here at all", inside('kitchen'), ''],
    ['I used to be cold all the time', inside('kitchen'), ''],
    ["I'm going out tomorrow", inside('kitchen'), ''],
    ["he's leaving his wife", inside('kitchen'), ''],
    ["I can't see the point of this", inside('kitchen'), ''],
  ])('%s', (text, context, expected) => {
    expect(calls(text, context)).toBe(expected)
  })
})

describe('explain', () => {
  it('shows the words after repair, and the readings that lost', () => {
    const { words, readings, refusal } = explain('turn on the kitchne light', away)
    expect(words.map(({ read }) => read).join(' ')).toBe('turn on the kitchen light')
    expect(readings[0]).toMatchObject({ call: 'lights_on', area: 'kitchen', lost: null })
    expect(readings.slice(1).every(({ lost }) => lost !== null)).toBe(true)
    expect(refusal).toBeNull()
  })

  it('says why a clock time is refused, with what was understood', () => {
    const { readings, refusal } = explain('turn off the kitchen light at seven', away)
    expect(readings[0]).toMatchObject({ call: 'lights_off', area: 'kitchen', confidence: 0 })
    expect(refusal).toContain('only delays such as "in ten minutes"')
  })

  it('refuses what is too long, and what says nothing', () => {
    expect(explain('light '.repeat(500), away).refusal).toContain('words')
    expect(explain('', away).refusal).not.toBeNull()
  })
})

it('gives what is due now a delay of 0, and none of less', () => {
  expect(interpret('lights off in the kitchen', away).map(({ delay_s }) => Object.is(delay_s, 0))).toEqual([true])
})
