/**
 * Typed constructor of `mlp`.
 * @module
 */
import { nodeType, type t, type TypedNode } from '@flow-service/flow-sdk'

type Numbers = Readonly<Record<string, typeof t.float | typeof t.int>>

/**
 * One layer: each output is a weighted sum of the inputs plus a bias, drawn from `seed` (0 unless given).
 * @example const { y } = use(mlp({ in: { a: t.float, b: t.float }, out: { y: t.float }, seed: 7 }), { a, b })
 */
export const mlp = <I extends Numbers, O extends Readonly<Record<string, typeof t.float>>>(options: {
  readonly in: I
  readonly out: O
  readonly seed?: number
}): TypedNode<I, O> => nodeType('mlp', { in: options.in, out: options.out, settings: { seed: options.seed } })
