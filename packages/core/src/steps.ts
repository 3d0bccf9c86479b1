/**
 * Long work in steps: what looks at a whole document is a generator that yields between some nodes and the next ones, so
 * that its caller decides whether others have turns meanwhile. Without it, ten thousand nodes hold up all else at once.
 * @module
 */

/** Work that may be left for a while at each `yield`. */
export type Steps<T> = Generator<void, T, void>

/** How many items of a list are one step. */
export const ITEMS_A_STEP = 100

/** Whether a step is over with the item at this place of a list. */
export const endsStep = (at: number): boolean => at % ITEMS_A_STEP === ITEMS_A_STEP - 1

/** Work to its end, at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
