/**
 * A clause: what is read of it, and what it costs as it ends.
 * @module
 */
import type { Meaning } from '../lexicon.ts'
import type { TimePhrase } from '../times.ts'
import type { Gap } from '../tokens.ts'
import type { Sense } from '../words/senses.ts'
import type { Deed, Verb } from '../words/verbs.ts'
import type { Part } from './parts.ts'

/** What a clause is: a command; a question; what somebody tells; a condition; that all is taken back; a thing of another world. */
export type ClauseKind = 'command' | 'ask' | 'report' | 'aside' | 'cond' | 'cancel'

/** How a clause is tied to the one before. */
export type Link = '' | 'comma' | 'stop' | 'and' | 'but' | 'then' | 'corr' | 'because'

/** What is read of a clause so far. */
export interface Clause {
  readonly from: number
  readonly to: number
  readonly kind: ClauseKind
  readonly link: Link
  readonly polite: boolean
  readonly wish: boolean
  readonly dont: boolean
  /** "no more music": the contrary of what is named. */
  readonly contrary: boolean
  /** Whether it was said with "no": "no music". */
  readonly none: boolean
  /** "not the kitchen": what is not meant. */
  readonly not: boolean
  readonly verb: Verb | null
  readonly form: 'base' | 'ing' | 'past'
  readonly second: Verb | null
  readonly state: Deed | 'back' | null
  readonly parts: readonly Part[]
  readonly sense: Sense | null
  /** Where the words for what somebody feels end. */
  readonly felt: number
  /** Whether what is told is said of something that is none of the house. */
  readonly stranger: boolean
  readonly delay: number | null
  /** Whether the delay was said before anything else. */
  readonly early: boolean
  /** Whether the delay begins where the one before ends: "twenty minutes after that". */
  readonly onwards: boolean
  readonly length: number | null
  /** Whether that is how much longer: "ten more minutes". */
  readonly still: boolean
  readonly now: boolean
  readonly clock: boolean
  readonly vague: boolean
  readonly change: boolean
  readonly degrees: { readonly celsius: number; readonly named: boolean; readonly to: boolean } | null
  readonly same: boolean
  readonly title: boolean
  /** A thing that the house does not have. */
  readonly foreign: boolean
  readonly reason: string | null
  readonly excluding: boolean
  readonly all: boolean
  readonly subject: boolean
  /** Words of a clause that only tells. */
  readonly told: number
  readonly only: boolean
  /** Whether it begins with a word that takes back what was said before: "no", "wait". */
  readonly denies: boolean
}

/** A clause of which nothing is read. */
export const emptyClause = (from: number, link: Link): Clause => ({
  from,
  to: from,
  kind: 'command',
  link,
  polite: false,
  wish: false,
  dont: false,
  contrary: false,
  none: false,
  not: false,
  verb: null,
  form: 'base',
  second: null,
  state: null,
  parts: [],
  sense: null,
  felt: 0,
  stranger: false,
  delay: null,
  early: false,
  onwards: false,
  length: null,
  still: false,
  now: false,
  clock: false,
  vague: false,
  change: false,
  degrees: null,
  same: false,
  title: false,
  foreign: false,
  reason: null,
  excluding: false,
  all: false,
  subject: false,
  told: 0,
  only: false,
  denies: false,
})

/** What a clause grows by: a phrase, or a noun phrase. */
export interface Piece {
  readonly from: number
  readonly to: number
  readonly cost: number
  readonly means:
    | Meaning
    | TimePhrase
    | { readonly is: 'unknown' }
    | { readonly is: 'part'; readonly part: Part }
    | { readonly is: 'foreign' }
    | { readonly is: 'circumstance' }
  readonly word: string
}

/** A longer clause, and what the piece cost. */
export interface Grown {
  readonly clause: Clause
  readonly cost: number
}

/** The clause up to the end of a piece, with what it changes. */
export const grown = (clause: Clause, piece: Piece, change: Partial<Clause>, cost: number): Grown => ({
  clause: { ...clause, ...change, to: piece.to },
  cost: cost + piece.cost,
})

/** How a piece meets the clause: what stands before it, and behind it. */
export interface Meeting {
  readonly pending: Link
  readonly gap: Gap
  readonly after: Gap
}

/** Whether nothing of a command is read yet. */
export const isFresh = (clause: Clause): boolean =>
  clause.kind === 'command' &&
  !clause.verb &&
  !clause.state &&
  clause.parts.length === 0 &&
  !clause.wish &&
  clause.degrees === null &&
  clause.length === null &&
  !clause.same &&
  !clause.foreign &&
  clause.reason === null &&
  !clause.not &&
  !clause.change

/** Whether a clause says what to do. */
export const acts = (clause: Clause): boolean =>
  clause.state !== null ||
  clause.same ||
  clause.degrees !== null ||
  clause.length !== null ||
  clause.wish ||
  clause.change ||
  (clause.verb !== null && (clause.verb.alone !== undefined || clause.verb.leaves === true || clause.second !== null))

/** What is done to things that take no temperature. */
const coldVerbs = /^(water|play|pause|lit|open|close)$/

/** Whether light or warmth is wanted where somebody only names it, and asks politely. */
export const wanted = (parts: readonly Pick<Part, 'is' | 'kind' | 'det'>[]): boolean =>
  parts.some((one) => one.kind !== null) &&
  parts.every((one) => one.is === 'place' || ((one.kind === 'light' || one.kind === 'heating') && !one.det))

/** What a clause costs as it ends; `commanded` is whether one before it said what to do. */
export function closing(clause: Clause, commanded: boolean): number {
  if (clause.kind === 'aside' && clause.subject && clause.told === 0 && !clause.sense) return 2.5
  if (clause.kind === 'report' && clause.told <= 1 && !clause.sense) return 0.6
  if (clause.kind !== 'command') return 0
  // "play Light My Fire" plays no light.
  const odd = clause.parts.some((part) => part.kind !== null && part.kind !== 'media')
  if (clause.foreign) return clause.verb?.alone === 'play' && odd ? 0.8 : 0.4
  if (clause.reason !== null) return 0.2
  if (clause.dont)
    return clause.verb || clause.state ? 0.05 : clause.parts.some((part) => part.kind !== null) ? 0.1 : 0.6
  const real = clause.parts.filter((one) => !one.out)
  // "no light" names a thing, and does not turn one off.
  if (clause.none && (real[0]?.kind == null || real[0].det || (clause.state !== null && clause.state !== 'on')))
    return 2
  const said = acts(clause)
  // "but", and then nothing.
  if (clause.excluding && clause.parts.every((part) => !part.out)) return 1
  if (!said && real.length === 0 && !clause.verb) return clause.not || clause.excluding ? 1 : 0.1
  if (clause.verb && !said) return 2.6
  const allBut = clause.all && clause.parts.some((one) => one.kind !== null)
  if (real.length === 0 && !allBut) {
    if (clause.degrees && clause.link === 'corr') return 0.1
    if (clause.degrees) return clause.degrees.named || clause.verb ? 0.3 : commanded ? 0.3 : 0.9
    if (clause.link === 'corr') return 0.3
    // "off, please"
    if (clause.state === 'off' && clause.from === 0 && clause.parts.length === 0 && clause.verb?.alone === undefined)
      return 0.9
    if (clause.verb?.alone === 'water' || clause.title || clause.second?.alone === 'play') return 0.3
    // "and off again in twenty minutes"
    if (commanded && clause.state && !clause.verb && clause.delay !== null) return 0.25
    return clause.parts.length > 0 ? 0.8 : 2.4
  }
  // Music at a place is wanted there.
  if (
    !said &&
    real.every((one) => one.kind === 'media' || one.is === 'place') &&
    real.some((one) => one.kind === 'media') &&
    (clause.polite || real.length > 1 || real.some((one) => one.title && !one.det))
  )
    return real.some((one) => one.title) ? 0.4 : clause.polite || (clause.from === 0 && real.length > 1) ? 0.6 : 1.7
  // "lights in the hall, please"
  if (!said && clause.polite && !clause.verb && wanted(real)) return 0.5
  if (clause.wish && !clause.state && !clause.verb && !clause.degrees && real.every((one) => one.is === 'place'))
    return 1.1
  if (!said)
    return clause.not ? 0.2 : commanded && clause.link !== 'stop' && clause.link !== '' ? 0.25 : commanded ? 0.4 : 0.9
  const hour =
    clause.degrees && !clause.degrees.named && clause.state === 'on' && clause.degrees.celsius <= 12 ? 0.5 : 0
  // "in ten minutes, make that fifteen"
  const time =
    clause.degrees && !clause.degrees.named && clause.early && real.every((one) => one.pointer === 'it') ? 0.6 : 0
  const misfit =
    clause.degrees &&
    (real.some((one) => one.kind !== null && one.kind !== 'heating') || coldVerbs.test(clause.verb?.alone ?? ''))
      ? 1.2
      : 0
  const both = clause.degrees && (clause.state === 'off' || clause.state === 'close') ? 0.3 : 0
  return hour + time + misfit + both
}
