/**
 * How a sentence was understood, for people.
 * @module
 */
import type { CommandReading } from '@flow-service/protocol'

import { MAX_WORDS } from './tokens.ts'
import { reading, type Understanding, type Understood } from './understand.ts'

/** A reading of a sentence, also one that lost. */
export interface ExplainedReading extends CommandReading {
  /** The words that it was made of, as the sentence has them. */
  readonly words: string
  /** Of the reading before its calibration; greater is better. */
  readonly score: number
  /** Why it is not what was said, in words; null for those that `interpret` gives. */
  readonly lost: string | null
}

/** How a sentence was understood. */
export interface Explanation {
  /** The words after spelling repair, in order. */
  readonly words: readonly { readonly said: string; readonly read: string }[]
  /** Those that count first, each list by score. */
  readonly readings: readonly ExplainedReading[]
  /** Why nothing is done, in words; null when something is. */
  readonly refusal: string | null
}

function explained(understood: Understood, one: Understanding, best: boolean): ExplainedReading[] {
  return one.calls.map((call) => {
    const said = understood.sentence.words.slice(call.from, call.to).map((token) => token.said)
    const read = reading(call, one.score)
    const words = said.filter((word, at) => word !== said[at - 1] || !word.includes("'")).join(' ')
    const beaten = best ? null : 'another way to read the sentence is likelier'
    const unlikely = read.confidence === 0 ? 'too many words of it are not understood' : null
    return { ...read, words, score: Math.round(one.score * 1000) / 1000, lost: call.refusal ?? beaten ?? unlikely }
  })
}

/** What was read of a sentence, and why the rest was not. */
export function explanation(understood: Understood): Explanation {
  const { sentence, lattice, all } = understood
  const words = sentence.words.map((token, at) => ({ said: token.said, read: lattice.read[at] ?? token.word }))
  if (sentence.long) return { words, readings: [], refusal: `longer than ${MAX_WORDS} words: say less at once` }
  const [best, ...others] = all
  if (!best) return { words, readings: [], refusal: 'nothing was said' }
  const won = explained(understood, best, true)
  const key = (one: ExplainedReading): string => `${one.call} ${one.area} ${one.args.temperature ?? ''} ${one.delay_s}`
  const known = new Set(won.map(key))
  const lost = others
    .flatMap((other) => explained(understood, other, false))
    .filter((one) => {
      const fresh = !known.has(key(one))
      known.add(key(one))
      return fresh
    })
  const does = won.some((one) => one.confidence > 0)
  const refusal = does
    ? null
    : (best.refusal ?? won.find((one) => one.lost !== null)?.lost ?? 'nothing that a house can do was said')
  return { words, readings: [...won, ...lost.toSorted((one, other) => other.score - one.score)], refusal }
}
