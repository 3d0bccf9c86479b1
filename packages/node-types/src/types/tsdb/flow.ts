/**
 * Typed constructors of `tsdb`.
 * @module
 */
import { type Inputs, nodeType, type Outputs, type SecretRef, t, type TypedNode } from '@flow-service/flow-sdk'

import type { NoPorts } from '../../constructor-ports.ts'

/** Where {@link tsdb} writes and reads. */
export interface TsdbConnection {
  /** URL of the server. */
  readonly url: string
  readonly token?: string | SecretRef
  readonly org: string
  readonly bucket: string
  /** Seconds to wait for the answers to one arrival; 10 unless given. */
  readonly timeout?: number
}

/** Where the values of an input are written. */
export interface TsdbSeries {
  readonly measurement: string
  /** `value` unless given. */
  readonly field?: string
  readonly tags?: Readonly<Record<string, string | number | boolean>>
}

/** What is read for an output. */
export interface TsdbQuery extends TsdbSeries {
  readonly field: string
  /** Window such as `-7d`; that of the node unless given. */
  readonly range?: string
  /** The last value of the window unless given. */
  readonly aggregation?: 'last' | 'mean' | 'min' | 'max' | 'sum' | 'count'
}

/** Points of a time series database. */
export const tsdb = {
  /**
   * Write the values of each input; `precision` is the unit of the timestamps, `ms` unless given.
   * @example use(tsdb.write({ ...influx, in: { temp: t.float }, writes: { temp: { measurement: 'climate' } } }), { temp })
   */
  write: <I extends Inputs>({
    in: inputs,
    precision,
    ...settings
  }: TsdbConnection & {
    readonly in: I
    readonly writes: { readonly [K in keyof I]: TsdbSeries }
    readonly precision?: 'ns' | 'us' | 'ms' | 's'
  }): TypedNode<I, NoPorts> =>
    nodeType('tsdb', { in: inputs, out: {}, settings: { ...settings, write_precision: precision } }),

  /**
   * Read a value for each output on any arrival.
   * @example use(tsdb.query({ ...influx, in: { tick: t.any }, out: { mean: t.float }, queries: { mean: { measurement: 'climate', field: 'value', aggregation: 'mean' } } }), { tick })
   */
  query: <I extends Inputs, O extends Outputs>({
    in: inputs,
    out,
    queryRange,
    ...settings
  }: TsdbConnection & {
    readonly in: I
    readonly out: O
    readonly queries: { readonly [K in keyof O]: TsdbQuery }
    /** Window of queries without a `range`; `-1h` unless given. */
    readonly queryRange?: string
  }): TypedNode<I, O> => nodeType('tsdb', { in: inputs, out, settings: { ...settings, query_range: queryRange } }),

  /**
   * Run the queries that arrive as `{ flux }`. Ports: `query`, and `result`: `{ rows: [{ ts, value, field, measurement, tags }] }`.
   * @example const { result } = use(tsdb.flux(influx), { query: m.question })
   */
  flux: (
    connection: TsdbConnection,
  ): TypedNode<{ readonly query: typeof t.object }, { readonly result: typeof t.object }> =>
    nodeType('tsdb', { in: { query: t.object }, out: { result: t.object }, settings: { ...connection } }),
}
