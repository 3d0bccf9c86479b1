/**
 * Types of ports and messages (wire decisions G12, G64 rule 3). A port type is a plain value that carries the
 * TypeScript type of the port's values.
 * @module
 */
import { type ArtifactRef, type Dtype, type Json } from '@flow-service/protocol'
import type * as z from 'zod'

declare const itsValues: unique symbol

interface Carrier<out T, out D extends Dtype> {
  readonly dtype: D
  /** The schema given to `t.json`. */
  readonly schema?: z.ZodType
  /** For the compiler alone; required, as its errors would speak of `undefined` otherwise. */
  readonly [itsValues]: T
}

/** Type of an ordinary port, message or flow input. */
export interface ValueType<out T, out D extends Dtype> extends Carrier<T, D> {
  readonly kind: 'value'
}

/** Type of a streaming output; `interval` is in seconds. */
export interface StreamType<out T, out D extends Dtype> extends Carrier<T, D> {
  readonly kind: 'stream'
  readonly interval: number | null
}

/** Type of a passive input: an arrival does not run the node. */
export interface LatestType<out T, out D extends Dtype> extends Carrier<T, D> {
  readonly kind: 'latest'
  readonly initial: T
}

/** Type of a flow input that has a value of its own. */
export interface InputType<out T, out D extends Dtype> extends Carrier<T, D> {
  readonly kind: 'input'
  readonly initial: T
}

/** Input ports of a definition, by name. */
export type Inputs = Readonly<Record<string, ValueType<unknown, Dtype> | LatestType<unknown, Dtype>>>
/** Output ports of a definition, by name. */
export type Outputs = Readonly<Record<string, ValueType<unknown, Dtype> | StreamType<unknown, Dtype>>>
/** Inputs of a batch flow, or messages of a live flow, by name. */
export type Messages = Readonly<Record<string, ValueType<unknown, Dtype> | InputType<unknown, Dtype>>>

/** TypeScript type of the values of a port type. */
export type ValueOf<P> = P extends Carrier<infer T, Dtype> ? T : never
/** Values by port name. */
export type ValuesOf<P> = { readonly [K in keyof P]: ValueOf<P[K]> }

/** A JSON object of any shape. */
export type JsonObject = { readonly [key: string]: Json | undefined }
type JsonDtype<T> = [T] extends [readonly unknown[]] ? 'array' : [T] extends [JsonObject] ? 'object' : 'any'

const value = <T, D extends Dtype>(dtype: D): ValueType<T, D> => ({ kind: 'value', dtype }) as ValueType<T, D>

/**
 * The types of port values. A `float` may be NaN or infinite; `any` is any JSON value, checked at delivery only.
 * `image`, `media` and `artifact` are references to stored bytes.
 * @example stage('score', { in: { model: t.artifact, limit: t.float }, out: { report: t.json(Report) }, run })
 */
export const t = {
  float: value<number, 'float'>('float'),
  int: value<number, 'int'>('int'),
  str: value<string, 'str'>('str'),
  bool: value<boolean, 'bool'>('bool'),
  any: value<Json, 'any'>('any'),
  object: value<JsonObject, 'object'>('object'),
  array: value<readonly Json[], 'array'>('array'),
  image: value<ArtifactRef, 'image'>('image'),
  media: value<ArtifactRef, 'media'>('media'),
  artifact: value<ArtifactRef, 'artifact'>('artifact'),
  /**
   * A value of the shape of a zod schema. The schema has to stay within JSON (a Date does not compile), and to accept
   * its own output: a stage or node checks arriving values with it. On the wire it is an `object`, `array` or `any`.
   */
  json: <T extends Json>(schema: z.ZodType<T>): ValueType<T, JsonDtype<T>> => ({
    ...value<T, JsonDtype<T>>(dtypeOf(schema) as JsonDtype<T>),
    schema,
  }),
}

function dtypeOf(schema: z.ZodType): Dtype {
  // the schema's own method: zod itself stays out of bundles whose code does not import it
  const root = schema.toJSONSchema({ unrepresentable: 'any' })
  const kinds = (part: z.core.JSONSchema.JSONSchema): unknown[] => {
    const named = part.$ref === undefined ? undefined : root.$defs?.[part.$ref.slice('#/$defs/'.length)]
    if (named) return kinds(named)
    return (part.anyOf ?? part.oneOf ?? part.allOf)?.flatMap((item) => kinds(item as typeof part)) ?? [part.type]
  }
  const [kind, ...others] = new Set(kinds(root))
  return others.length === 0 && (kind === 'object' || kind === 'array') ? kind : 'any'
}

/**
 * A streaming output: many values in one execution, shown at most once every `interval` seconds (unless given: each).
 * @example out: { loss: stream(t.float, { interval: 0.5 }), model: t.artifact }
 */
export const stream = <T, D extends Dtype>(
  of: ValueType<T, D>,
  options: { readonly interval?: number } = {},
): StreamType<T, D> => ({ ...of, kind: 'stream', interval: options.interval ?? null })

/**
 * A passive input: read as it stands when another input runs the node, `initial` as long as nothing has arrived.
 * @example in: { temp: t.float, mode: latest(t.str, 'auto') }
 */
export const latest = <T, D extends Dtype>(of: ValueType<T, D>, initial: NoInfer<T>): LatestType<T, D> => ({
  ...of,
  kind: 'latest',
  initial,
})

/**
 * A flow input with an initial value. An input of a batch flow without one has to be given by each run.
 * @example batchFlow('fit', { rows: t.artifact, lr: input(t.float, 0.1) }, (p, use) => …)
 */
export const input = <T, D extends Dtype>(of: ValueType<T, D>, initial: NoInfer<T>): InputType<T, D> => ({
  ...of,
  kind: 'input',
  initial,
})
