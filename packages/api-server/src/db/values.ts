/**
 * How values travel between PostgreSQL and JavaScript, equal on both backends.
 * @module
 */
import type postgres from 'postgres'

/**
 * A handle that runs statements: `database.sql`, or the handle of a transaction.
 * `timestamptz` is read as text with six decimals, `int8` as a number when safe (else a bigint), `jsonb` parsed,
 * `bytea` as a Buffer. `sql.json(value)` sends any JSON value; a string parameter for a json column is sent as JSON text.
 */
export type Sql = postgres.ISql

/** A part of a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

/** Driver settings for the types above. A Date has no microseconds, so no time is ever read through one. */
export const valueTypes: Record<string, postgres.PostgresType> = {
  int8: { to: 20, from: [20], serialize: String, parse: parseInt8 },
  date: { to: 1184, from: [1082, 1114], serialize: timeText, parse: (text: string) => text },
  timestamptz: { to: 1184, from: [1184], serialize: timeText, parse: parseTimestamptz },
  json: { to: 114, from: [114, 3802], serialize: jsonText, parse: (text: string): unknown => JSON.parse(text) },
}

/** Oid of `jsonb`. */
export const JSONB = 3802

function parseInt8(text: string): number | bigint {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : BigInt(text)
}

function timeText(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value)
}

/** `2026-01-31 08:00:00.5+00` of a session in UTC becomes `2026-01-31T08:00:00.500000+00:00`. */
function parseTimestamptz(text: string): string {
  // years of more digits, and those before Christ, stay as they are
  if (text[10] !== ' ' || !text.endsWith('+00')) return text
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(6, '0')}+00:00`
}

function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
