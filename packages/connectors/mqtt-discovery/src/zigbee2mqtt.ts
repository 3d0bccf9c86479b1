/**
 * Zigbee2MQTT (https://www.zigbee2mqtt.io/guide/usage/exposes.html): what `bridge/devices` says of a device.
 * @module
 */
import type { Dtype } from '@flow-service/connector-sdk'

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

/** A device of the bridge. */
export interface BridgeDevice {
  /** Address and name. */
  readonly ids: readonly string[]
  readonly name: string
  readonly channels: () => Channel[]
}

/** Bits of `access`. */
const [PUBLISHED, SETTABLE, GETTABLE] = [1, 2, 4] as const
/** Levels of features in features. */
const MOST_LEVELS = 4

/** The devices of a payload of `<base>/bridge/devices`; null for what is none. */
export function bridgeDevices(base: string, payload: string): BridgeDevice[] | null {
  const listed = jsonOf(payload)
  if (!Array.isArray(listed)) return null
  return listed.filter(isFields).flatMap((device) => {
    const name = fieldOf(device, 'friendly_name')
    const address = fieldOf(device, 'ieee_address')
    if (typeof name !== 'string' || topicFault(name) !== null || fieldOf(device, 'type') === 'Coordinator') return []
    const exposes = fieldOf(fieldOf(device, 'definition'), 'exposes')
    const topic = `${base}/${name}`
    const channels = (): Channel[] => leaves(exposes, MOST_LEVELS).map((leaf) => channelOf(leaf, topic, base))
    return [{ ids: [name, ...(typeof address === 'string' ? [address] : [])], name, channels }]
  })
}

/** Features with a value of their own, also those in lights, locks and the like. */
function leaves(exposes: unknown, levels: number): Fields[] {
  if (!Array.isArray(exposes) || levels === 0) return []
  return exposes.filter(isFields).flatMap((each) => {
    const features = fieldOf(each, 'features')
    // a composite value is one value
    const isGroup = Array.isArray(features) && fieldOf(each, 'type') !== 'composite'
    return isGroup ? leaves(features, levels - 1) : typeof fieldOf(each, 'property') === 'string' ? [each] : []
  })
}

const dtypes: Readonly<Record<string, Dtype>> = {
  binary: 'bool',
  composite: 'object',
  enum: 'str',
  list: 'array',
  numeric: 'float',
  text: 'str',
}

function channelOf(leaf: Fields, topic: string, base: string): Channel {
  const property = String(fieldOf(leaf, 'property'))
  const type = String(fieldOf(leaf, 'type'))
  const access = Number(fieldOf(leaf, 'access') ?? PUBLISHED)
  const isKnown = Object.hasOwn(dtypes, type)
  return {
    names: [property],
    dtype: (isKnown ? dtypes[type] : undefined) ?? 'any',
    state:
      (access & PUBLISHED) !== 0
        ? { topic, read: (payload) => readIn(leaf, type, fieldOf(jsonOf(payload), property)) }
        : null,
    command:
      (access & SETTABLE) !== 0
        ? { topic: `${topic}/set`, write: (value) => JSON.stringify({ [property]: written(leaf, type, value) }) }
        : null,
    ask: (access & GETTABLE) !== 0 ? { topic: `${topic}/get`, payload: JSON.stringify({ [property]: '' }) } : null,
    availability: availabilityOf(topic, base),
    fault: null,
  }
}

function readIn(leaf: Fields, type: string, value: unknown): unknown {
  if (value === undefined || value === null) return undefined
  if (type === 'numeric') return numberOf(value)
  if (type !== 'binary') return value
  const [on, off] = [fieldOf(leaf, 'value_on') ?? true, fieldOf(leaf, 'value_off') ?? false]
  if (value === on) return true
  if (value === off) return false
  throw new Error(`${shown(value)} is neither ${shown(on)} nor ${shown(off)}`)
}

function written(leaf: Fields, type: string, value: unknown): unknown {
  if (type === 'numeric') return bounded(value, fieldOf(leaf, 'value_min'), fieldOf(leaf, 'value_max'))
  if (type === 'enum') return oneOf(value, fieldOf(leaf, 'values'))
  if (type !== 'binary') return value
  return boolOf(value) ? (fieldOf(leaf, 'value_on') ?? true) : (fieldOf(leaf, 'value_off') ?? false)
}

/** Both the bridge and the device have to be there; each says so as a text or as JSON. */
function availabilityOf(topic: string, base: string): Availability {
  const read = (payload: string): boolean | null => {
    const said = fieldOf(jsonOf(payload), 'state') ?? payload
    return said === 'online' ? true : said === 'offline' ? false : null
  }
  return {
    topics: [`${base}/bridge/state`, `${topic}/availability`].map((each) => ({ topic: each, read })),
    mode: 'all',
  }
}
