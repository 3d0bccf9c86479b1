/** Announcements as devices and enemies write them, and what is read and written by them. */
import { expect, test } from 'vitest'

import { inFull } from '../src/abbreviations.ts'
import { isAway } from '../src/device-ports.ts'
import { announcedBy } from '../src/home-assistant.ts'
import { readerOf, writerOf } from '../src/value-template.ts'
import { bridgeDevices } from '../src/zigbee2mqtt.ts'

const payload = JSON.stringify({ t: '21.46', a: { 'b c': [7] }, on: true, s: 'x' })

test.each([
  ['{{ value }}', payload],
  ['{{value_json.t}}', '21.46'],
  ["{{ value_json['t'] | float }}", 21.46],
  ['{{ value_json["a"]["b c"][0] | int }}', 7],
  ['{{- value_json.t | float(0) | round(1) -}}', 21.5],
  ['{{ value_json.t | round }}', 21],
  ['{{ value_json.t|is_defined }}', '21.46'],
  ['{{ value_json.missing.deep }}', undefined],
  ['{{ value_json.__proto__.constructor }}', undefined],
  ['{{ value_json.t.length }}', undefined],
])('the template %s looks up a value', (template, value) => {
  expect(readerOf(template)?.(payload)).toEqual(value)
})

test.each([
  '{{ value_json.t * 2 }}',
  '{% if value %}1{% endif %}',
  "{{ ''.__class__.__mro__ }}",
  '{{ value_json.t | constructor }}',
  '{{ value_json.t | regex_replace("a") }}',
  '{{ value.t }}',
  '{{ value }}{{ value }}',
  `{{ value_json${'.a'.repeat(400)} }}`,
  `{{ value ${' '.repeat(400)}`,
  'no template',
])('the template %s is not supported', (template) => {
  expect(readerOf(template)).toBeNull()
})

test('templates of commands put a value in its place, and a text cannot break out', () => {
  expect(writerOf('{{ value }}')?.('"a"')).toBe('"a"')
  expect(writerOf('{"t": {{ value }}, "u": "{{value}}"}')?.('5')).toBe('{"t": 5, "u": "5"}')
  expect(() => writerOf('{"t": "{{ value }}"}')?.('x", "lock": "OPEN')).toThrow('does not fit the template')
  expect([writerOf('{{ value | int }}'), writerOf('{% x %}{{ value }}'), writerOf('none')]).toEqual([null, null, null])
})

test('short names and the base topic are written out', () => {
  const config = {
    '~': 'home/lamp',
    stat_t: '~/state',
    cmd_t: 'x/~',
    dev: { ids: 'i' },
    avty: [{ t: '~/up', pl_avail: 1 }],
  }
  expect(inFull(config)).toMatchObject({
    state_topic: 'home/lamp/state',
    command_topic: 'x/home/lamp',
    device: { identifiers: 'i' },
    availability: [{ topic: 'home/lamp/up', payload_available: 1 }],
  })
})

const channel = (levels: string[], config: object, name?: string) => {
  const channels = announcedBy(levels, JSON.stringify(config))?.channels ?? []
  return channels.find(({ names }) => name === undefined || names.includes(name))!
}

test.each<[string, object, string, unknown]>([
  ['sensor', { unit_of_meas: '°C' }, '21.5', 21.5],
  ['sensor', { dev_cla: 'enum' }, 'idle', 'idle'],
  ['sensor', { val_tpl: '{{ value_json.t | float }}' }, '{"t":3}', 3],
  ['sensor', { unit_of_meas: 'W' }, 'unavailable', undefined],
  ['binary_sensor', {}, 'OFF', false],
  ['binary_sensor', { pl_on: 'open', val_tpl: '{{ value_json.state }}' }, '{"state":"open"}', true],
  ['switch', { stat_on: '1', stat_off: '0' }, '1', true],
  ['light', { schema: 'json' }, '{"state":"OFF"}', false],
  ['lock', {}, 'LOCKED', true],
  ['number', {}, '4', 4],
  ['select', { ops: ['a'] }, 'a', 'a'],
])('a %s %j reads %s', (component, config, text, value) => {
  expect(channel([component, 'x'], { stat_t: 'x/state', ...config }).state?.read(text)).toEqual(value)
})

test.each<[string, object, unknown, string]>([
  ['switch', {}, true, 'ON'],
  ['switch', { pl_off: 0 }, false, '0'],
  ['light', { schema: 'json' }, true, '{"state":"ON"}'],
  ['lock', {}, false, 'UNLOCK'],
  ['number', { min: 5, max: 30 }, 21.5, '21.5'],
  ['select', { ops: ['eco', 'heat'] }, 'eco', 'eco'],
  ['button', {}, true, 'PRESS'],
  ['text', { cmd_tpl: '{"say":"{{ value }}"}' }, 'hi', '{"say":"hi"}'],
])('a %s %j writes %j as %s', (component, config, value, text) => {
  expect(channel([component, 'x'], { cmd_t: 'x/set', ...config }).command?.write(value)).toBe(text)
})

test('a value that a device cannot take is told before it is sent', () => {
  const write = (component: string, config: object, value: unknown) => () =>
    channel([component, 'x'], { cmd_t: 'x/set', ...config }).command?.write(value)
  expect(write('number', { min: 5, max: 30 }, 31)).toThrow('31 is not between 5 and 30')
  expect(write('select', { ops: ['eco'] }, 'boost')).toThrow('"boost" is none of "eco"')
  expect(write('switch', {}, 'ON')).toThrow('"ON" is no bool')
})

test('a light of two topics has its brightness, and a device of many components all of them', () => {
  const bulb = { stat_t: 'l', cmd_t: 'l/set', bri_cmd_t: 'l/b/set', bri_stat_t: 'l/b', name: 'Bulb', bri_scl: 100 }
  expect(channel(['light', 'l1'], bulb, 'bulb_brightness').command?.write(100)).toBe('100')
  const device = {
    dev: { ids: ['d1'], name: 'Boiler' },
    '~': 'boiler',
    stat_t: '~/state',
    cmps: {
      t1: { p: 'sensor', name: 'Water', val_tpl: '{{ value_json.w | float }}' },
      s1: { p: 'switch', cmd_t: '~/set' },
    },
  }
  const announced = announcedBy(['device', 'boiler'], JSON.stringify(device))
  expect(announced).toMatchObject({ name: 'Boiler', ids: expect.arrayContaining(['d1', 'Boiler']) })
  expect(announced?.channels.map(({ names, state, command }) => [names[0], state?.topic, command?.topic])).toEqual([
    ['water', 'boiler/state', undefined],
    ['switch', 'boiler/state', 'boiler/set'],
  ])
})

test('hostile announcements come to nothing, and say why', () => {
  for (const text of ['', '[]', 'null', '"x"', '{', '['.repeat(100_000), '{"dev":7,"name":{}}'])
    expect(() => announcedBy(['sensor', 'x'], text)).not.toThrow()
  expect(channel(['sensor', 'x'], { stat_t: '#' })).toMatchObject({ state: null, fault: '"#" is no topic' })
  expect(channel(['switch', 'x'], { cmd_t: 'a/+/b', stat_t: 'a' })).toMatchObject({ command: null, state: null })
  expect(channel(['siren', 'x'], {}).fault).toBe('the component "siren" is not supported')
  expect(channel(['sensor', 'x'], { stat_t: 'a', val_tpl: '{{ evil() }}' }).fault).toContain('is not supported')
  expect(bridgeDevices('z', '{}')).toBeNull()
  let features: object[] = [{ type: 'numeric', property: 'deep' }]
  for (let level = 0; level < 50; level++) features = [{ type: 'x', features }]
  const odd = [
    7,
    { friendly_name: '#' },
    { friendly_name: 'a', definition: { exposes: [null, { type: 'numeric', property: 'p' }, ...features] } },
  ]
  expect(bridgeDevices('z', JSON.stringify(odd))?.map(({ name, channels }) => [name, channels().length])).toEqual([
    ['a', 1],
  ])
})

test('of several topics, the mode says who is away', () => {
  const read = (text: string) => (text === 'online' ? true : text === 'offline' ? false : null)
  const at = (mode: 'all' | 'any' | 'latest') => ({
    mode,
    topics: [
      { topic: 'a', read },
      { topic: 'b', read },
    ],
  })
  const heard = new Map([
    ['b', 'online'],
    ['a', 'offline'],
  ])
  expect([isAway(at('all'), heard), isAway(at('any'), heard), isAway(at('latest'), heard)]).toEqual([true, false, true])
  expect(isAway(at('all'), new Map([['a', 'what']]))).toBe(false)
})
