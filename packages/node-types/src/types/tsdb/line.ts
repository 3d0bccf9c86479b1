/**
 * Points in InfluxDB's line protocol (docs.influxdata.com, InfluxDB v2, "Line protocol").
 * @module
 */
import { describeValue, type Dtype, specialFloats } from '@flow-service/protocol'

/** Where the values of an input go. */
export interface Series {
  readonly measurement: string
  readonly field: string
  readonly tags: Readonly<Record<string, string | number | boolean>>
}

/** Unit of timestamps. */
type Precision = 'ns' | 'us' | 'ms' | 's'

/** One line; null for a null, which is no point. Throws a TypeError for a number that is none. */
export function lineOf(
  series: Series,
  value: { readonly value: unknown; readonly dtype: Dtype },
  { atMs, precision }: { readonly atMs: number; readonly precision: Precision },
): string | null {
  if (value.value === null) return null
  const tags = Object.entries(series.tags)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, text]) => `,${escaped(key, /[,= ]/g)}=${escaped(String(text), /[,= ]/g)}`)
  const key = `${escaped(series.measurement, /[, ]/g)}${tags.join('')}`
  return `${key} ${escaped(series.field, /[,= ]/g)}=${fieldOf(value)} ${stampOf(atMs, precision)}`
}

const escaped = (text: string, special: RegExp): string => text.replace(special, (char) => `\\${char}`)

/** Numbers are floats but on int ports: a field keeps the type of its first point. */
function fieldOf({ value, dtype }: { readonly value: unknown; readonly dtype: Dtype }): string {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number' && Number.isFinite(value)) return dtype === 'int' ? `${value}i` : String(value)
  if (typeof value === 'number' || (dtype === 'float' && specialFloats.has(value)))
    throw new TypeError(`a time series takes finite numbers, which ${describeValue(String(value))} is not`)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `"${text.replace(/["\\]/g, (char) => `\\${char}`)}"`
}

function stampOf(atMs: number, precision: Precision): string {
  if (precision === 's') return String(Math.floor(atMs / 1000))
  if (precision === 'ms') return String(Math.floor(atMs))
  const us = String(Math.floor(atMs * 1000))
  return precision === 'us' ? us : `${us}000`
}

/** Why a name or tag cannot stand in a line, in words that follow it; null when it can. */
export function nameFault(text: string): string | null {
  if (text === '') return 'is empty'
  // oxlint-disable-next-line no-control-regex -- a line break would begin another point
  if (/[\x00-\x1f\x7f]/.test(text)) return 'holds a line break or another control character'
  return text.endsWith('\\') ? 'ends with a "\\", which would join it to what follows' : null
}
