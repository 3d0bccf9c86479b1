/**
 * What a device has for ports of a node, whoever has announced it: `home-assistant.ts` and `zigbee2mqtt.ts` make them.
 * @module
 */
import type { Dtype } from '@flow-service/connector-sdk'

/** Where a device says whether it can be reached. */
export interface Availability {
  readonly topics: readonly {
    readonly topic: string
    /** Null: the payload says nothing of it. */
    readonly read: (payload: string) => boolean | null
  }[]
  /** Of several topics: whether all have to say so, or any, or the one that has said something last. */
  readonly mode: 'all' | 'any' | 'latest'
}

/** One value of a device that can be read, or set, or both. */
export interface Channel {
  /** Names by which a port can take it; the first is the one that people are told. */
  readonly names: readonly string[]
  readonly dtype: Dtype
  readonly state: {
    readonly topic: string
    /** Undefined: the payload has nothing for it. Throws for what is no such value. */
    readonly read: (payload: string) => unknown
  } | null
  readonly command: {
    readonly topic: string
    /** The payload for a value. Throws for a value that the device cannot take. */
    readonly write: (value: unknown) => string
  } | null
  /** Asks the device for its state, where it can be asked. */
  readonly ask: { readonly topic: string; readonly payload: string } | null
  readonly availability: Availability | null
  /** Why it can be used only in part, or not at all; null when nothing is wrong. */
  readonly fault: string | null
}

/** JSON of a payload; undefined when it is none. */
export function jsonOf(payload: string): unknown {
  try {
    return JSON.parse(payload) as unknown
  } catch {
    return undefined
  }
}

/** An object of JSON. */
export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A field of its own of an object; undefined when there is none. */
export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as Fields)[name] : undefined

/** A value as it is told to people. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`
}

/** A number, also one that is spelled as text. Throws for all else. */
export function numberOf(value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) throw new Error(`${shown(value)} is no number`)
  return number
}

/** A number within the bounds of a device. Throws for one outside. */
export function bounded(value: unknown, min: unknown, max: unknown): number {
  const number = numberOf(value)
  const [low, high] = [typeof min === 'number' ? min : -Infinity, typeof max === 'number' ? max : Infinity]
  if (number < low || number > high) throw new Error(`${number} is not between ${low} and ${high}`)
  return number
}

/** One of the texts that a device takes; any when it names none. Throws for another. */
export function oneOf(value: unknown, options: unknown): string {
  const known = Array.isArray(options) ? options.map(String) : []
  if (typeof value === 'string' && (known.length === 0 || known.includes(value))) return value
  throw new Error(`${shown(value)} is none of ${known.map(shown).join(', ') || 'the texts that it takes'}`)
}

/** A bool. Throws for all else. */
export function boolOf(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new Error(`${shown(value)} is no bool`)
  return value
}

/** What is wrong with a topic that a device names; null when messages can be published to it. */
export function topicFault(topic: string): string | null {
  const isFit = topic !== '' && topic.length <= 1000 && topic.isWellFormed() && !/[+#\0]/.test(topic)
  return isFit ? null : `${shown(topic)} is no topic`
}
