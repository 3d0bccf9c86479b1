/**
 * Statements that are shared by all who ask in one turn of the event loop, or while the one before is under way.
 * @module
 */
import { createGathering } from './gathering.ts'

const LIMIT = 500

/**
 * Asks for one item; `answer` gets up to 500 of them, and gives as many answers in the same order. When it rejects, all
 * of them do.
 */
export const createTurnGroup = <A, R>(
  answer: (items: readonly A[]) => Promise<readonly R[]>,
): ((item: A) => Promise<R>) =>
  createGathering<A, R>(LIMIT, async (group) => {
    try {
      const answers = await answer(group.map(({ item }) => item))
      for (const [at, { resolve }] of group.entries()) resolve(answers[at]!)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  })
