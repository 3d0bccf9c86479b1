/**
 * When something is to happen, how long, and how warm: phrases with numbers.
 * @module
 */
import { readSpan, type ReadSpan } from './durations.ts'
import { readNumber, type ReadNumber, type WordAt } from './numbers.ts'

/** A phrase with a number, or a time that cannot be kept. */
export type TimePhrase =
  | { readonly is: 'delay'; readonly seconds: number }
  | { readonly is: 'length'; readonly seconds: number; readonly bare: boolean }
  | { readonly is: 'clock' }
  | { readonly is: 'vague' }
  | { readonly is: 'degrees'; readonly celsius: number; readonly to: boolean; readonly named: boolean }
  | { readonly is: 'change' }
  | { readonly is: 'percent' }

/** A phrase from here to `to`. */
export interface FoundTime {
  readonly phrase: TimePhrase
  readonly to: number
  readonly cost: number
}

const about = new Set(
  'about around roughly approximately approx like exactly just maybe another only the next at least say oh precisely almost nearly say only more no'.split(
    ' ',
  ),
)

const past = (word: WordAt, at: number, set: ReadonlySet<string>): number => {
  let to = at
  while (set.has(word(to) ?? '')) to++
  return to
}

const afterwards = new Set(['now', 'time', 'later', 'hence', 'today'])

/** The end of "in ten minutes' time", "ten minutes from now". */
function behindSpan(word: WordAt, to: number): { readonly to: number; readonly later: boolean } {
  let at = to
  if (word(at) === 'or' && word(at + 1) === 'so') at += 2
  if (word(at) === "'s" || word(at) === 's') at++
  if (word(at) === 'from' && word(at + 1) === 'now') return { to: at + 2, later: true }
  if (word(at) === 'from' && word(at + 1) === 'right' && word(at + 2) === 'now') return { to: at + 3, later: true }
  if (word(at) === 'after' && (word(at + 1) === 'that' || word(at + 1) === 'this')) return { to: at + 2, later: true }
  if (afterwards.has(word(at) ?? '') && word(at) !== 'now' && word(at) !== 'today') return { to: at + 1, later: true }
  return { to: at, later: false }
}

/** The unit of a time that was named before: "in ten minutes, and the lamp in twenty". */
function unitBefore(word: WordAt, at: number): number | null {
  for (let place = at - 1; place >= 0; place--)
    if (/^(minutes?|hours?)$/.test(word(place) ?? '')) return word(place)?.startsWith('m') === true ? 60 : 3600
  return null
}

/** "in ten, sorry, fifteen minutes": a number whose unit comes with the correction. */
function brokenOff(word: WordAt, at: number): ReadSpan | null {
  const number = readNumber(word, at)
  if (!number) return null
  const known = unitBefore(word, at)
  if (word(number.to) === undefined && known !== null) return { seconds: number.value * known, to: number.to }
  for (let behind = number.to; behind < number.to + 6; behind++) {
    const span = readNumber(word, behind) ? readSpan(word, behind) : null
    if (span) return { seconds: number.value * 60, to: number.to }
    if (!/^(no|sorry|make|that|it|wait|actually|i|mean|meant|rather|or|oh|oops|not|er|just)$/.test(word(behind) ?? ''))
      return null
  }
  return null
}

const waiting = /^(give|wait|allow|hold|hang|leave)$/

/** "in ten minutes", "ten minutes from now", "give it ten minutes and then". */
function delay(word: WordAt, at: number): FoundTime | null {
  const first = word(at) ?? ''
  let start = at
  let marked = false
  if (first === 'in' || first === 'after' || first === 'within' || first === 'inside') {
    start++
    marked = true
    if (word(start) === 'of') start++
  } else if (waiting.test(first)) {
    start++
    while (/^(it|me|us|another|for|on|about|them|like)$/.test(word(start) ?? '')) start++
    marked = true
  }
  start = past(word, start, about)
  const span = readSpan(word, start) ?? (marked ? brokenOff(word, start) : null)
  if (!span) return null
  const behind = behindSpan(word, span.to)
  if (!marked && !behind.later) return null
  let to = behind.to
  if (waiting.test(first)) {
    while (/^(and|then|before)$/.test(word(to) ?? '')) to++
    if (to === behind.to && first !== 'wait' && !(first === 'give' && word(at + 1) === 'it')) return null
  }
  if (marked && word(to) === 'have' && /^(passed|elapsed)$/.test(word(to + 1) ?? '')) to += 2
  return span.seconds === null
    ? { phrase: { is: 'vague' }, to, cost: 0 }
    : { phrase: { is: 'delay', seconds: span.seconds }, to, cost: 0 }
}

/** "for ten minutes"; a span alone, such as "ten minutes of water", is `bare`. */
function length(word: WordAt, at: number): FoundTime | null {
  const marked = word(at) === 'for' || word(at) === 'fer'
  let start = marked ? at + 1 : at
  start = past(word, start, about)
  if (start > at && !marked && word(at) === 'no') return null
  const span = readSpan(word, start) ?? (marked ? brokenOff(word, start) : null)
  if (!span) return null
  let to = word(span.to) === 'or' && word(span.to + 1) === 'so' ? span.to + 2 : span.to
  if (word(to) === 'long') to++
  const cost = marked ? 0 : 0.3
  return span.seconds === null
    ? { phrase: { is: 'vague' }, to, cost }
    : { phrase: { is: 'length', seconds: span.seconds, bare: !marked }, to, cost }
}

const dayTime = /^(am|pm|oclock|a|p|sharp)$/

/** "at seven", "7:30", "half seven", "quarter past six". */
function clock(word: WordAt, at: number): FoundTime | null {
  let start = at
  const marked = /^(at|by|around|before|after|until|from|till|about|for)$/.test(word(at) ?? '')
  if (marked) start++
  if (start > at && /^(about|around|exactly|like)$/.test(word(start) ?? '')) start++
  const first = word(start)
  if (first === undefined) return null
  if (/^\d{1,2}:\d{2}$/.test(first)) {
    let to = start + 1
    while (dayTime.test(word(to) ?? '') || word(to) === 'm') to++
    return { phrase: { is: 'clock' }, to, cost: 0 }
  }
  const pointed =
    first === 'half' ||
    first === 'quarter' ||
    first === 'ten' ||
    first === 'five' ||
    first === 'twenty' ||
    first === '10' ||
    first === '5'
  if (pointed && /^(past|to|before|after)$/.test(word(start + 1) ?? '')) {
    const hour = readNumber(word, start + 2)
    if (hour && hour.value <= 12 && (word(start + 1) === 'past' || marked))
      return { phrase: { is: 'clock' }, to: hour.to, cost: 0 }
  }
  if (first === 'half' && marked) {
    const hour = readNumber(word, start + 1)
    if (hour && hour.value <= 12) return { phrase: { is: 'clock' }, to: hour.to, cost: 0 }
  }
  const hour = readNumber(word, start)
  if (!hour || hour.value > 24) return null
  let to = hour.to
  if (dayTime.test(word(to) ?? '')) {
    const joined = word(to) === 'a' || word(to) === 'p'
    if (joined && word(to + 1) !== 'm') return null
    to += joined ? 2 : 1
    return { phrase: { is: 'clock' }, to, cost: 0 }
  }
  const minutes = readNumber(word, to)
  if (
    marked &&
    minutes &&
    Number.isInteger(minutes.value) &&
    minutes.value >= 10 &&
    minutes.value < 60 &&
    word(start) !== undefined &&
    hour.value <= 12
  )
    return { phrase: { is: 'clock' }, to: minutes.to, cost: 0.4 }
  if (/^in the (morning|evening|afternoon)$/.test(`${word(to)} ${word(to + 1)} ${word(to + 2)}`))
    return { phrase: { is: 'clock' }, to: to + 3, cost: 0 }
  // "at seven" is a time, "at nineteen" may be degrees: what it is said of decides.
  return marked &&
    (word(at) !== 'for' || word(to) === undefined) &&
    word(at) !== 'from' &&
    word(at) !== 'about' &&
    Number.isInteger(hour.value) &&
    hour.value <= 12
    ? { phrase: { is: 'clock' }, to, cost: word(at) === 'at' ? 0.15 : 0 }
    : null
}

/** "from six to eight", "between six and eight". */
function between(word: WordAt, at: number): FoundTime | null {
  const first = word(at) ?? ''
  const noon = /^(noon|midday|midnight|dawn|dusk)$/
  const hourAt = (place: number): ReadNumber | null =>
    noon.test(word(place) ?? '') ? { value: 12, to: place + 1 } : readNumber(word, place)
  const begin = first === 'from' || first === 'between' ? hourAt(at + 1) : null
  if (!begin || begin.value > 24) return null
  const start = dayTime.test(word(begin.to) ?? '') ? begin.to + 1 : begin.to
  if (!(first === 'from' ? /^(to|until|through)$/ : /^and$/).test(word(start) ?? '')) return null
  const end = hourAt(start + 1)
  if (!end || end.value > 24) return null
  return { phrase: { is: 'clock' }, to: dayTime.test(word(end.to) ?? '') ? end.to + 1 : end.to, cost: 0 }
}

const toHalf = (celsius: number): number => Math.round(celsius * 2) / 2

const more = /^(warmer|hotter|cooler|colder|higher|lower|more|less|up|down)$/

/** "to 21 degrees", "at 19", "seventy fahrenheit". */
function degrees(word: WordAt, at: number): FoundTime | null {
  let start = at
  while (
    /^(to|too|at|on|for|of|a|like|about|around|up|steady|cool|cosy|cozy|comfortable|nice|toasty|by|exactly|just|around|roughly|be|as|into|warm|reach|hit|is|say)$/.test(
      word(start) ?? '',
    ) &&
    start - at < 4
  )
    start++
  const lead = Array.from({ length: start - at }, (_, index) => word(at + index) ?? '')
  if (lead[0] === 'a' && lead.length === 1 && !word(start)) return null
  const below = word(start) === 'minus' ? readNumber(word, start + 1) : null
  if (below)
    return {
      phrase: { is: 'degrees', celsius: -below.value, to: true, named: true },
      to: /^degrees?$/.test(word(below.to) ?? '') ? below.to + 1 : below.to,
      cost: 0,
    }
  // "on at seven" is a state, and a time.
  if (lead[0] === 'on' && lead[1] === 'at') return null
  const number = readNumber(word, start) ?? (word(start) === 'zero' ? { value: 0, to: start + 1 } : null)
  if (!number) return null
  let { to } = number
  let named = false
  if (/^(degrees?|deg|degs|deegrees|digrees|digree)$/.test(word(to) ?? '')) {
    to++
    named = true
  }
  if (word(to) === 'percent') return { phrase: { is: 'percent' }, to: to + 1, cost: 0 }
  if (named && more.test(word(to) ?? '')) return { phrase: { is: 'change' }, to: to + 1, cost: 0 }
  if (lead.includes('by') || (lead[0] === 'up' && !lead.includes('to')))
    return named ? { phrase: { is: 'change' }, to, cost: 0 } : null
  let celsius = number.value
  if (/^(celsius|centigrade|c|celcius)$/.test(word(to) ?? '')) {
    to++
    named = true
  } else if (/^(fahrenheit|f|farenheit|fahrenhiet|farhenheit|fahr)$/.test(word(to) ?? '')) {
    celsius = toHalf(((number.value - 32) * 5) / 9)
    to++
    named = true
  }
  const marked = lead.some((one) => /^(to|too|at|on|for|into|reach|hit|be|read)$/.test(one))
  // "at seven" is seldom how warm.
  const hour =
    !named && Number.isInteger(number.value) && number.value <= 12 && /^(at|for|by|on)$/.test(lead.at(-1) ?? '')
  return { phrase: { is: 'degrees', celsius, to: marked, named }, to, cost: hour ? 0.6 : marked || named ? 0.02 : 0.25 }
}

/** Every phrase with a number that begins at `at`. */
export function timesAt(word: WordAt, at: number): readonly FoundTime[] {
  const found: FoundTime[] = []
  const waits = delay(word, at)
  if (waits) found.push(waits)
  const lasts = length(word, at)
  if (lasts) found.push(lasts)
  const hour = clock(word, at) ?? between(word, at)
  if (hour) found.push(hour)
  const warm = waits || lasts ? null : degrees(word, at)
  if (warm) found.push(warm)
  return found
}
