/**
 * Typed constructors of the node types that reach other machines, commands and files.
 * @module
 */
import {
  type Inputs,
  nodeType,
  type Outputs,
  type SecretRef,
  t,
  type TypedNode,
  type ValueType,
} from '@flow-service/flow-sdk'
import type { Dtype } from '@flow-service/protocol'

type NoPorts = Record<never, never>
type AnyValue = ValueType<unknown, Dtype>

/** Options of {@link push}. */
export interface PushOptions {
  readonly topic: string
  /** URL of the server; `https://ntfy.sh` unless given. */
  readonly server?: string
  readonly title?: string
  readonly priority?: 'min' | 'low' | 'default' | 'high' | 'urgent'
  readonly tags?: readonly string[]
  /** For a protected topic. */
  readonly token?: string | SecretRef
  /** Seconds to wait for the answer; 10 unless given. */
  readonly timeout?: number
}

/**
 * Send each value as a notification; an object with a `message` may bring its own title, priority and tags. Port: `value`.
 * @example use(push({ topic: 'greenhouse', priority: 'high', token: secret('push') }), { value: alarm })
 */
export const push = ({ tags, ...settings }: PushOptions): TypedNode<{ readonly value: typeof t.any }, NoPorts> =>
  nodeType('push', { in: { value: t.any }, out: {}, settings: { ...settings, tags: tags?.join(',') } })

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

type CommandOutputs = {
  readonly stdout: typeof t.str
  readonly stderr: typeof t.str
  readonly exit_code: typeof t.int
}

/** Options of {@link exec}. */
export interface ExecOptions<I extends Inputs, O extends Partial<CommandOutputs>> {
  /** Command line of `/bin/sh`; it runs in the engine's files directory. */
  readonly command: string
  readonly in: I
  /** Any of the three; all of them unless given. */
  readonly out?: O & { readonly [K in Exclude<keyof O, keyof CommandOutputs>]: never }
  /** Add the value as the last argument of the command. */
  readonly appendPayload?: boolean
  /** Seconds until the command is killed; 30 unless given. */
  readonly timeout?: number
  /** An exit code other than 0 is a failure of the node. */
  readonly failOnError?: boolean
}

/**
 * Run a command on the engine's machine on each arrival. Outputs: `stdout`, `stderr` and `exit_code`.
 * @example use(exec({ command: 'df -h .', in: { tick: t.any }, out: { stdout: t.str } }), { tick })
 */
export function exec<I extends Inputs, O extends Partial<CommandOutputs> = CommandOutputs>(
  options: ExecOptions<I, O>,
): TypedNode<I, O> {
  const { in: inputs, out, appendPayload, failOnError, ...settings } = options
  return nodeType('exec', {
    in: inputs,
    // Without `out`, O is all three by its default.
    out: out ?? ({ stdout: t.str, stderr: t.str, exit_code: t.int } as unknown as O),
    settings: { ...settings, append_payload: appendPayload, fail_on_error: failOnError },
  })
}

/** Options of {@link file}. */
export interface FileOptions {
  /** Path below the engine's files directory, with `/` between folders. */
  readonly path: string
  /** `text` unless given. */
  readonly format?: 'text' | 'json'
  /** False: records end without a line break. */
  readonly newline?: boolean
}

type FileWriter = TypedNode<{ readonly value: typeof t.any }, NoPorts>

/** Files of the engine's files directory. */
export const file = {
  /**
   * Read a whole file on each arrival, as text or as JSON of the type that `out` names. Output: `content`.
   * @example const { content } = use(file.read({ path: 'limits.json', format: 'json', out: t.object, in: { tick: t.any } }), { tick })
   */
  read: <I extends Inputs, P extends AnyValue = typeof t.str>({
    in: inputs,
    out,
    ...settings
  }: Pick<FileOptions, 'path'> & { readonly in: I } & (
      | { readonly format?: 'text'; readonly out?: P }
      | { readonly format: 'json'; readonly out: P }
    )): TypedNode<I, { readonly content: P }> =>
    // Without `out`, P is str by its default.
    nodeType('file', { in: inputs, out: { content: out ?? (t.str as unknown as P) }, settings }),

  /**
   * Replace a file by each value. Input: `value`.
   * @example use(file.write({ path: 'state/last.json', format: 'json' }), { value: m.state })
   */
  write: (options: FileOptions): FileWriter =>
    nodeType('file', { in: { value: t.any }, out: {}, settings: { ...options, mode: 'write' } }),

  /**
   * Add each value to the end of a file. Input: `value`.
   * @example use(file.append({ path: 'log/alarms.txt' }), { value: m.alarm })
   */
  append: (options: FileOptions): FileWriter =>
    nodeType('file', { in: { value: t.any }, out: {}, settings: { ...options, mode: 'append' } }),
}
