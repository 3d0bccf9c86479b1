/**
 * The sentence as a lattice: every phrase of the vocabulary and every phrase with a number, each from one place to another.
 * @module
 */
import { isKnown, type Meaning, type Pattern, patternsFrom } from '../lexicon.ts'
import { repairs, type Repair } from '../spelling.ts'
import { timesAt, type TimePhrase } from '../times.ts'
import { gaps, type Gap, type Token, type Tokens } from '../tokens.ts'
import { preamble } from './preambles.ts'

/** A phrase between two places of the sentence; `cost` is what speaks against reading it so. */
export interface Edge {
  readonly from: number
  readonly to: number
  readonly cost: number
  readonly means: Meaning | TimePhrase | { readonly is: 'unknown' }
}

/** The sentence with everything that its words can mean. */
export interface Lattice {
  readonly length: number
  /** Phrases by the place where they begin. */
  readonly from: readonly (readonly Edge[])[]
  /** What stands before the word at a place; behind the last, the end. */
  readonly gap: readonly Gap[]
  /** Words after repair. */
  readonly read: readonly string[]
}

interface Walk {
  readonly words: readonly (readonly Repair[])[]
  readonly gap: readonly Gap[]
  readonly out: Edge[]
}

/** Goes on with a pattern behind one of its slots. */
function walk(
  pattern: Pattern,
  slot: number,
  place: { readonly from: number; readonly at: number; readonly cost: number },
  search: Walk,
): void {
  const { from, at, cost } = place
  if (pattern.slots.slice(slot).every(({ optional }) => optional))
    search.out.push({ from, to: at, cost, means: pattern.meaning })
  const gap = search.gap[at] ?? gaps.none
  if (gap >= gaps.stop) return
  for (const { words, cost: repair } of search.words[at] ?? []) {
    for (const next of behind(pattern, slot, words))
      walk(pattern, next, { from, at: at + 1, cost: cost + repair + (gap === gaps.comma ? 0.2 : 0) }, search)
  }
}

/** The slots behind a word that stands at a slot, or at one behind slots that may be left out. */
function behindWord(pattern: Pattern, slot: number, word: string): number[] {
  const next: number[] = []
  for (let at = slot; at < pattern.slots.length; at++) {
    if (pattern.slots[at]?.words.has(word) === true) next.push(at + 1)
    if (pattern.slots[at]?.optional !== true) break
  }
  return next
}

/** The slots behind some words, one after the other. */
function behind(pattern: Pattern, slot: number, words: readonly string[]): number[] {
  let places = [slot]
  for (const word of words) places = places.flatMap((place) => behindWord(pattern, place, word))
  return places
}

function begin(at: number, search: Walk): void {
  for (const { words, cost } of search.words[at] ?? []) {
    const [first = '', ...rest] = words
    for (const { pattern, slot } of patternsFrom(first))
      for (const next of behind(pattern, slot + 1, rest)) walk(pattern, next, { from: at, at: at + 1, cost }, search)
  }
}

/** The cheapest of each meaning. */
function distinct(edges: readonly Edge[]): Edge[] {
  const best: Edge[] = []
  for (const edge of edges) {
    const known = best.findIndex((other) => other.to === edge.to && other.means === edge.means)
    if (known === -1) best.push(edge)
    else if (edge.cost < (best[known]?.cost ?? 0)) best[known] = edge
  }
  return best
}

/** Two words that are one of the vocabulary together: "shut ters". */
function joined(words: readonly Token[], at: number): string | null {
  const one = words[at]
  const other = words[at + 1]
  if (!one || !other || other.gap !== gaps.none || one.word.length < 2 || other.word.length < 2) return null
  const word = one.word + other.word
  return word.length >= 7 && isKnown(word) && !(isKnown(one.word) && isKnown(other.word)) ? word : null
}

/** Everything that the words of a sentence can mean. */
export function lattice(sentence: Tokens): Lattice {
  const { words } = sentence
  const gap: Gap[] = [...words.map((token) => token.gap), sentence.end === gaps.none ? gaps.stop : sentence.end]
  const choices = words.map(({ word }): readonly Repair[] => {
    const meant = repairs(word)
    return isKnown(word) || meant.length === 0 ? [{ words: [word], cost: 0 }] : meant
  })
  const read = words.map(({ word }, at) => {
    const best = choices[at]?.[0]
    return best ? best.words.join(' ') : word
  })
  const from = words.map((_, at): Edge[] => {
    const out: Edge[] = []
    begin(at, { words: choices, gap, out })
    const both = joined(words, at)
    for (const { pattern, slot } of both === null ? [] : patternsFrom(both))
      walk(pattern, slot + 1, { from: at, at: at + 2, cost: 0.2 }, { words: choices, gap, out })
    for (const { phrase, to, cost } of timesAt((place) => read[place], at))
      out.push({ from: at, to, cost, means: phrase })
    const polite = preamble(
      (place) => (gap[place] !== undefined && gap[place] >= gaps.stop && place > at ? undefined : read[place]),
      at,
      (place) =>
        patternsFrom(read[place] ?? '').some(
          ({ pattern }) => pattern.slots.length === 1 && /^(kind|area|state)$/.test(pattern.meaning.is),
        ),
    )
    if (polite) out.push({ from: at, to: polite.to, cost: polite.cost, means: { is: polite.wish ? 'wish' : 'polite' } })
    return distinct(out)
  })
  // What nobody knows can only be passed over.
  for (const [at, edges] of from.entries()) edges.push({ from: at, to: at + 1, cost: 0, means: { is: 'unknown' } })
  return { length: words.length, from, gap, read }
}
