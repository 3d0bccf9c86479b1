/**
 * What has been announced at a broker: of the wanted device all that it has, of the others how they are called.
 * @module
 */
import type { Channel } from './channel.ts'
import { announcedBy } from './home-assistant.ts'
import { bridgeDevices } from './zigbee2mqtt.ts'

/** Bytes of the largest configuration that is read, and of the largest list of a bridge. */
const MAX_CONFIG_BYTES = 256 * 1024
const MAX_LIST_BYTES = 10 * 1024 * 1024
/** Announcements that are remembered; more are looked at and forgotten. */
const MAX_SEEN = 5000

/** Where announcements are, and of which device. */
export interface DirectoryDeps {
  readonly wanted: string
  readonly discoveryPrefix: string
  readonly baseTopic: string
  readonly log: (message: string) => void
}

/** One object a node. */
export class DeviceDirectory {
  readonly #deps: DirectoryDeps
  /** Of Home Assistant's discovery: the wanted device by topic, and names of all. */
  readonly #wanted = new Map<string, readonly Channel[]>()
  readonly #seen = new Map<string, string>()
  #bridge: { readonly channels: readonly Channel[] | null; readonly names: readonly string[] } = {
    channels: null,
    names: [],
  }

  constructor(deps: DirectoryDeps) {
    this.#deps = deps
  }

  /** What to subscribe to. */
  get filters(): string[] {
    const { baseTopic, discoveryPrefix } = this.#deps
    return [`${discoveryPrefix}/+/+/config`, `${discoveryPrefix}/+/+/+/config`, `${baseTopic}/bridge/devices`]
  }

  /** What the device has, null while nobody has announced it. What Zigbee2MQTT says of its devices goes first. */
  get channels(): readonly Channel[] | null {
    if (this.#bridge.channels !== null) return this.#bridge.channels
    return this.#wanted.size === 0 ? null : named([...this.#wanted.values()].flat())
  }

  /** Names of the devices that were announced. */
  get names(): string[] {
    return [...new Set([...this.#bridge.names, ...this.#seen.values()])].toSorted()
  }

  /** Takes a message. Whether it was an announcement that changes something. */
  heard(topic: string, payload: Buffer): boolean {
    const { baseTopic, discoveryPrefix } = this.#deps
    if (topic === `${baseTopic}/bridge/devices`) return this.#list(payload)
    const levels = topic.startsWith(`${discoveryPrefix}/`) ? topic.slice(discoveryPrefix.length + 1).split('/') : []
    if (levels.at(-1) !== 'config' || levels.length < 3 || levels.length > 4) return false
    return this.#announced(topic, levels.slice(0, -1), payload)
  }

  #announced(topic: string, levels: readonly string[], payload: Buffer): boolean {
    const { log, wanted } = this.#deps
    const wasThere = this.#wanted.delete(topic)
    this.#seen.delete(topic)
    if (payload.length === 0) return wasThere
    if (payload.length > MAX_CONFIG_BYTES) {
      log(`the announcement at "${topic}" has ${payload.length} bytes, and at most ${MAX_CONFIG_BYTES} are read`)
      return wasThere
    }
    const announced = announcedBy(levels, payload.toString())
    if (announced === null) {
      log(`the announcement at "${topic}" is no JSON object`)
      return wasThere
    }
    if (this.#seen.size < MAX_SEEN) this.#seen.set(topic, announced.name)
    const isWanted = announced.ids.includes(wanted)
    if (isWanted && this.#wanted.size < MAX_SEEN) this.#wanted.set(topic, announced.channels)
    return true
  }

  #list(payload: Buffer): boolean {
    const { baseTopic, log, wanted } = this.#deps
    const devices = payload.length > MAX_LIST_BYTES ? null : bridgeDevices(baseTopic, payload.toString())
    if (devices === null) {
      log(`the list of devices at "${baseTopic}/bridge/devices" is no JSON list of up to ${MAX_LIST_BYTES} bytes`)
      return false
    }
    const found = devices.find(({ ids }) => ids.includes(wanted))
    this.#bridge = { channels: found?.channels() ?? null, names: devices.map(({ name }) => name) }
    return true
  }
}

/** The same without names that two of them share: these have to be taken by their other names. */
function named(channels: readonly Channel[]): Channel[] {
  const count = new Map<string, number>()
  for (const name of channels.flatMap(({ names }) => names)) count.set(name, (count.get(name) ?? 0) + 1)
  return channels.map((channel) => {
    const own = channel.names.filter((name) => count.get(name) === 1)
    return { ...channel, names: own.length > 0 ? own : channel.names }
  })
}
