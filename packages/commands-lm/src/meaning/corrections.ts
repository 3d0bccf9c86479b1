/**
 * Corrections: what a sentence says instead of what it has said before.
 * @module
 */
import type { Clause } from '../parse/clause.ts'
import { isSomewhere, nowhere, type Part } from '../parse/parts.ts'
import { hasKind, type Order, type Target } from './order.ts'

/** What a correction leaves of the order before. */
function corrected(before: Order, change: Order): Order {
  const clause = change.clauses[0]
  let { targets } = change
  const last = before.targets.at(-1)
  if (targets.length === 0) targets = before.targets
  else if (targets.every((one) => !hasKind(one) && one.pointer === null)) {
    // Only a place is another.
    const where = targets[0]?.where ?? nowhere
    const rest = clause?.only === true ? [] : before.targets.slice(0, -1)
    const base = last ?? targets[0]
    targets = base ? [...rest, { ...base, where, all: base.all && where.groups.length > 0 }] : targets
    if (
      clause?.only === true ||
      before.targets.every((one) => JSON.stringify(one.where) === JSON.stringify(last?.where))
    )
      targets = before.targets.map((one) => ({ ...one, where }))
  } else if (last)
    targets = targets.map((one) =>
      isSomewhere(one.where) || one.all ? one : { ...one, kind: one.kind ?? last.kind, where: last.where },
    )
  // "in six minutes, no, make it seven".
  if (
    change.degrees !== null &&
    before.degrees === null &&
    (before.delay !== null || before.length !== null) &&
    change.targets.every((one) => one.pointer === 'it' || JSON.stringify(one) === JSON.stringify(last))
  ) {
    const said = change.degrees * ((before.delay ?? before.length ?? 0) % 3600 === 0 ? 3600 : 60)
    return before.delay === null ? { ...before, length: said } : { ...before, delay: said }
  }
  // "in ten, no, fifteen minutes".
  const later = change.length !== null && before.length === null && before.delay !== null && change.delay === null
  return {
    ...change,
    clauses: [...before.clauses, ...change.clauses],
    targets,
    out: change.out.length > 0 ? change.out : before.out,
    deed: change.deed ?? (change.degrees === null || before.degrees !== null ? before.deed : null),
    degrees: change.degrees ?? (change.deed === null ? before.degrees : null),
    length: later ? before.length : (change.length ?? before.length),
    delay: later ? change.length : (change.delay ?? before.delay),
    refusal: change.refusal ?? (change.deed !== null || change.degrees !== null ? null : before.refusal),
  }
}

/** The order that a correction makes of the one before. */
export function replaced(clause: Clause, order: Order, before: Order): Order {
  const whole =
    clause.parts.every((part) => part.pointer === null) &&
    order.targets.length > 0 &&
    order.targets.every((one) => hasKind(one) && isSomewhere(one.where)) &&
    (order.deed !== null || order.degrees !== null)
  return whole
    ? { ...order, delay: order.delay ?? before.delay, length: order.length ?? before.length }
    : corrected(before, order)
}

/** A target without what was taken back; null where nothing is left of it. */
function lessOf(one: Target, part: Part): Target | null {
  if (part.kind !== null && part.kind !== one.kind) return one
  if (!isSomewhere(part.where)) return part.kind === null ? one : null
  const { areas } = one.where
  const left = areas.filter((area) => !part.where.areas.includes(area))
  if (left.length === areas.length) return one
  return left.length === 0 ? null : { ...one, where: { ...one.where, areas: left } }
}

/** "and the radio. No, not the radio": the orders without what was taken back and not replaced. */
export const withoutDenied = (orders: readonly Order[], denied: readonly Part[]): Order[] =>
  orders
    .map((order) => ({
      ...order,
      targets: order.targets.flatMap((target) => {
        const left = denied.reduce<Target | null>((one, part) => one && lessOf(one, part), target)
        return left ? [left] : []
      }),
    }))
    .filter((order, at) => order.targets.length > 0 || orders[at]?.targets.length === 0)

/** "the balcony, I mean": a word of correction at the end is for the clause before it. */
export function afterthoughts(clauses: readonly Clause[]): readonly Clause[] {
  const last = clauses.at(-1)
  const before = clauses.at(-2)
  if (
    !last ||
    !before ||
    clauses.length < 3 ||
    last.link !== 'corr' ||
    last.kind !== 'command' ||
    last.parts.length > 0 ||
    last.verb ||
    last.state ||
    before.kind !== 'command'
  )
    return clauses
  return [...clauses.slice(0, -2), { ...before, link: 'corr' }]
}
