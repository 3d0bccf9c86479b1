/**
 * Typed constructor of `join`.
 * @module
 */
import {
  type Inputs,
  nodeType,
  t,
  type TypedNode,
  type ValueOf,
  type ValuesOf,
  type ValueType,
} from '@flow-service/flow-sdk'

type Joined<I, M> = M extends 'array'
  ? ValueType<readonly ValueOf<I[keyof I]>[], 'array'>
  : ValueType<ValuesOf<I>, 'object'>

/**
 * Gather the latest values of several inputs into one object (or array, in port order) on the output `out`.
 * @example const { out } = use(join({ in: { temp: t.float, room: t.str } }), { temp, room }, { out: { out: 'reading' } })
 */
export function join<I extends Inputs, M extends 'object' | 'array' = 'object'>(options: {
  readonly in: I
  readonly mode?: M
}): TypedNode<I, { readonly out: Joined<I, M> }> {
  const out = (options.mode === 'array' ? t.array : t.object) as unknown as Joined<I, M>
  return nodeType('join', { in: options.in, out: { out }, settings: { mode: options.mode } })
}
