/**
 * What a sentence orders, before it is known which devices that are.
 * @module
 */
import type { CommandKind } from '@flow-service/protocol'

import { wanted as isWanted, type Clause } from '../parse/clause.ts'
import { bothPlaces, isSomewhere, nowhere, type Part, type Pointer, type Where } from '../parse/parts.ts'
import type { Deed, Verb } from '../words/verbs.ts'

/** A thing, and where it is. */
export interface Target {
  readonly kind: CommandKind | null
  readonly everything: boolean
  readonly pointer: Pointer | null
  readonly where: Where
  readonly all: boolean
  readonly det: boolean
  readonly title: boolean
  /** Whether its place was said by a preposition, so that it may hold for others as well. */
  readonly placed: boolean
  /** A place that was named of something behind it. */
  readonly later: Where | null
  /** Whether its place was named of something before it. */
  readonly carried: boolean
}

/** Whether it is said what a target is. */
export const hasKind = (one: Target): boolean => one.kind !== null || one.everything

/** What is to be done with some things. */
export interface Order {
  readonly clauses: readonly Clause[]
  readonly targets: readonly Target[]
  readonly out: readonly Part[]
  readonly deed: Deed | null
  readonly degrees: number | null
  readonly length: number | null
  /** Seconds; null where none was said. */
  readonly delay: number | null
  readonly doubts: readonly string[]
  /** Why nothing is done, in words. */
  readonly refusal: string | null
}

/** Kinds that a deed speaks of when no thing is named. */
export const kindOfDeed: Readonly<Partial<Record<Deed, CommandKind>>> = {
  water: 'water',
  warm: 'heating',
  cool: 'heating',
  play: 'media',
  lit: 'light',
}

/** Whether what a clause names is to stay as it is. */
export const leaves = (clause: Clause): boolean => (clause.second ?? clause.verb)?.leaves === true

/** What a clause wants to be done; null where it does not say. */
function deedOf(clause: Clause): Deed | null {
  const main: Verb | null = clause.second ?? clause.verb
  if (clause.second && clause.verb?.ends === true) return 'stop'
  const { state } = clause
  if (state !== null) {
    const special = main?.states as Readonly<Record<string, Deed>> | undefined
    const own = special?.[state]
    if (own !== undefined) return own
    if (state === 'back') return main?.alone === 'close' || main?.alone === undefined ? 'open' : main.alone
    if (main?.alone === 'up' || main?.alone === 'down' || main?.alone === 'toggle' || main?.alone === 'play')
      return main.alone
    if ((main?.alone === 'stop' || main?.alone === 'pause' || main?.alone === 'start') && state !== 'on')
      return main.alone
    return state
  }
  if (main?.alone !== undefined) return main.alone
  // "make the telly go"
  if (clause.second) return 'give'
  return clause.verb?.alone ?? null
}

/** A target of which nothing is said. */
export const unnamed: Target = {
  kind: null,
  everything: false,
  pointer: null,
  where: nowhere,
  all: false,
  det: false,
  title: false,
  placed: false,
  later: null,
  carried: false,
}

const target = (part: Part): Target => ({
  kind: part.kind,
  everything: part.is === 'everything',
  pointer: part.pointer,
  where: part.where,
  all: part.all,
  det: part.det,
  title: part.title,
  placed: false,
  carried: false,
  later: null,
})

/** Whether places stand before a thing without a preposition. */
const bare = (ahead: Where, parts: readonly Part[]): boolean =>
  ahead.areas.length > 0 && parts.every((part) => part.is !== 'place' || !part.prep)

/** The targets of the parts of a clause: a place belongs to the things before it that have none. */
export function targetsOf(parts: readonly Part[]): Target[] {
  const out: Target[] = []
  let ahead: Where = nowhere
  let aheadAll = false
  let attached: number[] = []
  for (const part of parts) {
    if (part.out) continue
    if (part.is !== 'place') {
      const before = out.at(-1)
      const named = target(part)
      // "the kitchen, office, and bedroom lights": one list of places.
      const list =
        out.length === 0 && part.linked && !part.det && !part.all && isSomewhere(part.where) && bare(ahead, parts)
      const made = list ? { ...named, where: bothPlaces(ahead, part.where) } : named
      if (list) ahead = nowhere
      const inherits =
        before !== undefined &&
        isSomewhere(before.where) &&
        !isSomewhere(made.where) &&
        !made.det &&
        !made.all &&
        part.linked &&
        !made.pointer &&
        !before.placed
      out.push(inherits ? { ...made, where: before.where } : made)
      attached = []
    } else if (out.length === 0) {
      ahead = bothPlaces(ahead, part.where)
      aheadAll ||= part.all
    } else {
      attached = attach(out, part, attached)
    }
  }
  if (isSomewhere(ahead)) {
    if (out.length === 0)
      return [
        {
          ...target({ ...(parts[0] as Part), where: ahead, is: 'place', kind: null, pointer: null }),
          all: aheadAll,
          everything: false,
        },
      ]
    return out.map((one) => (isSomewhere(one.where) ? one : { ...one, where: ahead, placed: true }))
  }
  return out
}

function attach(out: Target[], part: Part, attached: readonly number[]): number[] {
  if (part.linked && attached.length > 0) {
    for (const index of attached) {
      const one = out[index]
      if (one) out[index] = { ...one, where: bothPlaces(one.where, part.where) }
    }
    return [...attached]
  }
  const open: number[] = []
  for (let index = out.length - 1; index >= 0; index--) {
    const one = out[index]
    if (!one || isSomewhere(one.where)) break
    open.push(index)
  }
  const whole = out.at(-1)
  // "every shutter, the garage as well"
  if (part.linked && !part.prep && open.length > 0 && whole?.all === true) {
    out.push({ ...whole, all: false, where: part.where })
    return [out.length - 1]
  }
  for (const index of open) {
    const one = out[index]
    if (one) out[index] = { ...one, where: part.where, all: one.all || part.all, placed: true }
  }
  if (open.length > 0) return open
  const last = out.at(-1)
  if (!last) return []
  const wider = part.where.groups.length > 0 || part.where.here || part.where.there
  if (wider && !part.linked) out[out.length - 1] = { ...last, where: narrow(last.where, part.where) }
  else out.push({ ...last, where: part.where, placed: true })
  return [out.length - 1]
}

/** "the outside lights in the house": the narrower of both. */
function narrow(one: Where, other: Where): Where {
  if (one.areas.length > 0) return other.here || other.there || other.groups.length > 0 ? one : bothPlaces(one, other)
  if (one.groups.length > 0 && other.groups.length > 0) return one.groups.includes('all') ? other : one
  return bothPlaces(one, other)
}

/** "music in the kitchen, please" */
const wantsMusic = (clause: Clause, targets: readonly Target[]): boolean =>
  !clause.not &&
  (clause.link === '' || clause.link === 'stop') &&
  targets.length > 0 &&
  targets.every((one) => one.kind === 'media' && one.pointer === null) &&
  (clause.polite || targets.every((one) => isSomewhere(one.where)))

const contraryDeeds: Readonly<Partial<Record<Deed, Deed>>> = {
  give: 'off',
  on: 'off',
  off: 'on',
  open: 'close',
  close: 'open',
  up: 'down',
  down: 'up',
  play: 'stop',
  start: 'stop',
  lit: 'off',
  warm: 'off',
  water: 'stop',
}

/** What is excepted: a place behind a thing is where that thing is. */
function excepted(parts: readonly Part[]): Part[] {
  const out: Part[] = []
  for (const part of parts) {
    const last = out.at(-1)
    if (last && part.is === 'place' && part.prep && !part.linked && last.is === 'thing' && !isSomewhere(last.where))
      out[out.length - 1] = { ...last, where: part.where }
    else out.push(part)
  }
  return out
}

/** "the headlines on the office radio": what is heard, and from where. */
function titled(targets: readonly Target[]): readonly Target[] {
  const from = targets.find((one) => one.kind === 'media' && !one.title && isSomewhere(one.where))
  const heard = targets.filter((one) => one.title && !isSomewhere(one.where))
  return from && heard.length > 0
    ? targets.filter((one) => !heard.includes(one)).map((one) => (one === from ? { ...one, title: true } : one))
    : targets
}

/** The order of one clause alone. */
export function orderOf(clause: Clause): Order {
  const deed = deedOf(clause)
  // "stop watering the patio": the verb names the thing.
  const meant = clause.second ?? (clause.contrary ? clause.verb : null)
  const named = meant ? (kindOfDeed[meant.alone ?? 'on'] ?? null) : null
  const targets = targetsOf(clause.parts).map((one) =>
    one.kind === null && one.pointer === null && !one.everything ? { ...one, kind: named } : one,
  )
  // "all but the study radiator"
  const pointed = targets.every((one) => one.pointer === 'them' || one.pointer === 'lot')
  const but = (targets.length === 0 ? clause.all : pointed)
    ? clause.parts.find((part) => part.out && part.kind !== null)
    : undefined
  // "all rooms except the study heating off"
  const swallowed = targets.every((one) => one.kind === null && one.pointer === null && one.where.groups.length > 0)
    ? clause.parts.find((part) => part.out && part.kind !== null && isSomewhere(part.where))
    : undefined
  if (swallowed && !targets.some((one) => one.everything))
    targets.splice(0, targets.length, ...targets.map((one) => ({ ...one, kind: swallowed.kind })))
  if (but) targets.splice(0, targets.length, { ...unnamed, kind: but.kind, all: true })
  const wanted =
    clause.wish ||
    (clause.length !== null && targets.some((one) => one.kind !== null && one.kind !== 'cover')) ||
    wantsMusic(clause, targets) ||
    (clause.polite && !clause.verb && isWanted(clause.parts.filter((part) => !part.out)))
  const said = deed ?? (clause.degrees || clause.same || !wanted ? null : 'give')
  return {
    clauses: [clause],
    targets: clause.all ? targets.map((one) => ({ ...one, all: true })) : titled(targets),
    out: excepted(clause.parts.filter((part) => part.out)),
    deed: clause.contrary ? (contraryDeeds[said ?? 'give'] ?? said) : said,
    degrees: clause.degrees?.celsius ?? null,
    length: clause.length,
    delay: clause.delay ?? (clause.now ? 0 : null),
    doubts: [],
    refusal: refusalOf(clause),
  }
}

/** Why a clause orders nothing, whatever it names. */
function refusalOf(clause: Clause): string | null {
  if (clause.dont) return 'not to be done, as the sentence says'
  if (clause.foreign && !clause.parts.some((part) => part.linked && part.kind !== null && !part.out))
    return 'a thing that is none of this house'
  if (clause.reason !== null) return clause.reason
  if (clause.change) return 'heating takes a temperature such as "20 degrees": by how many degrees is not known'
  if (clause.clock) return 'a clock time or a day: only delays such as "in ten minutes" can be done'
  if (clause.vague) return 'a time that is not exact: only delays such as "in ten minutes" can be done'
  const main = clause.verb
  if (main?.ends === true && clause.second?.set === true && clause.second.alone === undefined)
    return 'not to be done, as the sentence says'
  if (
    main?.base.startsWith('let') === true &&
    clause.state === 'on' &&
    clause.parts.some((part) => part.pointer !== null)
  )
    return 'to be left as it is'
  if (leaves(clause) && clause.degrees === null) return 'to be left as it is'
  return null
}
