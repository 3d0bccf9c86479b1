/** What a prompt takes back of the calls that wait until they are due. */
import { expect, test } from 'vitest'

import { Home } from './home.ts'
import { devices, speaking } from './spoken.ts'

const watered = 'watering_start garden; watering_stop garden +600'
const wateredLater = 'watering_start garden +300; watering_stop garden +900'

/** `call device at` of what is written after the second prompt, in order; `-` is what it supersedes. */
const pairs: readonly (readonly [first: string, second: string, written: string, superseded: string])[] = [
  // equal, whenever it is due
  ['lights_on kitchen +600', 'lights_on kitchen', 'kitchen_light=true@0', 'lights_on+600'],
  ['lights_on kitchen +600', 'lights_on kitchen +300', 'kitchen_light=true@300', 'lights_on+600'],
  ['lights_on kitchen +300', 'lights_on kitchen +600', 'kitchen_light=true@600', 'lights_on+300'],
  ['lights_on kitchen +300', 'lights_on kitchen +300', 'kitchen_light=true@300', 'lights_on+300'],
  // contrary, due at or after it
  ['lights_off kitchen +600', 'lights_on kitchen', 'kitchen_light=true@0', 'lights_off+600'],
  ['lights_off kitchen +600', 'lights_on kitchen +300', 'kitchen_light=true@300', 'lights_off+600'],
  ['lights_off kitchen +600', 'lights_on kitchen +600', 'kitchen_light=true@600', 'lights_off+600'],
  // contrary, due before it: both are meant
  ['lights_off kitchen +300', 'lights_on kitchen +600', 'kitchen_light=false@300 kitchen_light=true@600', ''],
  // another device, or another kind in the same area
  ['lights_off kitchen +600', 'lights_on office', 'office_light=true@0 kitchen_light=false@600', ''],
  ['lights_off kitchen +600', 'media_play kitchen', 'kitchen_tv=play@0 kitchen_light=false@600', ''],
  // one prompt with both: from the moment they are said they belong together
  [watered, 'lights_on kitchen', 'kitchen_light=true@0 garden_water=false@600', ''],
  [watered, 'watering_stop garden', 'garden_water=false@0', 'watering_stop+600'],
  [watered, 'watering_start garden', 'garden_water=true@0', 'watering_stop+600'],
  [wateredLater, 'watering_stop garden +600', 'garden_water=true@300 garden_water=false@600', 'watering_stop+900'],
  [wateredLater, 'watering_start garden', 'garden_water=true@0', 'watering_start+300 watering_stop+900'],
  ['', 'media_play kitchen; media_stop kitchen +600', 'kitchen_tv=play@0 kitchen_tv=stop@600', ''],
  ['', 'media_stop kitchen +600; media_play kitchen +300', 'kitchen_tv=play@300 kitchen_tv=stop@600', ''],
  [
    'media_stop kitchen +600',
    'media_play kitchen; media_stop kitchen +1200',
    'kitchen_tv=play@0 kitchen_tv=stop@1200',
    'media_stop+600',
  ],
  // heating: other temperatures, boost and off are contrary to each other
  ['heating_set bedroom 21 +600', 'heating_set bedroom 21', 'bedroom_setpoint=21@0', 'heating_set+600'],
  ['heating_set bedroom 21 +600', 'heating_set bedroom 19', 'bedroom_setpoint=19@0', 'heating_set+600'],
  ['heating_set bedroom 21 +300', 'heating_set bedroom 19 +600', 'bedroom_setpoint=21@300 bedroom_setpoint=19@600', ''],
  ['heating_boost bedroom +600', 'heating_set bedroom 19', 'bedroom_setpoint=19@0', 'heating_boost+600'],
  ['heating_set bedroom 21 +600', 'heating_off bedroom', 'bedroom_heating=off@0', 'heating_set+600'],
  ['heating_off bedroom +600', 'heating_boost bedroom +300', 'bedroom_heating=boost@300', 'heating_off+600'],
  ['heating_off bedroom +300', 'heating_boost bedroom +600', 'bedroom_heating=off@300 bedroom_heating=boost@600', ''],
  // shutters: a stop is contrary to both ways, and each way to a stop
  ['shutters_up office +600', 'shutters_stop office', 'office_blind=stop@0', 'shutters_up+600'],
  ['shutters_up office; shutters_stop office +60', 'shutters_down office', 'office_blind=down@0', 'shutters_stop+60'],
  [
    'shutters_down office +600',
    'shutters_up office; shutters_stop office +60',
    'office_blind=up@0 office_blind=stop@60',
    'shutters_down+600',
  ],
  // what is not applied supersedes nothing
  ['lights_off kitchen +600', '~lights_on kitchen', 'kitchen_light=false@600', ''],
  ['lights_off kitchen +600', 'heating_boost kitchen', 'kitchen_light=false@600', ''],
  ['shutters_up office +600', '~shutters_up office', 'office_blind=up@600', ''],
]

test.each(pairs)('%j, then %j: %s; superseded: %j [R331]', async (first, second, written, superseded) => {
  const { rig, say } = await speaking({ outputs: devices })
  await say(first)
  const told = await say(second)
  const seen = Object.entries(told.values).map(([port, value]) => `${port}=${String(value)}@0`)
  for (let at = 60; at <= 1800; at += 60) {
    const before = rig.emitted.length
    // oxlint-disable-next-line no-await-in-loop -- time passes minute by minute
    await rig.advance(60)
    for (const values of rig.emitted.slice(before))
      seen.push(...Object.entries(values).map(([port, value]) => `${port}=${String(value)}@${at}`))
  }
  const gone = told.records.filter((record) => record['superseded'] === true)
  expect([seen.join(' '), gone.map(({ call, delay_s }) => `${String(call)}+${String(delay_s)}`).join(' ')]).toEqual([
    written,
    superseded,
  ])
  expect(gone.every(({ applied }) => applied === false)).toBe(true)
})

test('what is superseded is told as it was, one record for each target, behind what is new', async () => {
  const { rig, say } = await speaking({ outputs: { kitchen_light: 'bool', kitchen_lamp: 'str' } })
  await say('lights_off kitchen +600')
  await rig.advance(120)
  const { records } = await say('lights_on kitchen')
  const off = { applied: false, delay_s: 600, call: 'lights_off', superseded: true }
  expect(records).toMatchObject([
    { message: 'test.kitchen_light', value: true, applied: true },
    { message: 'test.kitchen_lamp', value: 'on', applied: true },
    { ...off, message: 'test.kitchen_light', value: false },
    { ...off, message: 'test.kitchen_lamp', value: 'off' },
  ])
  expect(records.slice(0, 2).every((record) => !('superseded' in record))).toBe(true)
})

test('a call that becomes due while the model thinks is taken back by the prompt that is contrary to it', async () => {
  const home = await Home.start(isOfNow)
  await home.say('lights_off kitchen +60; lights_off office +60')
  await home.pass(59)
  await home.say('lights_on kitchen')
  await home.pass(2)
  await home.answer()
  await home.pass(600)
  expect([home.written('kitchen_light'), home.written('office_light')]).toEqual([[true], [false]])
  expect(home.records().filter(({ superseded }) => superseded === true)).toMatchObject([{ call: 'lights_off' }])
})

test('a call that was due while a prompt waited for its turn is taken back by that prompt, not written after it', async () => {
  const home = await Home.start(isOfNow)
  await home.say('lights_off kitchen +60; lights_off office +60')
  await home.pass(50)
  await home.say('something that takes long')
  await home.say('lights_on kitchen')
  await home.pass(20)
  await home.answer()
  await home.answer()
  await home.pass(600)
  expect([home.written('kitchen_light'), home.written('office_light')]).toEqual([[true], [false]])
})

/** Whether nothing of a prompt has a delay. */
const isOfNow = (prompt: string): boolean => !prompt.includes('+')
