/**
 * Commands in English: which calls a sentence asks for.
 * @module
 */
import type { CommandContext, CommandModel, CommandReading } from '@flow-service/protocol'

import { explanation, type Explanation } from './explain.ts'
import { reading, understand } from './understand.ts'

export type { ExplainedReading, Explanation } from './explain.ts'

/** The calls that a sentence asks for, in the order in which it names them; none when it asks for none. */
export function interpret(prompt: string, context: CommandContext): CommandReading[] {
  const best = understand(prompt, context).all[0]
  return best ? best.calls.map((call) => reading(call, best.score)) : []
}

/** How {@link interpret} came to what it gives. */
export function explain(prompt: string, context: CommandContext): Explanation {
  return explanation(understand(prompt, context))
}

/** The grammar of this package as a model. */
export const grammarModel: CommandModel = { interpret }
