/**
 * What lists of runs know of a run's inputs, curves and results, to show, filter and sort by. Values that stand alone are
 * in arrays by their type, whose places the shape of the run names: runs of one flow share theirs, so a row has no names,
 * and a filter over all runs reads numbers (bench/run-lists). Made where runs are queued, recorded and imported.
 * @module
 */
import type { Secrets } from '@flow-service/core'
import type { RunInput, RunSummary, WireNumber } from '@flow-service/protocol'

import type { CurveSummary } from './curves/points.ts'

/** Bytes of JSON up to which a value stands in lists. */
const MAX_VALUE_BYTES = 1024
/** `jsonb` refuses them. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i

/** What a field is of. */
type FactSource = 'params' | 'results' | 'metrics'
/** The array that has a value; a curve has five numbers, and `nested` is everything that does not stand alone. */
type FactType = 'number' | 'text' | 'flag' | 'nested' | 'curve'
/** A field of a run, in the order of its shape. */
export type FactField = readonly [source: FactSource, name: string, type: FactType]

/** The facts of a run as its row has them. */
export interface Facts {
  readonly fields: readonly FactField[]
  readonly numbers: readonly (WireNumber | null)[] | null
  readonly texts: readonly string[] | null
  readonly flags: readonly boolean[] | null
  /** Inputs by name. */
  readonly nested: Readonly<Record<string, unknown>> | null
  /** Inputs whose values are too long. */
  readonly cut: readonly string[] | null
}

/** The facts of a run on their way into its row. */
export type FactColumns = Omit<Facts, 'fields'> & { readonly shape: number }

/** What facts are made of; values of secrets are not in it. */
export interface Listed {
  readonly inputs: readonly Pick<RunInput, 'name' | 'value'>[]
  readonly curves?: Readonly<Record<string, CurveSummary>>
  readonly result?: Readonly<Record<string, unknown>> | null
}

/** Numbers of a curve, in their order. */
export const CURVE_WIDTH = 5

/** Inputs without the values of secrets. */
export const maskedInputs = (inputs: readonly RunInput[], { mask }: Pick<Secrets, 'mask'>): Listed['inputs'] =>
  inputs.map(({ name, value }) => ({ name, value: mask(value) }))

/** The facts of a run. */
export function factsOf({ inputs, curves = {}, result = null }: Listed): Facts {
  const fields: FactField[] = []
  const numbers: (WireNumber | null)[] = []
  const texts: string[] = []
  const flags: boolean[] = []
  const nested: [string, unknown][] = []
  const cut: string[] = []
  const add = (source: FactSource, name: string, value: unknown): void => {
    const type = typeOf(value)
    fields.push([source, name, type])
    if (type === 'number') numbers.push(value as WireNumber)
    else if (type === 'text') texts.push(value as string)
    else if (type === 'flag') flags.push(value as boolean)
    else nested.push([name, value])
  }
  for (const { name, value } of inputs) {
    if (isShort(value)) add('params', name, value)
    else cut.push(name)
  }
  for (const [message, summary] of Object.entries(curves)) {
    fields.push(['metrics', message, 'curve'])
    numbers.push(...summary)
  }
  for (const [name, value] of Object.entries(result ?? {})) {
    if (typeOf(value) !== 'nested' && isShort(value)) add('results', name, value)
  }
  return {
    fields,
    numbers: orNull(numbers),
    texts: orNull(texts),
    flags: orNull(flags),
    nested: nested.length > 0 ? Object.fromEntries(nested) : null,
    cut: orNull(cut),
  }
}

/** What lists show of a run's facts. */
export function shownFacts({ fields, numbers, texts, flags, nested, cut }: Facts) {
  const params: Record<string, unknown> = {}
  const results: NonNullable<RunSummary['results']> = {}
  const metrics: Record<string, CurveSummary> = {}
  let [number, text, flag] = [0, 0, 0]
  for (const [source, name, type] of fields) {
    if (type === 'curve') {
      metrics[name] = numbers?.slice(number, number + CURVE_WIDTH) as unknown as CurveSummary
      number += CURVE_WIDTH
      continue
    }
    const into: Record<string, unknown> = source === 'params' ? params : results
    if (type === 'number') into[name] = numbers?.[number++] ?? null
    else if (type === 'text') into[name] = texts?.[text++] ?? null
    else if (type === 'flag') into[name] = flags?.[flag++] ?? null
    else into[name] = nested?.[name] ?? null
  }
  for (const name of cut ?? []) params[name] = null
  return { params, params_cut: [...(cut ?? [])], results, metrics }
}

const named: ReadonlySet<unknown> = new Set(['NaN', 'Infinity', '-Infinity'])

/** NaN and the infinities are numbers that stand as texts, as everywhere on the wire. */
function typeOf(value: unknown): Exclude<FactType, 'curve'> {
  if (typeof value === 'number' || named.has(value)) return 'number'
  if (typeof value === 'string') return 'text'
  return typeof value === 'boolean' ? 'flag' : 'nested'
}

const orNull = <T>(items: readonly T[]): readonly T[] | null => (items.length > 0 ? items : null)

function isShort(value: unknown): boolean {
  const text = JSON.stringify(value) ?? 'null'
  return text.length <= MAX_VALUE_BYTES && Buffer.byteLength(text) <= MAX_VALUE_BYTES && !UNSTORABLE.test(text)
}
