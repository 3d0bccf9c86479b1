/**
 * How a clause grows by verbs, states, things and places.
 * @module
 */
import type { Meaning } from '../lexicon.ts'
import { gaps } from '../tokens.ts'
import type { Deed, Verb } from '../words/verbs.ts'
import { grown, isFresh, type Clause, type Grown, type Meeting, type Piece } from './clause.ts'
import { isSomewhere, type Part } from './parts.ts'

/** A verb more. */
export function growByVerb(
  clause: Clause,
  piece: Piece,
  means: Extract<Meaning, { is: 'verb' }>,
  meeting: Meeting,
): Grown | null {
  const { form } = means
  if (clause.sense || (clause.excluding && clause.parts.every((part) => part.out) === false && clause.verb)) return null
  if ((clause.dont || clause.contrary) && clause.parts.length > 0) return null
  const perfect =
    means.verb.base.startsWith('get') &&
    clause.parts.some((part) => !part.out) &&
    meeting.gap === gaps.none &&
    !clause.wish &&
    !clause.polite &&
    /^ha(s|ve|d)$/.test(piece.word)
  if (perfect) return null
  // "I would have turned it off" tells what has not.
  if (!clause.verb && form === 'past' && clause.wish && !clause.polite && clause.parts.length === 0)
    return grown(clause, piece, { verb: means.verb, form }, 1)
  // "somebody turned it off" tells what has happened.
  if (!clause.verb && form === 'past' && !clause.wish && clause.parts.length === 0)
    return grown(clause, piece, { kind: 'report', told: 2 }, isFresh(clause) ? 0.1 : 0.05)
  if (clause.verb?.base.startsWith('get') && form === 'past' && clause.parts.length === 0)
    return grown(clause, piece, { kind: 'report', told: 2 }, 0)
  if (!clause.verb) {
    if (form === 'past' && !clause.wish && !clause.polite) {
      return clause.parts.length > 0 && meeting.pending === ''
        ? grown(clause, piece, { verb: means.verb, form }, 2)
        : isFresh(clause)
          ? grown(clause, piece, { kind: 'report', told: 1 }, 0.4)
          : null
    }
    const noun =
      /^(lit|warm|water)$/.test(means.verb.alone ?? '') &&
      form === 'base' &&
      clause.parts.some((part) => !part.out) &&
      !clause.wish &&
      meeting.gap === gaps.none
        ? 0.7
        : 0
    const late = clause.state
      ? 1.5
      : isFronted(clause)
        ? 0.05
        : clause.parts.some((part) => !part.out && !(part.is === 'place' && part.prep)) && !clause.wish
          ? meeting.gap > gaps.none
            ? 0.25
            : 0.35
          : 0
    if (means.verb.leaves === true && clause.state) return null
    if (means.verb.leaves === true && clause.parts.some((part) => !part.out) && /stay|remain|left/.test(piece.word))
      return grown(clause, piece, { verb: means.verb, form, excluding: false }, 0.05)
    const odd = form === 'ing' && (clause.contrary || (!clause.polite && !clause.wish && !clause.dont)) ? 0.5 : 0
    return grown(clause, piece, { verb: means.verb, form, excluding: false }, late + odd + noun)
  }
  if (clause.second) return null
  if (meeting.pending !== '') return null
  // "make the kitchen light blue": a thing, and no deed.
  const thing = /^(lit|warm|water)$/.test(means.verb.alone ?? '') && form === 'base'
  if (clause.verb.base.startsWith('make') && thing) return null
  if (clause.verb.helps === true && clause.verb !== means.verb) {
    const cost =
      clause.verb.ends === true || clause.verb.alone === 'start'
        ? form === 'ing'
          ? 0
          : 0.6
        : form === 'past' || form === 'base'
          ? 0.05
          : 0.15
    return grown(clause, piece, { second: means.verb }, cost)
  }
  if (clause.wish && form !== 'ing') return grown(clause, piece, { second: means.verb }, 0.7)
  if (clause.verb.leaves === true && form === 'ing') return grown(clause, piece, { second: means.verb }, 0.05)
  return null
}

/** "everywhere but the kitchen": a group and what is excepted of it, before anything is to be done. */
const isFronted = ({ parts }: Clause): boolean =>
  parts.some((part) => part.out) &&
  parts.some((part) => !part.out) &&
  parts.every((part) => part.out || (part.is === 'place' && part.where.groups.length > 0))

const past =
  /^(closed|opened|drawn|lowered|raised|turned|switched|powered|stopped|started|paused|muted|heated|warmed|pulled|rolled)\b/

const contraries: Readonly<Partial<Record<Deed | 'back', Deed>>> = {
  on: 'off',
  off: 'on',
  up: 'down',
  down: 'up',
  open: 'close',
  close: 'open',
}

/** "turn of the light", "kitchen light of": how odd it is to read "off". */
const oddOf = (clause: Clause, piece: Piece, { after }: Meeting): number => {
  if (clause.verb && clause.verb.alone === undefined && clause.parts.length === 0 && clause.to === piece.from)
    return 0.15
  if (clause.parts.length > 0 && after >= gaps.comma) return 0.15
  return clause.verb || clause.parts.length > 0 ? 0.6 : 1.5
}

const letBurn: Verb = { leaves: true, base: 'let' }

/** A word for a state more. */
export function growByState(
  clause: Clause,
  piece: Piece,
  means: Extract<Meaning, { is: 'state' }>,
  meeting: Meeting,
): Grown | null {
  // "let the light burning" leaves it so.
  if (clause.verb?.base.startsWith('let') === true && piece.word === 'burning' && !clause.second)
    return grown(clause, piece, { verb: letBurn }, 0)
  // "but leave the kitchen on"
  if (
    clause.excluding &&
    clause.parts.at(-1)?.out === true &&
    (clause.state !== null || clause.verb?.alone !== undefined)
  )
    return grown(clause, piece, {}, 0.1)
  if (clause.state === means.state) return grown(clause, piece, {}, 0.35)
  // "up, er, down"
  if (
    clause.state !== null &&
    meeting.gap === gaps.comma &&
    contraries[clause.state] === means.state &&
    !(clause.now || clause.delay !== null || clause.length !== null)
  )
    return grown(clause, piece, { state: means.state }, 0.3)
  if (clause.state !== null) return null
  // "apart" from something.
  const covers = clause.parts.some((part) => part.kind === 'cover')
  if (means.state === 'back' && !covers && /^(apart|aside)$/.test(piece.word))
    return grown(clause, piece, { state: means.state }, 0.8)
  if (
    clause.parts.length === 0 &&
    (!clause.verb || clause.verb.base.startsWith('get')) &&
    !clause.wish &&
    past.test(piece.word)
  )
    return grown(clause, piece, { kind: 'report', told: 2 }, 0.3)
  if (meeting.pending === 'and' || meeting.pending === 'then' || meeting.pending === 'but')
    return isFresh(clause) ? grown(clause, piece, { state: means.state }, 0.05) : null
  // "no lights anywhere, all off"
  if (clause.contrary && meeting.gap === gaps.comma && /^(off|close|down|stop)$/.test(means.state))
    return grown(clause, piece, { state: means.state, contrary: false }, 0.05)
  const pause = meeting.gap === gaps.comma ? 0.05 : meeting.gap >= gaps.stop ? 0.4 : 0
  const over =
    !clause.verb &&
    !clause.wish &&
    clause.parts.length > 0 &&
    /^(opened|stopped|halted|started|resumed|silenced|paused|muted)/.test(piece.word)
      ? 1.3
      : 0
  const odd = piece.word === 'of' ? oddOf(clause, piece, meeting) : piece.word === 'out' ? 0.12 : 0
  const plant =
    !clause.verb && clause.parts.some((part) => part.plant) && (means.state === 'on' || means.state === 'off') ? 0.8 : 0
  const noun =
    (clause.verb?.alone === 'warm' || clause.verb?.alone === 'lit' || clause.verb?.alone === 'water') &&
    clause.parts.length === 0 &&
    (means.state === 'on' || means.state === 'off')
      ? 0.3
      : 0
  const full =
    clause.verb?.alone !== undefined &&
    !clause.verb.states?.[means.state as Deed] &&
    !clause.second &&
    clause.verb.set !== true &&
    !(clause.verb.helps === true)
      ? 0.6
      : 0
  // "the light has to go"
  if (/(to|must) go$/.test(piece.word))
    return clause.parts.length > 0 && !clause.verb ? grown(clause, piece, { state: means.state }, -0.02) : null
  // "Mozart in the bedroom and the radio off"
  const heard =
    !clause.verb && clause.parts[0]?.title === true && !clause.parts[0].det && means.state === 'off' ? 0.8 : 0
  const all = clause.all || piece.word.startsWith('all ')
  return grown(
    clause,
    piece,
    { state: means.state, excluding: false, all },
    heard + pause + full + odd + noun + plant + over,
  )
}

const timed = (clause: Clause): boolean =>
  clause.verb?.alone !== 'give' &&
  (clause.now || clause.degrees !== null || clause.length !== null || (clause.delay !== null && !clause.early))

/** A thing or a place more. */
export function growByPart(clause: Clause, piece: Piece, read: Part, meeting: Meeting): Grown | null {
  const linked = meeting.pending === 'and' || meeting.pending === 'but'
  if (meeting.pending === 'then' && !isFresh(clause)) return null
  if (clause.not && read.kind !== null && read.where.areas.length > 1) return null
  const comma = meeting.gap === gaps.comma || meeting.pending === 'comma'
  if (meeting.gap >= gaps.stop && clause.parts.length > 0 && !linked) return null
  const ahead = (one: Part): boolean => one.is === 'place' && (one.prep || isFronted(clause)) && read.is !== 'place'
  const real = clause.parts.filter((one) => !one.out && !ahead(one))
  if (clause.not && !linked && clause.parts.length > 0 && !(read.is === 'place' && read.prep)) return null
  // "everywhere but the kitchen, lights off": what is to be done is said behind the exception.
  const over = read.kind !== null && !isSomewhere(read.where) && real.every((one) => one.is === 'place')
  const excluding = clause.excluding && !(over && (comma || ((real.length > 0 || isFronted(clause)) && !linked)))
  const added: Part = { ...read, out: excluding, linked: linked || comma, late: clause.state !== null }
  let cost = 0
  // Covers go "down", lights are "down in the garage".
  const moved =
    /^(up|down)$/.test(piece.word) &&
    read.prep &&
    (clause.verb?.base === 'shut' || clause.state === 'close' || clause.parts.some((one) => one.kind === 'cover'))
      ? 0.9
      : 0
  const free = read.where.groups.length > 0 || read.where.here || read.where.there
  const loose = read.is !== 'place' || !(read.prep || free)
  if (excluding) cost = loose && clause.parts.at(-1)?.out === true && !linked && !comma ? 0.5 : 0
  else if (read.is === 'place' && (read.prep || free) && !linked) cost = 0
  else if (real.length > 0) {
    const pointed = read.pointer !== null && read.pointer !== 'one'
    const list = read.is === 'place' && clause.parts.at(-1)?.is === 'place' && (linked || comma) && !timed(clause)
    if (list) cost = 0.03
    else if (pointed) cost = clause.verb ? 0.1 : 1
    else if (timed(clause)) cost = linked ? 0.9 : read.is === 'place' ? 0.5 : 1.3
    else if (clause.state) cost = linked ? 0.15 : comma ? 0.35 : read.is === 'place' ? 0.45 : 1
    else
      cost = linked
        ? 0.02
        : comma
          ? 0.08
          : read.is === 'place'
            ? 0.5
            : real.every((one) => one.is === 'place')
              ? 0.3
              : 0.6
    // "kitchen light bathroom light on": everything before is of one kind of phrase.
    if (clause.verb && !clause.wish && clause.verb.set !== true && !linked && !comma && loose) cost += 0.2
  } else if (clause.state && !clause.verb && loose) cost = read.is === 'place' ? 0.15 : 0.1
  // "light and radio off": a thing, and no deed.
  const noun = /^(lit|warm|water)$/.test(clause.verb?.alone ?? '') && clause.form === 'base' && linked
  const named = noun && clause.parts.length === 0 ? 1 : 0
  return grown(clause, piece, { parts: [...clause.parts, added], excluding, title: clause.title }, cost + moved + named)
}
