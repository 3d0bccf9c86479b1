/**
 * From clauses to orders: what is left out is taken from the clause before, corrections replace, pointers find what they
 * point at.
 * @module
 */
import type { CommandKind } from '@flow-service/protocol'

import { acts, type Clause } from '../parse/clause.ts'
import { isSomewhere, nowhere, type Part, type Where } from '../parse/parts.ts'
import type { Sense } from '../words/senses.ts'
import { afterthoughts, replaced, withoutDenied } from './corrections.ts'
import { hasKind, kindOfDeed, leaves, orderOf, unnamed, targetsOf, type Order, type Target } from './order.ts'
import { pointed, withoutNamed } from './pointers.ts'
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
  /** The orders that the sentence has just taken back. */
  cancelled: readonly Order[]
  /** What was taken back, and not yet replaced. */
  denied: readonly Part[]
  refusal: string | null
  told: string | null
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

/** "garage shut": its door. */
const isGarage = (one: Target, deed: Order['deed']): boolean =>
  one.where.areas.join() === 'garage' && deed !== null && /^(open|close|shut)$/.test(deed)

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
    targets.some((one) => !hasKind(one) && one.pointer === null && degrees === null && !isGarage(one, deed))
  ) {
    const kinds = clause.same ? known.targets : known.targets.filter(hasKind).slice(-1)
    const all =
      order.clauses[0]?.same === true || deed === before?.deed ? (before?.targets.filter(hasKind) ?? kinds) : kinds
    const shared =
      all.length > 1 && all.every((one) => JSON.stringify(one.where) === JSON.stringify(all[0]?.where)) ? all : kinds
    if (shared.length > 0)
      targets = targets.flatMap((one) =>
        hasKind(one) || isGarage(one, deed)
          ? [one]
          : shared.map((like) => ({ ...one, kind: like.kind, everything: like.everything })),
      )
  }
  // "the lamp on, and off again in an hour"
  if (before && clause.verb === null && deed !== null && order.delay !== null && targets.length === 0)
    targets = before.targets
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
  leaves(clause) || (clause.dont && [null, before.deed].includes(orderOf(clause).deed))

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

/** "ten more minutes of telly": only how long something that is on still lasts. */
const isLast = ({ clauses, length, delay, deed }: Order): boolean =>
  length !== null && delay === null && deed === 'give' && clauses.every((one) => one.still && !one.verb && !one.wish)

/** "it goes off", "off": the end of what was named before. */
const isEnd = ({ deed, delay, length, targets }: Order): boolean =>
  (deed === 'off' || deed === 'stop') &&
  delay === null &&
  length === null &&
  targets.every((one) => one.pointer === 'it' || one.pointer === 'them')

/** Remembers what an order speaks of. */
function remember(order: Order, talk: Talk): void {
  talk.place = order.targets.findLast((one) => one.where.areas.length > 0 && !one.carried)?.where ?? talk.place
  if (order.targets.length === 0) return
  talk.mention = order.targets.map((one) => ({ ...one, kind: one.kind ?? kindMeant(order) }))
  talk.named = [...talk.named, ...talk.mention]
}

function command(clause: Clause, talk: Talk): void {
  // "scratch that, the study": only what is named is another.
  if (talk.cancelled.length > 0 && clause.parts.length > 0 && !acts(clause) && !clause.verb && !clause.not) {
    talk.orders = [...talk.cancelled]
    talk.corrects = true
  }
  talk.cancelled = []
  const before = talk.orders.at(-1)
  const corrects = clause.link === 'corr' || talk.corrects || isAnotherTime(clause, before)
  talk.corrects = clause.not
  if (clause.not) {
    if (before && isMany(before) && clause.parts.every((part) => part.is === 'place' || part.pointer !== null)) {
      replaceLast(talk, { ...before, out: [...before.out, ...clause.parts] })
      talk.corrects = false
    } else if (before) talk.denied = clause.parts
    else {
      talk.mention = targetsOf(clause.parts)
      talk.named = talk.mention
    }
    return
  }
  if (isEmpty(clause)) {
    timeAlone(clause, corrects, talk)
    return
  }
  // "in ten minutes, make that fifteen, …"
  if (
    corrects &&
    !before &&
    talk.leading !== null &&
    clause.degrees?.named === false &&
    !clause.verb?.alone &&
    clause.parts.every((part) => part.pointer === 'it')
  ) {
    talk.leading = clause.degrees.celsius * (talk.leading % 3600 === 0 ? 3600 : 60)
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
  // "ten more minutes of telly, then it goes off"
  if (before && clause.link === 'then' && isLast(before) && isEnd(alone)) {
    const until = pointed({ ...alone, delay: before.length }, talk)
    const order = { ...until, targets: until.targets.length > 0 ? until.targets : before.targets }
    replaceLast(talk, order)
    remember(order, talk)
    return
  }
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
  if (clause.onwards && before?.delay != null && !corrects && order.delay !== null)
    order = { ...order, delay: before.delay + (before.length ?? 0) + order.delay }
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

/** "oh wait, I'm in the lounge": where the speaker is, said as a correction of where. */
const isElsewhere = (clause: Clause): boolean =>
  clause.sense === 'home' && clause.link === 'corr' && clause.parts.some((part) => part.where.areas.length > 0)

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
    cancelled: [],
    denied: [],
    refusal: null,
    told: null,
  }
  const all = afterthoughts(clauses)
  for (const [at, read] of all.entries()) {
    const clause =
      talk.orders.length > 0 && isElsewhere(read) ? { ...read, kind: 'command' as const, sense: null } : read
    if (clause.kind === 'cond')
      return {
        orders: [],
        feelings: [],
        refusal: 'a condition: only what is to be done at once or after a delay can be done',
      }
    if (clause.kind === 'cancel' || isDenial(clause, all.slice(at + 1)) || (talk.orders.length > 0 && isLeft(clause))) {
      talk.cancelled = talk.orders
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
  const orders = talk.corrects ? withoutDenied(talk.orders, talk.denied) : talk.orders
  return { orders: spread(orders), feelings: talk.feelings, refusal: talk.refusal ?? talk.told }
}

const placesOf = (clause: Clause): Where => {
  const named = placeIn(clause)
  return clause.parts.some((part) => part.where.elsewhere) ? { ...named, elsewhere: true } : named
}

const placeIn = (clause: Clause): Where =>
  clause.parts.find((part) => part.where.areas.length > 0 || part.where.here)?.where ??
  clause.parts.find((part) => isSomewhere(part.where))?.where ??
  nowhere
