/**
 * Text frames of the engine, read without a schema library: what is none, or of a type that a later engine brings, is null.
 * @module
 */
import type { DeviceBinding, DeviceFrame } from '@flow-service/protocol'

type Fields = Readonly<Record<string, unknown>>
type Value = Extract<DeviceFrame, { type: 'value' }>

/** The frame of a text; null for what is passed over. Never throws. */
export function incomingFrame(text: string): DeviceFrame | null {
  const fields = parsed(text)
  switch (fields?.type) {
    case 'snapshot':
      return snapshotOf(fields)
    case 'value':
      return isValue(fields) && isText(fields.ts) ? (fields as unknown as Value) : null
    case 'demand':
      return isTexts(fields.ports) ? { type: 'demand', ports: fields.ports } : null
    case 'published':
      return isText(fields.id) ? { type: 'published', id: fields.id, ts: isText(fields.ts) ? fields.ts : null } : null
    case 'error':
      return isText(fields.code) && isText(fields.detail) ? (fields as unknown as DeviceFrame) : null
    default:
      return null
  }
}

function snapshotOf({ device, bindings, values, demand, uplink }: Fields): DeviceFrame | null {
  if (!isText(device) || !Array.isArray(bindings) || !Array.isArray(values) || !isTexts(demand)) return null
  return {
    type: 'snapshot',
    device,
    bindings: bindings.filter(isBinding),
    values: values.filter(isValue),
    demand,
    uplink: uplink === 'http' ? 'http' : 'binary',
  }
}

const isBinding = (entry: unknown): entry is DeviceBinding =>
  isFields(entry) && isText(entry.port) && isText(entry.message) && isText(entry.direction) && isFields(entry.config)

const isValue = (entry: unknown): entry is Omit<Value, 'type'> =>
  isFields(entry) && isText(entry.port) && isText(entry.message) && entry.value !== undefined

const isText = (value: unknown): value is string => typeof value === 'string'
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

function parsed(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : null
  } catch {
    return null
  }
}
