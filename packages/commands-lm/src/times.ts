/**
 * When something is to happen, and how long: phrases with numbers. How warm is in `temperatures.ts`.
 * @module
 */
import { clockAt } from './clocks.ts'
import { readSpan, unitAt, type ReadSpan } from './durations.ts'
import { type Ends, readNumber, standsAlone, type WordAt } from './numbers.ts'
import { degreesAt, type WarmthPhrase } from './temperatures.ts'

/** A phrase with a number, or a time that cannot be kept. */
export type TimePhrase =
  | { readonly is: 'delay'; readonly seconds: number; readonly onwards?: boolean }
  | { readonly is: 'length'; readonly seconds: number; readonly bare: boolean }
  | { readonly is: 'clock' }
  | { readonly is: 'vague' }
  | WarmthPhrase

/** A phrase from here to `to`. */
export interface FoundTime {
  readonly phrase: TimePhrase
  readonly to: number
  readonly cost: number
}

const about = new Set(
  'about around roughly approximately approx like exactly just maybe another only the next at least say oh precisely almost nearly say only more no perhaps further coming following up to most under over'.split(
    ' ',
  ),
)
const measures = /^(length|period|duration|space|total|maximum|max|minimum|matter|course|stretch|spell)$/

/** Behind "about", "the next", "a period of": where the span itself begins. */
function lead(word: WordAt, at: number): number {
  let to = at
  while (about.has(word(to) ?? '')) to++
  const measure = /^(a|an)$/.test(word(to) ?? '') ? to + 1 : to
  if (measures.test(word(measure) ?? '') && word(measure + 1) === 'of') return lead(word, measure + 2)
  return to
}

/** The span behind `from`, where one is awaited: also "hour and a half", "the next hour". */
function awaited(word: WordAt, from: number, ends: Ends): ReadSpan | null {
  const start = lead(word, from)
  const one = word(start) === 'hour' || (word(start) === 'minute' && word(start - 1) === 'next')
  if (!one || (start > from && !/^(next|coming|following)$/.test(word(start - 1) ?? '')))
    return readSpan(word, start, ends)
  return readSpan((place) => (place === start - 1 ? 'one' : word(place)), start - 1, ends)
}

const laterTails = [
  'on from now',
  'from right now',
  'from this moment',
  'from this point',
  'from now',
  'after that',
  'after this',
  'down the line',
  'down the road',
  'time',
  'later',
  'hence',
].map((tail) => tail.split(' '))

const passed = /^(passed|elapsed|over|up|gone|out|done|past|through)$/

/** The end of "in ten minutes' time", "ten minutes from now", "ten minutes have gone by". */
function behindSpan(
  word: WordAt,
  to: number,
): { readonly to: number; readonly later: boolean; readonly passes: boolean } {
  let at = to
  if (word(at) === 'or' && word(at + 1) === 'so') at += 2
  // "in one minute flat"
  if (/^(flat|tops|sharp)$/.test(word(at) ?? '')) at++
  if (word(at) === "'s" || word(at) === 's') at++
  const tail = laterTails.find((words) => words.every((one, place) => word(at + place) === one))
  if (tail) return { to: at + tail.length, later: true, passes: false }
  let over = at
  while (/^(has|have|had|are|is|will)$/.test(word(over) ?? '')) over++
  if (/^(go|goes|pass|passes|elapse)$/.test(word(over) ?? '')) {
    const by = /^(by|past)$/.test(word(over + 1) ?? '')
    return { to: by ? over + 2 : over + 1, later: false, passes: true }
  }
  if (over > at && passed.test(word(over) ?? ''))
    return { to: /^(by|past)$/.test(word(over + 1) ?? '') ? over + 2 : over + 1, later: false, passes: true }
  return { to: at, later: false, passes: false }
}

/** Seconds of the unit that was named before: "in ten minutes, and the lamp in twenty". */
function unitBefore(word: WordAt, at: number): number | null {
  for (let place = at - 1; place >= 0; place--) {
    const unit = unitAt(word, place)
    if ((unit === 60 || unit === 3600) && readNumber(word, place - 1)) return unit
  }
  return null
}

const MOST_BARE = 120

/** "in ten": minutes, or what was counted before; `known` where the sentence names the unit, also with a correction. */
function bareNumber(
  word: WordAt,
  at: number,
  ends: Ends,
): { readonly seconds: number; readonly to: number; readonly known: boolean } | null {
  const number = readNumber(word, at)
  if (!number || number.value > MOST_BARE || number.value === 0) return null
  for (let behind = number.to; behind < number.to + 6; behind++) {
    const span = behind > number.to && readNumber(word, behind) ? readSpan(word, behind) : null
    if (span) return { seconds: number.value * 60, to: number.to, known: true }
    if (!/^(no|sorry|make|that|it|wait|actually|i|mean|meant|rather|or|oh|oops|not|er|just)$/.test(word(behind) ?? ''))
      break
  }
  const unit = unitBefore(word, at)
  return standsAlone(word, number.to, ends)
    ? { seconds: number.value * (unit ?? 60), to: number.to, known: unit !== null }
    : null
}

const waiting = /^(give|wait|allow|hold|hang|leave|let|count|pause)$/
const begins = /^(in|after|within|inside)$/
const opening = /^(ok|okay|right|so|please|hey|just|well|and|then|alexa|google|siri|computer|house)$/

/** The end of what stands before a delay: "not now, but in ten minutes". */
function notNow(word: WordAt, at: number): number {
  if (word(at) !== 'not') return at
  let to = at + 1
  while (/^(right|just|straight|this)$/.test(word(to) ?? '')) to++
  if (!/^(now|yet|immediately|away|once|minute|second)$/.test(word(to) ?? '')) return at
  to++
  while (/^(but|rather|only)$/.test(word(to) ?? '')) to++
  return begins.test(word(to) ?? '') ? to : at
}

/** Whether what is said at a place begins something. */
const opens = (word: WordAt, at: number, ends: Ends): boolean =>
  at === 0 || ends(at) || opening.test(word(at - 1) ?? '')

const found = (span: ReadSpan, to: number, cost: number, onwards = false): FoundTime => ({
  phrase: span.seconds === null ? { is: 'vague' } : { is: 'delay', seconds: span.seconds, onwards },
  to,
  cost,
})

/** "in ten minutes", "ten minutes from now", "in ten". */
function delay(word: WordAt, at: number, ends: Ends): FoundTime | null {
  let start = notNow(word, at)
  // "starting in an hour"
  if (/^(starting|beginning|commencing)$/.test(word(start) ?? '') && begins.test(word(start + 1) ?? '')) start++
  const marked = begins.test(word(start) ?? '')
  if (marked) start++
  if (marked && word(start) === 'of') start++
  const span = marked ? awaited(word, start, ends) : readSpan(word, lead(word, start), ends)
  if (!span) {
    const bare = marked && word(start - 1) !== 'inside' ? bareNumber(word, lead(word, start), ends) : null
    return bare ? found(bare, bare.to, 0.05) : null
  }
  const behind = behindSpan(word, span.to)
  if (marked || behind.later) {
    const onwards = word(behind.to - 2) === 'after' && /^(that|this)$/.test(word(behind.to - 1) ?? '')
    return found(span, behind.to, 0, onwards)
  }
  return before(word, at, span, ends)
}

/** "ten minutes, then", "ten minutes and the light goes off": a span that something follows. */
function before(word: WordAt, at: number, span: ReadSpan, ends: Ends): FoundTime | null {
  if (!opens(word, at, ends)) return null
  let to = /^(more|timer|delay|pause)$/.test(word(span.to) ?? '') ? span.to + 1 : span.to
  const more = to
  while (/^(and|then|before|until)$/.test(word(to) ?? '')) to++
  if (to === more || word(to) === undefined) return null
  return word(to - 1) === 'then' || at === 0 || opening.test(word(at - 1) ?? '') ? found(span, to, 0.05) : null
}

/** "give it ten minutes and then", "let ten minutes go by", "once ten minutes are up". */
function wait(word: WordAt, at: number, ends: Ends): FoundTime | null {
  const first = word(at) ?? ''
  const once = first === 'once' || first === 'when'
  if (!waiting.test(first) && !once) return null
  let start = at + 1
  while (/^(it|me|us|another|for|on|about|them|like|to|up|until|till)$/.test(word(start) ?? '')) start++
  const span = readSpan(word, lead(word, start), ends)
  if (!span) return null
  const behind = behindSpan(word, span.to)
  if ((once || first === 'let') && !behind.passes) return null
  let { to } = behind
  while (/^(and|then|before)$/.test(word(to) ?? '')) to++
  const alone = to === behind.to && !behind.passes && first !== 'wait' && !(first === 'give' && word(at + 1) === 'it')
  return alone ? null : found(span, to, 0)
}

/** "with a ten minute delay", "delayed by ten minutes". */
function delayed(word: WordAt, at: number): FoundTime | null {
  const first = word(at) ?? ''
  if (/^(delay|delayed|wait|postponed)$/.test(first) && /^(by|of)$/.test(word(at + 1) ?? '')) {
    const span = readSpan(word, lead(word, at + 2))
    return span ? found(span, span.to, 0) : null
  }
  if (first !== 'with' && first !== 'after') return null
  const start = word(at + 1) === 'a' && readNumber(word, at + 2) ? at + 2 : at + 1
  const span = readSpan(word, start)
  if (span && /^(delay|wait|pause|lag)$/.test(word(span.to) ?? '')) return found(span, span.to + 1, 0)
  if (
    !/^(a|the)$/.test(word(at + 1) ?? '') ||
    !/^(delay|wait|pause)$/.test(word(at + 2) ?? '') ||
    word(at + 3) !== 'of'
  )
    return null
  const behind = readSpan(word, lead(word, at + 4))
  return behind ? found(behind, behind.to, 0) : null
}

/** "for ten" may be minutes, and degrees. */
const UNCOUNTED = 0.5

/** "for ten minutes"; a span alone, such as "ten minutes of water", is `bare`. */
function length(word: WordAt, at: number, ends: Ends): readonly FoundTime[] {
  const marked = /^(for|fer|over)$/.test(word(at) ?? '')
  if (!marked && word(at) === 'no') return []
  const span = marked ? awaited(word, at + 1, ends) : readSpan(word, lead(word, at), ends)
  if (!span) {
    const bare = word(at) === 'for' ? bareNumber(word, lead(word, at + 1), ends) : null
    if (!bare) return []
    const cost = bare.known ? 0 : UNCOUNTED
    return [{ phrase: { is: 'length', seconds: bare.seconds, bare: false }, to: bare.to, cost }]
  }
  let to = word(span.to) === 'or' && word(span.to + 1) === 'so' ? span.to + 2 : span.to
  if (word(to) === 'long') to++
  const phrase: TimePhrase =
    span.seconds === null ? { is: 'vague' } : { is: 'length', seconds: span.seconds, bare: !marked }
  const alone = { phrase, to, cost: marked ? 0 : 0.3 }
  // "ten minutes of music"
  // "an hour's worth of heat"
  if (!marked && word(to) === "'s" && word(to + 1) === 'worth') to += 2
  const counts = !marked && word(to) === 'of' && !/^(that|this|it|them)$/.test(word(to + 1) ?? '')
  return counts ? [alone, { phrase, to: to + 1, cost: 0.05 }] : [alone]
}

/** Every phrase with a number that begins at `at`; `ends` tells where the sentence pauses. */
export function timesAt(word: WordAt, at: number, ends: Ends): readonly FoundTime[] {
  const waits = delay(word, at, ends) ?? wait(word, at, ends) ?? delayed(word, at)
  const lasts = length(word, at, ends)
  const hour = clockAt(word, at, ends)
  const counted = waits !== null || lasts.some(({ cost }) => cost < UNCOUNTED)
  const warm = counted ? null : degreesAt(word, at, ends)
  return [waits, ...lasts, hour && { phrase: { is: 'clock' } as const, ...hour }, warm].filter((one) => one !== null)
}
