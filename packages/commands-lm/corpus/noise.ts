/**
 * How people write, and what speech recognition makes of them: small letters, no punctuation, slips of the finger.
 * @module
 */
import type { Random } from './random.ts'
import { slots } from './slots.ts'

const known = new Set(Object.values(slots).flatMap((fillings) => fillings.flatMap(([said]) => said.split(' '))))
/** Words that a slip would make of others. */
const otherWords = new Set(['binds', 'lunge', 'longe', 'garge', 'stero', 'sting', 'coking', 'fling'])

/** A text with a slip in one of its longer words; null when it has none. */
export function withSlip(text: string, random: Random): string | null {
  const words = text.split(' ')
  const long = words.flatMap((word, at) => (/^[a-z]{6,}$/.test(word) ? [at] : []))
  if (long.length === 0) return null
  const at = random.pick(long)
  const slipped = slipOf(words[at] ?? '', random)
  if (known.has(slipped) || otherWords.has(slipped) || slipped === words[at]) return null
  return words.with(at, slipped).join(' ')
}

/** Two letters changed about, one left out or one written twice, inside a word. */
function slipOf(word: string, random: Random): string {
  const at = 1 + Math.floor(random.next() * (word.length - 3))
  const [before, first, second, behind] = [word.slice(0, at), word[at] ?? '', word[at + 1] ?? '', word.slice(at + 2)]
  return random.pick([
    before + second + first + behind,
    before + second + behind,
    before + first + first + second + behind,
  ])
}

/** A text as it is dictated, typed in a hurry, or written with care. */
export function inSomeHand(text: string, random: Random): string {
  const hand = random.next()
  if (hand < 0.35) return carefully(text, random.happens(0.5))
  if (hand < 0.7) return hurriedly(text, random.happens(0.4))
  return text
}

function carefully(text: string, hasPoint: boolean): string {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1)
  return hasPoint && /\w$/.test(sentence) ? `${sentence}.` : sentence
}

function hurriedly(text: string, hasApostrophes: boolean): string {
  const bare = text.toLowerCase().replaceAll(/[,?!:;…]|\.+(?!\d)/g, '')
  return hasApostrophes ? bare : bare.replaceAll("'", '')
}
