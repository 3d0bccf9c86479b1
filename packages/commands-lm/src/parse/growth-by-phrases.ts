/**
 * How a clause grows by small words and by times.
 * @module
 */
import type { TimePhrase } from '../times.ts'
import { gaps } from '../tokens.ts'
import { grown, isFresh, type Clause, type Grown, type Meeting, type Piece } from './clause.ts'
import { growByPart } from './growth-by-things.ts'
import { isSomewhere, nowhere, type Part } from './parts.ts'

const unnamed: Part = {
  from: 0,
  to: 0,
  is: 'thing',
  kind: null,
  pointer: null,
  where: nowhere,
  all: false,
  prep: false,
  det: false,
  title: false,
  plant: false,
  out: false,
  linked: false,
  late: false,
}

const groupSaid = (clause: Clause): boolean =>
  clause.parts.some((one) => !one.out && (one.all || one.where.groups.length > 0 || one.is === 'everything')) ||
  clause.all

/** Words told, of a clause that has begun with what can only be told. */
export const OPENED = 50

type Growth = (clause: Clause, piece: Piece, meeting: Meeting) => Grown | null

/** "come on" behind a thing is what it should do, before anything else it is said to somebody. */
const isCall = (clause: Clause, { word }: Piece, { gap }: Meeting): boolean =>
  /^(come|go) on/.test(word) && clause.parts.length > 0 && gap === gaps.none

const polite: Growth = (clause, piece, meeting) => {
  if (isCall(clause, piece, meeting)) return null
  // "I don't want you to": not the contrary, but nothing.
  if (clause.contrary && clause.parts.length === 0 && /\byou\b/.test(piece.word)) return null
  // "I'd be glad if you turned it off" wants what it names.
  if (isFresh(clause) && / if\b/.test(piece.word)) return grown(clause, piece, { polite: true, wish: true }, 0)
  // Who thanks first asks for nothing.
  if (isFresh(clause) && /^(thanks|thank|cheers|ta)\b/.test(piece.word)) return grown(clause, piece, {}, 0)
  if (isFresh(clause) || meeting.after >= gaps.comma || piece.to - piece.from === 1)
    return grown(clause, piece, { polite: true }, 0)
  return grown(clause, piece, { polite: true }, clause.parts.length > 0 && !clause.verb && !clause.state ? 0.15 : 0.3)
}

const wish: Growth = (clause, piece) => {
  const { foreign, parts, verb, state, dont } = clause
  // "my teddy wants the lamp on"
  if (foreign && parts.length === 0 && !verb && /^(wants|needs|want|need|would)/.test(piece.word))
    return grown(clause, piece, { wish: true, foreign: false }, 0.3)
  if (verb || state || clause.wish || dont) return null
  // "she wanted to" tells what was.
  if (/^(he|she|they) .*wanted/.test(piece.word)) return grown(clause, piece, { wish: true }, 0.4)
  return grown(clause, piece, { wish: true, excluding: false }, parts.some((one) => !one.out) ? 0.4 : 0)
}

const not: Growth = (clause, piece) => {
  if (clause.excluding && clause.parts.at(-1)?.out === true) return grown(clause, piece, {}, 0.02)
  if (groupSaid(clause) && !clause.excluding) return grown(clause, piece, { excluding: true }, 0.1)
  return isFresh(clause) ? grown(clause, piece, { not: true }, 0.1) : null
}

/** Words that except something, and may say other things as well. */
const ambiguous = /^(but|only|just|without|less|save|leaving|keeping|skip|expect|accept)/

const except: Growth = (clause, piece) => {
  const group = groupSaid(clause)
  // "turn off all but the study radiator"
  if (/^(all|every|everyone) but/.test(piece.word) && !clause.excluding && clause.parts.length === 0)
    return grown(clause, piece, { excluding: true, all: true }, 0)
  const open = clause.parts.some((one) => !one.out && one.kind !== null && !isSomewhere(one.where))
  if (clause.excluding || !(group || open || isFresh(clause) || clause.wish)) return null
  // "lights off except the kitchen" speaks of all lights.
  const some =
    open && !ambiguous.test(piece.word)
      ? 0.1
      : isFresh(clause)
        ? ambiguous.test(piece.word) && piece.word !== 'but for'
          ? 0.2
          : 0
        : 0.6
  return grown(clause, piece, { excluding: true }, group ? 0 : some)
}

/** "bathroom and patio excepted": all places of the list. */
function outFromList(before: readonly Part[], last: Part): readonly Part[] {
  let from = before.length
  let { linked } = last
  while (linked && from > 1 && before[from - 1]?.is === 'place' && before[from - 1]?.linked === true) {
    from--
    linked = before[from]?.linked === true
  }
  return [...before.slice(0, from), ...[...before.slice(from), last].map((one) => ({ ...one, out: true }))]
}

/** "the kitchen excepted" */
const excepted: Growth = (clause, piece, meeting) => {
  const last = clause.parts.at(-1)
  // "only the kitchen's is spared", "but let the study be"
  if (last?.out === true && piece.word !== 'not') return grown(clause, piece, {}, 0.02)
  if (!last || last.out || piece.word === 'be') return null
  // "study not", and nothing behind it
  if (piece.word === 'not' && meeting.after < gaps.stop) return null
  const before = clause.parts.slice(0, -1)
  // "the study aside, turn off all the radiators"
  if (before.length === 0 && !(meeting.after === gaps.comma && !clause.verb && !clause.state)) return null
  if (before.length > 0 && !groupSaid({ ...clause, parts: before })) return null
  return grown(clause, piece, { parts: outFromList(before, last) }, before.length === 0 ? 0 : -0.3)
}

const aux: Growth = (clause, piece) => {
  if (clause.parts.length > 0 && !clause.verb && !clause.wish && !clause.state)
    return grown(clause, piece, { kind: 'report', told: 1 }, 0.25)
  return isFresh(clause)
    ? grown(clause, piece, { kind: 'aside', subject: true, told: 1 }, piece.word === 'already' ? 0 : 0.6)
    : null
}

/** "give the grass a drink" */
const some: Growth = (clause, piece, meeting) =>
  clause.verb?.alone === 'give' && /drink|soak|drop|splash|shower|watering|drench/.test(piece.word)
    ? growByPart(
        clause,
        piece,
        { ...unnamed, from: piece.from, to: piece.to, kind: 'water' },
        { ...meeting, pending: 'and' },
      )
    : grown(clause, piece, {}, 0.15)

/** Only where nothing of a command was said yet. */
const first =
  (change: Partial<Clause>, cost: number): Growth =>
  (clause, piece) =>
    isFresh(clause) && !clause.dont ? grown(clause, piece, change, cost) : null

/** "she used to turn it off", "he shouted": what follows is told. */
const told: Growth = (clause, piece) => {
  if (!isFresh(clause) || clause.dont || (/meant/.test(piece.word) && clause.link !== '')) return null
  return grown(
    clause,
    piece,
    { kind: 'report', told: OPENED, not: /^\S+ (used|failed|refused|tried)\b/.test(piece.word) },
    0,
  )
}

/** "the telly turned itself off" */
const self: Growth = (clause, piece) =>
  clause.parts.length > 0 && !clause.polite && !clause.wish && clause.verb?.alone !== 'play'
    ? grown(clause, piece, { kind: 'report', told: 2 }, 0.05)
    : grown(clause, piece, {}, 0.6)

const along: Growth = (clause, piece) =>
  grown(clause, piece, {}, clause.wish || clause.polite || clause.dont ? 0.03 : isFresh(clause) ? 2 : 0.5)

const growths: Readonly<Partial<Record<Piece['means']['is'], Growth>>> = {
  filler: (clause, piece, meeting) =>
    grown(
      clause,
      piece,
      {},
      piece.word === 'already' && !clause.verb ? 1.2 : isCall(clause, piece, meeting) ? 0.9 : 0.01,
    ),
  polite,
  wish,
  modal: (clause, piece) =>
    clause.parts.length > 0 && !clause.verb && !clause.state ? grown(clause, piece, { wish: true }, 0) : null,
  dont: first({ dont: true }, 0),
  told,
  contrary: (clause, piece, meeting) =>
    isFresh({ ...clause, length: null }) && !clause.dont && !(piece.word === 'no' && meeting.after !== gaps.none)
      ? grown(clause, piece, { contrary: true, wish: true }, piece.word === 'no' ? 0.1 : 0)
      : null,
  mustnot: (clause, piece) =>
    clause.parts.length > 0 && !clause.verb && !clause.state && !clause.wish && !clause.dont
      ? grown(clause, piece, { contrary: true, wish: true }, 0.05)
      : null,
  self,
  quoted: (clause, piece) =>
    clause.parts.length > 0 || clause.verb ? grown(clause, piece, { kind: 'report', told: OPENED }, 0) : null,
  not,
  except,
  excepted,
  // "every radiator we have"
  owned: (clause, piece, { gap }) => (groupSaid(clause) && gap === gaps.none ? grown(clause, piece, {}, 0.02) : null),
  same: (clause, piece) =>
    clause.verb || clause.state || clause.same
      ? null
      : grown(clause, piece, { same: true }, piece.word.startsWith('so ') ? 0 : 0.05),
  now: (clause, piece) => grown(clause, piece, { now: true }, 0),
  everything: (clause, piece, meeting) =>
    growByPart(clause, piece, { ...unnamed, from: piece.from, to: piece.to, is: 'everything', all: true }, meeting),
  undoable: (clause, piece) =>
    piece.means.is === 'undoable'
      ? grown(clause, piece, { reason: piece.means.reason }, piece.to - piece.from > 1 ? -0.1 : 0.08)
      : null,
  cop: copula,
  aux,
  subject: (clause, piece) =>
    isFresh(clause) && !clause.dont
      ? grown(clause, piece, { kind: 'aside', subject: true, told: 0 }, piece.word.includes(' me or ') ? 0 : 0.15)
      : null,
  ask: (clause, piece) =>
    isFresh(clause) && !clause.dont
      ? // "have the light put out" is seldom a question.
        grown(
          clause,
          piece,
          { kind: 'ask', told: 1 },
          piece.word.startsWith('have the') ? 0.5 : clause.polite ? 0.15 : 0.05,
        )
      : null,
  cond: first({ kind: 'cond', told: 1 }, 0.3),
  call: first({ kind: 'aside', foreign: true, told: 1 }, 0.2),
  to: along,
  goalong: along,
  quant: (clause, piece) => grown(clause, piece, { all: clause.all || piece.word !== 'any' }, 0.2),
  only: (clause, piece) => grown(clause, piece, { only: true }, 0.02),
  some,
  prep: (clause, piece) => grown(clause, piece, {}, clause.title || clause.verb?.alone === 'play' ? 0.15 : 0.75),
  det: (clause, piece) => grown(clause, piece, {}, clause.verb?.alone === 'play' ? 0.1 : 0.5),
}

/** A small word more: what it does stands in the table. */
export function growByPhrase(clause: Clause, piece: Piece, meeting: Meeting): Grown | null {
  return growths[piece.means.is]?.(clause, piece, meeting) ?? null
}

/** What was so is over. */
const wasOver = (piece: Piece): boolean => /^(was|were|had)|\b(not|nt)$/.test(piece.word)

function copula(clause: Clause, piece: Piece): Grown | null {
  // "ensure the patio lights are on"
  if (
    clause.verb?.base.startsWith('let') === true &&
    clause.parts.length > 0 &&
    !clause.state &&
    /^(is|are)/.test(piece.word)
  )
    return grown(clause, piece, {}, 0.05)
  if (
    (clause.wish && !clause.state) ||
    (clause.polite && clause.parts.length > 0 && !clause.state) ||
    piece.word === 'be'
  )
    return clause.wish || clause.polite || clause.verb
      ? grown(clause, piece, {}, 0.05)
      : grown(clause, piece, { kind: 'aside', told: 1 }, 0.5)
  if (clause.verb || clause.state || clause.degrees) return null
  if (piece.word === "'s" && clause.parts.at(-1)?.where.there === true) return null
  if (clause.parts.length > 0 || clause.foreign)
    return grown(
      clause,
      piece,
      { kind: 'report', told: 1, subject: true, foreign: false, stranger: clause.foreign, not: wasOver(piece) },
      clause.excluding || clause.not ? 0.65 : piece.word === "'s" && clause.link === 'comma' ? 0.15 : 0.05,
    )
  if (!isFresh(clause)) return null
  const asks = /^(is|are|was|were|am|has|have)$/.test(piece.word)
  return grown(
    clause,
    piece,
    { kind: asks ? 'ask' : 'aside', told: 1, not: !asks && wasOver(piece) },
    asks ? 0.15 : 0.4,
  )
}

/** A phrase about time or warmth. */
type Time = TimePhrase | { readonly is: 'relative' }

/** Whether a piece is about time or warmth. */
export const isTime = (means: Piece['means']): means is Time =>
  /^(delay|length|clock|vague|degrees|change|relative|percent)$/.test(means.is)

/** Whether a number may be how warm something should be. */
const mayBeWarm = ({ verb, state, parts }: Clause): boolean =>
  verb?.alone !== 'water' && state === null && parts.every((one) => one.kind === null || one.kind === 'heating')

/** A time or a temperature more. */
export function growByTime(clause: Clause, piece: Piece, means: Time, meeting: Meeting): Grown | null {
  const early = !clause.verb && !clause.state && clause.parts.length === 0 && !clause.wish
  // "in ten, er, fifteen minutes"
  if (means.is === 'length' && means.bare && early && clause.delay !== null && meeting.gap === gaps.comma)
    return grown(clause, piece, { delay: means.seconds }, 0)
  // "for ten minutes, actually fifteen"
  const last = clause.length ?? clause.delay
  if (means.is === 'degrees' && !means.named && !means.to && last !== null && !mayBeWarm(clause)) {
    const seconds = means.celsius * (last % 3600 === 0 ? 3600 : 60)
    return grown(clause, piece, clause.length === null ? { delay: seconds } : { length: seconds }, 0.1)
  }
  if (means.is === 'delay')
    return clause.delay === null
      ? grown(clause, piece, { delay: means.seconds, early, onwards: means.onwards === true }, 0)
      : null
  if (means.is === 'length')
    return clause.length === null
      ? grown(clause, piece, { length: means.seconds, still: /\b(more|another)\b/.test(piece.word) }, 0)
      : null
  if (means.is === 'degrees') return clause.degrees === null ? grown(clause, piece, { degrees: means }, 0) : null
  // "at seven tomorrow morning"
  if (means.is === 'clock')
    return grown(
      clause,
      piece,
      {
        clock: true,
        degrees: isFresh({ ...clause, degrees: null }) && clause.degrees?.named !== true ? null : clause.degrees,
      },
      0,
    )
  if (means.is === 'vague') return grown(clause, piece, { vague: true }, 0)
  if (means.is === 'percent')
    return grown(clause, piece, { reason: 'percentages cannot be set: things are on or off, open or closed' }, 0)
  return grown(clause, piece, { change: true }, 0)
}
