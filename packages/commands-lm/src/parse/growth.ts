/**
 * A clause grows word by word. Whatever is read adds to its cost: nothing for what belongs there, much for a word of which
 * nobody knows what it does in a command.
 * @module
 */
import { readNumber } from '../numbers.ts'
import { gaps } from '../tokens.ts'
import type { Sense } from '../words/senses.ts'
import { grown, isFresh, type Clause, type ClauseKind, type Grown, type Meeting, type Piece } from './clause.ts'
import { growByPhrase, growByTime, isTime, OPENED } from './growth-by-phrases.ts'
import { growByPart, growByState, growByVerb } from './growth-by-things.ts'

const telling: ReadonlySet<ClauseKind> = new Set(['ask', 'report', 'aside', 'cond'])

/** In a clause that only tells something: anything may follow, things and deeds of the house at some cost. */
function tell(clause: Clause, piece: Piece, meeting: Meeting): Grown {
  const one = toldBy(afresh(clause, piece, meeting), piece, meeting)
  // What is told ends where something follows from it.
  return (meeting.pending === 'then' || meeting.pending === 'but') && clause.kind !== 'cond'
    ? { ...one, cost: one.cost + 0.7 }
    : one
}

/** "I'm going out tomorrow": what will be, or was, asks for nothing now. */
const isAnotherDay = (clause: Clause, { from, word }: Piece): boolean =>
  clause.sense === null
    ? /\b(tomorrow|yesterday|last)\b/.test(word)
    : from === clause.felt && !/^(today|tonight|this|overnight|bedtime)\b/.test(word)

/** Behind a comma, or with a subject of its own, somebody speaks of something else. */
const afresh = (clause: Clause, { means }: Piece, { gap }: Meeting): Clause =>
  clause.stranger &&
  !clause.sense &&
  (gap === gaps.comma || means.is === 'subject' || (means.is === 'part' && means.part.pointer !== null))
    ? { ...clause, stranger: false }
    : clause

const dear = /^(corr|cancel|wish|because|modal)$/

function toldBy(clause: Clause, piece: Piece, meeting: Meeting): Grown {
  const { means } = piece
  const asks = clause.kind === 'ask' || clause.kind === 'cond'
  const told = clause.told + 1
  if (means.is === 'filler' || means.is === 'polite')
    return grown(clause, piece, {}, piece.word === 'please' && !asks ? 0.4 : 0)
  // "that's too hot, eighteen degrees"
  const number = means.is === 'degrees' || readNumber((at) => (at === 0 ? piece.word : undefined), 0) !== null
  if (clause.sense && number && meeting.gap === gaps.comma) return grown(clause, piece, { told }, 0.5)
  // Once it is said what somebody feels, the rest hardly matters.
  if (clause.sense && !asks && !/^(verb|sense|part|cond|dont|not|clock)$/.test(means.is))
    return grown(clause, piece, { told }, 0.03)
  if (means.is === 'part')
    return grown(
      clause,
      piece,
      { parts: [...clause.parts, means.part], told },
      asks || clause.told >= OPENED || (clause.sense && means.part.is === 'place') ? 0.02 : 0.12,
    )
  if (means.is === 'foreign' && !clause.sense)
    return asks
      ? grown(clause, piece, { told }, 0.02)
      : grown(clause, piece, { stranger: clause.parts.length === 0, told }, Math.max(0.13 - piece.cost, -0.25))
  if (means.is === 'clock' && isAnotherDay(clause, piece)) return grown(clause, piece, { clock: true, told }, 0.03)
  if (
    means.is === 'cop' &&
    (clause.subject && clause.kind === 'aside'
      ? /^(was|were|had)|\b(not|nt|always)$/
      : /^(was|were|had)|\b(not|nt)$/
    ).test(piece.word)
  )
    return grown(clause, piece, { not: clause.sense === null, told }, 0.05)
  if (means.is === 'sense' && !asks && clause.degrees === null)
    return grown(
      clause,
      piece,
      { sense: clause.sense ?? means.sense, felt: clause.sense ? clause.felt : piece.to, told },
      0,
    )
  if (means.is === 'cond') return grown(clause, piece, { kind: 'cond', told }, asks ? 0.1 : 0.6)
  // "… for the wedding, not the office"
  if (means.is === 'not' && meeting.gap === gaps.comma && clause.link === 'because')
    return grown(clause, piece, { not: clause.sense === null, told }, 0.5)
  // "I am not cold" says nothing.
  if (means.is === 'dont' || means.is === 'not') return grown(clause, piece, { not: clause.sense === null, told }, 0.2)
  // "I am still here, cancel"
  if (piece.word === 'cancel' && meeting.gap >= gaps.comma) return grown(clause, piece, { told }, 1.5)
  if (dear.test(means.is)) return grown(clause, piece, { told }, 0.4)
  // "who left the light on, turn it off"
  // "there's a telly in the lounge, shut it off"
  const turns = clause.kind === 'ask' || (clause.kind === 'report' && clause.parts.length > 0)
  if (turns && means.is === 'verb' && means.form === 'base' && meeting.gap === gaps.comma)
    return grown(clause, piece, { told }, 0.5)
  if (asks) return grown(clause, piece, { told }, means.is === 'unknown' ? 0.05 : 0.02)
  if (means.is === 'verb' && means.form === 'past' && clause.kind === 'aside' && clause.subject)
    return grown(clause, piece, { kind: 'report', told }, 0.02)
  if (means.is === 'verb')
    return grown(
      clause,
      piece,
      { told },
      means.form !== 'base'
        ? clause.told >= OPENED
          ? 0.03
          : 0.1
        : (clause.subject && clause.told === 0) || (clause.told >= OPENED && clause.told < OPENED + 3)
          ? 0.1
          : 0.8,
    )
  if (means.is === 'state')
    return grown(clause, piece, { told }, clause.told >= OPENED ? 0.02 : clause.kind === 'report' ? 0.1 : 0.25)
  return grown(clause, piece, { told }, means.is === 'unknown' ? 0.12 : 0.05)
}

/** Whether a clause is about something to be heard. */
const plays = (clause: Clause): boolean =>
  (clause.title ||
    clause.parts.some((one) => one.title) ||
    clause.verb?.alone === 'play' ||
    clause.second?.alone === 'play') &&
  clause.parts.every((one) => one.kind === null || one.kind === 'media')

/** What a word costs of which nobody knows what it does here. */
function unknown(clause: Clause, piece: Piece, meeting: Meeting): Grown | null {
  if (plays(clause)) return grown(clause, piece, { title: true }, 0.1)
  const puts = clause.verb?.set === true && clause.state === 'on' && clause.parts.every((one) => one.is === 'place')
  if (puts && clause.parts.length === 0) return grown(clause, piece, { title: true }, 0.9)
  const edge = meeting.gap === gaps.comma || isFresh(clause) ? (meeting.after >= gaps.comma ? 0.6 : 1.4) : 2.2
  return grown(clause, piece, {}, edge)
}

/** What speaks of a feeling stands alone, or in what is told. */
function sense(clause: Clause, piece: Piece, felt: Sense): Grown | null {
  if (clause.verb || clause.state || clause.degrees || clause.sense || clause.same || clause.delay !== null) return null
  const things = clause.parts.filter((one) => one.is !== 'place')
  if (things.length > 0 && felt !== 'thirsty') return null
  return grown(
    clause,
    piece,
    { kind: 'aside', sense: felt, felt: piece.to, told: 1, not: clause.not || clause.dont },
    clause.wish ? 0.15 : -0.05,
  )
}

/** The clause with a piece more; null where it has no place in it. */
export function grow(clause: Clause, piece: Piece, meeting: Meeting): readonly Grown[] {
  const out: (Grown | null)[] = []
  if (clause.kind === 'cancel')
    return piece.means.is === 'filler' || piece.means.is === 'polite' ? [grown(clause, piece, {}, 0)] : []
  if (telling.has(clause.kind)) return [tell(clause, piece, meeting)]
  const { means } = piece
  if (means.is === 'part') out.push(growByPart(clause, piece, means.part, meeting))
  else if (means.is === 'foreign')
    out.push(
      grown(clause, piece, { foreign: true }, clause.verb?.alone === 'play' ? 0.5 : 0.3),
      onlyTold(clause, piece, 0.4),
    )
  else if (means.is === 'circumstance') out.push(grown(clause, piece, {}, 0))
  else if (means.is === 'verb') out.push(growByVerb(clause, piece, means, meeting))
  else if (means.is === 'state') out.push(growByState(clause, piece, means, meeting))
  else if (means.is === 'sense') out.push(sense(clause, piece, means.sense))
  else if (means.is === 'unknown') out.push(unknown(clause, piece, meeting), onlyTold(clause, piece, 0.9))
  else if (isTime(means)) out.push(growByTime(clause, piece, means, meeting))
  else out.push(growByPhrase(clause, piece, meeting))
  if (plays(clause) && isWord(piece)) out.push(grown(clause, piece, { title: true }, clause.title ? 0.25 : 0.4))
  return out.filter((one) => one !== null)
}

/** Any word may be one of a title. */
const isWord = ({ from, to, means }: Piece): boolean =>
  to - from === 1 &&
  /^(verb|state|det|prep|filler|polite|not|to|some|aux|cop|call|foreign|sense|wish|modal)$/.test(means.is)

/** What begins with something that is none of the house may only be told. */
const onlyTold = (clause: Clause, piece: Piece, cost: number): Grown | null =>
  isFresh(clause)
    ? grown(clause, piece, { kind: 'aside', told: 1, stranger: piece.means.is === 'foreign' }, cost)
    : null
