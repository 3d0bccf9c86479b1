/**
 * Spans of time in words: "half an hour", "two and a half hours", "an hour and ten minutes".
 * @module
 */
import { type Ends, readNumber, standsAlone, type WordAt } from './numbers.ts'

const units: Readonly<Record<string, number>> = {
  s: 1,
  sec: 1,
  secs: 1,
  second: 1,
  seconds: 1,
  m: 60,
  min: 60,
  mins: 60,
  minute: 60,
  minutes: 60,
  h: 3600,
  hr: 3600,
  hrs: 3600,
  hour: 3600,
  hours: 3600,
  day: 86_400,
  days: 86_400,
  week: 604_800,
  weeks: 604_800,
  month: 2_592_000,
  months: 2_592_000,
  fortnight: 1_209_600,
}

/** Words of units, for the repair of spelling. */
export const unitWords: readonly string[] = [
  'second',
  'seconds',
  'minute',
  'minutes',
  'hour',
  'hours',
  'days',
  'weeks',
  'couple',
]

/** A span that was read; `seconds` is null for a vague one. */
export interface ReadSpan {
  readonly seconds: number | null
  readonly to: number
}

/** Seconds of the unit at a place; undefined where none stands. */
export const unitAt = (word: WordAt, at: number): number | undefined => {
  const unit = word(at)
  return unit === undefined ? undefined : units[unit]
}

/** "half an hour", "a half hour", "a quarter of an hour", "three quarters of an hour". */
function fraction(word: WordAt, at: number): ReadSpan | null {
  let to = at
  if (word(to) === 'a' || word(to) === 'another' || word(to) === 'one') to++
  let share: number
  if (word(to) === 'half') share = 0.5
  else if (word(to) === 'quarter') share = 0.25
  else if (word(to) === 'three' && (word(to + 1) === 'quarters' || word(to + 1) === 'quarter')) {
    share = 0.75
    to++
  } else return null
  to++
  if (word(to) === 'of') to++
  if (word(to) === 'a' || word(to) === 'an') to++
  const unit = unitAt(word, to)
  return unit === undefined || unit === 1 ? null : { seconds: share * unit, to: to + 1 }
}

/** "a couple of minutes", "a few minutes". */
function some(word: WordAt, at: number): ReadSpan | null {
  let to = word(at) === 'a' || word(at) === 'another' ? at + 1 : at
  const much = word(to)
  if (much === undefined || !/^(couple|few|several|some|many|good)$/.test(much)) return null
  to++
  if (word(to) === 'few') to++
  if (word(to) === 'more') to++
  if (word(to) === 'of') to++
  if (word(to) === 'more') to++
  const unit = unitAt(word, to)
  return unit === undefined ? null : { seconds: much === 'couple' ? 2 * unit : null, to: to + 1 }
}

function single(word: WordAt, at: number): ReadSpan | null {
  const part = fraction(word, at) ?? some(word, at)
  if (part) return part
  if (word(at) === 'a' || word(at) === 'an' || word(at) === 'another') {
    const skipped = stressed.test(word(at + 1) ?? '') ? at + 2 : at + 1
    const unit = unitAt(word, skipped)
    if (unit !== undefined) return { seconds: unit, to: skipped + 1 }
    return skipped > at + 1 ? (fraction(word, skipped) ?? counted(word, skipped)) : null
  }
  return counted(word, at)
}

const stressed = /^(full|whole|single|solid|good|further|extra|mere|quick|straight)$/

/** "ten minutes", "ten more minutes"; "five or ten minutes" is vague. */
function counted(word: WordAt, at: number): ReadSpan | null {
  const number = readNumber(word, at)
  if (!number) return null
  const other = /^(or|to)$/.test(word(number.to) ?? '') ? readNumber(word, number.to + 1) : null
  const to = other?.to ?? number.to
  const behind = /^(more|whole|full|solid|odd|extra|further|short|long)$/.test(word(to) ?? '') ? to + 1 : to
  const unit = unitAt(word, behind)
  return unit === undefined ? null : { seconds: other ? null : number.value * unit, to: behind + 1 }
}

/** "and a half", "and ten minutes", or the minutes of "an hour twenty" behind a span. */
function rest(word: WordAt, span: { readonly seconds: number; readonly to: number }, ends: Ends): ReadSpan | null {
  const unit = unitAt(word, span.to - 1) ?? 60
  const linked = word(span.to) === 'and'
  const at = linked ? span.to + 1 : span.to
  const share = word(at) === 'a' ? at + 1 : at
  if (linked && word(share) === 'half' && unitAt(word, share + 1) === undefined && word(share + 1) !== 'an') {
    return { seconds: span.seconds + unit / 2, to: share + 1 }
  }
  if (linked && word(share) === 'quarter' && word(share + 1) !== 'of')
    return { seconds: span.seconds + unit / 4, to: share + 1 }
  const more = single(word, at)
  if (more && more.seconds !== null && more.seconds < unit && span.seconds >= unit) {
    return { seconds: span.seconds + more.seconds, to: more.to }
  }
  const minutes = unit === 3600 && !more ? readNumber(word, at) : null
  const fits = minutes !== null && Number.isInteger(minutes.value) && minutes.value > 0 && minutes.value < 60
  return fits && standsAlone(word, minutes.to, ends)
    ? { seconds: span.seconds + 60 * minutes.value, to: minutes.to }
    : null
}

/** "an hour or two": who says so does not know. */
function openEnded(word: WordAt, to: number): number | null {
  const other = word(to) === 'or' ? readNumber(word, to + 1) : null
  if (!other) return null
  return unitAt(word, other.to) === undefined ? other.to : other.to + 1
}

/** The span of time that begins at `at`; null for none. `ends` tells where the sentence pauses. */
export function readSpan(word: WordAt, at: number, ends: Ends = () => false): ReadSpan | null {
  const first = single(word, at)
  if (!first || first.seconds === null) return first
  const open = openEnded(word, first.to)
  if (open !== null) return { seconds: null, to: open }
  return rest(word, { seconds: first.seconds, to: first.to }, ends) ?? first
}
