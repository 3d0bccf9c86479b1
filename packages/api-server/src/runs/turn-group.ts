/**
 * Statements that are shared: what is asked in one turn of the event loop, and while the one before is under way.
 * @module
 */

interface Waiting<A, R> {
  readonly item: A
  readonly resolve: (answer: R) => void
  readonly reject: (error: unknown) => void
}

const LIMIT = 500

/**
 * Asks for one item; `answer` gets up to 500 of them, and gives as many answers in the same order. When it rejects, all
 * of them do.
 */
export function createTurnGroup<A, R>(answer: (items: readonly A[]) => Promise<readonly R[]>): (item: A) => Promise<R> {
  let waiting: Waiting<A, R>[] = []
  let busy = false

  const settle = async (group: readonly Waiting<A, R>[]): Promise<void> => {
    try {
      const answers = await answer(group.map(({ item }) => item))
      for (const [at, { resolve }] of group.entries()) resolve(answers[at]!)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  const work = async (): Promise<void> => {
    busy = true
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) {
      const group = waiting.slice(0, LIMIT)
      waiting = waiting.slice(LIMIT)
      // oxlint-disable-next-line no-await-in-loop -- what is asked meanwhile goes with the next one
      await settle(group)
    }
    busy = false
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!busy) void work()
    })
}
