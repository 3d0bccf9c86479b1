/**
 * From clauses to orders: what is left out is taken from the clause before, corrections replace, pointers find what they
 * point at.
 * @module
 */
import type { CommandKind } from '@flow-service/protocol'

import type { Clause } from '../parse/clause.ts'
import { isSomewhere, nowhere, type Where } from '../parse/parts.ts'
import type { Sense } from '../words/senses.ts'
import { replaced } from './corrections.ts'
import { hasKind, kindOfDeed, leaves, orderOf, unnamed, targetsOf, type Order, type Target } from './order.ts'
import { withoutNamed } from './rest.ts'
import { spread } from './spread.ts'
import { isAnotherTime, isDenial, isEmpty, isFelt, isLeft, isNumber } from './traits.ts'

/** What somebody feels, and where. */
export interface Feeling {
  readonly sense: Sense
  readonly where: Where
  readonly clause: Clause
}

/** What a sentence orders and tells. */
export interface Discourse {
  readonly orders: readonly Order[]
  readonly feelings: readonly Feeling[]
  /** Why nothing at all is done. */
  readonly refusal: string | null
}

interface Talk {
  orders: Order[]
  feelings: Feeling[]
  /** What was spoken of last. */
  mention: readonly Target[]
  /** Everything that was spoken of. */
  named: readonly Target[]
  /** A delay at the front of the sentence. */
  leading: number | null
  /** The place that was named last. */
  place: Where | null
  /** What the sentence began with: "bedroom: lights off, curtains shut". */
  topic: Target | null
  corrects: boolean
  refusal: string | null
  told: string | null
}

/** What a pointer points at: "the bedroom one", "it", "them". */
function meantBy(one: Target, where: Where, source: readonly Target[]): readonly Target[] {
  if (one.pointer === 'one') {
    const last = source.findLast(hasKind)
    const place = isSomewhere(where) ? where : (last?.where ?? nowhere)
    return [{ ...one, pointer: last ? null : 'one', kind: last?.kind ?? null, where: place }]
  }
  const meant = one.pointer === 'it' ? source.slice(-1) : source
  return meant.map((other) => ({
    ...other,
    all: other.all || one.all,
    where: isSomewhere(where) ? where : other.where,
  }))
}

/** Whether it is not said of a thing where it is. */
const isOpen = (one: Target | undefined): boolean =>
  one !== undefined && hasKind(one) && !one.all && !isSomewhere(one.where)

/** Pointers get what they point at. */
function pointed(order: Order, talk: Talk): Order {
  let known: Target[] = []
  for (const one of order.targets) {
    const where = one.where.there ? placeOf(talk, known, one.where) : one.where
    const source = known.length > 0 ? known : talk.mention
    const again = known.length > 0 && (one.pointer === 'it' || one.pointer === 'them')
    // A topic that a pointer takes up again counts once: "the driveway, turn it on".
    if (again) known = isSomewhere(where) ? known.map((other) => ({ ...other, where })) : known
    else if (one.pointer === null || source.length === 0) known.push({ ...one, where })
    // "the lights off, the kitchen ones"
    else if (one.pointer === 'one' && isSomewhere(where) && isOpen(known.at(-1)))
      known = known.map((other) => (isOpen(other) ? { ...other, where, all: one.all } : other))
    else known.push(...meantBy(one, where, source))
  }
  // "make it cooler in here with the radiator": what is pointed at is named behind it.
  const vague = known.find((one) => one.pointer === 'it')
  if (vague && known.some((one) => one.kind !== null))
    return {
      ...order,
      targets: known
        .filter((one) => one !== vague)
        .map((one) => (isSomewhere(one.where) ? one : { ...one, where: vague.where })),
    }
  return { ...order, targets: known }
}

function placeOf({ mention, place }: Talk, before: readonly Target[], own: Where): Where {
  const known =
    [...before].reverse().find((one) => isSomewhere(one.where) && !one.where.there) ??
    mention.findLast((one) => isSomewhere(one.where))
  return known?.where ?? place ?? { ...own, there: false, here: true }
}

/** The place that was named before holds for things that have none. */
function near(targets: readonly Target[], place: Where | null): Target[] {
  let last = place
  return targets.map((one) => {
    if (one.where.areas.length > 0) last = one.where
    const open = !isSomewhere(one.where) && !one.all && !one.everything && one.pointer === null
    return last && open ? { ...one, where: last, carried: true } : one
  })
}

/** What is left out is as before: "kitchen light on, bedroom off", "and the office". */
function completed(order: Order, talk: Talk): Order {
  const clause = order.clauses[0] as Clause
  const before = talk.orders.at(-1)
  let { targets, deed, degrees, length } = order
  const verbless =
    clause.verb === null || (deed !== null && /^(open|close|up|down|start|stop|hold|pause|play)$/.test(deed))
  if (before && (clause.same || (deed === null && degrees === null && targets.length > 0))) {
    deed = before.deed
    degrees = before.degrees
    length ??= before.length
  }
  const known = before ?? (talk.topic ? { targets: [talk.topic], degrees: null } : null)
  if (
    known &&
    (verbless || clause.same) &&
    deed !== 'give' &&
    targets.some((one) => !hasKind(one) && one.pointer === null && degrees === null)
  ) {
    const kinds = clause.same ? known.targets : known.targets.filter(hasKind).slice(-1)
    const all =
      order.clauses[0]?.same === true || deed === before?.deed ? (before?.targets.filter(hasKind) ?? kinds) : kinds
    const shared =
      all.length > 1 && all.every((one) => JSON.stringify(one.where) === JSON.stringify(all[0]?.where)) ? all : kinds
    if (shared.length > 0)
      targets = targets.flatMap((one) =>
        hasKind(one) ? [one] : shared.map((like) => ({ ...one, kind: like.kind, everything: like.everything })),
      )
  }
  // "bedroom curtains shut and the lamp on": the area that was named before.
  targets = near(targets, talk.place)
  if (targets.length === 0 && degrees !== null && talk.place)
    targets = [{ ...unnamed, kind: 'heating', where: talk.place, carried: true }]
  if (targets.length === 0 && talk.topic && (deed !== null || degrees !== null)) targets = [talk.topic]
  const { topic } = talk
  if (topic && isSomewhere(topic.where))
    targets = targets.map((one) =>
      isSomewhere(one.where) || one.pointer !== null ? one : { ...one, where: topic.where },
    )
  return { ...order, targets, deed, degrees, length }
}

/** The kind of thing that an order is about which names none. */
const kindMeant = (order: Order): CommandKind | null =>
  order.degrees !== null ? 'heating' : order.deed === null ? null : (kindOfDeed[order.deed] ?? null)

/** Whether an order only says how long the one before lasts: "and let it run for ten minutes". */
function lasts(order: Order, before: Order | undefined): boolean {
  const clause = order.clauses[0]
  if (!before || order.length === null || before.length !== null || !clause) return false
  const still =
    clause.verb?.leaves === true ||
    clause.second?.alone === 'start' ||
    clause.verb?.alone === 'start' ||
    clause.second?.alone === 'play' ||
    order.deed === before.deed
  return (
    still &&
    JSON.stringify(order.targets.map((one) => [one.kind, one.where.areas])) ===
      JSON.stringify(before.targets.map((one) => [one.kind, one.where.areas]))
  )
}

const replaceLast = (talk: Talk, order: Order): void => {
  talk.orders[talk.orders.length - 1] = order
}

/** A clause of a time alone: "in ten minutes," at the front, or one that corrects another. */
function timeAlone(clause: Clause, corrects: boolean, talk: Talk): void {
  const before = talk.orders.at(-1)
  const { refusal } = orderOf(clause)
  if (corrects && before && clause.delay !== null) replaceLast(talk, { ...before, delay: clause.delay })
  else if (clause.delay !== null) talk.leading = clause.delay
  else if (refusal !== null && before) replaceLast(talk, { ...before, refusal })
  else if (refusal !== null) talk.refusal ??= refusal
  talk.corrects = corrects && clause.delay === null
}

/** Whether an order is about a group of things. */
const isMany = (order: Order): boolean =>
  order.targets.some((one) => one.all || one.everything || one.where.groups.length > 0)

/** Whether a clause leaves something as it is: "don't turn off the kitchen", "the study can stay on". */
const isSparing = (clause: Clause, before: Order): boolean =>
  leaves(clause) || (clause.dont && orderOf(clause).deed === before.deed)

/** "everything off, but leave the heat alone": what is left is excepted. */
function spared(clause: Clause, before: Order): Order | null {
  if (
    !isMany(before) ||
    !isSparing(clause, before) ||
    clause.degrees !== null ||
    !/^(but|comma|and|stop|)$/.test(clause.link)
  )
    return null
  const every = before.targets.some((one) => one.everything)
  return {
    ...before,
    out: [...before.out, ...clause.parts.map((part) => ({ ...part, kind: every ? part.kind : null }))],
  }
}

/** Remembers what an order speaks of. */
function remember(order: Order, talk: Talk): void {
  talk.place = order.targets.findLast((one) => one.where.areas.length > 0 && !one.carried)?.where ?? talk.place
  if (order.targets.length === 0) return
  talk.mention = order.targets.map((one) => ({ ...one, kind: one.kind ?? kindMeant(order) }))
  talk.named = [...talk.named, ...talk.mention]
}

function command(clause: Clause, talk: Talk): void {
  const before = talk.orders.at(-1)
  const corrects = clause.link === 'corr' || talk.corrects || isAnotherTime(clause, before)
  talk.corrects = clause.not
  if (clause.not) {
    if (before && clause.link === 'stop' && isMany(before)) {
      replaceLast(talk, { ...before, out: [...before.out, ...clause.parts] })
      talk.corrects = false
    } else if (!before) talk.mention = targetsOf(clause.parts)
    return
  }
  if (isEmpty(clause)) {
    timeAlone(clause, corrects, talk)
    return
  }
  // "in twenty minutes, no, make it half an hour, …"
  if (
    corrects &&
    !before &&
    talk.leading !== null &&
    (clause.length !== null || isNumber(clause)) &&
    clause.state === null &&
    clause.parts.every((part) => part.pointer === 'it')
  ) {
    talk.leading = clause.length ?? (clause.degrees?.celsius ?? 0) * (talk.leading % 3600 === 0 ? 3600 : 60)
    return
  }
  const alone = orderOf(clause)
  // "in twenty minutes, no, make it half an hour, switch off …"
  const later = corrects && !before && talk.leading !== null && alone.length !== null
  if (later) talk.leading = alone.length
  const said = pointed(later ? { ...alone, length: null } : alone, talk)
  const less = before && !corrects ? spared(clause, before) : null
  if (less) {
    replaceLast(talk, less)
    return
  }
  let order = withoutNamed(corrects && before ? replaced(clause, said, before) : completed(said, talk), talk.named)
  if (corrects && before) talk.orders.pop()
  if (order.delay === null && talk.leading !== null) order = { ...order, delay: talk.leading }
  if (clause.early && clause.delay !== null) talk.leading = clause.delay
  remember(order, talk)
  if (before && lasts(order, before)) {
    replaceLast(talk, { ...before, length: order.length })
    return
  }
  const unsaid = order.deed === null && order.degrees === null && order.refusal === null
  if (unsaid && talk.orders.length === 0 && !corrects) talk.topic = order.targets[0] ?? null
  if (!unsaid || talk.orders.length > 0 || corrects || clause.verb !== null || clause.length !== null)
    talk.orders.push(order)
}

/** "the balcony, I mean": a word of correction at the end is for the clause before it. */
function afterthoughts(clauses: readonly Clause[]): readonly Clause[] {
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

/** What the clauses of a sentence order and tell. */
export function discourse(clauses: readonly Clause[]): Discourse {
  const talk: Talk = {
    orders: [],
    feelings: [],
    mention: [],
    named: [],
    leading: null,
    place: null,
    topic: null,
    corrects: false,
    refusal: null,
    told: null,
  }
  const all = afterthoughts(clauses)
  for (const [at, clause] of all.entries()) {
    if (clause.kind === 'cond')
      return {
        orders: [],
        feelings: [],
        refusal: 'a condition: only what is to be done at once or after a delay can be done',
      }
    if (clause.kind === 'cancel' || isDenial(clause, all.slice(at + 1)) || (talk.orders.length > 0 && isLeft(clause))) {
      talk.orders = []
      talk.feelings = []
      talk.topic = null
      talk.refusal = 'taken back by the sentence itself'
    } else if (clause.kind === 'command') command(clause, talk)
    else {
      const told = targetsOf(clause.parts)
      if (told.some((one) => one.pointer === null)) talk.mention = told.filter((one) => one.pointer === null)
      talk.place = told.findLast((one) => one.where.areas.length > 0)?.where ?? talk.place
      if (clause.sense && isFelt(clause))
        talk.feelings.push({
          sense: clause.sense,
          where:
            clause.sense === 'thirsty'
              ? (told.find((one) => isSomewhere(one.where))?.where ??
                talk.mention.findLast((one) => isSomewhere(one.where))?.where ??
                nowhere)
              : placesOf(clause),
          clause,
        })
      if (clause.link === 'corr') talk.corrects = true
      if (clause.kind === 'ask') talk.told ??= 'a question'
      else if (clause.kind === 'report' && !clause.sense) talk.told ??= 'a report, nothing to be done'
    }
  }
  return { orders: spread(talk.orders), feelings: talk.feelings, refusal: talk.refusal ?? talk.told }
}

const placesOf = (clause: Clause): Where => {
  const named = placeIn(clause)
  return clause.parts.some((part) => part.where.elsewhere) ? { ...named, elsewhere: true } : named
}

const placeIn = (clause: Clause): Where =>
  clause.parts.find((part) => part.where.areas.length > 0 || part.where.here)?.where ??
  clause.parts.find((part) => isSomewhere(part.where))?.where ??
  nowhere
