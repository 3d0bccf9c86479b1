/**
 * Places that are said at the end, for more than the clause before them.
 * @module
 */
import type { Clause } from '../parse/clause.ts'
import { isSomewhere } from '../parse/parts.ts'
import type { Order } from './order.ts'

/** "tv off, lights on and drapes open in the living room": a place at the end may hold for clauses without a verb before it. */
export function spread(orders: readonly Order[]): Order[] {
  const out = [...orders]
  for (let index = out.length - 1; index > 0; index--) {
    const last = out[index] as Order
    const before = out[index - 1] as Order
    const clause = last.clauses[0] as Clause
    const placed = last.targets.find((one) => one.placed && isSomewhere(one.where))
    const open = before.targets.every((one) => !isSomewhere(one.where) && !one.all && one.pointer === null)
    if (
      placed &&
      open &&
      before.refusal === null &&
      (clause.verb === null || clause.all) &&
      (clause.link === 'and' || clause.link === 'comma' || clause.link === '')
    ) {
      out[index - 1] = {
        ...before,
        targets: before.targets.map((one) => ({ ...one, where: placed.where, placed: true })),
      }
    }
  }
  // Where the speaker is away, a place at the end may hold for all that was said before it.
  for (let index = out.length - 2; index >= 0; index--) {
    const behind = out[index + 1]
    const later =
      behind?.targets.find((one) => one.placed && one.where.areas.length > 0)?.where ??
      behind?.targets.find((one) => one.later)?.later
    const order = out[index]
    if (later && order) out[index] = { ...order, targets: order.targets.map((one) => ({ ...one, later })) }
  }
  // "all in the living room" holds for everything before.
  const all = out.find((order) => order.clauses.some((clause) => clause.all) && order.targets.some((one) => one.placed))
  const where = all?.targets.find((one) => one.placed)?.where
  return where
    ? out.map((order) => ({
        ...order,
        targets: order.targets.map((one) => (isSomewhere(one.where) ? one : { ...one, where })),
      }))
    : out
}
