/**
 * Spans of time in words: "half an hour", "two and a half hours", "an hour and ten minutes".
 * @module
 */
import { readNumber, type WordAt } from './numbers.ts'

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

const unitAt = (word: WordAt, at: number): number | undefined => {
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
    const skipped = /^(full|whole|single|solid)$/.test(word(at + 1) ?? '') ? at + 2 : at + 1
    const unit = unitAt(word, skipped)
    return unit === undefined ? null : { seconds: unit, to: skipped + 1 }
  }
  const number = readNumber(word, at)
  if (!number) return null
  const behind = /^(more|whole|full|solid|odd)$/.test(word(number.to) ?? '') ? number.to + 1 : number.to
  const unit = unitAt(word, behind)
  return unit === undefined ? null : { seconds: number.value * unit, to: behind + 1 }
}

/** "and a half", "and ten minutes" behind a span. */
function rest(word: WordAt, span: { readonly seconds: number; readonly to: number }): ReadSpan | null {
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
  return null
}

/** The span of time that begins at `at`; null for none. */
export function readSpan(word: WordAt, at: number): ReadSpan | null {
  const first = single(word, at)
  if (!first || first.seconds === null) return first
  return rest(word, { seconds: first.seconds, to: first.to }) ?? first
}
