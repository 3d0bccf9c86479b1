/**
 * Values in payloads of `mqtt` and frames of `websocket`: JSON, lifted keys, ports that an object names (wire decisions
 * G69, G70).
 * @module
 */
import type { NodeFinding, NodePort, NodeShape, Values } from '@flow-service/connector-sdk'
import { MAX_JSON_DEPTH } from '@flow-service/protocol'
import * as z from 'zod'

import { isDeeper } from './json-depth.ts'

/** Bytes of the largest payload or frame that is read. */
export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024

/** The setting `json_key`: one key for all ports, or a key by port. */
export const jsonKey = z
  .union([z.string().min(1), z.record(z.string(), z.string().min(1))])
  .nullable()
  .default(null)
  .describe(
    'Key that is taken out of an object: one for all ports, or one by port. Without it an object is opened only when it has the name of the port.',
  )
export type JsonKey = z.infer<typeof jsonKey>

/** Keys by port whose port the node does not have: they take nothing out of anything. */
export function jsonKeyFindings({
  outputs,
  settings: { json_key },
}: NodeShape<{ readonly json_key: JsonKey }>): NodeFinding[] {
  if (typeof json_key !== 'object' || json_key === null) return []
  const ports = outputs.map(({ port }) => port)
  const known = ports.length === 0 ? 'remove it' : `name one of ${ports.map((port) => `"${port}"`).join(', ')}`
  return Object.keys(json_key)
    .filter((name) => !ports.includes(name))
    .map((name) => ({
      code: 'bad_setting',
      severity: 'warning',
      path: `/settings/json_key/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      message: `json_key has a key for "${name}", and the node has no output of that name; ${known}`,
    }))
}

/** Marks that a payload has nothing for a port. */
export const NOTHING = Symbol('nothing')

export const keyOf = (key: JsonKey, port: string): string | null =>
  typeof key === 'object' && key !== null ? (Object.hasOwn(key, port) ? (key[port] ?? null) : null) : key

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** JSON of a text; the text itself when it is none, or is nested deeper than the engine's JSON. */
function parsedOr(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isDeeper(value, MAX_JSON_DEPTH) ? text : value
  } catch {
    return text
  }
}

/** The value of a payload for one port. */
export function valueIn(text: string, { port, dtype }: NodePort, key: string | null): unknown {
  if (dtype === 'str' && key === null) return text
  const value = parsedOr(text)
  if (isObject(value)) {
    if (key !== null) return Object.hasOwn(value, key) ? value[key] : NOTHING
    return Object.hasOwn(value, port) ? value[port] : value
  }
  return dtype === 'str' ? text : value
}

/** The values of a frame by port; empty when it has none. */
export function valuesIn(text: string, outputs: readonly NodePort[], key: JsonKey): Values {
  const value = parsedOr(text)
  const values: Values = {}
  if (isObject(value)) {
    for (const { port } of outputs) {
      const found = partOf(value, port, keyOf(key, port))
      if (found !== NOTHING) values[port] = found
    }
    if (Object.keys(values).length > 0) return values
  }
  const [only, ...more] = outputs
  if (!only || more.length > 0) return values
  if (isObject(value) && keyOf(key, only.port) !== null) return values
  // whole, for a port of text, is the text of the frame
  return { [only.port]: only.dtype === 'str' && typeof value !== 'string' ? text : value }
}

function partOf(value: Values, port: string, key: string | null): unknown {
  if (key !== null && Object.hasOwn(value, key)) return value[key]
  if (!Object.hasOwn(value, port)) return NOTHING
  const part = value[port]
  return key !== null && isObject(part) && Object.hasOwn(part, key) ? part[key] : part
}
