/**
 * Slips that only the words around tell: words that were written as one or parted in the wrong place, neighbouring keys in
 * small words, and words that dictation writes for others that sound like them.
 * @module
 */
import { unitAt } from './durations.ts'
import { isKnown } from './lexicon.ts'
import { readNumber } from './numbers.ts'
import { editDistance, repairs } from './spelling.ts'
import { gaps, type Token, type Tokens } from './tokens.ts'
import { isEnglish } from './words/english.ts'
import { isCompound, smallWords, soundAlikes, unitSlips } from './words/slips.ts'

/** What reading a word as another costs: hardly anything where nothing else can be meant. */
const costs = { clear: 0.1, likely: 0.3, unsure: 0.8 } as const

/** Whether a word counts time or warmth, of which the short forms stand in no vocabulary. */
const isUnit = (word: string): boolean =>
  unitAt(() => word, 0) !== undefined || /^(degs?|fahr|celcius|am|pm|ish)$/.test(word)

const strange = (word: string): boolean => /^[a-z]+$/.test(word) && !isKnown(word) && !isEnglish(word) && !isUnit(word)
const fits = (word: string): boolean => smallWords.has(word) || (word.length >= 4 && isKnown(word))

/** A word as parts of the vocabulary, as few as can be: "kitchenlight", "lightsonin"; null where it is none. */
function parted(word: string): readonly string[] | null {
  if (word.length < 4 || word.length > 28 || isCompound(word)) return null
  // "playin" is short for "playing".
  if (word.endsWith('in') && isKnown(`${word}g`)) return null
  const best: (readonly string[] | null)[] = [[]]
  for (let end = 1; end <= word.length; end++) {
    best[end] = null
    for (let from = Math.max(0, end - 12); from < end; from++) {
      const before = best[from]
      const part = word.slice(from, end)
      if (before && fits(part) && before.length + 1 < (best[end]?.length ?? 6)) best[end] = [...before, part]
    }
  }
  const parts = best[word.length]
  return parts && parts.length > 1 && parts.some((part) => part.length >= 3 || part === 'tv') ? parts : null
}

/** Words that stand side by side, of which the space slipped: "curtain sin", "turno n". */
function shifted(one: string, other: string): readonly [string, string] | null {
  if (!strange(one) && isKnown(other)) return null
  const ways: (readonly [string, string])[] = [
    [one + (other[0] ?? ''), other.slice(1)],
    [one.slice(0, -1), (one.at(-1) ?? '') + other],
  ]
  return ways.find(([first, second]) => fits(first) && fits(second)) ?? null
}

const rows = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm']

/** Whether two letters are neighbours on the keyboard. */
function near(one: string, other: string): boolean {
  const at = (letter: string): readonly [number, number] => {
    const row = rows.findIndex((keys) => keys.includes(letter))
    return [row, (rows[row]?.indexOf(letter) ?? 0) + row * 0.5]
  }
  const [row, column] = at(one)
  const [otherRow, otherColumn] = at(other)
  return row >= 0 && otherRow >= 0 && Math.abs(row - otherRow) <= 1 && Math.abs(column - otherColumn) <= 1.1
}

/** Whether a short word is another with one key slipped: its neighbour, a letter twice, two changed about, one too many. */
function slipped(word: string, meant: string): boolean {
  if (editDistance(word, meant, 1) > 1) return false
  if (word.length === meant.length) {
    const differing = Array.from(word, (letter, at) => (letter === meant[at] ? -1 : at)).filter((at) => at >= 0)
    if (differing.length === 2) return true
    const [at = 0] = differing
    return near(word[at] ?? '', meant[at] ?? '')
  }
  return word.length > meant.length || (meant.length >= 3 && word[0] === meant[0])
}

/** The small words that a short one may have been meant for. */
export const smallMeant = (word: string): readonly string[] =>
  word.length > 4 || word.length < 2 || !strange(word) ? [] : [...smallWords].filter((meant) => slipped(word, meant))

const isNumber = (word: string | undefined): boolean => word !== undefined && readNumber(() => word, 0) !== null

/** The words again, each once all slips around it are mended. */
export function mended(sentence: Tokens): Tokens {
  if (sentence.long) return sentence
  return { ...sentence, words: sounded(spaced(sentence.words)) }
}

/** Words parted where they were written as one, and joined or parted anew where the space slipped. */
function spaced(words: readonly Token[]): Token[] {
  const out: Token[] = []
  for (let at = 0; at < words.length; at++) {
    const token = words[at] as Token
    const next = words[at + 1]
    const pair = next && next.gap === gaps.none ? shifted(token.word, next.word) : null
    if (pair && next) {
      out.push({ ...token, word: pair[0], cost: costs.clear }, { ...next, word: pair[1] })
      at++
      continue
    }
    const parts = strange(token.word) && !isClose(token.word) ? parted(token.word) : null
    if (!parts) out.push(token)
    else
      for (const [place, word] of parts.entries())
        out.push({ ...token, word, gap: place === 0 ? token.gap : gaps.none, cost: place === 0 ? costs.clear : 0 })
  }
  return out
}

/** Whether a single word is closer than parts could be. */
const isClose = (word: string): boolean =>
  (repairs(word)[0]?.cost ?? 1) < 0.3 && (repairs(word)[0]?.words.length ?? 0) === 1

/** Words as they were meant that dictation, or a finger, made others of. */
function sounded(words: readonly Token[]): Token[] {
  const out = [...words]
  for (let at = 0; at < out.length; at++) {
    const token = out[at] as Token
    const unit = isNumber(out[at - 1]?.word) ? unitSlips.get(token.word) : undefined
    if (unit !== undefined) {
      out[at] = { ...token, word: unit, cost: costs.clear }
      continue
    }
    const line = (from: number, to: number): string =>
      out
        .slice(Math.max(0, from), to)
        .map(({ word }) => word)
        .join(' ')
    for (const { heard, before, behind, meant, unsure } of soundAlikes) {
      const length = heard.length
      if (!heard.every((word, place) => out[at + place]?.word === word)) continue
      if (before && !before.test(line(at - 2, at))) continue
      if (behind && !behind.test(line(at + length, at + length + 3))) continue
      out.splice(
        at,
        length,
        ...meant.map((word, place) => ({
          ...token,
          word,
          gap: place === 0 ? token.gap : gaps.none,
          cost: place === 0 ? (unsure === true ? costs.unsure : costs.likely) : 0,
        })),
      )
      break
    }
  }
  return out
}
