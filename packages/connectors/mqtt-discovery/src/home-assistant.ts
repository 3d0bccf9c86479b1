/**
 * Home Assistant's MQTT discovery (https://www.home-assistant.io/integrations/mqtt): what a configuration says of a device.
 * @module
 */
import type { Dtype } from '@flow-service/connector-sdk'

import { inFull } from './abbreviations.ts'
import {
  type Availability,
  boolOf,
  bounded,
  type Channel,
  type Fields,
  fieldOf,
  isFields,
  jsonOf,
  numberOf,
  oneOf,
  shown,
  topicFault,
} from './channel.ts'
import { isNumeric, readerOf, writerOf } from './value-template.ts'

/** What one configuration announces. */
export interface Announced {
  /** Identifiers and names of the device. */
  readonly ids: readonly string[]
  readonly name: string
  readonly channels: readonly Channel[]
}

/** How values of one kind are read and written; null where the kind does not. */
interface Kind {
  readonly dtype: Dtype
  readonly read: ((value: unknown) => unknown) | null
  readonly write: ((value: unknown) => string) | null
}

/** What a sensor says when it has nothing to say. */
const nothing: ReadonlySet<unknown> = new Set([undefined, null, '', 'None', 'unknown', 'unavailable'])
/** Classes of sensors whose values are text. */
const textClasses: ReadonlySet<unknown> = new Set(['date', 'enum', 'timestamp'])

const textIn = (config: Fields, name: string, fallback = ''): string => {
  const value = fieldOf(config, name)
  return typeof value === 'string' ? value : fallback
}
const payloadIn = (config: Fields, name: string, fallback: string): string => {
  const value = fieldOf(config, name)
  if (value === undefined || value === null) return fallback
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A value with two payloads. */
function toggle(config: Fields, [on, off]: readonly [string, string], [isOn, isOff] = [on, off]): Kind {
  return {
    dtype: 'bool',
    read(value) {
      const text = String(value)
      if (text === isOn) return true
      if (text === isOff) return false
      throw new Error(`${shown(value)} is neither ${shown(isOn)} nor ${shown(isOff)}`)
    },
    write: (value) => (boolOf(value) ? on : off),
  }
}

const text = (options: unknown): Kind => ({
  dtype: 'str',
  read: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  write: (value) => oneOf(value, options),
})

/** The kinds that are supported, by the component of Home Assistant. */
const kinds: Readonly<Record<string, (config: Fields) => Kind>> = {
  binary_sensor: (config) => ({ ...onOff(config), write: null }),
  button: (config) => ({ dtype: 'any', read: null, write: () => payloadIn(config, 'payload_press', 'PRESS') }),
  light: (config) => onOff(config),
  lock: (config) =>
    toggle(
      config,
      [payloadIn(config, 'payload_lock', 'LOCK'), payloadIn(config, 'payload_unlock', 'UNLOCK')],
      [payloadIn(config, 'state_locked', 'LOCKED'), payloadIn(config, 'state_unlocked', 'UNLOCKED')],
    ),
  number: (config) => ({
    dtype: 'float',
    read: numberOf,
    write: (value) => String(bounded(value, fieldOf(config, 'min') ?? 1, fieldOf(config, 'max') ?? 100)),
  }),
  select: (config) => text(fieldOf(config, 'options')),
  sensor: (config) => ({ ...(isNumber(config) ? { dtype: 'float', read: numberOf } : text([])), write: null }),
  switch(config) {
    const payloads = [payloadIn(config, 'payload_on', 'ON'), payloadIn(config, 'payload_off', 'OFF')] as const
    const states = [payloadIn(config, 'state_on', payloads[0]), payloadIn(config, 'state_off', payloads[1])] as const
    return toggle(config, payloads, [...states])
  },
  text: () => text([]),
}

const onOff = (config: Fields): Kind =>
  toggle(config, [payloadIn(config, 'payload_on', 'ON'), payloadIn(config, 'payload_off', 'OFF')])

function isNumber(config: Fields): boolean {
  const deviceClass = fieldOf(config, 'device_class')
  if (textClasses.has(deviceClass)) return false
  const isMeasured = ['unit_of_measurement', 'state_class'].some((name) => typeof fieldOf(config, name) === 'string')
  return isMeasured || typeof deviceClass === 'string' || isNumeric(textIn(config, 'value_template'))
}

/**
 * What the configuration of a topic `<prefix>/<component>/[<node>/]<object>/config` announces. Null for what is none.
 * `levels` are those between prefix and `config`.
 */
export function announcedBy(levels: readonly string[], payload: string): Announced | null {
  const parsed = jsonOf(payload)
  const [component = '', ...ids] = levels
  if (!isFields(parsed)) return null
  const config = inFull(parsed)
  const device = fieldOf(config, 'device')
  const object = ids.at(-1) ?? ''
  const name = textIn(isFields(device) ? device : config, 'name', object)
  const components =
    component === 'device'
      ? Object.entries(componentsOf(config))
      : [[object, { ...config, platform: component }] as const]
  return {
    ids: [
      name,
      object,
      ...(ids.length > 1 ? ids.slice(0, 1) : []),
      ...identifiersOf(device),
      ...uniqueIds(config, device),
    ],
    name,
    channels: components.flatMap(([id, each]) => channelsOf(id, each)),
  }
}

function componentsOf(config: Fields): Record<string, Fields> {
  const { components, ...shared } = config
  const all = isFields(components) ? Object.entries(components) : []
  return Object.fromEntries(all.flatMap(([id, each]) => (isFields(each) ? [[id, { ...shared, ...each }]] : [])))
}

function identifiersOf(device: unknown): string[] {
  const identifiers = fieldOf(device, 'identifiers')
  return (Array.isArray(identifiers) ? identifiers : [identifiers]).filter((id) => typeof id === 'string')
}

/** What stands for itself has no device to be known by. */
const uniqueIds = (config: Fields, device: unknown): string[] =>
  isFields(device) ? [] : [textIn(config, 'unique_id')].filter((id) => id !== '')

/** The channels of one component. */
function channelsOf(id: string, config: Fields): Channel[] {
  const component = textIn(config, 'platform')
  const name = fieldOf(config, 'name')
  const names = [
    typeof name === 'string' ? name : textIn(config, 'device_class', component),
    id,
    textIn(config, 'unique_id'),
  ]
  const known = [...new Set(names.map(slug).filter((each) => each !== ''))]
  const make = Object.hasOwn(kinds, component) ? kinds[component] : undefined
  if (make === undefined || (component === 'light' && textIn(config, 'schema', 'default') === 'template'))
    return [{ ...empty, names: known, fault: `the component ${shown(component)} is not supported` }]
  if (component === 'light' && textIn(config, 'schema') === 'json') return jsonLight(known, config)
  const templates = { value: component === 'light' ? 'state_value_template' : 'value_template', state: 'state_topic' }
  const channel = channelOf(known, config, make(config), templates)
  const brightness = component === 'light' ? brightnessOf(known, config) : []
  return [channel, ...brightness]
}

const empty: Channel = {
  names: [],
  dtype: 'any',
  state: null,
  command: null,
  ask: null,
  availability: null,
  fault: null,
}

function channelOf(
  names: readonly string[],
  config: Fields,
  kind: Kind,
  at: { value: string; state: string },
): Channel {
  const [stateTopic, commandTopic] = [textIn(config, at.state), textIn(config, 'command_topic')]
  const template = textIn(config, at.value)
  const commandTemplate = textIn(config, 'command_template')
  const look = template === '' ? (payload: string): unknown => payload : readerOf(template)
  const compose = commandTemplate === '' ? (value: string): string => value : writerOf(commandTemplate)
  const { dtype, read, write } = kind
  const isRead = read !== null && stateTopic !== ''
  const isWritten = write !== null && commandTopic !== ''
  const faults = [
    ...(isRead && look === null ? [`its template ${shown(template)} is not supported`] : []),
    ...(isWritten && compose === null ? [`its template ${shown(commandTemplate)} is not supported`] : []),
    isRead ? topicFault(stateTopic) : null,
    isWritten ? topicFault(commandTopic) : null,
  ].filter((fault) => fault !== null)
  const hasTopics = !faults.some((fault) => fault.endsWith('no topic'))
  return {
    names,
    dtype,
    state:
      isRead && look !== null && hasTopics
        ? { topic: stateTopic, read: (payload) => unlessNothing(look(payload), read) }
        : null,
    command:
      isWritten && compose !== null && hasTopics
        ? { topic: commandTopic, write: (value) => compose(write(value)) }
        : null,
    ask: null,
    availability: availabilityOf(config),
    fault: faults[0] ?? null,
  }
}

const unlessNothing = (value: unknown, read: (value: unknown) => unknown): unknown =>
  nothing.has(value) ? undefined : read(value)

/** The brightness of a light, between 0 and `brightness_scale`. */
function brightnessOf(names: readonly string[], config: Fields): Channel[] {
  const topics = {
    state_topic: textIn(config, 'brightness_state_topic'),
    command_topic: textIn(config, 'brightness_command_topic'),
  }
  if (topics.state_topic === '' && topics.command_topic === '') return []
  const own = {
    ...config,
    ...topics,
    value_template: textIn(config, 'brightness_value_template'),
    command_template: '',
  }
  const kind: Kind = { dtype: 'float', read: numberOf, write: (value) => String(bounded(value, 0, scaleOf(config))) }
  return [
    channelOf(
      names.map((name) => `${name}_brightness`),
      own,
      kind,
      { value: 'value_template', state: 'state_topic' },
    ),
  ]
}

const scaleOf = (config: Fields): unknown => fieldOf(config, 'brightness_scale') ?? 255

/** A light that speaks JSON on one topic. */
function jsonLight(names: readonly string[], config: Fields): Channel[] {
  const own = { ...config, command_template: '' }
  const on: Kind = {
    ...toggle(config, ['{"state":"ON"}', '{"state":"OFF"}'], ['ON', 'OFF']),
  }
  const state = { ...own, value_template: '{{ value_json.state }}' }
  const at = { value: 'value_template', state: 'state_topic' }
  const channel = channelOf(names, state, on, at)
  if (fieldOf(config, 'brightness') !== true) return [channel]
  const bright: Kind = {
    dtype: 'float',
    read: numberOf,
    write: (value) => JSON.stringify({ state: 'ON', brightness: bounded(value, 0, scaleOf(config)) }),
  }
  const brightness = { ...own, value_template: '{{ value_json.brightness }}' }
  return [
    channel,
    channelOf(
      names.map((name) => `${name}_brightness`),
      brightness,
      bright,
      at,
    ),
  ]
}

function availabilityOf(config: Fields): Availability | null {
  const listed = fieldOf(config, 'availability')
  const single = {
    ...config,
    topic: fieldOf(config, 'availability_topic'),
    value_template: fieldOf(config, 'availability_template'),
  }
  const all = Array.isArray(listed) ? listed.filter(isFields) : [single]
  const topics = all.flatMap((each) => {
    const topic = textIn(each, 'topic')
    const template = textIn(each, 'value_template')
    const look = template === '' ? (payload: string): unknown => payload : readerOf(template)
    if (topicFault(topic) !== null || look === null) return []
    const online = payloadIn(each, 'payload_available', 'online')
    const offline = payloadIn(each, 'payload_not_available', 'offline')
    const read = (payload: string): boolean | null => {
      const said = String(look(payload))
      return said === online ? true : said === offline ? false : null
    }
    return [{ topic, read }]
  })
  const mode = textIn(config, 'availability_mode', 'latest')
  return topics.length === 0 ? null : { topics, mode: mode === 'all' || mode === 'any' ? mode : 'latest' }
}

/** A name as ports have it: `Living room °C` is `living_room_c`. */
const slug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '')
    .slice(0, 100)
