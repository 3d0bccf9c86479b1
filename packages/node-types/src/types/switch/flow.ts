/**
 * Typed constructor of `switch`.
 * @module
 */
import { nodeType, type TypedNode } from '@flow-service/flow-sdk'
import type { Json } from '@flow-service/protocol'

import type { AnyValue } from '../../constructor-ports.ts'

/** A rule of {@link switchOn}; values of another type than `value` do not match, also with `ne`. */
export interface SwitchRule<N extends string = string> {
  readonly operator: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'between'
  /** With `between`: `[low, high]`, both included. */
  readonly value: Json
  /** Name of the output; the switch has each output that a rule or `otherwise` names. */
  readonly output: N
  /** Compare this part of an object: keys joined by dots. */
  readonly key?: string
}

/** Options of {@link switchOn}. */
export interface SwitchOptions<N extends string> {
  /** Checked in order. */
  readonly rules: readonly SwitchRule<N>[]
  /** False: leave through every output that has a matching rule. */
  readonly stopAtFirst?: boolean
  /** Output of values that match no rule; they are dropped unless given. */
  readonly otherwise?: N
}

/**
 * Route a value by rules. The input is called `in`; the rules name the outputs, which carry the whole value.
 * @example
 * const { page } = use(switchOn(t.object, { rules: [{ key: 'level', operator: 'eq', value: 'high', output: 'page' }] }), { in: alert })
 */
export function switchOn<P extends AnyValue, const N extends string>(
  of: P,
  { rules, stopAtFirst, otherwise }: SwitchOptions<N>,
): TypedNode<{ readonly in: P }, { readonly [K in N]: P }> {
  const names = new Set([...rules.map(({ output }) => output), ...(otherwise === undefined ? [] : [otherwise])])
  const out = Object.fromEntries([...names].map((name) => [name, of])) as { readonly [K in N]: P }
  return nodeType('switch', { in: { in: of }, out, settings: { rules, stop_at_first: stopAtFirst, otherwise } })
}
