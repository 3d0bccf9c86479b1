/**
 * Times of the clock: "at seven", "7:30", "half six", "every ten minutes". None of them can be kept.
 * @module
 */
import { readSpan, unitAt } from './durations.ts'
import { type Ends, readNumber, type ReadNumber, type WordAt } from './numbers.ts'

/** Where a time of the clock ends, and what speaks against it. */
interface Clock {
  readonly to: number
  readonly cost: number
}

const dayTime = /^(am|pm|oclock|a|p|sharp|ish)$/
const marks = /^(at|by|around|before|after|until|from|till|about|for|towards|past|since|come|between)$/
const part = /^(half|quarter|ten|five|twenty|10|5|20)$/

/** "18:45", "2200 hours". */
function written(word: WordAt, start: number, marked: boolean): Clock | null {
  const first = word(start) ?? ''
  if (/^\d{1,2}:\d{2}$/.test(first)) {
    let to = start + 1
    while (dayTime.test(word(to) ?? '') || word(to) === 'm') to++
    return { to, cost: 0 }
  }
  const hours = word(start + 1) === 'hours' || word(start + 1) === 'hrs'
  if (!/^([01]\d|2[0-4])[0-5]\d$/.test(first) || !(marked || hours)) return null
  return { to: hours ? start + 2 : start + 1, cost: 0 }
}

/** "quarter past six", "half six", "ten to eight". */
function parted(word: WordAt, at: number, start: number, ends: Ends): Clock | null {
  const marked = start > at
  const first = word(start) ?? ''
  const leads = marked || at === 0 || ends(at)
  if (part.test(first) && /^(past|to|before|after)$/.test(word(start + 1) ?? '')) {
    const hour = readNumber(word, start + 2)
    if (hour && hour.value <= 12 && unitAt(word, hour.to) === undefined && (word(start + 1) === 'past' || leads))
      return { to: hour.to, cost: 0 }
    return marked && (word(start + 2) === undefined || ends(start + 2)) ? { to: start + 2, cost: 0 } : null
  }
  if (first !== 'half' || !leads) return null
  const hour = readNumber(word, start + 1)
  return hour && hour.value <= 12 && Number.isInteger(hour.value) && unitAt(word, hour.to) === undefined
    ? { to: hour.to, cost: 0 }
    : null
}

/** The end of "on the dot", "in the morning", "tonight" behind an hour; its beginning where there is none. */
function ofDay(word: WordAt, to: number): number {
  const next = [0, 1, 2].map((place) => word(to + place) ?? '').join(' ')
  if (/^(on the dot|in the (morning|evening|afternoon))/.test(next)) return to + 3
  if (/^(at night|on dot|or thereabouts)/.test(next)) return to + 2
  return /^(tonight|oclock|sharp|ish)\b/.test(next) ? to + 1 : to
}

/** "seven pm", "7 on the dot", "seven thirty", "at seven". */
function spoken(word: WordAt, at: number, start: number): Clock | null {
  const mark = start > at ? (word(at) ?? '') : ''
  const hour = readNumber(word, start)
  if (!hour || hour.value > 24) return null
  const { to } = hour
  if (dayTime.test(word(to) ?? '')) {
    const joined = word(to) === 'a' || word(to) === 'p'
    if (joined && word(to + 1) !== 'm') return null
    return { to: ofDay(word, joined ? to + 2 : to + 1), cost: 0 }
  }
  const minutes = readNumber(word, to)
  const counts = minutes !== null && Number.isInteger(minutes.value) && minutes.value >= 10 && minutes.value < 60
  if (mark !== '' && counts && hour.value <= 12) {
    const meridian = dayTime.test(word(minutes.to) ?? '') && word(minutes.to) !== 'a' && word(minutes.to) !== 'p'
    return { to: meridian ? minutes.to + 1 : minutes.to, cost: 0.4 }
  }
  if (counts && /^(am|pm)$/.test(word(minutes.to) ?? '')) return { to: minutes.to + 1, cost: 0 }
  const day = ofDay(word, to)
  if (day > to) return { to: day, cost: 0 }
  if (unitAt(word, to) !== undefined || /^degrees?$/.test(word(to) ?? '')) return null
  if (mark === 'for' && word(to) === undefined && hour.value <= 12) return { to, cost: 0.15 }
  // "at seven" is a time, "at nineteen" may be degrees: what it is said of decides.
  return /^(at|by|around|before|after|until|till|towards|past|since|come)$/.test(mark) &&
    Number.isInteger(hour.value) &&
    hour.value <= 12
    ? { to, cost: mark === 'at' ? 0.15 : 0 }
    : null
}

const inWords = [
  'on the dot of',
  'on the stroke of',
  'at the stroke of',
  'bang on',
  'just after',
  'just before',
  'shortly after',
  'shortly before',
  'a bit after',
  'a bit before',
  'a little after',
  'a little before',
].map((phrase) => phrase.split(' '))

/** "from six to eight", "between six and eight". */
function between(word: WordAt, at: number): Clock | null {
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
  const day = dayTime.test(word(end.to) ?? '')
  // "from 18 to 20.5" may be degrees.
  const warm = !day && (begin.value > 12 || !Number.isInteger(end.value))
  return { to: day ? end.to + 1 : end.to, cost: warm ? 0.8 : 0 }
}

/** The time of the clock that begins at `at`; null for none. */
export function clockAt(word: WordAt, at: number, ends: Ends): Clock | null {
  if (/^(every|each)$/.test(word(at) ?? '')) {
    const span = readSpan(word, at + 1) ?? readSpan((place) => (place === at ? 'one' : word(place)), at)
    return span ? { to: span.to, cost: 0 } : null
  }
  const phrase = inWords.find((words) => words.every((one, place) => word(at + place) === one))
  let start = at + (phrase?.length ?? (marks.test(word(at) ?? '') ? 1 : 0))
  if (start > at && /^(about|around|exactly|like|roughly|say)$/.test(word(start) ?? '')) start++
  if (word(start) === undefined) return null
  const found = written(word, start, start > at) ?? parted(word, at, start, ends)
  if (found) return found
  return phrase ? hourBehind(word, start) : (spoken(word, at, start) ?? between(word, at))
}

/** An hour behind words that are said of the clock alone. */
function hourBehind(word: WordAt, start: number): Clock | null {
  const hour = readNumber(word, start)
  return hour && hour.value <= 24 && unitAt(word, hour.to) === undefined ? { to: ofDay(word, hour.to), cost: 0 } : null
}
