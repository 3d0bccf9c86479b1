/**
 * The others: "kitchen light on and the rest off", "turn off the lights in the rest of the house".
 * @module
 */
import { nowhere, type Part } from '../parse/parts.ts'
import type { Order, Target } from './order.ts'

const isRest = (one: Target): boolean => one.where.groups.includes('rest')

const excepted = (one: Target, where: Target['where']): Part => ({
  from: 0,
  to: 0,
  is: 'thing',
  kind: one.kind,
  pointer: null,
  where,
  all: false,
  prep: false,
  det: false,
  title: false,
  plant: false,
  out: true,
  linked: false,
  late: false,
})

/** The order without what the sentence has named before; where it has named nothing, without where the speaker is. */
export function withoutNamed(order: Order, named: readonly Target[]): Order {
  const rests = order.targets.filter((one) => isRest(one))
  if (rests.length === 0) return order
  const out = rests.flatMap((rest) => {
    const like = [...named, ...order.targets].filter(
      (one) => one.where.areas.length > 0 && (one.kind === rest.kind || one.kind === null || one.everything),
    )
    return like.length > 0 ? like.map((one) => excepted(rest, one.where)) : [excepted(rest, { ...nowhere, here: true })]
  })
  return { ...order, out: [...order.out, ...out] }
}
