/**
 * The closed vocabulary: every phrase of `words/`, found from its first word on.
 * @module
 */
import type { CommandArea, CommandKind } from '@flow-service/protocol'

import { unitWords } from './durations.ts'
import { numberWords } from './numbers.ts'
import { artistWords, sortWords } from './words/music.ts'
import { phraseWords, repairedWords, type PhraseRole } from './words/phrases.ts'
import { areaWords, groupWords, hereWords, otherPlaces, thereWords } from './words/places.ts'
import { senseWords, type Sense } from './words/senses.ts'
import {
  adjectives,
  furnitureWords,
  garageDoorWords,
  otherThings,
  plantWords,
  showWords,
  thingWords,
  titleWords,
  undoable,
} from './words/things.ts'
import { states, verbs, type Deed, type Verb } from './words/verbs.ts'

/** Areas by a word of their own: all of them, those inside, those outside. */
export type AreaGroup = keyof typeof groupWords

/** What a phrase is. */
export type Meaning =
  | { readonly is: 'area'; readonly area: CommandArea }
  | { readonly is: 'elsewhere' | 'here' | 'there' | 'adjective' | 'title' | 'other' | 'plant' | 'show' | 'furniture' }
  | { readonly is: 'group'; readonly group: AreaGroup }
  | { readonly is: 'kind'; readonly kind: CommandKind; readonly area?: CommandArea }
  | { readonly is: 'undoable'; readonly reason: string }
  | { readonly is: 'verb'; readonly verb: Verb; readonly form: 'base' | 'ing' | 'past' }
  | { readonly is: 'state'; readonly state: Deed | 'back' }
  | { readonly is: 'sense'; readonly sense: Sense }
  | { [Role in PhraseRole]: { readonly is: Role } }[PhraseRole]

/** One of some words, or nothing where it may be left out. */
interface Slot {
  readonly words: ReadonlySet<string>
  readonly optional: boolean
}

/** A phrase of the vocabulary: word for word what it may be. */
export interface Pattern {
  readonly slots: readonly Slot[]
  readonly meaning: Meaning
}

const vocabulary = new Set<string>()
const repairable = new Set<string>()
const starting = new Map<string, { readonly pattern: Pattern; readonly slot: number }[]>()

function slotOf(part: string): Slot {
  const optional = part.endsWith('?') || part.endsWith('|')
  const words = part
    .replace(/[?|]+$/, '')
    .split('|')
    .filter((word) => word !== '')
  return { words: new Set(words), optional }
}

function add(patterns: string, meaning: Meaning, repair: boolean): void {
  for (const text of patterns.split(';')) {
    for (const variant of variants(text.trim().split(/\s+/))) addPattern(variant, meaning, repair)
  }
}

/** "a|b_c" is the word "a", or the words "b c": a pattern for each length. */
function variants(parts: readonly string[]): (readonly string[])[] {
  const at = parts.findIndex((part) => part.includes('_'))
  const part = parts[at]
  if (part === undefined) return [parts]
  const optional = /[?|]$/.test(part)
  const choices = part
    .replace(/[?|]+$/, '')
    .split('|')
    .filter((choice) => choice !== '')
  const single = choices.filter((choice) => !choice.includes('_'))
  const before = parts.slice(0, at)
  const behind = variants(parts.slice(at + 1))
  const middles = choices.filter((choice) => choice.includes('_')).map((choice) => choice.split('_'))
  if (single.length > 0) middles.push([single.join('|') + (optional ? '?' : '')])
  else if (optional) middles.push([])
  return middles.flatMap((middle) => behind.map((rest) => [...before, ...middle, ...rest]))
}

function addPattern(parts: readonly string[], meaning: Meaning, repair: boolean): void {
  const slots = parts.map((part) => slotOf(part))
  const pattern = { slots, meaning }
  for (const { words } of slots) {
    for (const word of words) {
      vocabulary.add(word)
      if (repair) repairable.add(word)
    }
  }
  for (const [at, slot] of slots.entries()) {
    for (const word of slot.words) {
      const known = starting.get(word)
      if (known) known.push({ pattern, slot: at })
      else starting.set(word, [{ pattern, slot: at }])
    }
    if (!slot.optional) break
  }
}

/** Patterns that can begin with a word, each with the slot of that word. */
export const patternsFrom = (word: string): readonly { readonly pattern: Pattern; readonly slot: number }[] =>
  starting.get(word) ?? []

const entries = <K extends string, V>(record: Readonly<Partial<Record<K, V>>>): [K, V][] =>
  Object.entries(record) as [K, V][]

function build(): void {
  for (const [area, words] of entries(areaWords)) {
    add(words, { is: 'area', area }, true)
    for (const word of words.split(';')) add(`${word.trim()} area|zone|section`, { is: 'area', area }, false)
  }
  for (const [group, words] of entries(groupWords)) add(words, { is: 'group', group }, true)
  for (const [kind, words] of entries(thingWords)) add(words, { is: 'kind', kind }, true)
  add(garageDoorWords, { is: 'kind', kind: 'cover', area: 'garage' }, true)
  add(otherPlaces, { is: 'elsewhere' }, true)
  add(hereWords, { is: 'here' }, false)
  add(thereWords, { is: 'there' }, false)
  add(plantWords, { is: 'plant' }, false)
  add(adjectives, { is: 'adjective' }, false)
  for (const words of [titleWords, artistWords, sortWords]) add(words, { is: 'title' }, false)
  add(showWords, { is: 'show' }, false)
  add(otherThings, { is: 'other' }, false)
  add(furnitureWords, { is: 'furniture' }, false)
  for (const [reason, words] of undoable) add(words, { is: 'undoable', reason }, false)
  for (const verb of verbs) {
    add(verb.base, { is: 'verb', verb, form: 'base' }, true)
    if (verb.ing !== undefined) add(verb.ing, { is: 'verb', verb, form: 'ing' }, true)
    if (verb.past !== undefined) add(verb.past, { is: 'verb', verb, form: 'past' }, true)
  }
  for (const [state, words] of entries(states)) add(words, { is: 'state', state }, true)
  for (const [sense, words] of entries(senseWords)) add(words, { is: 'sense', sense }, true)
  for (const [role, words] of entries(phraseWords))
    add(words, { is: role } as Meaning, /^(except|quant|everything|wish|cond|polite)$/.test(role))
  for (const word of [...numberWords, ...unitWords, ...repairedWords]) {
    vocabulary.add(word)
    repairable.add(word)
  }
}
build()

/** Whether `word` is one of the vocabulary. */
export const isKnown = (word: string): boolean => vocabulary.has(word)
/** Words that a misspelled one may have been meant for. */
export const repairableWords: readonly string[] = [...repairable].filter(
  (word) => word.length >= 4 && /^[a-z]+$/.test(word),
)
