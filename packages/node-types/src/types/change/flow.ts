/**
 * Typed constructor of `change`.
 * @module
 */
import { nodeType, type TypedNode, type ValueOf } from '@flow-service/flow-sdk'

import type { AnyValue } from '../../constructor-ports.ts'

/** Options of {@link change}. */
export interface ChangeOptions<Q extends AnyValue> {
  /** Type of the output; that of the input unless given. */
  readonly out?: Q
  readonly scale?: number
  readonly offset?: number
  /** Decimal places; halves go away from zero. */
  readonly roundTo?: number
  /** Value by the text of the value it replaces. */
  readonly mapping?: Readonly<Record<string, ValueOf<Q>>>
  /** In place of a value that the mapping lacks, which passes unless given. */
  readonly default?: ValueOf<Q>
}

/**
 * Scale, shift and round numbers, then replace values by a table. Ports: `in` and `out`.
 * @example const { out } = use(change(t.float, { scale: 1.8, offset: 32, roundTo: 1 }), { in: celsius }, { out: { out: 'fahrenheit' } })
 */
export function change<P extends AnyValue, Q extends AnyValue = P>(
  of: P,
  options: ChangeOptions<Q> = {},
): TypedNode<{ readonly in: P }, { readonly out: Q }> {
  const { out, roundTo, ...settings } = options
  // Without `out`, Q is P by its default.
  const target = out ?? (of as unknown as Q)
  return nodeType('change', { in: { in: of }, out: { out: target }, settings: { ...settings, round_to: roundTo } })
}
