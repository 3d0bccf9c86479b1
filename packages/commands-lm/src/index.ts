/**
 * Commands in English: which calls a sentence asks for.
 * @module
 */
import type { CommandContext, CommandModel, CommandReading } from '@flow-service/protocol'

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

/** The calls that a sentence asks for, in the order in which it names them; none when it asks for none. */
export function interpret(_prompt: string, _context: CommandContext): CommandReading[] {
  return []
}

/** How {@link interpret} came to what it gives. */
export function explain(_prompt: string, _context: CommandContext): Explanation {
  return { words: [], readings: [], refusal: null }
}

/** The grammar of this package as a model. */
export const grammarModel: CommandModel = { interpret }
