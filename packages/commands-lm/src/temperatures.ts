/**
 * How warm: "to 21 degrees", "at 19", "seventy fahrenheit", "from 22 to 20".
 * @module
 */
import { isKnown } from './lexicon.ts'
import { type Ends, readNumber, type WordAt } from './numbers.ts'

/** A temperature, a change by some degrees, or a share in per cent. */
export type WarmthPhrase =
  | { readonly is: 'degrees'; readonly celsius: number; readonly to: boolean; readonly named: boolean }
  | { readonly is: 'change' }
  | { readonly is: 'percent' }

interface FoundWarmth {
  readonly phrase: WarmthPhrase
  readonly to: number
  readonly cost: number
}

const toHalf = (celsius: number): number => Math.round(celsius * 2) / 2

const leads =
  /^(to|too|at|on|for|of|a|an|like|about|around|up|steady|cool|cosy|cozy|comfortable|comfy|nice|toasty|balmy|sensible|reasonable|modest|mild|pleasant|moderate|constant|decent|snug|solid|minimum|maximum|by|exactly|just|roughly|be|as|into|warm|reach|hit|say|precisely|least|most)$/
const marks = /^(to|too|at|on|for|into|reach|hit|be|read)$/
const compared = /^(no|not) (less|more|lower|higher|cooler|warmer|hotter|colder) than$/
const more = /^(warmer|hotter|cooler|colder|higher|lower|more|less|up|down)$/
const degreeWord = /^(degrees?|deg|degs|deegrees|digrees|digree|degress|degreez)$/
const celsius = /^(celsius|centigrade|c|celcius)$/
const fahrenheit = /^(fahrenheit|f|farenheit|fahrenhiet|farhenheit|fahr)$/

const wordsOf = (word: WordAt, from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, place) => word(from + place) ?? '')

/** Where the number of a temperature stands. */
function leadOf(word: WordAt, at: number): number {
  if (compared.test(wordsOf(word, at, at + 3).join(' '))) return at + 3
  let start = at
  while (leads.test(word(start) ?? '') && start - at < 5) start++
  if (start > at && /^temp(erature)?$/.test(word(start) ?? '') && word(start + 1) === 'of') start += 2
  return start > at && compared.test(wordsOf(word, start, start + 3).join(' ')) ? start + 3 : start
}

interface Scale {
  readonly to: number
  readonly scale: 'celsius' | 'fahrenheit' | null
  readonly named: boolean
}

/** "degrees celsius", "on the fahrenheit scale" behind a number. */
function scaleOf(word: WordAt, from: number): Scale {
  const to = degreeWord.test(word(from) ?? '') ? from + 1 : from
  let place = to
  if (word(place) === 'in' || (/^(on|in)$/.test(word(place) ?? '') && word(place + 1) === 'the')) place++
  if (place > to && word(place) === 'the') place++
  const scale = celsius.test(word(place) ?? '') ? 'celsius' : fahrenheit.test(word(place) ?? '') ? 'fahrenheit' : null
  if (scale === null || (place > to && /^(c|f)$/.test(word(place) ?? ''))) return { to, scale: null, named: to > from }
  return { to: word(place + 1) === 'scale' ? place + 2 : place + 1, scale, named: true }
}

/** "from 22 to 20": the second is meant. */
function fromTo(word: WordAt, at: number): number {
  const start = /^(back|up|down)$/.test(word(at) ?? '') ? at + 1 : at
  const first = word(start) === 'from' ? readNumber(word, start + 1) : null
  if (!first) return at
  const { to } = scaleOf(word, first.to)
  const behind = /^(back|up|down)$/.test(word(to) ?? '') ? to + 1 : to
  return word(behind) === 'to' && readNumber(word, behind + 1) ? behind : at
}

/** "will do", "it is" behind a temperature, with what speaks against taking it for an order. */
function agreed(word: WordAt, to: number): { readonly to: number; readonly cost: number } {
  const next = wordsOf(word, to, to + 3).join(' ')
  if (/^(will|would|should|shall) be (fine|nice|perfect|enough|plenty|good|right|lovely|ideal|great)/.test(next))
    return { to: to + 3, cost: 0.1 }
  if (/^(will|would|should|shall) (do|suffice)\b/.test(next)) return { to: to + 2, cost: 0.1 }
  if (/^it (is|'s)( |$)/.test(next)) return { to: to + 2, cost: 0.1 }
  return /^is (plenty|enough|ample|perfect|ideal)\b/.test(next) ? { to: to + 2, cost: 0.8 } : { to, cost: 0 }
}

/** What is counted that is no warmth. */
const counted =
  /^(people|times?|years?|songs?|steps?|miles?|km|kilos?|pounds?|euros?|dollars?|quid|bucks?|cents?|pages?|guests|friends|men|women|watts?|lux|lumens?|kelvin|past)$/

/** Whether a number alone, of which nothing says that it is one of degrees, may be: no year, no room, no price. */
const mayBeWarmth = (word: WordAt, value: number, to: number, ends: Ends): boolean => {
  const next = word(to)
  return (
    value < 100 && !counted.test(next ?? '') && (next === undefined || ends(to) || isKnown(next) || /^\d/.test(next))
  )
}

/** The temperature that begins at `at`; null for none. */
export function degreesAt(word: WordAt, at: number, ends: Ends): FoundWarmth | null {
  const from = fromTo(word, at)
  // "down 5" is a change, "up 21" may be where it goes to.
  const step = /^(up|down)$/.test(word(at) ?? '') ? readNumber(word, at + 1) : null
  if (step && step.value <= 10 && from === at && word(step.to) !== 'to')
    return { phrase: { is: 'change' }, to: scaleOf(word, step.to).to, cost: 0 }
  let start = leadOf(word, from)
  const lead = wordsOf(word, from, start)
  // "on at seven" is a state, and a time.
  if (lead[0] === 'on' && lead[1] === 'at') return null
  // "fahrenheit 68"
  const ahead = fahrenheit.test(word(start) ?? '') && (word(start)?.length ?? 0) > 1
  if (ahead) start++
  const minus = word(start) === 'minus'
  const number = readNumber(word, minus ? start + 1 : start)
  if (!number) return null
  const relative = lead.includes('by') || (lead[0] === 'up' && !lead.includes('to'))
  // "two more degrees"
  if (word(number.to) === 'more' && degreeWord.test(word(number.to + 1) ?? ''))
    return { phrase: { is: 'change' }, to: number.to + 2, cost: 0 }
  // "nineteen five"
  const half =
    word(number.to) === 'five' &&
    number.value >= 10 &&
    number.value < 30 &&
    (word(number.to + 1) === undefined || ends(number.to + 1) || degreeWord.test(word(number.to + 1) ?? ''))
  const { to, scale, named: unitSaid } = scaleOf(word, half ? number.to + 1 : number.to)
  const named = unitSaid || ahead || minus
  if (word(to) === 'percent') return { phrase: { is: 'percent' }, to: to + 1, cost: 0 }
  if (unitSaid && more.test(word(to) ?? '')) return { phrase: { is: 'change' }, to: to + 1, cost: 0 }
  if (relative) return unitSaid ? { phrase: { is: 'change' }, to, cost: 0 } : null
  const marked = from > at || lead.some((one) => marks.test(one)) || lead.includes('than')
  if (!marked && !named && !mayBeWarmth(word, number.value, to, ends)) return null
  const value = (minus ? -number.value : number.value) + (half ? 0.5 : 0)
  const warm = ahead || scale === 'fahrenheit' ? toHalf(((value - 32) * 5) / 9) : value
  const done = agreed(word, to)
  // "at seven" is seldom how warm.
  const hour = !named && Number.isInteger(value) && value <= 12 && /^(at|for|by|on)$/.test(lead.at(-1) ?? '')
  const said = marked || done.to > to
  return {
    phrase: { is: 'degrees', celsius: warm, to: said, named },
    to: done.to,
    cost: done.cost + (hour ? 0.6 : said || named ? 0.02 : 0.25),
  }
}
