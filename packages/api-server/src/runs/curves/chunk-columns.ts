/**
 * Chunks of curves as the database holds them: the numbers are a `bytea` of 8 bytes each, in the form that PostgreSQL's
 * own `float8send` gives. Arrays, which travel as text, cost three times as much (bench/metric-points).
 * @module
 */
import type { WireNumber } from '@flow-service/protocol'

import type { Sql } from '../../db/database.ts'
import { boundsOf, type Chunk } from './points.ts'

/** Points of a row; the bytes of a column that was not asked for are missing. */
export interface PackedPoints {
  readonly steps: Buffer | null
  readonly ts: Buffer | null
  readonly vals: Buffer
}

/** A chunk of a run on its way into a row. */
export const chunkItem = (run: string, metric: number, { seq, steps, ts, vals }: Chunk) => ({
  run,
  metric,
  seq,
  count: steps.length,
  first_step: steps[0],
  last_step: steps.at(-1),
  last_value: vals.at(-1),
  ...boundsOf(vals),
  steps: packed(steps),
  ts: packed(ts),
  vals: packed(vals),
})

/** Such chunks as rows with the columns of `metric_chunk`. */
export const chunkRows = (sql: Sql, items: readonly ReturnType<typeof chunkItem>[]) => sql`(
  select run, metric, seq, count, first_step, last_step, last_value, low, high, decode(steps, 'base64') as steps, decode(ts, 'base64') as ts,
    decode(vals, 'base64') as vals
  from json_to_recordset(${JSON.stringify(items)}::json) as packed(
    run uuid, metric int, seq int, count int, first_step int8, last_step int8, last_value float8, low float8, high float8, steps text, ts text, vals text)
)`

/** A row with its points as numbers; NaN and the infinities are named, as on the wire. */
export const withPoints = <T extends PackedPoints>({ steps, ts, vals, ...row }: T) => ({
  ...row,
  steps: steps ? numbersIn(steps) : [],
  ts: ts ? numbersIn(ts) : [],
  vals: numbersIn(vals).map(named),
})

const packed = (numbers: readonly WireNumber[]): string =>
  Buffer.from(Float64Array.from(numbers, Number).buffer).swap64().toString('base64')

/** The numbers behind packed bytes, 8 of each, the most significant first. */
export function numbersOf(bytes: Buffer): Float64Array {
  // a copy begins at a multiple of 8
  const copy = new Uint8Array(bytes)
  Buffer.from(copy.buffer).swap64()
  return new Float64Array(copy.buffer)
}

const numbersIn = (bytes: Buffer): number[] => [...numbersOf(bytes)]

/** NaN and the infinities are named, as on the wire. */
export const named = (number: number): WireNumber => (Number.isFinite(number) ? number : (String(number) as WireNumber))
