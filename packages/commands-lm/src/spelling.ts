/**
 * Repair of spelling: a word that is none is read as the closest of the vocabulary, when that is close enough.
 * @module
 */
import { isKnown, repairableWords } from './lexicon.ts'
import { gaps, type Tokens } from './tokens.ts'
import { isEnglish } from './words/english.ts'

/** What a word may have been meant for. */
export interface Repair {
  /** One word, or two that were written as one. */
  readonly words: readonly string[]
  readonly cost: number
}

/** Distance of Damerau and Levenshtein (neighbours may change places), up to `limit`; more is `limit + 1`. */
export function editDistance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1
  let before: number[] = []
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    let least = row
    for (let column = 1; column <= other.length; column++) {
      const equal = one[row - 1] === other[column - 1]
      let best = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (equal ? 0 : 1),
      )
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]) {
        best = Math.min(best, (before[column - 2] ?? 0) + 1)
      }
      current.push(best)
      least = Math.min(least, best)
    }
    if (least > limit) return limit + 1
    before = above
    above = current
  }
  return above[other.length] ?? limit + 1
}

/** `word` without one of its letters, each way; and without two of them. */
function shorter(word: string, letters: number): Set<string> {
  let all = new Set([word])
  const out = new Set(all)
  for (let round = 0; round < letters; round++) {
    const next = new Set<string>()
    for (const one of all) for (let at = 0; at < one.length; at++) next.add(one.slice(0, at) + one.slice(at + 1))
    for (const one of next) out.add(one)
    all = next
  }
  return out
}

/** How many mistakes a word of this length may have. */
const tolerance = (length: number): number => (length < 4 ? 0 : length < 7 ? 1 : 2)

const index = new Map<string, string[]>()
for (const word of repairableWords) {
  for (const key of shorter(word, tolerance(word.length))) {
    const known = index.get(key)
    if (known) known.push(word)
    else index.set(key, [word])
  }
}

const wholeWords = new Set(repairableWords)
const particles = new Set([
  'on',
  'off',
  'up',
  'down',
  'in',
  'the',
  'to',
  'all',
  'my',
  'at',
  'for',
  'and',
  'set',
  'put',
  'tv',
])
const pairs = new Set([
  'onthe',
  'inthe',
  'offthe',
  'upthe',
  'tothe',
  'ofthe',
  'atthe',
  'forthe',
  'allthe',
  'andthe',
  'inmy',
])

/** The words that were written as one from a place of `word` on. */
function wordsFrom(word: string, at: number): readonly string[] | null {
  if (at === word.length) return []
  for (let to = word.length; to >= at + 2; to--) {
    const part = word.slice(at, to)
    if (!(part.length >= 4 ? wholeWords.has(part) : particles.has(part))) continue
    const rest = wordsFrom(word, to)
    if (rest) return [part, ...rest]
  }
  return null
}

/** Words that were written as one: "livingroom", "turnoff", "blindsup", "onthe"; null for a word that is whole. */
function apart(word: string): readonly string[] | null {
  if (word.length < 5 || word.length > 30 || isKnown(word) || isEnglish(word)) return null
  // "playin" is short for "playing".
  if (word.endsWith('in') && isKnown(`${word}g`)) return null
  const parts = wordsFrom(word, 0)
  if (!parts || parts.length < 2) return null
  return pairs.has(word) || parts.some((part) => part.length >= 4) ? parts : null
}

/** The sentence with the words apart that were written as one. */
export const parted = (sentence: Tokens): Tokens => ({
  ...sentence,
  words: sentence.words.flatMap((token) =>
    (apart(token.word) ?? [token.word]).map((word, at) => ({ ...token, word, gap: at === 0 ? token.gap : gaps.none })),
  ),
})

const skeletonOf = (word: string): string =>
  (word[0] ?? '') +
  word
    .slice(1)
    .replaceAll(/[aeiouy]/g, '')
    .replaceAll(/(.)\1/g, '$1')

/** Words by their consonants: phones are typed on without vowels, "bthrm". */
const skeletons = new Map<string, string>()
for (const word of repairableWords) {
  const skeleton = skeletonOf(word)
  if (skeleton.length >= 3 && !skeletons.has(skeleton)) skeletons.set(skeleton, word)
}

/** A word that was written without most of its vowels. */
function abbreviated(word: string): string | null {
  const vowels = word.slice(1).replaceAll(/[^aeiouy]/g, '').length
  if (word.length < 3 || vowels > 1 || (vowels === 1 && word.length < 5)) return null
  return skeletons.get(skeletonOf(word)) ?? null
}

/** What a word that nobody knows may have been meant for, the closest first. */
export function repairs(word: string): readonly Repair[] {
  if (word.length < 3 || word.length > 20 || !/^[a-z]+$/.test(word) || isKnown(word) || isEnglish(word)) return []
  const limit = tolerance(word.length)
  const found = new Map<string, number>()
  for (const key of shorter(word, limit)) {
    for (const candidate of index.get(key) ?? []) {
      if (found.has(candidate)) continue
      const distance = editDistance(word, candidate, limit)
      // A first letter is seldom wrong, and a short word is easily another.
      if (distance <= Math.min(limit, tolerance(candidate.length)))
        found.set(candidate, distance + (word[0] === candidate[0] ? 0 : 0.6))
    }
  }
  const least = Math.min(...found.values())
  // One slip away from one word alone: that word was meant.
  const clear = least <= 1 && [...found.values()].filter((distance) => distance < 2).length === 1
  const all: Repair[] = [...found].map(([candidate, distance]) => ({
    words: [candidate],
    cost: clear && distance === least ? 0.1 : 0.25 * distance,
  }))
  const full = abbreviated(word)
  if (full !== null && !found.has(full)) all.push({ words: [full], cost: 0.35 })
  return all.toSorted((one, other) => one.cost - other.cost).slice(0, 4)
}
