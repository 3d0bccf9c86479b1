/**
 * Numbers in words and digits.
 * @module
 */

const small: Readonly<Record<string, number>> = {
  zero: 0,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
  dozen: 12,
}
const tens: Readonly<Record<string, number>> = {
  twenty: 20,
  thirty: 30,
  forty: 40,
  fourty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
}

/** Words of numbers, for the repair of spelling. */
export const numberWords: readonly string[] = [
  ...Object.keys(small),
  ...Object.keys(tens),
  'hundred',
  'point',
  'half',
  'quarter',
]

/** A number that was read, and the place behind it. */
export interface ReadNumber {
  readonly value: number
  readonly to: number
}

/** Words by place; none behind the end. */
export type WordAt = (at: number) => string | undefined
/** Whether the sentence pauses before the word at a place. */
export type Ends = (at: number) => boolean

const behindAlone =
  /^(please|pls|then|and|but|or|from|later|thanks|thank|cheers|ta|ok|okay|if|the|my|all|turn|switch|put|open|close|shut|stop|start|play|can|could|would|will|no|sorry|wait|actually|rather|mate|love|there|exactly|tops|max|flat|sharp)$/

/** Whether a number that ends before `to` counts nothing behind it. */
export const standsAlone = (word: WordAt, to: number, ends: Ends): boolean => {
  const next = word(to)
  return next === undefined || ends(to) || behindAlone.test(next)
}

function below100(word: WordAt, at: number): ReadNumber | null {
  const first = word(at)
  if (first === undefined) return null
  const ten = tens[first]
  if (ten !== undefined) {
    const unit = small[word(at + 1) ?? '']
    return unit !== undefined && unit > 0 && unit < 10 ? { value: ten + unit, to: at + 2 } : { value: ten, to: at + 1 }
  }
  const value = small[first]
  return value === undefined ? null : { value, to: at + 1 }
}

function whole(word: WordAt, at: number): ReadNumber | null {
  const digits = word(at)
  if (digits !== undefined && /^\d+(\.\d+)?$/.test(digits)) return { value: Number(digits), to: at + 1 }
  if (word(at) === 'a' && word(at + 1) === 'dozen') return { value: 12, to: at + 2 }
  const head = word(at) === 'a' && word(at + 1) === 'hundred' ? { value: 1, to: at + 1 } : below100(word, at)
  if (!head) return null
  if (word(head.to) !== 'hundred') return head
  const rest = below100(word, word(head.to + 1) === 'and' ? head.to + 2 : head.to + 1)
  return rest ? { value: head.value * 100 + rest.value, to: rest.to } : { value: head.value * 100, to: head.to + 1 }
}

/** The number that begins at `at`: "21", "21.5", "twenty one and a half", "nineteen point five"; null for none. */
export function readNumber(word: WordAt, at: number): ReadNumber | null {
  const found = whole(word, at)
  if (!found) return null
  const { value, to } = found
  if (word(to) === 'point') {
    const fraction = whole(word, to + 1)
    if (fraction && fraction.value < 10 && Number.isInteger(fraction.value))
      return { value: value + fraction.value / 10, to: fraction.to }
  }
  if (word(to) === 'and' && word(to + 1) === 'a' && word(to + 2) === 'half') return { value: value + 0.5, to: to + 3 }
  if (word(to) === 'and' && word(to + 1) === 'half') return { value: value + 0.5, to: to + 2 }
  if (word(to) === 'and' && word(to + 1) === 'a' && word(to + 2) === 'quarter')
    return { value: value + 0.25, to: to + 3 }
  return found
}
