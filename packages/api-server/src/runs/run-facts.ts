/**
 * What lists of runs know of a run's inputs and results, to show, filter and sort by: short values as they are, of long
 * ones the name alone. Made where runs are queued, ended and imported; without it lists would read whole records.
 * @module
 */
import type { Secrets } from '@flow-service/core'
import type { RunInput } from '@flow-service/protocol'

/** Bytes of JSON up to which a value stands in lists. */
const MAX_VALUE_BYTES = 1024
/** `jsonb` refuses them. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i

/** Values of inputs by name, and the names of those that are left out. */
export interface ListedParams {
  readonly params: Readonly<Record<string, unknown>>
  readonly params_cut: readonly string[]
}

/** The inputs of a run as lists have them: without the values of secrets. */
export function listedParams(inputs: readonly RunInput[], { mask }: Pick<Secrets, 'mask'>): ListedParams {
  const entries = inputs.map(({ name, value }): [string, unknown] => [name, mask(value)])
  return {
    params: Object.fromEntries(entries.filter(([, value]) => isShort(value))),
    params_cut: entries.filter(([, value]) => !isShort(value)).map(([name]) => name),
  }
}

/** Numbers, texts and booleans among the outputs of a flow. */
export const listedResults = (result: Readonly<Record<string, unknown>> | null): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(result ?? {}).filter(
      ([, value]) => ['number', 'string', 'boolean'].includes(typeof value) && isShort(value),
    ),
  )

function isShort(value: unknown): boolean {
  const text = JSON.stringify(value)
  return text.length <= MAX_VALUE_BYTES && Buffer.byteLength(text) <= MAX_VALUE_BYTES && !UNSTORABLE.test(text)
}
